"""All methods on the same data, beside classifiers of other makers."""

import copy

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from lacuna._classifier import ReliableClassifier
from lacuna._labels import missing_mask, plain_labels
from lacuna._reliability import figure_html, reliability, table_html
from lacuna._report import probabilities_of, report

_METHODS = ("supervised", "mcar-sampling", "mcar-em", "mar")


def compare(X, y, X_test, y_test, *, estimator=None, others=None, strata=None):
    """Fits all four methods with the same densities and the same seed, and judges them on the same rows.

    Parameters
    ----------
    X, y : training rows and their labels
        `missing_label` of the estimator where there is none.
    X_test, y_test : rows that judge
        Rows without a label are left out.
    estimator : ReliableClassifier, default=None
        Its parameters are those of all methods, but for `method`.
    others : dict of name to classifier, default=None
        Classifiers of other makers with `predict_proba`. Each is cloned and fitted to the labeled rows.
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
    models = _fit_methods(estimator, X, y)
    models.update(_fit_others(others or {}, X, y, estimator.missing_label))
    mar = models["mar"]
    results = {
        name: reliability(
            y_test, probabilities_of(model, X_test, mar.classes_), classes=mar.classes_, strata=strata,
            missing_label=mar.missing_label,
        )
        for name, model in models.items()
    }  # fmt: skip
    return Comparison(models, results, (X, y), (X_test, y_test, strata))


def _fit_methods(estimator, X, y):
    first = clone(estimator)
    fits, classes = first._fit_methods(list(_METHODS), X, y, None)
    models = {}
    for method, fit in zip(_METHODS, fits, strict=True):
        models[method] = copy.copy(first).set_params(method=method)
        models[method]._set_model(fit, classes)
    return models


def _fit_others(others, X, y, missing_label):
    taken = sorted(set(others) & set(_METHODS))
    if taken:
        raise ValueError(f"others: {taken[0]!r} is the name of one of lacuna's methods; choose another")
    labels = np.asarray(y)
    labeled = np.flatnonzero(~missing_mask(labels, missing_label))
    labels = plain_labels(labels[labeled])
    return {name: clone(other).fit(_safe_indexing(X, labeled), labels) for name, other in others.items()}


class Comparison:
    """What `compare` found. `comparison["mar"]` is the `Reliability` of that method.

    Attributes
    ----------
    models : dict of name to fitted classifier
    results : dict of name to Reliability
    """

    def __init__(self, models, results, train, test):
        self.models = models
        self.results = results
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
        if axes is None:
            from matplotlib.figure import Figure

            axes = Figure(figsize=(3.6 * len(self), 3.6), layout="constrained").subplots(1, len(self))
        for place, (ax, (name, result)) in enumerate(zip(np.ravel(axes), self.results.items(), strict=True)):
            result.plot(ax, legend=place == 0).set_title(name)
        return axes

    def report(self, *, title=None):
        """The page of all classifiers; see `lacuna.report`."""
        X, y, strata = self._test
        order = [name for name in self.models if name != "mar"] + ["mar"]  # the last one's region is shown
        return report({name: self.models[name] for name in order}, X, y, strata=strata, train=self._train, title=title)

    def __repr__(self):
        return "\n".join(f"{name}\n{result!r}" for name, result in self.results.items())

    def _repr_html_(self):
        return table_html(self._rows()) + figure_html(self.plot, len(self))
