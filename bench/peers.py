"""What bench/all compares: the cases, their contenders, and the machine's own limits."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import compare_kde
import numpy as np
import predict

THREADS = int(os.environ["OMP_NUM_THREADS"])


def by_clock():
    """Of one thread the processor's time counts, which does not wait for other programs."""
    return THREADS > 1


def benchmark(build, program, name):
    """Milliseconds of one benchmark, or None where the program was not built."""
    path = build / "bench" / f"bench_{program}"
    if not path.exists():
        return None
    command = [path, f"--benchmark_filter=^{name}(/real_time)?$", "--benchmark_format=json"]
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(out.stdout)["benchmarks"][0]["real_time" if by_clock() else "cpu_time"]


def difference(measure, most, least):
    """What one more iteration takes, from fits of `most` and of `least`."""
    more, fewer = measure(most), measure(least)
    return None if more is None else (more - fewer) / (most - least)


def milliseconds(work):
    now = time.perf_counter if by_clock() else time.process_time
    started = now()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
    return 1e3 * (now() - started)


class Case:
    """What is timed, by the names of the contenders, in milliseconds; lacuna is the first."""

    def __init__(self, title, contenders, gflop=None):
        self.title, self.contenders, self.gflop = title, contenders, gflop

    def run(self, rounds):
        taken = {name: [] for name in self.contenders}
        for _ in range(rounds):
            for name, measure in self.contenders.items():
                taken[name].append(measure())
        return {name: times for name, times in taken.items() if None not in times}


def mixture_of_scikit_learn(kind, shape):
    """Its iteration does the same work whatever the rows are."""
    n, d, k = shape
    rows = np.random.default_rng(0).normal(size=(n, d))

    def fit(iterations):
        model = kind(n_components=k, max_iter=iterations, tol=0.0, init_params="random", random_state=0)
        return milliseconds(lambda: model.fit(rows))

    return lambda: difference(fit, 4, 1)


def gflop_of_pass(shape):
    """At least so much: a quadratic form and a moment for each row and component."""
    n, d, k = shape
    return 2 * 2e-9 * n * k * d * (d + 1) / 2


def gmm(build):
    from sklearn.mixture import GaussianMixture

    shape = 100_000, 32, 16
    return Case(
        f"gmm, an iteration: 100,000 x 32, 16 components, {THREADS} thread(s)",
        {
            "lacuna": lambda: benchmark(build, "gmm_iteration", f"gmm_iteration/{THREADS}"),
            "scikit-learn": mixture_of_scikit_learn(GaussianMixture, shape),
            "Armadillo": lambda: difference(lambda n: benchmark(build, "peer_armadillo", f"armadillo_gmm/{n}"), 4, 1),
            "OpenCV": lambda: difference(lambda n: benchmark(build, "peer_opencv", f"opencv_gmm/{n}"), 2, 1),
        },
        gflop_of_pass(shape),
    )


def vb_gmm(build):
    from sklearn.mixture import BayesianGaussianMixture

    shape = 60_000, 5, 50
    return Case(
        f"vb-gmm, an iteration: 60,000 x 5, 50 components, {THREADS} thread(s)",
        {
            "lacuna": lambda: benchmark(build, "vb_iteration", f"vb_iteration/{THREADS}"),
            "scikit-learn": mixture_of_scikit_learn(BayesianGaussianMixture, shape),
        },
        gflop_of_pass(shape),
    )


def clouds(n, d):
    """Rows as bench/peers.cpp has them: five clouds."""
    random = np.random.default_rng(0)
    labels = np.arange(n) % 5
    return random.normal(size=(5, d))[labels] + random.normal(size=(n, d)), labels


def logistic(build):
    from sklearn.linear_model import LogisticRegression

    rows, labels = clouds(50_000, 20)
    return Case(
        "logistic regression, ridge 1: 50,000 x 20, 5 classes",
        {
            "lacuna": lambda: benchmark(build, "peers", "logistic_fit"),
            "scikit-learn": lambda: milliseconds(lambda: LogisticRegression(C=1.0, max_iter=1000).fit(rows, labels)),
        },
    )


def trees(build):
    return Case(
        "boosted trees, scoring: 20,000 x 20, 500 trees of 15 leaves",
        {
            "lacuna": lambda: benchmark(build, "peers", "trees_lacuna"),
            "XGBoost": lambda: benchmark(build, "peers", "trees_xgboost"),
        },
    )


def pca(build):
    from sklearn.decomposition import PCA

    rows, _ = clouds(100_000, 50)
    return Case(
        f"pca to 10: 100,000 x 50, {THREADS} thread(s)",
        {
            "lacuna": lambda: benchmark(build, "peers", f"pca_fit/{THREADS}"),
            "scikit-learn": lambda: milliseconds(lambda: PCA(10, svd_solver="full").fit(rows)),
            "Armadillo": lambda: benchmark(build, "peer_armadillo", "armadillo_pca"),
        },
        2e-9 * 100_000 * 50 * 51 / 2,
    )


def csv(build):
    """The file stays until the program ends."""
    import pandas as pd

    folder = tempfile.TemporaryDirectory()
    predict.write_tables(Path(folder.name), "rows", 200_000)
    path = Path(folder.name) / "rows.csv"
    os.environ["LACUNA_BENCH_CSV"] = str(path)

    def read(folder=folder):
        return milliseconds(lambda: pd.read_csv(path))

    return Case(
        "CSV, reading: 200,000 x 5 numbers of all their digits, one thread",
        {"lacuna": lambda: benchmark(build, "peers", "csv_read"), "pandas": read},
    )


def kde(build):
    """One thread each, whatever was asked for: scikit-learn has no more."""
    ours, theirs = compare_kde.contenders(build / "tests/family_probe", 20_000, 1)
    return Case(
        "kde, scoring: 20,000 x 5 by 20,000, relative tolerance 1e-4, by the clock",
        {"lacuna": lambda: 1e3 * ours(), "scikit-learn": lambda: 1e3 * theirs()},
    )


CASES = {"gmm": gmm, "vb-gmm": vb_gmm, "logistic": logistic, "trees": trees, "pca": pca, "csv": csv, "kde": kde}


def spread(values):
    return {"median": statistics.median(values), "from": min(values), "to": max(values)}


def limits(build):
    def best(threads, what):
        return float(subprocess.check_output([build / "bench/limits", str(threads), what]))

    return {"gflops": best(THREADS, "double"), "copy_gb_per_s": best(THREADS, "copy")}


def compared(case, rounds, limit):
    taken = case.run(rounds)
    result = {"title": case.title, "milliseconds": {name: spread(times) for name, times in taken.items()}, "ratio": {}}
    for name, times in taken.items():
        if name != "lacuna":
            result["ratio"][name] = spread([t / o for t, o in zip(times, taken["lacuna"], strict=True)])
    missing = [name for name in case.contenders if name not in taken]
    if missing:
        result["missing"] = missing
    if case.gflop:
        # The best of the rounds: both are limits, and what else the machine does is in neither.
        speed = 1e3 * case.gflop / min(taken["lacuna"])
        result["gflops"] = speed
        result["share_of_limit"] = speed / limit["gflops"]
    return result


def show(name, result):
    print(f"{name}: {result['title']}")
    for contender, of in result["milliseconds"].items():
        ratio = result["ratio"].get(contender)
        text = f"   ratio {ratio['median']:.1f} ({ratio['from']:.1f} to {ratio['to']:.1f})" if ratio else ""
        print(f"  {contender:14} {of['median']:10.1f} ms{text}")
    if "gflops" in result:
        print(f"  {result['gflops']:.1f} GFLOP/s at least, {100 * result['share_of_limit']:.0f} % of the machine's best")
    if "missing" in result:
        print(f"  not built or installed here: {', '.join(result['missing'])}")
    sys.stdout.flush()


def tables(build, rows, rounds):
    """predict beside pandas.read_csv."""
    predict.N_RUNS = rounds
    tool = str((build / "lacuna").resolve())
    with tempfile.TemporaryDirectory() as name:
        predict.fit_models(tool, Path(name))
        return predict.speeds(tool, Path(name), rows)


def show_tables(rows, found):
    print(f"predict: {rows:,} x 5, 10 classes, all cores, CSV to CSV and NPY to NPY, beside pandas.read_csv")
    for what, of in found.items():
        print(
            f"  {what:16} {of['rows_per_second'] / 1e6:6.2f} M rows/s   ratio {of['ratio']:.2f} "
            f"({of['ratio_from']:.2f} to {of['ratio_to']:.2f})   of processor time {of['processor_ratio']:.2f}"
        )
    sys.stdout.flush()
