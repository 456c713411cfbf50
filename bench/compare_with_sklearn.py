"""One VB iteration on 60,000 x 5 rows with 50 components: lacuna beside scikit-learn, same run, same cores.

Usage: compare_with_sklearn.py BENCH_VB_ITERATION   (the built benchmark, e.g. build/release/bench/bench_vb_iteration)
"""

import json
import os
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.mixture import BayesianGaussianMixture

N, D, K = 60_000, 5, 50
N_ROUNDS = 5


def sklearn_seconds(rows, max_iter):
    model = BayesianGaussianMixture(
        n_components=K, max_iter=max_iter, tol=0.0, init_params="random", random_state=0
    )
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows)
    return time.perf_counter() - started


def lacuna_seconds(bench, threads):
    out = subprocess.run(
        [bench, f"--benchmark_filter=^vb_iteration/{threads}/", "--benchmark_format=json"],
        check=True, capture_output=True, text=True,
    )
    return json.loads(out.stdout)["benchmarks"][0]["real_time"] / 1e3


def main():
    bench = sys.argv[1]
    threads = min(2, os.cpu_count())
    rows = np.random.default_rng(0).normal(size=(N, D))
    ours, theirs = [], []
    for _ in range(N_ROUNDS):  # interleaved, so that both see the same machine
        ours.append(lacuna_seconds(bench, threads))
        theirs.append((sklearn_seconds(rows, 6) - sklearn_seconds(rows, 1)) / 5)
    ratios = [t / o for t, o in zip(theirs, ours)]
    print(f"threads                {threads}")
    print(f"lacuna                 {1e3 * statistics.median(ours):8.1f} ms per iteration")
    print(f"scikit-learn           {1e3 * statistics.median(theirs):8.1f} ms per iteration")
    print(f"ratio, median of {N_ROUNDS}     {statistics.median(ratios):8.1f} (from {min(ratios):.1f} to {max(ratios):.1f})")


if __name__ == "__main__":
    main()
