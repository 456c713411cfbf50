#!/usr/bin/python3
"""Fits on Dask by one worker and by two, each of one thread, in turn. Prints the medians as JSON, and the ratio of their seconds.

Processor time tells on a busy machine what is worth how much: "here" are the fit itself, Dask's client and its scheduler.

Usage: PYTHONPATH=build/release/python bench/dask_fit.py [--rows N] [--columns D] [--parts P] [--repeats R]
"""

import argparse
import json
import statistics
import sys
import time

import dask.array as da
import lacuna
import numpy as np
from distributed import Client, LocalCluster, wait
from lacuna import distributed


def make_rows(n_rows, n_columns, block_id=None):
    """Five clouds, of which rows of the first two are labeled now and then; the last column is the label."""
    random = np.random.default_rng([7, block_id[0]])
    centers = np.random.default_rng(5).normal(scale=4.0, size=(5, n_columns))
    cloud = random.integers(0, 5, n_rows)
    rows = centers[cloud] + random.normal(size=(n_rows, n_columns))
    labels = np.where((cloud < 2) & (random.random(n_rows) < 1e-3), cloud, -1)
    return np.column_stack([rows, labels])


def fit_costs(n_workers, table, columns):
    with LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as cluster, Client(cluster) as client:
        rows = client.persist(table)
        wait(rows)
        mixture = lacuna.VariationalGaussianMixture(components=20)
        classifier = lacuna.ReliableClassifier(density=mixture, random_state=1, threads=1)
        before = [time.process_time(), client.run(time.process_time)]
        started = time.perf_counter()
        model = distributed.fit(classifier, rows[:, :columns], rows[:, columns], client=client, memory="256M")
        taken = time.perf_counter() - started
        here = time.process_time() - before[0]
        workers = [after - before[1][name] for name, after in client.run(time.process_time).items()]
        return {"seconds": taken, "processor here": here, "processor of the busiest worker": max(workers)}, model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=8e6)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--parts", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    per_part = int(asked.rows) // asked.parts
    table = da.map_blocks(
        make_rows,
        per_part,
        asked.columns,
        chunks=((per_part,) * asked.parts, (asked.columns + 1,)),
        dtype=np.float64,
        meta=np.empty((0, 0)),
    )
    taken = {1: [], 2: []}
    proba = {}
    sample = make_rows(1000, asked.columns, block_id=(0,))[:, : asked.columns]
    for _ in range(asked.repeats):
        for n_workers in taken:
            costs, model = fit_costs(n_workers, table, asked.columns)
            taken[n_workers].append(costs)
            proba[n_workers] = model.predict_proba(sample)
            print(n_workers, {name: round(cost, 2) for name, cost in costs.items()}, file=sys.stderr)
    medians = {n: {name: statistics.median(c[name] for c in costs) for name in costs[0]} for n, costs in taken.items()}
    found = {
        "rows": per_part * asked.parts,
        "columns": asked.columns,
        "parts": asked.parts,
        "fits each": asked.repeats,
        "medians": {f"by {n}": {name: round(cost, 2) for name, cost in costs.items()} for n, costs in medians.items()},
        "one worker's seconds by those of two": round(medians[1]["seconds"] / medians[2]["seconds"], 2),
        "same model": bool(np.array_equal(proba[1], proba[2])),
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
