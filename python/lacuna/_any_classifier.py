"""Any classifier with `fit(X, y)`, `predict_proba(X)` and `classes_` as a member of the stack."""

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from lacuna._any_density import resampled, seeded

#: No class is given less, so that logarithms stay finite.
_LEAST = 1e-12
#: How far the probabilities of a row may be from one in sum: those of small floats are.
_ROUNDING = 0.01


def read_conditional(conditional):
    """The option's text and the classifiers that join the stack, by a name each."""
    if isinstance(conditional, str) or not isinstance(conditional, (list, tuple)):
        if callable(getattr(conditional, "predict_proba", None)):
            raise TypeError(f"conditional: got {conditional!r}; put classifiers of your own into a list")
        return conditional, {}
    members = {}
    for member in conditional:
        if isinstance(member, str) and member == "stack":
            continue  # the usual members, which are there anyway
        methods = (getattr(member, name, None) for name in ("fit", "predict_proba"))
        if isinstance(member, type) or not all(map(callable, methods)):
            raise TypeError(
                f'conditional: got {member!r} in the list, expected classifiers with fit(X, y) and predict_proba(X), or "stack"'
            )
        name, place = type(member).__name__, 1
        while name in members:
            place += 1
            name = f"{type(member).__name__}-{place}"
        members[name] = member
    return "stack", members


class _OneClass:
    """What there is to say when labels are of one class; a classifier wants two."""

    def __init__(self, label):
        self.classes_ = np.array([label])

    def predict_proba(self, X):
        return np.ones((len(X), 1))


class _Fitted:
    """A fitted classifier, and what is known about it."""

    def __init__(self, model, places, n_rows):
        self.model = model
        self.places = places  # of its classes among all
        self.n_rows = n_rows


class AnyClassifier:
    """What the library calls: fits clones of `estimator`, and asks them for probabilities of all classes.

    Rows have weights. An estimator whose `fit` takes `sample_weight` gets them, unless all are 1. Any other is fitted to
    rows resampled in proportion to their weights, unless all weigh the same.
    """

    def __init__(self, estimator, name, classes):
        self.estimator = estimator
        self.name = name
        self.classes = classes
        self.takes_weights = has_fit_parameter(estimator, "sample_weight")

    def fit(self, X, codes, weights, seed):
        options = {}
        if not self.takes_weights and np.ptp(weights) > 0.0:
            rows = resampled(weights, seed)
            X, codes = X[rows], codes[rows]
        elif self.takes_weights and not (weights == 1.0).all():
            options["sample_weight"] = weights
        known = np.unique(codes)
        if len(known) == 1:
            return _Fitted(_OneClass(self.classes[known[0]]), known, len(X))
        try:
            model = seeded(self.estimator, seed)
            model.fit(X, self.classes[codes], **options)
        except Exception as error:
            self._fail(f"could not be fitted to {len(X)} rows", error, np.isnan(X).any())
        return _Fitted(model, self._places(model), len(X))

    def probabilities(self, fitted, X):
        """Probabilities of all classes.

        Nobody who has seen n labels knows more than n labels can tell, but those who count say 0 and 1. As if one more
        label of any class had been seen, they say less.
        """
        try:
            found = np.asarray(fitted.model.predict_proba(X), dtype=np.float64)
        except Exception as error:
            self._fail(f"predict_proba failed for {len(X)} rows", error, np.isnan(X).any())
        expected = (len(X), len(fitted.places))
        if found.shape != expected:
            self._refuse(f"predict_proba returned shape {found.shape}, expected {expected}: rows and classes_")
        if not np.isfinite(found).all():
            self._refuse("predict_proba returned NaN or infinity")
        if (found < 0.0).any():
            self._refuse(f"predict_proba returned {found.min():g}, which is negative")
        sums = found.sum(axis=1, keepdims=True)
        if not (np.abs(sums - 1.0) < _ROUNDING).all():
            worst = sums.flat[np.abs(sums - 1.0).argmax()]
            self._refuse(f"predict_proba returned a row that sums to {worst:g}, expected 1")
        result = np.full((len(X), len(self.classes)), _LEAST)
        n_rows, n_known = fitted.n_rows, len(fitted.places)
        result[:, fitted.places] = np.maximum((n_rows * found / sums + 1.0 / n_known) / (n_rows + 1.0), _LEAST)
        return result / result.sum(axis=1, keepdims=True)

    def _places(self, model):
        found = getattr(model, "classes_", None)
        if found is None:
            self._refuse("has no classes_ after fit, which tell the columns of predict_proba")
        places = {label: place for place, label in enumerate(self.classes.tolist())}
        try:
            known = np.array([places[label] for label in np.asarray(found).tolist()], dtype=np.intp)
        except (KeyError, TypeError):
            self._refuse(f"has classes_ {found!r}; y has only {self.classes!r}")
        if len(known) == 0 or len(np.unique(known)) < len(known):
            self._refuse(f"has classes_ {found!r}, expected each class once")
        return known

    def _refuse(self, problem):
        raise ValueError(f"conditional: {self.name} {problem}")

    def _fail(self, problem, error, has_gaps):
        hint = "; X has missing values (NaN), for which it may need an imputer in a pipeline" if has_gaps else ""
        kind = ValueError if isinstance(error, ValueError) else RuntimeError
        raise kind(f"conditional: {self.name} {problem}: {type(error).__name__}: {error}{hint}") from error
