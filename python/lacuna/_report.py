"""The report: one page with figures, intervals and words, as `lacuna evaluate --report` writes it."""

import html
import os
import tempfile

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lacuna import _core
from lacuna._classifier import ReliableClassifier
from lacuna._labels import encode_labels
from lacuna._progress import progress
from lacuna._reliability import encode_rows


class Report:
    """A self-contained page: it needs no network and shows itself in a notebook.

    Attributes
    ----------
    html : str
        The page.
    """

    def __init__(self, text):
        self.html = text

    def save(self, path, *, overwrite=False):
        """Writes the page. The file appears when it is complete; an older one is replaced if `overwrite` says so."""
        path = os.fspath(path)
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"'{path}' exists; pass overwrite=True to replace it")
        folder = os.path.dirname(path) or "."
        handle, part = tempfile.mkstemp(prefix=os.path.basename(path) + ".part-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.html)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(part, 0o666 & ~mask)  # mkstemp's own are for the owner alone
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise

    def __repr__(self):
        return f"<Report, {len(self.html) // 1024} kB; save(path) writes it, a notebook shows it>"

    def _repr_html_(self):
        # An element of its own, so that neither the page's styles nor its scripts meet the notebook's.
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: 48em; border: 0"></iframe>'


def probabilities_of(model, X, classes):
    """What a fitted classifier says about the rows, with a column for each of `classes`."""
    found = np.asarray(model.predict_proba(X), dtype=np.float64)
    place = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    result = np.zeros((len(found), len(classes)))
    for column, label in enumerate(np.asarray(model.classes_).tolist()):
        if label not in place:
            raise ValueError(f"{type(model).__name__} knows the class {label!r}, which {list(place)} does not hold")
        result[:, place[label]] = found[:, column]
    return result


def report(models, X, y, *, strata=None, train=None, title=None):
    """One page about classifiers and the rows that judge them.

    Parameters
    ----------
    models : fitted classifier or dict of name to fitted classifier
        ReliableClassifier, or anything with `predict_proba` and `classes_`. Figures of the informative region are
        those of the last ReliableClassifier.
    X, y : test rows and their labels
        Rows without a label are left out.
    strata : array of shape (n_samples,), default=None
        A group for each row, such as whether labels are rare there.
    train : tuple (X, y), default=None
        What the models were fitted to; the page then shows it.
    title : str, default=None
        Of the page.

    Returns
    -------
    Report

    Examples
    --------
    >>> import lacuna, numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0], [5.5]])
    >>> model = lacuna.ReliableClassifier().fit(X, [0, 0, 1, 1, -1])
    >>> page = lacuna.report(model, [[0.5], [5.2]], [0, 1])
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    if not isinstance(models, dict):
        models = {getattr(models, "method", type(models).__name__): models}
    if not models:
        raise ValueError("models: got none, expected a fitted classifier or a dict of some")
    for model in models.values():
        check_is_fitted(model)
    check_consistent_length(X, y)
    own = [model for model in models.values() if isinstance(model, ReliableClassifier)]
    region = own[-1] if own else next(iter(models.values()))
    rows = encode_rows(y, region.classes_, strata, getattr(region, "missing_label", None))
    classifiers = [
        (name, probabilities_of(model, X, region.classes_), model._model if model in own else None)
        for name, model in models.items()
    ]
    features = region._read_features(X) if own else None
    training = _training(region, train) if own and train is not None else None
    with progress(None) as watch:
        return Report(_core.rows_page(title or "How honest are the predictions?", rows, features, training, classifiers, 0, watch))


def _training(model, train):
    X, y = train
    check_consistent_length(X, y)
    codes, classes = encode_labels(y, model.classes_, model.missing_label)
    if len(classes) != len(model.classes_):
        raise ValueError("train holds labels that the model does not know; give what it was fitted to")
    return model._read_features(X), codes
