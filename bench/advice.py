"""What the labels of advised rows are worth beside those of random ones: the drop of the error rate on fresh rows.

    LACUNA_CLI=build/release/lacuna PYTHONPATH=build/release/python /usr/bin/python3 bench/advice.py \\
        [--fashion FOLDER] [--data FOLDER] [--cases fashion,adult-edu,credit-pay] [--seeds 300-307] [-n 100] [--ceiling] [--json FILE]

fashion: 10 principal components of 6,000 of the training images, 1,000 labels by protocol strict-mar, rare classes 0 and 1; 10,000 test
images; FOLDER of --fashion holds the IDX files. adult-edu, credit-pay: 3,000 rows, labels for 20 % of them where education_num <= 10 or
PAY_0 <= 0 and for 0.2 % elsewhere; all other rows test; FOLDER of --data holds adult.csv.gz and credit_default.csv.gz. Random: as many
unlabeled rows by lot, twice for each seed. The ratio is that of the mean drops, its interval a bootstrap over seeds. With --ceiling also
what labels of all rows bring: no choice of rows can be expected to bring more.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from diagnosis import read_idx

import lacuna

CLI = os.path.abspath(os.environ["LACUNA_CLI"])
RANDOM_DRAWS = 2
TABLES = {
    "adult-edu": ("adult", "income", lambda table: table["education_num"] > 10),
    "credit-pay": ("credit_default", "default", lambda table: table["PAY_0"] > 0),
}


class Case:
    """Training rows, their true labels and who shows it; rows to judge by."""

    def __init__(self, X, y, seen, X_test, y_test):
        self.X, self.y, self.seen, self.X_test, self.y_test = X, np.asarray(y), np.asarray(seen), X_test, np.asarray(y_test)

    def labels(self, extra=()):
        shown = self.seen.copy()
        shown[list(extra)] = True
        return np.where(shown, self.y, -1)

    def fit(self, extra=()):
        return lacuna.ReliableClassifier(classes=sorted(set(self.y.tolist())), threads=2, verbose=False).fit(self.X, self.labels(extra))

    def judge(self, model):
        wrong, q = model.predict(self.X_test) != self.y_test, model.error_probability(self.X_test)
        return {"error_rate": wrong.mean(), "brier_error": ((wrong - q) ** 2).mean(), "mean_error_probability": q.mean()}


def components(folder, n, cache={}):
    if not cache:
        parts = {}
        for part, prefix in (("train", "train"), ("test", "t10k")):
            images = read_idx(next(folder.glob(f"{prefix}-images-idx3-ubyte*")))
            parts[part] = images.reshape(len(images), -1) / 255.0, read_idx(next(folder.glob(f"{prefix}-labels-idx1-ubyte*"))).astype(int)
        X, y = parts["train"]
        T, y_test = parts["test"]
        mean = X.mean(0)
        axes = np.linalg.eigh((X - mean).T @ (X - mean))[1][:, : -n - 1 : -1]
        cache.update(train=((X - mean) @ axes, y), test=((T - mean) @ axes, y_test))
    return cache


def fashion(arguments, seed, folder):
    (X, y), test = components(arguments.fashion, 10)["train"], components(arguments.fashion, 10)["test"]
    rows = np.random.default_rng(seed).choice(len(X), 6_000, replace=False)
    np.save(folder / "x.npy", X[rows])
    np.save(folder / "y.npy", y[rows].astype(np.int64))
    rule = ["--protocol", "strict-mar", "--rare", "0,1", "--labeled", "1000", "--seed", str(seed), "--force"]
    subprocess.run([CLI, "simulate", "x.npy", "--labels", "y.npy", *rule, "-o", "labels.csv"], cwd=folder, check=True, capture_output=True)
    seen = [line not in ('""', "") for line in (folder / "labels.csv").read_text().splitlines()]
    return Case(X[rows], y[rows], seen, *test)


def table(name, arguments, seed):
    file, label, is_seldom = TABLES[name]
    frame = pd.read_csv(arguments.data / f"{file}.csv.gz")
    random = np.random.default_rng(seed)
    order = random.permutation(len(frame))
    train, test = frame.iloc[order[:3_000]].reset_index(drop=True), frame.iloc[order[3_000:]]
    seen = random.uniform(size=len(train)) < np.where(is_seldom(train), 0.002, 0.2)
    codes = {text: code for code, text in enumerate(sorted(frame[label].unique()))}
    y, y_test = train[label].map(codes), test[label].map(codes)
    return Case(train.drop(columns=label), y, seen, test.drop(columns=label), y_test)


def make(name, arguments, seed, folder):
    return fashion(arguments, seed, folder) if name == "fashion" else table(name, arguments, seed)


def ceiling(name, arguments, seed, folder):
    case = make(name, arguments, seed, folder)
    return case.judge(case.fit(np.flatnonzero(~case.seen)))


def run(name, arguments, seed, folder):
    case = make(name, arguments, seed, folder)
    model = case.fit()
    advice = lacuna.advise(model, case.X, case.labels(), n=arguments.n)
    hidden = np.flatnonzero(~case.seen)
    found = {"case": name, "seed": seed, "n": arguments.n, "before": case.judge(model), "advised": case.judge(case.fit(advice.rows))}
    found["unseen"] = int((advice.reasons == "unseen").sum())
    found["announced_drop"] = float(advice.expected_drop.sum())
    lots = [np.random.default_rng([seed, draw]).choice(hidden, arguments.n, replace=False) for draw in range(RANDOM_DRAWS)]
    found["random"] = [case.judge(case.fit(rows)) for rows in lots]
    return found


def drops(results, metric):
    advised = np.array([r["before"][metric] - r["advised"][metric] for r in results])
    random = np.array([r["before"][metric] - np.mean([one[metric] for one in r["random"]]) for r in results])
    return advised, random


def summary(results):
    for name in dict.fromkeys(r["case"] for r in results):
        of_case = [r for r in results if r["case"] == name]
        for metric in of_case[0]["before"]:
            advised, random = drops(of_case, metric)
            picks = np.random.default_rng(0).integers(len(advised), size=(10_000, len(advised)))
            low, high = np.quantile(advised[picks].mean(1) / random[picks].mean(1), [0.025, 0.975])
            before = np.mean([r["before"][metric] for r in of_case])
            print(
                f"{name}, n {of_case[0]['n']}, {len(of_case)} seeds, {metric} {before:.4f}: drop advised {advised.mean():.4f} +- "
                f"{advised.std() / len(advised) ** 0.5:.4f}, random {random.mean():.4f} +- {random.std() / len(random) ** 0.5:.4f}, "
                f"ratio {advised.mean() / random.mean():.2f} ({low:.2f} to {high:.2f}), better in {(advised > random).sum()}"
            )
        limit = [r["before"]["error_rate"] - r["all"]["error_rate"] for r in of_case if "all" in r]
        if limit:
            print(f"{name}: labels of all rows, {len(limit)} seeds: drop of error_rate {np.mean(limit):.4f}")
        announced = np.mean([r["announced_drop"] for r in of_case])
        print(f"{name}: announced drop of the mean error probability {announced:.4f}, unseen {np.mean([r['unseen'] for r in of_case]):.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fashion", type=Path, default=Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--cases", default="fashion,adult-edu,credit-pay")
    parser.add_argument("--seeds", default="300-307")
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--ceiling", action="store_true")
    parser.add_argument("--json", type=Path, help="results so far; those that are there are not made again")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split("-"))
    results = json.loads(arguments.json.read_text()) if arguments.json and arguments.json.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            for name in arguments.cases.split(","):
                known = [r for r in results if (r["case"], r["seed"], r["n"]) == (name, seed, arguments.n)]
                if not known:
                    known = [run(name, arguments, seed, Path(folder))]
                    results += known
                if arguments.ceiling and "all" not in known[0]:
                    known[0]["all"] = ceiling(name, arguments, seed, Path(folder))
                if arguments.json:
                    arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    summary([r for r in results if r["n"] == arguments.n])
    return 0


if __name__ == "__main__":
    sys.exit(main())
