"""Which rows to label next."""

import numbers

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lacuna._classifier import ReliableClassifier
from lacuna._labels import encode_labels, label_array, missing_mask
from lacuna._progress import progress
from lacuna._sklearn import as_table

#: As for `lacuna advise`.
MOST_ADVISED = 1000


def advise(model, X, y=None, *, n=100):
    """Says which rows to label next, as `lacuna advise` does.

    Parameters
    ----------
    model : fitted ReliableClassifier
    X : rows to choose from
    y : labels, default=None
        `missing_label` of the model where there is none. Rows that have a label are not advised, and speak for rows like
        them. None: no row has a label.
    n : int, default=100
        How many rows.

    Returns
    -------
    Advice

    Examples
    --------
    >>> import lacuna, numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(900, 2)) + np.repeat([[0, 0], [6, 0], [3, 20]], 300, axis=0)
    >>> y = np.repeat([0, 1, -1], 300)                              # nobody ever labeled the third cloud
    >>> advice = lacuna.advise(lacuna.ReliableClassifier().fit(X, y), X, y, n=5)
    >>> bool((advice.rows >= 600).all()), str(advice.reasons[0])
    (True, 'unseen')
    """
    if not isinstance(model, ReliableClassifier):
        raise TypeError(f"model: got {model!r}, expected a fitted ReliableClassifier; map the rows before")
    check_is_fitted(model)
    if isinstance(n, bool) or not isinstance(n, numbers.Integral) or not 1 <= n <= MOST_ADVISED:
        raise ValueError(f"n: got {n!r}, expected a whole number from 1 to {MOST_ADVISED}")
    X = as_table(X)
    codes = None if y is None else _codes(model, X, y)
    features = np.ascontiguousarray(model._read_features(X), dtype=np.float64)
    with progress(model.verbose) as watch:
        return Advice(model.classes_, *model._model.advise(features, codes, int(n), model.threads, watch))


def _codes(model, X, y):
    check_consistent_length(X, y)
    if missing_mask(label_array(y), model.missing_label).all():
        return None
    codes, classes = encode_labels(y, model.classes_, model.missing_label)
    if len(classes) != len(model.classes_):
        raise ValueError("y holds labels that the model does not know")
    return codes


class Advice:
    """What `advise` says, the most useful row first.

    Attributes
    ----------
    rows : ndarray of int
        Numbers of the rows to label. Fewer than asked for where no other label would help.
    reasons : ndarray of str
        "unseen" where labels say nothing about such rows, "uncertain" where they do and several classes remain.
    prediction, second : ndarray
        The likeliest class of each, and the next.
    error_probability : ndarray
        How likely that prediction is wrong.
    stands_for : ndarray
        How many rows without a label each one would speak for, beside those before it.
    expected_drop : ndarray
        By how much each label should lower the mean error probability of rows without one.
    n_unlabeled : int
    mean_error_probability : float
        Of the rows without a label, now.
    """

    def __init__(self, classes, rows, n_unlabeled, mean_error_probability):
        columns = list(zip(*rows, strict=True)) or [()] * 7
        self.rows = np.array(columns[0], dtype=np.intp)
        self.reasons = np.array(columns[1], dtype=str)
        self.prediction, self.second = (classes[np.array(column, dtype=np.intp)] for column in columns[2:4])
        self.error_probability, self.stands_for, self.expected_drop = (np.array(column, dtype=float) for column in columns[4:])
        self.n_unlabeled = n_unlabeled
        self.mean_error_probability = mean_error_probability

    def table(self):
        """The same as a pandas frame, with the rows' numbers as its index."""
        import pandas as pd

        names = ("reasons", "prediction", "second", "error_probability", "stands_for", "expected_drop")
        return pd.DataFrame({name: getattr(self, name) for name in names}, index=pd.Index(self.rows, name="row"))

    def __repr__(self):
        n_unseen = int((self.reasons == "unseen").sum())
        left = self.mean_error_probability - self.expected_drop.sum()
        return (
            f"<Advice: {len(self.rows)} of {self.n_unlabeled} rows without a label, {n_unseen} of them unseen; the mean error "
            f"probability should fall from {self.mean_error_probability:.3f} to about {left:.3f}>"
        )

    def _repr_html_(self):
        return self.table().to_html()
