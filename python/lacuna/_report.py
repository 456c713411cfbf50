"""The report: one page with figures, intervals and words, as `lacuna evaluate --report` writes it."""

import html
import os
import tempfile

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lacuna import _core
from lacuna._classifier import ReliableClassifier
from lacuna._densities import DensityEstimator
from lacuna._labels import encode_labels
from lacuna._progress import progress
from lacuna._reliability import encode_rows, read_probabilities
from lacuna._sklearn import as_table
from lacuna._warnings import once


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
        path = os.path.abspath(os.fsdecode(path))
        taken = FileExistsError(f"'{path}' exists; pass overwrite=True to replace it")
        if not overwrite and os.path.lexists(path):
            raise taken
        handle, part = tempfile.mkstemp(prefix=".lacuna-", suffix=".part", dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.html)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(part, 0o666 & ~mask)  # mkstemp's own are for the owner alone
            if not overwrite and _link(part, path, taken):
                os.unlink(part)
            else:
                os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise

    def __repr__(self):
        return f"<Report, {len(self.html) // 1024} kB; save(path) writes it, a notebook shows it>"

    def _repr_html_(self):
        # An element of its own, so that neither the page's styles nor its scripts meet the notebook's.
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: 48em; border: 0"></iframe>'


def _link(part, path, taken):
    """Gives a file a second name unless that is taken, in one step; False where the file system knows no such names."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise taken from None
    except OSError:
        return False
    return True


def predictions_of(name, model, X, classes):
    """What a classifier says about the rows, in the order of `classes`: probabilities; lacuna's own also say more."""
    try:
        known = np.asarray(model.classes_).tolist()
        scores = model._score_rows(X) if isinstance(model, ReliableClassifier) else None
        found = read_probabilities(model.predict_proba(X)) if scores is None else scores.posterior
    except AttributeError as error:
        raise TypeError(f"{name}: expected a fitted classifier with predict_proba and classes_; {error}") from None
    place = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    unknown = [label for label in known if label not in place]
    if unknown:
        raise ValueError(f"{name} knows the class {unknown[0]!r}, which is none of {list(place)}")
    if found.shape[1:] != (len(known),):
        raise ValueError(f"{name}: predict_proba gave an array of shape {found.shape} for {len(known)} classes")
    places = np.array([place[label] for label in known], dtype=np.int32)
    result = np.zeros((len(found), len(classes)))
    result[:, places] = found
    return (result, None, None) if scores is None else (result, places[scores.prediction], scores.error_probability)


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
        What the models were fitted to; the page shows it when one of them is a ReliableClassifier.
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
    return page_of(models, X, y, strata, train, title)


def page_of(models, X, y, strata, train, title, sentences=()):
    """The page of `report`; `sentences` stand at its top, after what was learned."""
    if not isinstance(models, dict):
        name = models.method if isinstance(models, ReliableClassifier) else type(models).__name__
        models = {name: models}
    if not models:
        raise ValueError("models: got none, expected a fitted classifier or a dict of some")
    own = [model for model in models.values() if isinstance(model, ReliableClassifier)]
    for model in own:
        check_is_fitted(model)
    X = as_table(X)
    check_consistent_length(X, y)
    region = own[-1] if own else next(iter(models.values()))
    classes = _classes_of(models, own)
    rows = encode_rows(y, classes, strata, region.missing_label if own else None)
    classifiers = []
    with once():
        for name, model in models.items():
            fitted = model._model if isinstance(model, ReliableClassifier) else None
            classifiers.append((str(name), predictions_of(name, model, X, classes), fitted))
        features = region._read_features(X) if own else None
        training = training_rows(region, train) if own and train is not None else None
    # Densities of others are called by one thread at a time.
    threads = 0 if all(isinstance(model.density, (str, DensityEstimator)) for model in own) else 1
    with progress(None) as watch:
        page = _core.report_page(
            title or "How honest are the predictions?", rows, features, training, classifiers, list(sentences), threads, watch
        )
    return Report(page)


def _classes_of(models, own):
    """Those of lacuna's model, or the first one; the figures of the region are about those."""
    first = own[-1] if own else next(iter(models.values()))
    if not hasattr(first, "classes_"):
        raise TypeError(f"expected a fitted classifier with predict_proba and classes_, got {first!r}")
    return first.classes_


def training_rows(model, train):
    """What a model was fitted to, as it takes it: features and class numbers."""
    X, y = as_table(train[0]), train[1]
    check_consistent_length(X, y)
    codes, classes = encode_labels(y, model.classes_, model.missing_label)
    if len(classes) != len(model.classes_):
        raise ValueError("train holds labels that the model does not know; give what it was fitted to")
    return model._read_features(X), codes
