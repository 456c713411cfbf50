"""All methods on the same data, beside plain models and classifiers of other makers."""

import copy
import html

import numpy as np
from sklearn import pipeline
from sklearn.base import clone
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from lacuna import _core
from lacuna._classifier import ReliableClassifier
from lacuna._labels import label_array, missing_mask, plain_labels
from lacuna._reliability import encode_rows, evaluate, figure_html, new_axes, table_html
from lacuna._progress import progress
from lacuna._report import page_of, predictions_of, training_rows
from lacuna._sklearn import as_table
from lacuna._warnings import once, warn


def compare(X, y, X_test, y_test, *, estimator=None, others=None, semi_supervised=None, strata=None):
    """Fits all four methods with the same densities and the same seed, and judges them on the same rows.

    Beside them stand plain models, fitted to the labeled rows alone: `logistic`, `logistic-isotonic`, `boosting` and
    `boosting-isotonic` (the last two where XGBoost is installed). They have no region; their error probability is one
    minus the largest probability.

    Parameters
    ----------
    X, y : training rows and their labels
        `missing_label` of the estimator where there is none.
    X_test, y_test : rows that judge
        Rows without a label are left out.
    estimator : ReliableClassifier, default=None
        Its parameters are those of all methods, but for `method`.
    others : dict of name to classifier, default=None
        Classifiers of other makers with `predict_proba`. Each is cloned and fitted to the labeled rows, or to all
        (`semi_supervised`). Its prediction
        is the likeliest class; one that it has not seen has probability 0. One with the name of a plain model takes
        its place.
    semi_supervised : list of names, default=None
        Those of `others` that are fitted to all rows, to the numbers of the classes, with -1 where a label is missing, as
        scikit-learn's own semi-supervised classifiers want them. None: those of scikit-learn and lacuna itself, also as the
        last step of a pipeline.
    strata : array of shape (n_test_samples,), default=None
        A group for each test row, such as whether labels are rare there.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import lacuna, numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(600, 1)) + np.tile([[-3.0], [3.0], [12.0]], (200, 1))
    >>> y = np.tile([0, 1, 0], 200)                                     # the third group is of class 0 too
    >>> seen = np.where(X[:, 0] < 7, y, -1)                             # but nobody labels it
    >>> result = lacuna.compare(X, seen, X, y, others={"logistic": LogisticRegression()}, strata=np.tile(["in", "in", "out"], 200))
    >>> result["logistic"].strata["out"]["overconfidence"] > 0.9        # always wrong there, and sure of it
    True
    >>> result["mar"].strata["out"]["mean_error_probability"] > 0.4     # does not know, and says so
    True
    """
    estimator = ReliableClassifier() if estimator is None else estimator
    if not isinstance(estimator, ReliableClassifier):
        raise TypeError(f"estimator: got {estimator!r}, expected a ReliableClassifier; map the features before")
    others = _check_others(others)
    semi_supervised = _check_semi_supervised(others, semi_supervised)
    X, X_test = as_table(X), as_table(X_test)
    check_consistent_length(X_test, y_test, strata)
    models = _fit_methods(estimator, X, y)
    classes = models["mar"].classes_
    rows = encode_rows(y_test, classes, strata, estimator.missing_label)  # before the others, which may take long
    models.update(_fit_plain(models["mar"], X, y, others))
    models.update(_fit_others(others, semi_supervised, X, y, models["mar"]))
    results = {}
    with once():
        for name, model in models.items():
            results[name] = evaluate(rows, predictions_of(name, model, X_test, classes), classes)
    return Comparison(models, results, (X, y), (X_test, y_test, strata))


def _fit_methods(estimator, X, y):
    first = clone(estimator)
    fits, classes = first._fit_methods(_core.methods, X, y, None)
    models = {}
    for method, fit in zip(_core.methods, fits, strict=True):
        models[method] = copy.copy(first).set_params(method=method)
        models[method]._set_model(fit, classes)
    return models


def _fit_plain(reader, X, y, others):
    features, labels = training_rows(reader, (X, y))
    with progress(reader.verbose) as watch:
        fits, left_out = _core.fit_plain_models(reader._model, features, labels, reader.threads, watch)
    if left_out:
        warn(left_out)
    return {fit.name: PlainClassifier(reader, fit) for fit in fits if fit.name not in others}


def _check_others(others):
    if others is None:
        return {}
    if not isinstance(others, dict):
        raise TypeError(f"others: got {others!r}, expected a dict of names and classifiers")
    for name, other in others.items():
        if name in _core.methods:
            raise ValueError(f"others: {name!r} is the name of one of lacuna's methods; choose another")
        if not hasattr(other, "predict_proba"):
            raise TypeError(f"others: {name!r} is {other!r}, expected a classifier with predict_proba")
    return others


def _check_semi_supervised(others, names):
    if names is None:
        return {name for name, other in others.items() if _knows_missing_labels(other)}
    if isinstance(names, str) or not set(names) <= set(others):
        raise ValueError(f"semi_supervised: got {names!r}, expected a list of names that others has")
    return set(names)


def _last_step(other):
    return other.steps[-1][1] if isinstance(other, pipeline.Pipeline) else other


def _knows_missing_labels(other):
    return isinstance(_last_step(other), (SelfTrainingClassifier, LabelPropagation, LabelSpreading, ReliableClassifier))


def _fit_others(others, semi_supervised, X, y, reader):
    labels = label_array(y)
    is_missing = missing_mask(labels, reader.missing_label)
    labeled = np.flatnonzero(~is_missing)
    labels = plain_labels(labels[labeled])
    codes = np.full(len(is_missing), -1)
    codes[labeled] = np.searchsorted(reader.classes_, labels)
    labeled_rows = _safe_indexing(X, labeled)
    return {
        name: SemiSupervisedClassifier(name, clone(other), reader.classes_).fit(X, codes)
        if name in semi_supervised
        else clone(other).fit(labeled_rows, labels)
        for name, other in others.items()
    }


class SemiSupervisedClassifier:
    """A classifier that was fitted to all rows and the numbers of the classes, -1 where a label is missing.

    Attributes
    ----------
    classes_ : array
    estimator : the classifier
    """

    def __init__(self, name, estimator, classes):
        self.estimator = estimator
        if isinstance(_last_step(estimator), ReliableClassifier):
            _last_step(estimator).set_params(missing_label=-1, classes=None)
        self._name = name
        self._all_classes = classes

    def fit(self, X, codes):
        self.estimator.fit(X, codes)
        if -1 in self.estimator.classes_:
            raise ValueError(f"semi_supervised: {self._name} took -1, which marks rows without a label, for a class")
        self.classes_ = self._all_classes[np.asarray(self.estimator.classes_, dtype=np.intp)]
        return self

    def predict_proba(self, X):
        """The probability of each class, in the order of `classes_`."""
        return self.estimator.predict_proba(X)

    def predict(self, X):
        """The estimator's own prediction."""
        return self._all_classes[np.asarray(self.estimator.predict(X), dtype=np.intp)]

    def __repr__(self):
        return f"<SemiSupervisedClassifier {self.estimator!r}>"


class PlainClassifier:
    """A plain model of `compare`: an ordinary classifier, fitted to the labeled rows alone.

    Attributes
    ----------
    classes_ : array
    """

    def __init__(self, reader, fitted):
        self.classes_ = reader.classes_
        self._reader = reader
        self._fitted = fitted

    def predict_proba(self, X):
        """The probability of each class, in the order of `classes_`; rows sum to one."""
        features = self._reader._read_features(X)
        with progress(self._reader.verbose) as watch:
            return self._fitted.probabilities(self._reader._model, features, self._reader.threads, watch)

    def predict(self, X):
        """The likeliest class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __repr__(self):
        return f"<PlainClassifier {self._fitted.name}>"


class Comparison:
    """What `compare` found. `comparison["mar"]` is the `Reliability` of that method.

    Attributes
    ----------
    models : dict of name to fitted classifier
    results : dict of name to Reliability
    winner : str
        Who has the smallest `brier_error`.
    words : str
        The same as a sentence.
    """

    def __init__(self, models, results, train, test):
        self.models = models
        self.results = results
        self.winner, self.words = _core.find_winner(
            [(name, name not in _core.methods, result.brier_error) for name, result in results.items()]
        )
        self._train = train
        self._test = test

    def __getitem__(self, name):
        return self.results[name]

    def __iter__(self):
        return iter(self.results)

    def __len__(self):
        return len(self.results)

    def _rows(self):
        return [
            ({"method": name, "rows": rows}, metrics)
            for name, result in self.results.items()
            for rows, metrics in result.rows()
        ]

    def table(self):
        """All metrics as a pandas frame, a row for each method and stratum."""
        import pandas as pd

        rows = self._rows()
        index = pd.MultiIndex.from_tuples([tuple(first.values()) for first, _ in rows], names=["method", "rows"])
        return pd.DataFrame([metrics for _, metrics in rows], index=index)

    def plot(self, axes=None):
        """The reliability diagrams side by side on Matplotlib axes."""
        axes = new_axes(len(self), 3.6) if axes is None else axes
        if np.size(axes) != len(self):
            raise ValueError(f"axes: got {np.size(axes)}, expected {len(self)}, one for each of {', '.join(self)}")
        for place, (ax, (name, result)) in enumerate(zip(np.ravel(axes), self.results.items(), strict=True)):
            result.plot(ax, legend=place == 0).set_title(name)
        return axes

    def report(self, *, title=None):
        """The page of all classifiers; see `lacuna.report`."""
        X, y, strata = self._test
        order = [name for name in self.models if name != "mar"] + ["mar"]  # the last one's region is shown
        models = {name: self.models[name] for name in order}
        return page_of(models, X, y, strata, self._train, title, [self.words])

    def __repr__(self):
        return "\n".join([*(f"{name}\n{result!r}" for name, result in self.results.items()), self.words])

    def _repr_html_(self):
        return table_html(self._rows()) + f"<p>{html.escape(self.words)}</p>" + figure_html(self.plot, len(self))
