"""What missing values and categories do to error rate and reliability (docs/mixed-tables.md holds the numbers).

Usage: gaps_and_categories.py LACUNA FOLDER [gaps|categories ...]

FOLDER holds htru2.csv.gz and adult.csv.gz. Labels are hidden by a rule on one column that never loses a cell, so
that they are missing at random. Half of the rows, taken by lot, are the test table. Each line is the mean over
seeds 0 to 4, with the standard error of the mean where there is room.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

SEEDS = range(5)
GAP_METRICS = [("often", "error_rate"), ("often", "ece"), ("seldom", "error_rate"), ("seldom", "mean_error_probability"),
               ("seldom", "ece"), ("all", "brier_error"), ("all", "nll")]
CATEGORY_METRICS = [("all", "error_rate"), ("all", "ece"), ("all", "overconfidence"), ("seldom", "error_rate"),
                    ("seldom", "overconfidence")]


def run(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")


def hide_labels(table, label, rule, often, seldom, seed):
    """Labels survive with probability `often` where the rule column is at most its median, else `seldom`."""
    random = np.random.default_rng(seed)
    is_often = table[rule] <= table[rule].median()
    kept = random.random(len(table)) < np.where(is_often, often, seldom)
    table = table.assign(stratum=np.where(is_often, "often", "seldom"), shown=table[label].where(kept))
    order = random.permutation(len(table))
    half = len(table) // 2
    return table.iloc[order[:half]], table.iloc[order[half:]]


def remove_cells(table, columns, share, seed):
    random = np.random.default_rng(seed)
    table = table.copy()
    for column in columns:
        table.loc[random.random(len(table)) < share, column] = np.nan
    return table


def measure(tool, folder, train, test, label, seed, *options):
    """Metrics of all rows and of the strata, and seconds of fit."""
    model, result = folder / "model.lacuna", folder / "metrics.json"
    train.drop(columns=[label, "stratum"]).to_csv(folder / "train.csv", index=False)
    test.drop(columns="shown").to_csv(folder / "test.csv", index=False)
    start = time.monotonic()
    run(tool, "fit", folder / "train.csv", "-o", model, "--label", "shown", "--seed", seed, "--force", *options)
    seconds = time.monotonic() - start
    run(tool, "evaluate", model, folder / "test.csv", "--label", label, "--stratum", "stratum", "--json", result,
        "--force")
    found = json.loads(result.read_text())
    result.unlink()
    return {"all": found, **found["strata"], "seconds": seconds}


def show(name, results, metrics):
    values = [[found[part][metric] for part, metric in metrics] + [found["seconds"]] for found in results]
    mean = np.mean(values, axis=0)
    error = np.std(values, axis=0, ddof=1) / np.sqrt(len(values))
    cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean[:-1], error[:-1])]
    print(f"| {name} | " + " | ".join(cells) + f" | {mean[-1]:.1f} |", flush=True)


def head(title, metrics):
    names = [metric if part == "all" else f"{metric}, {part}" for part, metric in metrics]
    print(f"\n| {title} | {' | '.join(names)} | fit, s |")
    print("|---|" + "---|" * (len(metrics) + 1), flush=True)


def toy(tool, folder, name, seed):
    run(tool, "demo", "--out", folder / "toys", "--seed", seed, "--force")
    train = pd.read_csv(folder / "toys" / f"{name}-train.csv")
    test = pd.read_csv(folder / "toys" / f"{name}-test.csv")
    seldom = test["region"].str.startswith("never")
    train = train.rename(columns={"label": "shown"}).assign(label="", stratum="")
    test = test.drop(columns="region").assign(stratum=np.where(seldom, "seldom", "often"), shown="")
    return train, test, ["x1", "x2"], "label"


def htru2(data, seed):
    table = pd.read_csv(data / "htru2.csv.gz")
    train, test = hide_labels(table, "class", "meanprof", 0.3, 0.003, seed)
    return train, test, [c for c in table.columns if c not in ("class", "meanprof")], "class"


def gaps(tool, data, folder):
    for name in ("htru2", "quadrants", "coin"):
        results = {"complete": [], "30 % missing, marginalised": [], "30 % missing, mean imputed": []}
        for seed in SEEDS:
            train, test, columns, label = htru2(data, seed) if name == "htru2" else toy(tool, folder, name, seed)
            holes = remove_cells(train, columns, 0.3, 1000 + seed), remove_cells(test, columns, 0.3, 2000 + seed)
            means = holes[0][columns].mean()
            filled = [table.fillna({c: means[c] for c in columns}) for table in holes]
            for key, pair in zip(results, ((train, test), holes, filled)):
                results[key].append(measure(tool, folder, *pair, label, seed))
        head(name, GAP_METRICS)
        for key, found in results.items():
            show(key, found, GAP_METRICS)


def categories(tool, data, folder):
    results = {"categories": [], "one-hot": []}
    for seed in SEEDS:
        table = pd.read_csv(data / "adult.csv.gz").drop(columns=["fnlwgt", "education"])
        train, test = hide_labels(table, "income", "age", 0.2, 0.002, seed)
        names = [c for c in table.columns if c != "income" and not pd.api.types.is_numeric_dtype(table[c])]
        both = pd.get_dummies(pd.concat([train, test]), columns=names, dtype=int)
        results["categories"].append(measure(tool, folder, train, test, "income", seed))
        results["one-hot"].append(
            measure(tool, folder, both.iloc[: len(train)], both.iloc[len(train) :], "income", seed))
    head("adult", CATEGORY_METRICS)
    for key, found in results.items():
        show(key, found, CATEGORY_METRICS)


def main():
    tool, data = sys.argv[1], Path(sys.argv[2])
    parts = sys.argv[3:] or ["gaps", "categories"]
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            {"gaps": gaps, "categories": categories}[part](tool, data, Path(folder))


if __name__ == "__main__":
    main()
