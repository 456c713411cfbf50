"""The classifier, by scikit-learn's rules."""

import json
import os
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from lacuna import _core
from lacuna._any_classifier import AnyClassifier, read_conditional
from lacuna._any_density import AnyDensity, allows_nan, is_density
from lacuna._class_weight import cheapest, costs_of
from lacuna._densities import FAMILIES, DensityEstimator
from lacuna._documented import documented
from lacuna._labels import class_names, encode_labels, label_array, missing_mask, type_name
from lacuna._options import option_texts, options_of, seed_of
from lacuna._parameters import ReliableClassifierParameters
from lacuna._progress import progress
from lacuna._sklearn import as_table, check_columns, check_numbers, read_numbers, read_weights
from lacuna._tables import Column, check_names, column_ranges, encode, learn_columns, needs_encoding, warn_of_columns
from lacuna._warnings import warn


class Scores(NamedTuple):
    """All that a model says about some rows, one entry per row."""

    prediction: np.ndarray  # places in classes_
    error_probability: np.ndarray
    informative: np.ndarray
    log_ratio: np.ndarray
    posterior: np.ndarray


@documented
class ReliableClassifier(ReliableClassifierParameters, ClassifierMixin, BaseEstimator):
    """A classifier for data of which only some rows have labels, that knows where the labels say nothing.

    It finds the region where labels are informative, learns there, and admits ignorance elsewhere: its error
    probabilities hold out of sample although *who* got labeled depended on the features.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    kappa_ : float
        The threshold used.
    informative_weight_ : float
        w: the weight of the part of the model that the labels inform.
    summary_ : dict
        What happened during the fit: counts, how each density went.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna import ReliableClassifier
    >>> random = np.random.default_rng(1)
    >>> X = random.normal(size=(300, 2)) + np.repeat([[0, 0], [6, 0], [3, 20]], 100, axis=0)
    >>> y = np.repeat(["cat", "dog", "?"], 100)
    >>> model = ReliableClassifier(missing_label="?").fit(X, y)
    >>> model.predict([[0, 0], [6, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> bool(model.error_probability([[3, 20]])[0] > 0.49)
    True
    """

    # Options

    def set_params(self, **params):
        """Sets parameters; `density__components=3` also where the density is but the name of a family."""
        if any(name.startswith("density__") for name in params):
            density = params.get("density", self.density)
            if isinstance(density, str) and density in FAMILIES:
                self.density = FAMILIES[density]()
                params.pop("density", None)
        return super().set_params(**params)

    def _density_options(self):
        """Options of the density, and the bridge to it when it is not one of lacuna's."""
        if isinstance(self.density, str):
            return {"density": self.density}, None
        if isinstance(self.density, DensityEstimator):
            return self.density._family_options(), None
        if isinstance(self.density, type) or not is_density(self.density):
            names = ", ".join(FAMILIES)
            raise TypeError(
                f"density: got {self.density!r}, expected the name of a family ({names}) or an object with fit(X) and "
                "score_samples(X)"
            )
        return {}, AnyDensity(self.density)

    def _options(self, seed=0):
        of_density, bridge = self._density_options()
        values = options_of(self)
        values["conditional"], _ = read_conditional(self.conditional)
        if bridge is not None:
            values["threads"] = 1  # objects that share a random generator would otherwise use it in any order
        return option_texts({**values, **of_density, "seed": seed}), bridge

    def _takes_gaps(self):
        options, bridge = self._options()
        if bridge is None:
            return _core.takes_gaps(options)
        return bridge.handles_missing_values and self.features in ("none", "standardize")

    # Fit

    def fit(self, X, y, sample_weight=None):
        """Fits the model.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            float64 in C order is used where it lies; anything else is converted once. NaN is a missing value where the
            density takes them ("vb-gmm" integrates them out).
        y : array of shape (n_samples,)
            Labels; `missing_label` where there is none.
        sample_weight : array of shape (n_samples,), default=None
            Weight 2 is the row twice.

        Returns
        -------
        self
        """
        (model,), classes = self._fit_methods([self.method], X, y, sample_weight)
        self._set_model(model, classes)
        return self

    def _fit_methods(self, methods, X, y, sample_weight):
        """One model per method, and the classes; what the methods share is fitted once."""
        inputs, classes = self._fit_inputs(X, y, sample_weight)
        with progress(self.verbose) as report:
            models = _core.fit_models(methods, *inputs, type_name(classes), report)
        return models, classes

    def _fit_inputs(self, X, y, sample_weight):
        """What the compiled part learns from, and the classes."""
        if y is None:
            raise ValueError("This ReliableClassifier estimator requires y to be passed, but the target y is None.")
        seed = seed_of(self.random_state)
        options, bridge = self._options(seed)
        _core.check_options(options)
        features, columns = self._learn_features(X, options, bridge)
        check_consistent_length(features, y, sample_weight)
        codes, classes = encode_labels(y, self.classes, self.missing_label)
        counts = np.bincount(codes[codes >= 0], minlength=len(classes))
        costs_of(self.class_weight, classes, dict(zip(class_names(classes), counts)))  # an error now, not after the fit
        weights = read_weights(sample_weight, features)
        if self.classes is not None:
            options.append(("classes", class_names(self.classes)))
        columns = [tuple(column) for column in columns]
        _, found = read_conditional(self.conditional)
        members = [AnyClassifier(member, name, classes) for name, member in found.items()]
        return (features, codes, class_names(classes), weights, columns, options, bridge, members), classes

    def _learn_features(self, X, options, bridge):
        features, columns = self._read_columns(X, options, bridge)
        if not str(self.features).startswith("vae"):  # a network on images needs every pixel in its place
            warn_of_columns(*column_ranges(features), len(features), columns)
        return features, columns

    def _read_columns(self, X, options, bridge):
        X = as_table(X)
        allow_nan = self._takes_gaps()
        if not needs_encoding(X, self.categorical):
            features = read_numbers(self, X, reset=True, allow_nan=allow_nan)
            names = getattr(self, "feature_names_in_", [f"c{j}" for j in range(features.shape[1])])
            check_names(names)
            return features, [Column(str(name), None, False) for name in names]
        if not hasattr(X, "iloc"):
            X = read_numbers(self, X, reset=True, allow_nan=True)
        else:
            check_columns(self, X, reset=True)
        columns = learn_columns(X, self.categorical, bridge is None and _core.takes_codes(options))
        return check_numbers(encode(X, columns), allow_nan=allow_nan, name="X"), columns

    def _set_model(self, model, classes):
        self._model = model
        self._columns = [Column(*column) for column in model.columns]
        self.classes_ = classes
        self.kappa_ = model.kappa
        self.informative_weight_ = model.informative_weight
        self.summary_ = model.summary
        self._costs = costs_of(self.class_weight, classes, model.summary["class_counts"])

    @property
    def record_(self):
        """Everything that decided the fit and what came of it, as the model file keeps it."""
        check_is_fitted(self)
        return json.loads(self._model.record_json())

    # Predict

    def _read_features(self, X):
        X = as_table(X)
        allow_nan = self._model.takes_gaps
        if all(column.categories is None for column in self._columns):
            # float32 is converted block by block, while it is scored.
            return read_numbers(self, X, reset=False, allow_nan=allow_nan, dtype=[np.float64, np.float32])
        if not hasattr(X, "iloc"):
            X = np.asarray(X, dtype=object)
            if X.ndim != 2:
                raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
        check_columns(self, X, reset=False)
        return check_numbers(encode(X, self._columns), allow_nan=allow_nan, name="X")

    def _with_rows(self, X, ask, *arguments):
        """What `ask`, a function of the model, says about rows."""
        check_is_fitted(self)
        features = self._read_features(X)
        with progress(self.verbose) as report:
            threads = self.threads if isinstance(self.density, (str, DensityEstimator)) else 1
            return getattr(self._model, ask)(features, *arguments, threads, report)

    def _score_rows(self, X):
        scores = Scores(*self._with_rows(X, "score"))
        return scores if self._costs is None else cheapest(scores, self._costs)

    def predict(self, X):
        """The likeliest class of each row; with `class_weight` the one that makes the expected cost smallest."""
        scores = self._score_rows(X)
        return self.classes_[scores.prediction]

    def predict_proba(self, X):
        """The probability of each class, in the order of `classes_`; rows sum to one."""
        return self._score_rows(X).posterior

    def predict_log_proba(self, X):
        """The logarithms of `predict_proba`; -inf where a class has no probability."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def error_probability(self, X):
        """How likely the prediction of each row is wrong, also where nobody ever labeled anything."""
        return self._score_rows(X).error_probability

    def informative(self, X):
        """True where the labels speak about such a row: `log_ratio` above `kappa_`."""
        return self._score_rows(X).informative

    def log_ratio(self, X):
        """How much denser labeled rows lie than unlabeled ones, as a log ratio; where densities tell it, for the class where
        it is largest.

        It is -inf for a row that is unlike all training rows.
        """
        return self._score_rows(X).log_ratio

    def explain(self, X, row=0, *, train=None):
        """Why labels speak about a row of X or not: the columns that push its log ratio, how its error probability is made
        up, and with `train`, the rows and labels of the fit as a tuple `(X, y)`, the nearest labeled rows. Returns an
        Explanation; its `words` say it, `document` has all numbers.
        """
        from lacuna._explain import explain  # which needs this class

        return explain(self, X, row, train)

    def predict_set(self, X, alpha=0.1, sensitivity=1.0):
        """A set of classes for each row that holds the true one with probability of at least `1 - alpha`, among rows like all
        training rows: an array of True and False, with a column per class.

        Outside the informative region the set has all classes. With a `sensitivity` above 1 the promise holds also where the
        odds of the classes differ by at most that factor between labeled rows and unlabeled ones like them, so that labels are
        not quite missing at random. Needs `conditional="stack"`.
        """
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha: got {alpha}, expected a number between 0 and 1")
        return self._with_rows(X, "sets", 1.0 - alpha, float(sensitivity))

    def accept(self, X, risk=0.05, confidence=0.95, *, return_share=False):
        """True for rows whose predictions you may act on: of those that are accepted, at most the share `risk` is wrong. That
        fails with a probability of at most `1 - confidence`, over the labels that were drawn.

        Rows outside the informative region are never accepted; where the labels show no such bound, no row is. Needs
        `conditional="stack"`, and answers that no `class_weight` has changed.

        With `return_share` a pair: these, and the share of the rows that is answered.
        """
        check_is_fitted(self)
        if self._costs is not None:
            raise ValueError(
                "accept: the labels that were held out tell how often the likeliest class is wrong, and class_weight changes the "
                "answers; fit with class_weight=None"
            )
        accepted = self._with_rows(X, "accept", float(risk), float(confidence))
        return (accepted, float(np.mean(accepted))) if return_share else accepted

    def score(self, X, y, sample_weight=None):
        """The accuracy on the rows that have labels."""
        check_is_fitted(self)
        X, y = as_table(X), label_array(y)
        check_consistent_length(X, y, sample_weight)
        labeled = np.flatnonzero(~missing_mask(y, self.missing_label))
        if len(labeled) == 0:
            raise ValueError(f"no row has a label (missing_label={self.missing_label!r}); there is nothing to score")
        if len(labeled) < len(y):
            X = _safe_indexing(X, labeled)
            y = y[labeled]
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)[labeled]
        if y.dtype == object:
            y = np.array(y.tolist())
        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)

    # Files

    def save(self, path, *, overwrite=False):
        """Writes the model file that `lacuna predict` and `lacuna.load` read.

        Parameters
        ----------
        path : str or path
            The file. It appears when it is complete.
        overwrite : bool, default=False
            Whether an older file may be replaced.
        """
        check_is_fitted(self)
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"'{os.fsdecode(path)}' exists; pass overwrite=True to replace it")
        if self._costs is not None:
            warn("a model file has no place for class_weight: whoever reads it predicts the likeliest class")
        self._model.save(os.fsencode(path), overwrite)

    # What scikit-learn wants to know

    def _allows_nan(self):
        try:
            members = read_conditional(self.conditional)[1].values()
            return self._takes_gaps() and all(map(allows_nan, members))
        except (TypeError, ValueError):
            return False

    def _more_tags(self):
        tags = {"allow_nan": self._allows_nan(), "requires_y": True, "_xfail_checks": {}}
        if self.missing_label == -1:
            # scikit-learn leaves out its own semi-supervised classifiers here, by name.
            reason = "labels -1 and 1: -1 means unlabeled; the check passes with missing_label=None"
            tags["_xfail_checks"]["check_classifiers_classes"] = reason
        if self.conditional != "densities" and self.method == "mar":
            reason = "it also shuffles the rows, and a stack deals them into folds by their numbers"
            tags["_xfail_checks"]["check_sample_weights_invariance"] = reason
        return tags

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        tags.target_tags.required = True
        return tags
