"""Whether promises hold out of sample: sets cover the target, accepted rows keep the risk.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/guarantees.py [--runs N] [--rows N] [--share S]

Each run draws a table anew: two classes that overlap more where labels are rare. Labels get rarer along the second column, and a quarter of the rows, at 9 in the first, have none. 20,000 fresh rows judge the model:
coverage of 90 % sets, and the error rate of accepted rows at a risk of 10 %, confidence .9, which may be violated in a tenth of the runs.
Beside them split conformal sets that know nothing of who has a label: half of the labels are hidden from a fit, and on these the threshold is
the plain quantile of one minus the probability of the true class.
"""

import argparse
import warnings

import numpy as np

from lacuna import ReliableClassifier


def draw(n, random, labeled):
    y = random.integers(0, 2, n)
    beyond = random.uniform(size=n) < 0.25
    X = random.normal(size=(n, 2)) + np.where(beyond, 9.0, 0.0)[:, None] * [1, 0]
    # Classes lie closer together where labels are rare.
    X[:, 0] += np.where(y == 1, 1.0, -1.0) * np.clip(1.2 + 0.5 * X[:, 1], 0.3, None)
    chance = labeled / (1.0 + np.exp(-2.0 * X[:, 1]))
    return X, y, ~beyond & (random.uniform(size=n) < chance)


def unweighted_sets(X, labels, new, seed, alpha=0.1):
    """Split conformal sets by half of the labels that are there."""
    held = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))[::2]
    kept = labels.copy()
    kept[held] = -1
    model = ReliableClassifier(random_state=seed, threads=0, verbose=False).fit(X, kept)
    scores = np.sort(1.0 - model.predict_proba(X[held])[np.arange(len(held)), labels[held]])
    rank = int(np.ceil((1.0 - alpha) * (len(held) + 1)))
    return 1.0 - model.predict_proba(new) <= (scores[rank - 1] if rank <= len(held) else np.inf)


def spread(values):
    return f"{np.mean(values):.3f} (standard deviation {np.std(values):.3f}, least {np.min(values):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--share", type=float, default=0.7, help="of labels where they are most common [0.7]")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the self-check, which says of few runs in many what it should
    covered, everywhere, plain, violated, answered = [], [], [], 0, []
    for seed in range(arguments.runs):
        random = np.random.default_rng(seed)
        X, y, seen = draw(arguments.rows, random, arguments.share)
        model = ReliableClassifier(random_state=seed, threads=0, verbose=False).fit(X, np.where(seen, y, -1))
        new, truth, _ = draw(20_000, random, arguments.share)
        inside = model.informative(new)
        sets = model.predict_set(new, alpha=0.1)
        holds = sets[np.arange(len(truth)), truth]
        covered.append(holds[inside].mean())
        everywhere.append(holds.mean())
        others = unweighted_sets(X, np.where(seen, y, -1), new, seed)
        plain.append(others[np.arange(len(truth)), truth][inside].mean())
        accepted = model.accept(new, risk=0.1, confidence=0.9)
        answered.append(accepted.mean())
        violated += bool(accepted.any() and (model.predict(new) != truth)[accepted].mean() > 0.1)
    print(f"{arguments.runs} runs of {arguments.rows} rows")
    print("coverage of 90 % sets, inside the region:", spread(covered))
    print("the same over all rows:", spread(everywhere))
    print("split conformal sets without weights, inside the region:", spread(plain))
    print(f"risk of 10 % violated: {violated} runs, {violated / arguments.runs:.3f} of them; allowed: .1")
    print("rows answered:", spread(answered))


if __name__ == "__main__":
    main()
