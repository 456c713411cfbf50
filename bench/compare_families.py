"""The density families side by side: time, errors and honesty on toys and on a real table whose labels were hidden by a rule on x.

Usage: compare_families.py LACUNA [HTRU2.csv[.gz]] [FAMILY ...]   (LACUNA: the built tool, e.g. build/release/lacuna)

Toys: those of `lacuna demo`, trained and tested on its files. htru2: half of the rows train, half test; labels are hidden by
`lacuna simulate --protocol strict-mar`, 1000 stay, rarely where most neighbours are of class 1. Three seeds; means.
error_rate, ece, nll: of all test rows. rare: overconfidence (error_rate - mean error probability, docs/metrics.md) of the test rows
where labels are rare or were never seen.
"""

import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

CHOICES = [
    ("vb-gmm", []),
    ("vb-gmm", ["--components", "auto"]),
    ("gmm", []),
    ("kde", ["--kde-bandwidth", "likelihood"]),
    ("kde", ["--kde-bandwidth", "silverman"]),
]
SEEDS = [0, 1, 2]


def run(*arguments):
    subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True)


def htru2(lacuna, folder, path, seed):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        lines = list(csv.reader(file))
    for name, first in (("train", seed % 2), ("test", 1 - seed % 2)):
        with open(folder / f"{name}-full.csv", "w", newline="") as file:
            csv.writer(file).writerows([lines[0]] + lines[1 + first :: 2])
        labeled = 1000 if name == "train" else 1
        run(lacuna, "simulate", folder / f"{name}-full.csv", "--label", "class", "--protocol", "strict-mar", "--rare", "1",
            "--labeled", labeled, "--seed", seed, "-o", folder / f"{name}.csv", "--force")
    # The test rows keep their labels and get the stratum.
    with open(folder / "test.csv") as hidden, open(folder / "test-full.csv") as full:
        strata = [row["stratum"] for row in csv.DictReader(hidden)]
        rows = list(csv.reader(full))
    with open(folder / "test.csv", "w", newline="") as file:
        csv.writer(file).writerows([rows[0] + ["stratum"]] + [r + [s] for r, s in zip(rows[1:], strata)])
    return folder / "train.csv", folder / "test.csv", "class", "stratum", "rare"


def toy(lacuna, folder, name, seed):
    run(lacuna, "demo", "--out", folder / "demo", "--seed", seed, "--force")
    return folder / "demo" / f"{name}-train.csv", folder / "demo" / f"{name}-test.csv", "label", "region", "never labeled"


def measure(lacuna, folder, case, family, options, seed):
    train, test, label, stratum, rare = case
    model, out = folder / "model.lacuna", folder / "out.json"
    started = time.perf_counter()
    run(lacuna, "fit", train, "-o", model, "--label", label, *(["--drop", stratum] if stratum == "stratum" else []), "--density", family, *options, "--seed", seed,
        "--force")
    fitted = time.perf_counter()
    run(lacuna, "evaluate", model, test, "--label", label, "--stratum", stratum, "--json", out, "--force")
    done = time.perf_counter()
    result = json.loads(out.read_text())
    part = result["strata"][rare]
    return {
        "fit": fitted - started,
        "score": done - fitted,
        "error_rate": result["error_rate"],
        "ece": result["ece"],
        "nll": float(result["nll"]),
        "rare": part["overconfidence"],
    }


def main():
    lacuna = pathlib.Path(sys.argv[1]).resolve()
    problems = ["quadrants", "coin"] + (["htru2"] if len(sys.argv) > 2 else [])
    choices = [choice for choice in CHOICES if not sys.argv[3:] or choice[0] in sys.argv[3:]]
    print("| data | family | fit s | evaluate s | error_rate | ece | nll | rare overconfidence |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for problem in problems:
            results = {choice: [] for choice in range(len(choices))}
            for seed in SEEDS:
                case = htru2(lacuna, folder, sys.argv[2], seed) if problem == "htru2" else toy(lacuna, folder, problem, seed)
                for choice, (family, options) in enumerate(choices):
                    results[choice].append(measure(lacuna, folder, case, family, options, seed))
            for choice, (family, options) in enumerate(choices):
                mean = {key: statistics.mean(r[key] for r in results[choice]) for key in results[choice][0]}
                label = " ".join([f"`{family}`"] + [o for o in options if not o.startswith("--")])
                print(
                    f"| {problem} | {label} | {mean['fit']:.1f} | {mean['score']:.1f} | {mean['error_rate']:.4f} "
                    f"| {mean['ece']:.4f} | {mean['nll']:.4f} | {mean['rare']:+.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
