"""lacuna predict beside pandas.read_csv of the same file: rows a second, processor time, and memory by the number of rows.

    LACUNA_CLI=build/release/lacuna /usr/bin/python3 bench/predict.py [--rows N] [--memory N,N,...] [--endings csv,npy] [--no-speed] [--json FILE]

The rows are 10 classes of three clouds each in five columns; the models are fitted to 20,000 of them, a fifth with labels. pandas reads
the table of numbers; predict reads it, scores it and writes 14 columns. They work in turn, so that what else the machine does hits all
of them. A ratio above 1 means: more rows than pandas in the same time.
"""

import argparse
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
import pandas as pd

N_CLASSES, N_CLOUDS, N_FEATURES = 10, 3, 5
N_TRAINING = 20_000
ROWS_PER_WRITE = 500_000
N_RUNS = 5
MODELS = {"densities": ["--conditional", "densities"], "stack": ["--conditional", "stack"]}


def rows_of(n, seed):
    centres = np.random.default_rng(0).normal(size=(N_CLASSES, N_CLOUDS, N_FEATURES)) * 3
    random = np.random.default_rng(seed)
    truth = random.integers(0, N_CLASSES, n)
    return centres[truth, random.integers(0, N_CLOUDS, n)] + random.normal(size=(n, N_FEATURES)), truth


def write_tables(folder, name, n):
    """The same rows as CSV and as NPY, piece by piece."""
    with open(folder / f"{name}.npy", "wb") as array:
        np.lib.format.write_array_header_1_0(array, {"descr": "<f8", "fortran_order": False, "shape": (n, N_FEATURES)})
        for first in range(0, n, ROWS_PER_WRITE):
            X, _ = rows_of(min(ROWS_PER_WRITE, n - first), 1 + first)
            X.tofile(array)
            frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(N_FEATURES)])
            frame.to_csv(folder / f"{name}.csv", index=False, header=first == 0, mode="w" if first == 0 else "a")


def fit_models(tool, folder):
    X, truth = rows_of(N_TRAINING, 1)
    is_labeled = np.random.default_rng(2).uniform(size=N_TRAINING) < np.where(X[:, 0] > 0, 0.3, 0.1)
    np.save(folder / "train.npy", X)
    (folder / "labels.csv").write_text("".join(f"{y}\n" if known else "\n" for y, known in zip(truth, is_labeled)))
    for name, options in MODELS.items():
        command = [tool, "fit", "train.npy", "--labels", "labels.csv", "-o", name, *options]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


def timed(work, who):
    """Seconds on the wall and of the processor."""
    before, start = resource.getrusage(who), time.perf_counter()
    work()
    wall, after = time.perf_counter() - start, resource.getrusage(who)
    return {"wall": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def speeds(tool, folder, n):
    write_tables(folder, "rows", n)
    runs = []
    for _ in range(N_RUNS):
        run = {"pandas": timed(lambda: pd.read_csv(folder / "rows.csv"), resource.RUSAGE_SELF)}
        for model in MODELS:
            for ending in ("csv", "npy"):
                command = [tool, "predict", model, f"rows.{ending}", "-o", f"out.{ending}", "--force"]
                work = lambda: subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: B023
                run[f"{model}, {ending}"] = timed(work, resource.RUSAGE_CHILDREN)
        runs.append(run)
    result = {}
    for name in runs[0]:
        ratios = [run["pandas"]["wall"] / run[name]["wall"] for run in runs]
        result[name] = {
            "seconds": statistics.median(run[name]["wall"] for run in runs),
            "processor_seconds": statistics.median(run[name]["cpu"] for run in runs),
            "rows_per_second": n / statistics.median(run[name]["wall"] for run in runs),
            "ratio": statistics.median(ratios),
            "ratio_from": min(ratios),
            "ratio_to": max(ratios),
            "processor_ratio": statistics.median(run["pandas"]["cpu"] / run[name]["cpu"] for run in runs),
        }
    return result


# A child's peak counts what its parent held when it was started, so the parent is a small program.
PEAK = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); " + (
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def pour(pipe, ending, n):
    """So many rows, the same ones over and over: what comes through a pipe lies in no file."""
    rows, _ = rows_of(min(n, ROWS_PER_WRITE), 1)
    with open(pipe, "wb") as stream:
        if ending == "npy":
            np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (n, N_FEATURES)})
            some = rows.tobytes()
        else:
            stream.write((",".join(f"c{j}" for j in range(N_FEATURES)) + "\n").encode())
            some = pd.DataFrame(rows).to_csv(index=False, header=False).encode()
        for _ in range(n // len(rows)):
            stream.write(some)


def peaks(tool, folder, sizes, endings):
    """The most memory that predict held, in MB."""
    result = {}
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    for n in sizes:
        for ending in endings:
            command = [tool, "predict", "densities", "pipe", "-o", f"out.{ending}", "--force"]
            whole = [sys.executable, "-S", "-c", PEAK, *command]
            with subprocess.Popen(whole, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                pour(pipe, ending, n)
                out, _ = child.communicate()
            if child.returncode != 0:
                raise SystemExit(f"predict failed on {n:,} rows, {ending}")
            result[f"{n:,} rows, {ending}"] = int(out) * 1024 / 1e6
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", default="100000,1000000,10000000", help="rows whose peak of memory is measured; may be empty")
    parser.add_argument("--endings", default="csv,npy", help="of files whose peak is measured")
    parser.add_argument("--no-speed", action="store_true", help="measure memory alone")
    parser.add_argument("--json", help="write what was measured here, too")
    arguments = parser.parse_args()
    tool = str(Path(os.environ["LACUNA_CLI"]).resolve())
    sizes = [int(size) for size in arguments.memory.split(",") if size]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fit_models(tool, folder)
        found = {"rows": arguments.rows, "cores": os.cpu_count(), "speed": {}}
        if not arguments.no_speed:
            found["speed"] = speeds(tool, folder, arguments.rows)
        found["peak_mb"] = peaks(tool, folder, sizes, arguments.endings.split(","))
    print(f"{arguments.rows:,} x {N_FEATURES}, {N_CLASSES} classes, {os.cpu_count()} cores, medians of {N_RUNS}")
    for name, of in found["speed"].items():
        extent = f"({of['ratio_from']:.2f} to {of['ratio_to']:.2f})"
        print(
            f"{name:16} {of['rows_per_second'] / 1e6:6.2f} M rows/s  ratio {of['ratio']:.2f} {extent}  "
            f"processor {of['processor_seconds']:6.2f} s"
        )
    for name, peak in found["peak_mb"].items():
        print(f"{name:24} peak {peak:6.1f} MB")
    text = json.dumps(found, indent=2)
    if arguments.json:
        Path(arguments.json).write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
