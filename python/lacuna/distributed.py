"""Fits and predictions on Dask: the rows stay with the workers.

Needs `distributed` (Debian's python3-distributed). Other engines take `fit_parts` and `Parts`, which need nothing:
docs/distributed.md shows mpi4py and Spark.
"""

import copy
import itertools
import os
import warnings

from lacuna._parts import Parts, fit_parts
from lacuna._sklearn import is_frame

__all__ = [
    "ListedParts",
    "Parts",
    "error_probability",
    "fit",
    "fit_parts",
    "informative",
    "log_ratio",
    "predict",
    "predict_proba",
]

#: Seconds between two looks at Ctrl-C.
_LOOK_EVERY = 0.2
#: Of so many parts answers are in this process at a time.
_ANSWERS_AT_ONCE = 64


class ListedParts(Parts):
    """Parts in this process."""

    def __init__(self, pairs):
        self._parts = list(pairs)

    def ask(self, name, function, *arguments):
        return (function(place, part, *arguments) for place, part in enumerate(self._parts))

    def replace(self, name, function, *arguments):
        self._parts = list(self.ask(name, function, *arguments))


def _same(value):
    return value


def _pair(X, y):
    return X, y


class _DaskParts(Parts):
    """Parts in the memory of Dask's workers. What a lost worker had is computed again from where it came."""

    def __init__(self, client, pairs):
        self._client = client
        self._token = os.urandom(4).hex()
        self._n_questions = itertools.count()
        self._parts = client.compute(pairs)

    def _submit(self, name, function, arguments):
        """One task for each part; its name is what the dashboard shows."""
        name = "lacuna-" + name.replace(" ", "-")
        token = f"{self._token}{next(self._n_questions)}"
        with warnings.catch_warnings():
            # Dask would scatter what is large, but then a lost worker takes it along. As tasks of their own, arguments go to
            # each worker once, and can be had again.
            warnings.filterwarnings("ignore", "Large object")
            shared = [
                self._client.submit(_same, argument, key=f"lacuna-state-{token}-{i}")
                for i, argument in enumerate(arguments)
            ]
        return [
            self._client.submit(function, place, part, *shared, key=f"{name}-{token}-{place}")
            for place, part in enumerate(self._parts)
        ]

    def ask(self, name, function, *arguments):
        futures = self._submit(name, function, arguments)
        while futures:  # answers that were read are forgotten on the cluster
            some, futures = futures[:_ANSWERS_AT_ONCE], futures[_ANSWERS_AT_ONCE:]
            _wait(some)
            yield from self._client.gather(some)

    def replace(self, name, function, *arguments):
        self._parts = self._submit(name, function, arguments)


def _wait(futures):
    """Until all are done or one has failed, in steps that leave room for Ctrl-C."""
    from distributed import TimeoutError as StillRunning
    from distributed import wait

    while not all(future.done() for future in futures) and not any(future.status == "error" for future in futures):
        try:
            wait(futures, timeout=_LOOK_EVERY)
        except StillRunning:
            pass


def _is_dask_frame(X):
    return hasattr(X, "to_delayed") and hasattr(X, "divisions")


def _is_dask_array(X):
    return hasattr(X, "to_delayed") and hasattr(X, "chunks")


def _refuse(X, what):
    raise TypeError(f"{what}: got {type(X).__name__}, expected an array or a data frame of Dask")


def _row_chunks(X):
    """A Dask array in chunks of whole rows."""
    if X.ndim != 2:
        raise ValueError(f"X: got an array with {X.ndim} axes, expected two")
    return X.rechunk({1: -1}) if X.numblocks[1] > 1 else X


def _pairs(X, y):
    """(X, y) of every part, not yet computed."""
    import dask

    if _is_dask_array(X):
        X = _row_chunks(X)
        if _is_dask_array(y) and y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if _is_dask_array(y) and y.numblocks[0] != X.numblocks[0]:
            y = y.rechunk((X.chunks[0],))
    elif not _is_dask_frame(X):
        _refuse(X, "X")
    if not _is_dask_frame(y) and not _is_dask_array(y):
        _refuse(y, "y")
    X, y = ([part for part in _flat(each.to_delayed())] for each in (X, y))
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} partitions and y has {len(y)}; both must be cut in the same places")
    token = os.urandom(4).hex()
    return [
        dask.delayed(_pair, pure=False)(*pair, dask_key_name=f"lacuna-table-{token}-{place}")
        for place, pair in enumerate(zip(X, y))
    ]


def _flat(delayed):
    return delayed.ravel() if hasattr(delayed, "ravel") else delayed


def fit(classifier, X, y, *, client=None, memory="1G"):
    """Fits a classifier to rows that lie with Dask's workers.

    Workers count, and sums come here; so do the rows that have a label and a sample of the others. On Dask's dashboard tasks are
    called after the stage: `lacuna-mixture` is an iteration of the mixture of all unlabeled rows, and so on. A worker that is
    lost does not change the model: what it had is computed again from where it came.

    Parameters
    ----------
    classifier : ReliableClassifier
        Its parameters decide the fit; it stays as it is.
    X : dask.array.Array or dask.dataframe.DataFrame
        Rows.
    y : dask.array.Array or dask.dataframe.Series
        Labels, cut in the same places; `missing_label` where there is none.
    client : distributed.Client, default=None
        The cluster; None for the one of this process.
    memory : str, default="1G"
        How much the rows that come here may take, like the option `--memory` of `lacuna fit`. It decides how large the sample
        is, and with it the model where the sample counts (docs/streaming.md).

    Returns
    -------
    model : ReliableClassifier
        A fitted one, as `classifier.fit` would make it.
    """
    from distributed import get_client

    client = get_client() if client is None else client
    return fit_parts(classifier, _DaskParts(client, _pairs(X, y)), memory=memory)


def _ask_model(part, model, method):
    """What a model says of some rows, as it says it of an array; of a frame with the frame's index."""
    values = getattr(model, method)(part) if len(part) > 0 else _nothing(model, method)
    if not is_frame(part):
        return values
    import pandas

    if values.ndim == 2:
        return pandas.DataFrame(values, index=part.index, columns=list(model.classes_))
    return pandas.Series(values, index=part.index, name=method)


def _nothing(model, method):
    """The answer for no rows."""
    import numpy as np

    if method == "predict":
        return model.classes_[:0]
    if method == "predict_proba":
        return np.empty((0, len(model.classes_)))
    return np.empty(0, dtype=bool if method == "informative" else np.float64)


def _lazily(method, model, X):
    import dask

    model = copy.copy(model)
    model.threads = 1  # Dask has threads of its own
    nothing = _nothing(model, method)
    token = os.urandom(4).hex()
    there = dask.delayed(model, pure=False, name=f"lacuna-model-{token}")
    name = f"lacuna-{method.replace('_', '-')}"
    if _is_dask_frame(X):
        return X.map_partitions(_ask_model, there, method, meta=_ask_model(X._meta, model, method), token=name)
    if not _is_dask_array(X):
        _refuse(X, "X")
    X = _row_chunks(X)
    shape = {"chunks": (X.chunks[0], (nothing.shape[1],))} if nothing.ndim == 2 else {"drop_axis": 1}
    return X.map_blocks(
        _ask_model, there, method, name=f"{name}-{token}", dtype=nothing.dtype, meta=nothing, **shape
    )


def predict(model, X):
    """The likeliest class of each row, as a Dask array or series that computes it where the rows are."""
    return _lazily("predict", model, X)


def predict_proba(model, X):
    """The probability of each class, as `ReliableClassifier.predict_proba` tells it."""
    return _lazily("predict_proba", model, X)


def error_probability(model, X):
    """How likely the prediction of each row is wrong."""
    return _lazily("error_probability", model, X)


def informative(model, X):
    """Where the labels speak about such a row."""
    return _lazily("informative", model, X)


def log_ratio(model, X):
    """How much denser labeled rows lie than unlabeled ones, as a log ratio."""
    return _lazily("log_ratio", model, X)
