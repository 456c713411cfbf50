"""A fit on Dask in which workers die at a stage of one's choice."""

import contextlib
import os
import signal

import dask.array as da
import distributed as dask_distributed
import numpy as np

from lacuna import distributed

#: What the workers do in a fit, in the order of the first time.
STAGES = (
    *("table", "description", "rows", "ranges", "kept rows", "moments", "weights", "start sample", "start", "mixture"),
    *("region", "gathered rows"),
)


def make_rows(n_rows, block_id=None):
    """Rows of three clouds, the third without labels; the last column is the label."""
    random = np.random.default_rng([3, block_id[0]])
    cloud = random.integers(0, 3, n_rows)
    rows = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 9.0]])[cloud] + random.normal(size=(n_rows, 2))
    labels = np.where((cloud < 2) & (random.uniform(size=n_rows) < 0.05), cloud, -1)
    return np.column_stack([rows, labels])


def table(n_parts=5, n_rows=300):
    """X and y, which workers make when they are asked; so can others when these are gone."""
    chunks = ((n_rows,) * n_parts, (3,))
    both = da.map_blocks(make_rows, n_rows, chunks=chunks, dtype=np.float64, meta=np.empty((0, 0)))
    return both[:, :2], both[:, 2]


@contextlib.contextmanager
def cluster(n_workers, **options):
    """Processes of one thread each, on this machine."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "memory_limit": 0, **options}
    with dask_distributed.LocalCluster(n_workers=n_workers, **options) as workers, dask_distributed.Client(workers) as client:
        yield client


def kill_workers(client, future, n):
    """SIGKILL to the worker that has answered, while others are at it or their answers wait; and to more, if n is not 1."""
    dask_distributed.wait([future])
    holder = next(iter(client.who_has([future]).values()))[0]
    pids = client.run(os.getpid)
    for worker in sorted(pids, key=lambda worker: worker != holder)[:n]:
        os.kill(pids[worker], signal.SIGKILL)


def fit_with_a_loss(classifier, client, stage, X, y, n=1):
    """The model of a fit in which n workers die when they are first busy with a stage."""
    is_waiting = True
    submit = distributed._DaskParts._submit
    begin = distributed._DaskParts.__init__

    def kill_once(futures):
        nonlocal is_waiting
        if is_waiting:
            kill_workers(client, futures[0], n)
        is_waiting = False

    def submit_and_kill(self, name, function, arguments):
        futures = submit(self, name, function, arguments)
        if name == stage:
            kill_once(futures)
        return futures

    def begin_and_kill(self, *arguments):
        begin(self, *arguments)
        if stage == "table":
            kill_once(self._parts)

    distributed._DaskParts._submit = submit_and_kill
    distributed._DaskParts.__init__ = begin_and_kill
    try:
        model = distributed.fit(classifier, X, y, client=client)
    finally:
        distributed._DaskParts._submit = submit
        distributed._DaskParts.__init__ = begin
    assert not is_waiting, f"there is no stage {stage}"
    return model


def expected(classifier, X, y):
    """The model of the same parts in this process, and their rows."""
    rows, labels = (each.compute(scheduler="sync") for each in (X, y))
    ends = np.cumsum(X.chunks[0])[:-1]
    parts = zip(np.split(rows, ends), np.split(labels, ends))
    return distributed.fit_parts(classifier, distributed.ListedParts(parts)), rows, labels


def is_same(model, other, rows):
    """To the last bit."""
    return np.array_equal(model.predict_proba(rows), other.predict_proba(rows)) and model.summary_ == other.summary_
