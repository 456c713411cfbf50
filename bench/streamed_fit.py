"""Fits of tables that are larger than the memory they may take: what a row costs, and the peak of memory.

Usage: streamed_fit.py LACUNA [--memory 1G] [--rows 1e5,1e6,1e7] [FIT OPTION...]   (the built tool)

Tables of 5 numbers and about 3,000 labels are written to the folder for temporary files as NPY, fitted, and removed. A
row costs processor time, which other programs on the machine do not count towards, and what it costs depends on how often
the rows pass by: the fit of the mixture of all unlabeled rows ends when it has converged. So its iterations are told as
well.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

D = 5
LABELS = 3000
ROWS_PER_WRITE = 500_000


def write_table(folder, n):
    """Three clouds; the labels of two of them are known for some rows, that of the third for none."""
    labels = np.lib.format.open_memmap(folder / "y.npy", mode="w+", dtype=np.int8, shape=(n,))
    with open(folder / "x.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (n, D)})
        for piece, first in enumerate(range(0, n, ROWS_PER_WRITE)):
            random = np.random.default_rng(piece)
            count = min(ROWS_PER_WRITE, n - first)
            cloud = random.integers(3, size=count)
            rows = random.normal(size=(count, D))
            rows[:, 0] += np.where(cloud == 0, -2.0, 2.0)
            rows[:, 1] += np.where(cloud == 2, 4.0, 0.0)
            rows[:, 2] += 0.5 * rows[:, 0]
            is_known = (cloud != 2) & (random.uniform(size=count) < 1.5 * LABELS / n)
            labels[first : first + count] = np.where(is_known, cloud, -1)
            rows.tofile(file)
    labels.flush()


# The peak of a process counts that of the one that starts it, so that is a small one.
LAUNCH = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""


def fit(tool, folder, memory, options):
    words = [tool, "fit", "x.npy", "--labels", "y.npy", "--missing-label", "-1", "-o", "model", "--json", "fit.json", "--memory", memory]
    begin = time.monotonic()
    launched = [sys.executable, "-I", "-S", "-c", LAUNCH, *words, *options]
    done = subprocess.run(launched, cwd=folder, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)})
    status, processor, peak = (float(word) for word in done.stdout.split())
    if status != 0:
        raise SystemExit("the fit failed")
    return json.loads((folder / "fit.json").read_text()), time.monotonic() - begin, processor, peak


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tool", type=lambda path: pathlib.Path(path).resolve())
    arguments.add_argument("--memory", default="1G")
    arguments.add_argument("--rows", default="1e5,1e6,1e7")
    known, options = arguments.parse_known_args()
    print("rows        in memory    iterations  seconds  processor  per row   and iteration  peak")
    for n in (int(float(text)) for text in known.rows.split(",")):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_table(folder, n)
            record, seconds, processor, peak = fit(known.tool, folder, known.memory, options)
        summary = record["summary"]
        kept = summary.get("n_kept_unlabeled", n)
        iterations = next(each["n_iterations"] for each in summary["densities"] if each["name"] == "initial unlabeled")
        print(
            f"{n:<11,} {kept:<12,} {iterations:<11} {seconds:<8.1f} {processor:<10.1f} {1e6 * processor / n:<6.2f} us "
            f"{1e9 * processor / n / iterations:<8.0f} ns    {peak:.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
