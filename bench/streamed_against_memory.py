"""Fits one table twice, once in memory and once streamed, and tells how far the models' answers are apart.

Usage: streamed_against_memory.py LACUNA TABLE LABEL COLUMN [FIT OPTION...]   (the built tool, a full CSV table)

Labels are kept for a fifth of the 60 % of the rows with the smallest values of COLUMN. `--memory 1M` makes the fit stream:
about 38,000 unlabeled rows stay in memory at most. TABLE may be `simulated`: 200,000 rows of 5 numbers.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd


def simulated(n=200_000):
    random = np.random.default_rng(5)
    cloud = random.integers(0, 3, n)
    rows = random.normal(size=(n, 5))
    rows[:, 0] += np.where(cloud == 0, -2.0, 2.0)
    rows[:, 1] += np.where(cloud == 2, 4.0, 0.0)
    rows[:, 2] += 0.5 * rows[:, 0]
    frame = pd.DataFrame(rows, columns=list("abcde"))
    frame["y"] = pd.Series(cloud).map(str).where((cloud != 2) & (random.uniform(size=n) < 0.02), "")
    return frame


def hidden(path, label, column):
    frame = pd.read_csv(path)
    is_low = frame[column] < frame[column].quantile(0.6)
    is_known = is_low & (np.random.default_rng(5).uniform(size=len(frame)) < 0.2)
    frame[label] = frame[label].astype(str).where(is_known, "")
    return frame


def fit(tool, folder, name, options):
    subprocess.run([tool, "fit", "table.csv", "-o", name, "--json", name + ".json", *options], cwd=folder, check=True, capture_output=True)
    subprocess.run([tool, "predict", name, "table.csv", "-o", name + ".npy"], cwd=folder, check=True, capture_output=True)
    return json.loads((folder / (name + ".json")).read_text())["summary"], np.load(folder / (name + ".npy"))


def main():
    tool, path, label, column, *options = sys.argv[1:]
    tool = pathlib.Path(tool).resolve()
    frame = simulated() if path == "simulated" else hidden(path, label, column)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        frame.to_csv(folder / "table.csv", index=False)
        _, in_memory = fit(tool, folder, "memory", ["--label", label, *options])
        summary, streamed = fit(tool, folder, "stream", ["--label", label, "--memory", "1M", *options])
    apart = np.abs(in_memory[:, 4:] - streamed[:, 4:]).max(axis=1)
    print(f"rows                         {len(frame):,}")
    print(f"unlabeled rows in memory     {summary['n_kept_unlabeled']:,} of {summary['n_unlabeled']:,}")
    print(f"largest difference of p      {apart.max():.2g}")
    print(f"mean difference of p         {apart.mean():.2g}")
    print(f"rows of another prediction   {(in_memory[:, 0] != streamed[:, 0]).sum():,}")
    errors = [np.mean(each[:, 1]) for each in (in_memory, streamed)]
    print(f"mean error probability       {errors[0]:.5f} in memory, {errors[1]:.5f} streamed")


if __name__ == "__main__":
    main()
