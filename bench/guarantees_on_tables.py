"""Coverage of 90 % sets on real tables and images, ours beside split conformal sets that know nothing of who has a label.

    LACUNA_CLI=build/release/lacuna PYTHONPATH=build/release/python /usr/bin/python3 bench/guarantees_on_tables.py \\
        [--fashion FOLDER] [--data FOLDER] [--cases fashion,adult-edu,credit-pay] [--seeds 400-404]

The cases are those of bench/advice.py. The peer is fitted by the same class with half of the labels hidden; on these its threshold is the
plain quantile of one minus the probability of the true class. Each line: the share of fresh rows whose set holds the true class, among
rows inside our region (at least .9 is promised there), outside it, and all; and how many classes a set has inside. Means over seeds, with
the standard deviation.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from advice import make

import lacuna

ALPHA = 0.1


def plain_sets(case, seed):
    """Split conformal sets by the labels that are there."""
    labels = case.labels()
    held = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))[::2]
    kept = labels.copy()
    kept[held] = -1
    model = lacuna.ReliableClassifier(classes=sorted(set(case.y.tolist())), threads=2, verbose=False).fit(case.X, kept)
    rows = case.X.iloc[held] if hasattr(case.X, "iloc") else case.X[held]
    columns = np.searchsorted(model.classes_, labels[held])
    scores = np.sort(1.0 - model.predict_proba(rows)[np.arange(len(held)), columns])
    rank = int(np.ceil((1.0 - ALPHA) * (len(held) + 1)))
    threshold = scores[rank - 1] if rank <= len(held) else np.inf
    return 1.0 - model.predict_proba(case.X_test) <= threshold


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fashion", type=Path, default=Path("/usr/share/datasets/fashion-mnist"), help="folder with the IDX files [Debian's dataset-fashion-mnist]")
    parser.add_argument("--data", type=Path, help="folder with adult.csv.gz and credit_default.csv.gz")
    parser.add_argument("--cases", default="fashion,adult-edu,credit-pay")
    parser.add_argument("--seeds", default="400-404")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split("-"))
    for name in arguments.cases.split(","):
        found = {"ours": [], "unweighted": []}
        for seed in range(first, last + 1):
            with tempfile.TemporaryDirectory() as folder:
                case = make(name, arguments, seed, Path(folder))
            model = lacuna.ReliableClassifier(classes=sorted(set(case.y.tolist())), threads=2, verbose=False)
            model.fit(case.X, case.labels())
            inside = model.informative(case.X_test)
            columns = np.searchsorted(model.classes_, case.y_test)
            for who, sets in (("ours", model.predict_set(case.X_test, alpha=ALPHA)), ("unweighted", plain_sets(case, seed))):
                holds = sets[np.arange(len(columns)), columns]
                found[who].append([holds[inside].mean(), holds[~inside].mean(), holds.mean(), sets[inside].sum(axis=1).mean(), inside.mean()])
        for who, runs in found.items():
            mean, spread = np.mean(runs, axis=0), np.std(runs, axis=0)
            words = [f"{what} {m:.3f} ({s:.3f})" for what, m, s in zip(("inside", "outside", "all", "size", "share inside"), mean, spread)]
            print(f"{name:11} {who:10}", "  ".join(words), flush=True)


if __name__ == "__main__":
    main()
