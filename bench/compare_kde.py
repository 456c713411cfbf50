"""Scoring 100,000 rows x 5 by a kernel density estimate of 100,000 rows: lacuna beside scikit-learn, same run, same
kernels (scikit-learn gets rows whitened by the bandwidth matrix, and bandwidth 1), same relative tolerance.

scikit-learn's time is linear in the rows that are scored, one after another; it scores a random part of them and its time
is scaled up. It runs on one core, so lacuna is measured on one and on two.

Usage: compare_kde.py FAMILY_PROBE [ROWS]   (the built tool, e.g. build/release/tests/family_probe)
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.neighbors import KernelDensity

D = 5
TOLERANCE = 1e-4
N_SCORED_BY_SKLEARN = 200
N_ROUNDS = 3


def make_rows(n, seed):
    """Three correlated clouds."""
    random = np.random.default_rng(seed)
    shapes = np.random.default_rng(0).normal(size=(3, D, D))
    centers = 3 * np.random.default_rng(1).normal(size=(3, D))
    cloud = random.integers(3, size=n)
    return np.einsum("ni,nij->nj", random.normal(size=(n, D)), shapes[cloud]) + centers[cloud]


def lacuna(probe, folder, rows, questions, tolerance, threads):
    data, result = folder / "in", folder / "out"
    np.concatenate([rows.ravel(), np.ones(len(rows)), questions.ravel()]).tofile(data)
    scott = 2
    arguments = [len(rows), len(questions), D, scott, tolerance, threads, data, result]
    out = subprocess.run([probe, "kde", *map(str, arguments)], check=True, capture_output=True, text=True)
    return json.loads(out.stdout), np.fromfile(result)


def contenders(probe, n, threads):
    """Two functions that score n rows by n others and tell the seconds, one of lacuna's, one of scikit-learn's."""
    rows, questions = make_rows(n, 2), make_rows(n, 3)
    theirs, whiten, _ = scikit_learn(rows)

    def lacuna_seconds():
        with tempfile.TemporaryDirectory() as name:
            return lacuna(probe, pathlib.Path(name), rows, questions, TOLERANCE, threads)[0]["score_seconds"]

    return lacuna_seconds, lambda: scikit_learn_seconds(theirs, whiten(questions[:N_SCORED_BY_SKLEARN]), n)[0]


def scikit_learn(rows):
    """The fitted estimate, how it takes rows, and what that adds to a log density."""
    root = len(rows) ** (-1 / (D + 4)) * np.linalg.cholesky(np.cov(rows.T))
    whiten = lambda x: np.linalg.solve(root, x.T).T
    return KernelDensity(bandwidth=1.0, rtol=TOLERANCE).fit(whiten(rows)), whiten, -np.log(np.diag(root)).sum()


def scikit_learn_seconds(theirs, part, n):
    started = time.perf_counter()
    said = theirs.score_samples(part)
    return (time.perf_counter() - started) * n / len(part), said


def main():
    probe = sys.argv[1]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    rows, questions = make_rows(n, 2), make_rows(n, 3)
    started = time.perf_counter()
    theirs, whiten, log_scale = scikit_learn(rows)
    sklearn_fit = time.perf_counter() - started
    ones, twos, sklearn_seconds = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _ in range(N_ROUNDS):  # interleaved, so that both see the same machine
            out, ours = lacuna(probe, folder, rows, questions, TOLERANCE, 2)
            twos.append(out["score_seconds"])
            ones.append(lacuna(probe, folder, rows, questions, TOLERANCE, 1)[0]["score_seconds"])
            seconds, expected = scikit_learn_seconds(theirs, whiten(questions[:N_SCORED_BY_SKLEARN]), n)
            sklearn_seconds.append(seconds)
        exact = lacuna(probe, folder, rows, questions[:2000], 0.0, 2)[1]
    expected = expected + log_scale
    print(f"rows x features                {n} x {D}, relative tolerance {TOLERANCE}")
    print(f"lacuna, fit                    {out['fit_seconds']:10.2f} s")
    print(f"scikit-learn, fit              {sklearn_fit:10.2f} s")
    print(f"lacuna, score, 2 threads       {statistics.median(twos):10.2f} s")
    print(f"lacuna, score, 1 thread        {statistics.median(ones):10.2f} s")
    print(f"scikit-learn, score, 1 core    {statistics.median(sklearn_seconds):10.2f} s (from {N_SCORED_BY_SKLEARN} rows)")
    for label, seconds in (("2 threads", twos), ("1 thread", ones)):
        ratios = [t / o for t, o in zip(sklearn_seconds, seconds)]
        print(f"ratio, {label}, median of {N_ROUNDS}    {statistics.median(ratios):8.1f} (from {min(ratios):.1f} to {max(ratios):.1f})")
    print(f"largest relative error, ours   {np.abs(np.expm1(ours[:2000] - exact)).max():10.2e}")
    print(f"largest relative error, theirs {np.abs(np.expm1(expected - exact[:N_SCORED_BY_SKLEARN])).max():10.2e}")


if __name__ == "__main__":
    main()
