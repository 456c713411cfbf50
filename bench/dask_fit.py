#!/usr/bin/python3
"""Fits on Dask by one worker and by two, each of one thread, in turn. Prints a JSON object with both medians and their ratio.

Usage: PYTHONPATH=build/release/python bench/dask_fit.py [--rows N] [--columns D] [--parts P] [--repeats R]
"""

import argparse
import json
import statistics
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


def fit_seconds(n_workers, table, columns):
    with LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as cluster, Client(cluster) as client:
        rows = client.persist(table)
        wait(rows)
        classifier = lacuna.ReliableClassifier(density=lacuna.VariationalGaussianMixture(components=20), random_state=1, threads=1)
        started = time.perf_counter()
        model = distributed.fit(classifier, rows[:, :columns], rows[:, columns], client=client, memory="256M")
        return time.perf_counter() - started, model


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
    seconds = {1: [], 2: []}
    proba = {}
    sample = make_rows(1000, asked.columns, block_id=(0,))[:, : asked.columns]
    for _ in range(asked.repeats):
        for n_workers in seconds:
            taken, model = fit_seconds(n_workers, table, asked.columns)
            seconds[n_workers].append(round(taken, 2))
            proba[n_workers] = model.predict_proba(sample)
    one, two = (statistics.median(seconds[n]) for n in (1, 2))
    print(
        json.dumps(
            {
                "rows": per_part * asked.parts,
                "columns": asked.columns,
                "parts": asked.parts,
                "seconds by one worker": seconds[1],
                "seconds by two workers": seconds[2],
                "ratio of medians": round(one / two, 2),
                "same model": bool(np.array_equal(proba[1], proba[2])),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
