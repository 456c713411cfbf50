"""Why labels speak about a row or not, as `lacuna explain` of the command line says it."""

import json
import operator
import textwrap

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lacuna._progress import progress
from lacuna._report import training_rows


def explain(model, X, row, train):
    check_is_fitted(model)
    features = np.ascontiguousarray(model._read_features(X), dtype=np.float64)
    place = operator.index(row)
    place += len(features) if place < 0 else 0
    if not 0 <= place < len(features):
        raise IndexError(f"row: got {row}, and X has {len(features)} rows")
    rows = train
    if train is not None:
        known, labels = training_rows(model, train)
        rows = np.ascontiguousarray(known, dtype=np.float64), np.ascontiguousarray(labels, dtype=np.int32)
    with progress(model.verbose) as watch:
        return Explanation(json.loads(model._model.explain(features, place, rows, watch)))


class Explanation:
    """What `ReliableClassifier.explain` found. Rows are numbered from 0 here, and from 1 in `document`.

    Attributes
    ----------
    document : dict
        Everything, as the JSON of `lacuna explain`; a number that nobody knows is None.
    words : list of str
        The same in sentences.
    error_probability : float
    log_ratio : float or None
        Also where the row is so strange that nothing is said about the region.
    columns : list of dict
        What each column does to the log ratio: `name`, `value`, `push`, what it would be `without` the column and with
        it `alone`. The largest push first.
    parts : list of dict
        How the error probability is made up: `source`, `weight`, and the `error_probability` if it is so. The products
        add up.
    nearest : list of dict or None
        The nearest labeled rows: `row`, `label`, `distance` and in what they differ most.
    """

    def __init__(self, document):
        self.document = document
        self.words = document["words"]
        self.error_probability = document["error_probability"]
        self.log_ratio = document["log_ratio"]
        self.columns = document["columns"]
        self.parts = document["parts"]
        nearest = document["nearest"]
        self.nearest = nearest and [{**near, "row": near["row"] - 1} for near in nearest]

    def __repr__(self):
        return "\n".join(textwrap.fill(sentence, 100, subsequent_indent="    ") for sentence in self.words)
