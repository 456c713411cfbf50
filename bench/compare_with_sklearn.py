"""One iteration of each mixture: lacuna beside scikit-learn, same run, same cores.

vb-gmm: 60,000 x 5 rows, 50 components. gmm: 100,000 x 32 rows, 16 components. Full covariances.

Usage: compare_with_sklearn.py FOLDER   (where the benchmarks were built, e.g. build/release/bench)
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

CASES = [
    ("vb-gmm", "vb_iteration", BayesianGaussianMixture, 60_000, 5, 50),
    ("gmm", "gmm_iteration", GaussianMixture, 100_000, 32, 16),
]
N_ROUNDS = 5


def sklearn_seconds(kind, rows, n_components, max_iter):
    model = kind(n_components=n_components, max_iter=max_iter, tol=0.0, init_params="random", random_state=0)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows)
    return time.perf_counter() - started


def lacuna_seconds(folder, bench, threads):
    out = subprocess.run(
        [folder / f"bench_{bench}", f"--benchmark_filter=^{bench}/{threads}/", "--benchmark_format=json"],
        check=True, capture_output=True, text=True,
    )
    return json.loads(out.stdout)["benchmarks"][0]["real_time"] / 1e3


def compare(folder, threads, family, bench, kind, n, d, n_components):
    rows = np.random.default_rng(0).normal(size=(n, d))
    ours, theirs = [], []
    for _ in range(N_ROUNDS):  # interleaved, so that both see the same machine
        ours.append(lacuna_seconds(folder, bench, threads))
        more, fewer = (sklearn_seconds(kind, rows, n_components, count) for count in (6, 1))
        theirs.append((more - fewer) / 5)
    ratios = [t / o for t, o in zip(theirs, ours)]
    print(f"{family}, {n} x {d} rows, {n_components} components, {threads} threads")
    print(f"lacuna                 {1e3 * statistics.median(ours):8.1f} ms per iteration")
    print(f"scikit-learn           {1e3 * statistics.median(theirs):8.1f} ms per iteration")
    print(f"ratio, median of {N_ROUNDS}     {statistics.median(ratios):8.1f} (from {min(ratios):.1f} to {max(ratios):.1f})")


def main():
    for case in CASES:
        compare(pathlib.Path(sys.argv[1]), min(2, os.cpu_count()), *case)


if __name__ == "__main__":
    main()
