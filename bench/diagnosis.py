"""lacuna diagnose on Fashion-MNIST whose labels are missing at random, and its time on 100,000 rows of 20 columns.

    LACUNA_CLI=build/release/lacuna /usr/bin/python3 bench/diagnosis.py --fashion FOLDER [--seeds 20] [--json FILE]

Fashion: 10 principal components of the 60,000 training images, 1,000 labels by protocol strict-mar, rare classes 0 and 1; FOLDER
holds the IDX files. Found: p <= .05. The time stands beside that of lacuna fit on the same table.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

CLI = os.path.abspath(os.environ["LACUNA_CLI"])


def tool(*arguments, cwd):
    """What it printed, and the seconds it took: by the clock, and of processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    out = subprocess.run([CLI, *map(str, arguments)], cwd=cwd, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read_idx(path):
    raw = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    shape = np.frombuffer(raw[4 : 4 + 4 * raw[3]], ">i4")
    return np.frombuffer(raw[4 + 4 * raw[3] :], np.uint8).reshape(shape)


def principal_components(folder, n):
    images = next(folder.glob("train-images-idx3-ubyte*"))
    X = read_idx(images).reshape(60_000, -1) / 255.0
    X -= X.mean(0)
    return X @ np.linalg.eigh(X.T @ X)[1][:, : -n - 1 : -1], read_idx(next(folder.glob("train-labels-idx1-ubyte*")))


def fashion(folder, n_seeds, cwd):
    features, labels = principal_components(folder, 10)
    np.save(cwd / "x.npy", features)
    np.save(cwd / "y.npy", labels.astype(np.int64))
    found = []
    for seed in range(n_seeds):
        rule = ["--protocol", "strict-mar", "--rare", "0,1", "--seed", seed, "--force"]
        tool("simulate", "x.npy", "--labels", "y.npy", *rule, "-o", "labels.csv", cwd=cwd)
        document = json.loads(tool("diagnose", "x.npy", "--labels", "labels.csv", "--json", "-", cwd=cwd)[0])
        strata = (cwd / "labels-strata.csv").read_text().split()
        hidden = [line in ('""', "") for line in (cwd / "labels.csv").read_text().splitlines()]
        rare = np.mean([stratum.strip('"') == "rare" for stratum, is_hidden in zip(strata, hidden) if is_hidden])
        found.append(
            {
                "auc": document["labeling"]["auc"],
                "p_value": document["labeling"]["p_value"],
                "outside_share": document["overlap"]["outside_share"],
                "rare_share": rare,
            }
        )
    frame = pd.DataFrame(found)
    print(f"Fashion strict-mar, {n_seeds} seeds: found in {np.mean(frame['p_value'] <= 0.05):.2f} of them")
    print(frame.agg(["mean", "std", "min", "max"]).round(4).to_string())
    return found


def speed(n_labeled, cwd):
    random = np.random.default_rng(1)
    X = random.normal(size=(100_000, 20)).round(4)
    truth = np.where(X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=len(X)) > 0, "a", "b")
    chance = np.where(X[:, 3] > 0.5, 0.01, 1.0)
    labeled = random.choice(len(X), n_labeled, replace=False, p=chance / chance.sum())
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    frame["y"] = ""
    frame.loc[labeled, "y"] = truth[labeled]
    frame.to_csv(cwd / "table.csv", index=False)
    _, wall, processor = tool("diagnose", "table.csv", "--label", "y", "--threads", 2, cwd=cwd)
    _, fit_wall, fit_processor = tool(
        "fit", "table.csv", "--label", "y", "-o", "m.lacuna", "--force", "--threads", 2, cwd=cwd
    )
    result = {"n_labeled": n_labeled, "wall_s": wall, "processor_s": processor, "fit_processor_s": fit_processor}
    print(
        f"100,000 x 20, {n_labeled:,} labels: {wall:.1f} s by the clock, {processor:.1f} s of processors; lacuna fit "
        f"{fit_wall:.1f} and {fit_processor:.1f}: {processor / fit_processor:.2f} of a fit"
    )
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fashion", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        results["speed"] = [speed(n, Path(folder)) for n in (2_000, 20_000)]
        if arguments.fashion:
            results["fashion"] = fashion(arguments.fashion, arguments.seeds, Path(folder))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
