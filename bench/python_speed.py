"""Fit and predict from Python beside the command line, on one million rows with five features.

    PYTHONPATH=build/release/python LACUNA_CLI=build/release/lacuna /usr/bin/python3 bench/python_speed.py

The rows are two classes of four clouds each; one row in a hundred has a label, in one half of the space three times as
often as in the other. Both sides read X from an NPY file; fit ends with a model file. Predict asks for everything that
the model says about each row; the command line writes it to a CSV file, Python leaves it in arrays. Each side works in
a process of its own, in turn. Python's time starts after its imports. Memory: how far the peak of the process rose above
what it held with X loaded.
"""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_ROWS = int(os.environ.get("N_ROWS", 1_000_000))
N_FEATURES = 5
N_RUNS = 5


def make_data(folder):
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, N_ROWS)
    centres = random.normal(size=(2, 4, N_FEATURES)) * 3
    X = centres[truth, random.integers(0, 4, N_ROWS)] + random.normal(size=(N_ROWS, N_FEATURES))
    y = np.where(random.uniform(size=N_ROWS) < np.where(X[:, 0] > 0, 0.015, 0.005), truth, -1)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    (folder / "labels.csv").write_text("".join("\n" if label < 0 else f"{label}\n" for label in y))


class Clock:
    """Seconds on the wall and of the processor since it was started, of this process or of its children."""

    def __init__(self, who):
        self.who = who
        self.start = self.now()

    def now(self):
        usage = resource.getrusage(self.who)
        return np.array([time.perf_counter(), usage.ru_utime + usage.ru_stime])

    def read(self, name):
        wall, cpu = self.now() - self.start
        return {f"{name}_s": wall, f"{name}_cpu_s": cpu}


def memory(key):
    return 1024 * int(re.search(key + r":\s+(\d+)", Path("/proc/self/status").read_text())[1])


def forget_peak():
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def python_step(folder, step):
    """In a process of its own: seconds and memory of a step, as JSON."""
    import lacuna
    from lacuna import ReliableClassifier

    small = np.random.default_rng(0).normal(size=(100, 2))
    ReliableClassifier().fit(small, np.resize([0, 1, -1], 100)).predict(small)  # everything is imported now
    clock = Clock(resource.RUSAGE_SELF)
    X = np.load(folder / "X.npy")
    if step == "fit":
        y = np.load(folder / "y.npy")
        before = forget_peak()
        ReliableClassifier().fit(X, y).save(folder / "python.lacuna", overwrite=True)
    else:
        before = forget_peak()
        lacuna.load(folder / "python.lacuna")._score_rows(X)
    facts = {"x_mb": X.nbytes / 1e6, f"{step}_peak_mb": (memory("VmHWM") - before) / 1e6}
    print(json.dumps({**clock.read(step), **facts}))


def from_python(folder, step):
    command = [sys.executable, __file__, folder, step]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def from_the_tool(folder, step):
    model, X = folder / "tool.lacuna", folder / "X.npy"
    command = {
        "fit": ["fit", X, "--labels", folder / "labels.csv", "-o", model, "--force"],
        "predict": ["predict", model, X, "-o", folder / "p.csv", "--force"],
    }[step]
    clock = Clock(resource.RUSAGE_CHILDREN)
    subprocess.run([os.environ["LACUNA_CLI"], *command], check=True, capture_output=True)
    return clock.read(step)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder)
        tool, python = [], []
        for _ in range(N_RUNS):
            tool.append(from_the_tool(folder, "fit") | from_the_tool(folder, "predict"))
            python.append(from_python(folder, "fit") | from_python(folder, "predict"))
    print(f"{N_ROWS:,} x {N_FEATURES} rows, {os.cpu_count()} cores, medians of {N_RUNS}")
    for key in tool[0]:
        ratios = [p[key] / t[key] for p, t in zip(python, tool)]
        median = statistics.median(ratios)
        ours, theirs = (statistics.median(run[key] for run in side) for side in (python, tool))
        extent = f"({min(ratios):.3f} to {max(ratios):.3f})"
        print(f"{key:14} Python {ours:7.2f}  tool {theirs:7.2f}  ratio {median:.3f} {extent}")
    for key in ("x_mb", "fit_peak_mb", "predict_peak_mb"):
        print(f"{key:16} {statistics.median(run[key] for run in python):7.1f}")


if __name__ == "__main__":
    python_step(Path(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main()
