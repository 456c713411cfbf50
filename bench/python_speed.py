"""Fit and predict from Python beside the command line, on one million rows with five features.

    PYTHONPATH=build/release/python LACUNA_CLI=build/release/lacuna /usr/bin/python3 bench/python_speed.py

The rows are two classes of four clouds each, one row in a hundred labeled, in one region more often than elsewhere. The
command line reads an NPY file and writes a model and a CSV file; reading and writing is timed apart, by a run with no
more to do than that, and left out. Each side works in a process of its own, three times in turn; the median counts.
Python's peak memory is that of the process above what it held with X loaded.
"""

import json
import os
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
N_RUNS = 3


def make_data(folder):
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, N_ROWS)
    centres = random.normal(size=(2, 4, N_FEATURES)) * 3
    X = centres[truth, random.integers(0, 4, N_ROWS)] + random.normal(size=(N_ROWS, N_FEATURES))
    share = np.where(X[:, 0] > 0, 0.015, 0.005)
    y = np.where(random.uniform(size=N_ROWS) < share, truth, -1)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    np.savetxt(folder / "labels.csv", np.where(y < 0, "", y.astype(str)), fmt="%s")


def peak_kib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def python_once(folder):
    """In a process of its own: seconds and peak memory of each step, as JSON."""
    import lacuna
    from lacuna import ReliableClassifier

    X = np.load(folder / "X.npy")
    y = np.load(folder / "y.npy")
    ReliableClassifier().fit(X[:1000], np.resize([0, 1, -1], 1000))  # everything is imported now
    before = peak_kib()
    start = time.perf_counter()
    model = ReliableClassifier().fit(X, y)
    fitted = time.perf_counter()
    peak_fit = peak_kib()
    model.error_probability(X)
    predicted = time.perf_counter()
    megabytes = 1024 / 1e6
    print(json.dumps({
        "version": lacuna.__version__,
        "fit_s": fitted - start,
        "predict_s": predicted - fitted,
        "x_mb": X.nbytes / 1e6,
        "fit_peak_mb": (peak_fit - before) * megabytes,
        "predict_peak_mb": (peak_kib() - peak_fit) * megabytes,
    }))  # fmt: skip


def timed(*command, **options):
    start = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, capture_output=True, **options)
    return time.perf_counter() - start


def cli_once(cli, folder):
    """Seconds of fit and predict without reading X and writing the predictions, which Python has no part in."""
    model = folder / "model"
    read = timed(cli, "fit", folder / "X.npy", "--labels", folder / "labels.csv", "-o", model, "--force",
                 "--method", "supervised", "--components", "1", "--draws", "soft")  # fmt: skip
    trivial = timed(cli, "predict", model, folder / "X.npy", "-o", folder / "p.csv", "--force")
    fit = timed(cli, "fit", folder / "X.npy", "--labels", folder / "labels.csv", "-o", model, "--force")
    predict = timed(cli, "predict", model, folder / "X.npy", "-o", folder / "p.csv", "--force")
    return {"fit_whole_s": fit, "predict_whole_s": predict, "reading_s": read, "reading_and_writing_s": trivial}


def main():
    cli = os.environ["LACUNA_CLI"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder)
        python, tool = [], []
        for _ in range(N_RUNS):
            tool.append(cli_once(cli, folder))
            out = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True).stdout
            python.append(json.loads(out))
    medians = {key: statistics.median(run[key] for run in python) for key in python[0] if key != "version"}
    medians |= {key: statistics.median(run[key] for run in tool) for key in tool[0]}
    print(f"{N_ROWS:,} x {N_FEATURES} rows, {os.cpu_count()} cores, medians of {N_RUNS}")
    for key, value in medians.items():
        print(f"{key:24} {value:10.2f}")


if __name__ == "__main__":
    python_once(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
