"""The density families side by side: time, errors and honesty on toys and real tables whose labels were hidden by a rule on x.

Usage: compare_families.py LACUNA [--tables FOLDER] [--features FOLDER LABELS] [--only DATA ...]

LACUNA is the built tool, e.g. build/release/lacuna. FOLDER of --tables holds htru2.csv.gz, adult.csv.gz and
credit_default.csv.gz; --features takes the folder of `lacuna reproduce fashion-mnist --protocol strict-mar` (its VAE features are
used) and that of the images.

Toys: those of `lacuna demo`, trained and tested on its files. htru2: half of the rows train, half test; labels are hidden by
`lacuna simulate --protocol strict-mar`, 1000 stay, rarely where most neighbours are of class 1. fashion: the same, 1000 of 10,000
rows, rarely where most neighbours are T-shirts or trousers. adult and credit: 5000 rows train, 5000 test; labels of 20 % of the rows
stay where age (adult) is at most its median or the limit (credit) at least its median, 0.2 % elsewhere. Three seeds; means, and the
standard deviation of the honesty columns. ece: of all test rows. rare: overconfidence of the test rows where labels are rare or were
never seen (docs/metrics.md).
"""

import argparse
import json
import pathlib
import statistics
import struct
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

CHOICES = [
    ("vb-gmm", []),
    ("vb-gmm", ["--components", "auto"]),
    ("gmm", []),
    ("dp-gmm", []),
    ("kde", ["--kde-bandwidth", "likelihood"]),
    ("kde", ["--kde-bandwidth", "silverman"]),
]
SEEDS = [0, 1, 2]
LONGEST = 120  # seconds of one fit; a family that needs more is not for such a table


def run(*arguments):
    subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True, timeout=LONGEST)


class Case:
    """Files of one data set and seed: `shown` is the label column for training, `label` the true one for the test."""

    def __init__(self, train, test, shown, label, stratum, rare, drop):
        self.train, self.test, self.shown, self.label = train, test, shown, label
        self.stratum, self.rare, self.drop = stratum, rare, drop


def toy(lacuna, folder, name, seed):
    run(lacuna, "demo", "--out", folder / "demo", "--seed", seed, "--force")
    return Case(folder / "demo" / f"{name}-train.csv", folder / "demo" / f"{name}-test.csv", "label", "label", "region",
                "never labeled", [])


def strict_mar(lacuna, folder, train, test, rare, seed):
    """Hides labels where most neighbours are of the rare classes; the test rows keep theirs and get their stratum."""
    for name, table, labeled in (("train", train, 1000), ("test", test, 1)):
        table.to_csv(folder / f"{name}-full.csv", index=False)
        run(lacuna, "simulate", folder / f"{name}-full.csv", "--label", "class", "--protocol", "strict-mar", "--rare", rare,
            "--labeled", labeled, "--seed", seed, "-o", folder / f"{name}.csv", "--force")
    strata = pd.read_csv(folder / "test.csv")["stratum"]
    test.reset_index(drop=True).assign(stratum=strata).to_csv(folder / "test.csv", index=False)
    return Case(folder / "train.csv", folder / "test.csv", "class", "class", "stratum", "rare", ["stratum"])


def htru2(lacuna, folder, path, seed):
    table = pd.read_csv(path)
    return strict_mar(lacuna, folder, table[seed % 2 :: 2], table[1 - seed % 2 :: 2], "1", seed)


def read_tensor(path, name):
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        entry = json.loads(file.read(length))[name]
        first, last = entry["data_offsets"]
        file.seek(8 + length + first)
        return np.frombuffer(file.read(last - first), dtype="<f8").reshape(entry["shape"])


def fashion(lacuna, folder, place, seed):
    features, images = place
    path = pathlib.Path(features) / "cache" / f"vae{seed}.safetensors"
    parts = []
    for name, file in (("train", "train-labels-idx1-ubyte"), ("test", "t10k-labels-idx1-ubyte")):
        rows = read_tensor(path, name)[:10000]
        labels = np.frombuffer((pathlib.Path(images) / file).read_bytes()[8:], dtype=np.uint8)[: len(rows)]
        parts.append(pd.DataFrame(rows, columns=[f"z{j}" for j in range(rows.shape[1])]).assign(**{"class": labels}))
    return strict_mar(lacuna, folder, *parts, "0,1", seed)


def by_rule(lacuna, folder, path, seed, label, column, often_if_low):
    random = np.random.default_rng(seed)
    table = pd.read_csv(path).sample(10000, random_state=seed)
    low = table[column] <= table[column].median()
    often = low if often_if_low else ~low
    kept = random.random(len(table)) < np.where(often, 0.2, 0.002)
    table = table.assign(stratum=np.where(often, "often", "rare"), shown=table[label].where(kept))
    table[:5000].drop(columns=[label, "stratum"]).to_csv(folder / "train.csv", index=False)
    table[5000:].drop(columns="shown").to_csv(folder / "test.csv", index=False)
    return Case(folder / "train.csv", folder / "test.csv", "shown", label, "stratum", "rare", [])


def measure(lacuna, folder, case, family, options, seed):
    model, out = folder / "model.lacuna", folder / "out.json"
    drop = ["--drop", ",".join(case.drop)] if case.drop else []
    started = time.perf_counter()
    run(lacuna, "fit", case.train, "-o", model, "--label", case.shown, *drop, "--density", family, *options, "--seed", seed, "--force")
    fitted = time.perf_counter()
    run(lacuna, "evaluate", model, case.test, "--label", case.label, "--stratum", case.stratum, "--json", out, "--force")
    done = time.perf_counter()
    result = json.loads(out.read_text())
    return {
        "fit": fitted - started,
        "score": done - fitted,
        "error_rate": result["error_rate"],
        "ece": result["ece"],
        "nll": float(str(result["nll"]).replace("infinity", "inf")),
        "rare": result["strata"][case.rare]["overconfidence"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lacuna", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--tables", type=pathlib.Path)
    parser.add_argument("--features", nargs=2)
    parser.add_argument("--only", nargs="*")
    arguments = parser.parse_args()
    tables, lacuna = arguments.tables, arguments.lacuna
    problems = {name: (lambda f, s, name=name: toy(lacuna, f, name, s)) for name in ("quadrants", "coin")}
    if tables:
        problems["htru2"] = lambda f, s: htru2(lacuna, f, tables / "htru2.csv.gz", s)
        problems["adult"] = lambda f, s: by_rule(lacuna, f, tables / "adult.csv.gz", s, "income", "age", True)
        problems["credit"] = lambda f, s: by_rule(lacuna, f, tables / "credit_default.csv.gz", s, "default", "LIMIT_BAL", False)
    if arguments.features:
        problems["fashion"] = lambda f, s: fashion(lacuna, f, arguments.features, s)
    print("| data | family | fit s | evaluate s | error_rate | ece | nll | rare overconfidence |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for problem, make in problems.items():
            if arguments.only and problem not in arguments.only:
                continue
            results = [[] for _ in CHOICES]
            for seed in SEEDS:
                case = make(folder, seed)
                for choice, (family, options) in enumerate(CHOICES):
                    if len(results[choice]) < seed:
                        continue  # it took too long already
                    try:
                        results[choice].append(measure(lacuna, folder, case, family, options, seed))
                    except subprocess.TimeoutExpired:
                        pass
            for runs, (family, options) in zip(results, CHOICES):
                label = " ".join([f"`{family}`"] + [o for o in options if not o.startswith("--")])
                if len(runs) < len(SEEDS):
                    print(f"| {problem} | {label} | > {LONGEST} | | | | | |", flush=True)
                    continue
                mean = {key: statistics.mean(r[key] for r in runs) for key in runs[0]}
                spread = {key: statistics.stdev(r[key] for r in runs) for key in ("ece", "rare")}
                print(
                    f"| {problem} | {label} | {mean['fit']:.1f} | {mean['score']:.1f} | {mean['error_rate']:.3f} "
                    f"| {mean['ece']:.3f} ± {spread['ece']:.3f} | {mean['nll']:.3f} | {mean['rare']:.3f} ± {spread['rare']:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
