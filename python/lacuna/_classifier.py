"""The classifier, by scikit-learn's rules."""

import json
import os

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from lacuna import _core
from lacuna._any_density import AnyDensity, is_density
from lacuna._densities import DensityEstimator
from lacuna._labels import class_names, classes_from_names, encode_labels, missing_mask, type_name
from lacuna._progress import progress
from lacuna._settings import seed_of, setting_texts
from lacuna._sklearn import check_columns, check_numbers, read_numbers, read_weights
from lacuna._tables import Column, check_names, encode, learn_columns, needs_encoding

#: Parameters that are settings of the library under the same name, whatever the density.
_GENERAL = (
    "method", "kappa", "posterior", "draws", "folds", "max_em_iterations", "em_tolerance", "features", "threads",
)  # fmt: skip
#: Settings of lacuna's own densities; those of another family than the chosen one are refused.
_OF_DENSITIES = (
    "components", "covariance", "restarts", "max_iterations", "tolerance", "covariance_floor", "weight_prior",
    "density_form", "weight_concentration", "mean_precision", "degrees_of_freedom", "covariance_scale",
    "category_concentration", "own_covariance", "kde_bandwidth", "kde_tolerance", "dp_iterations", "dp_burn_in",
    "dp_draws", "dp_separation", "dp_concentration",
)  # fmt: skip


class Scores:
    """All that a model says about some rows, one entry per row."""

    def __init__(self, prediction, error_probability, informative, log_ratio, posterior):
        self.prediction = prediction  # places in classes_
        self.error_probability = error_probability
        self.informative = informative
        self.log_ratio = log_ratio
        self.posterior = posterior


class ReliableClassifier(ClassifierMixin, BaseEstimator):
    """A classifier for data of which only some rows have labels, that knows where the labels say nothing.

    It finds the region where labels are informative, learns there, and admits ignorance elsewhere: its error
    probabilities hold out of sample although *who* got labeled depended on the features.

    Parameters
    ----------
    method : {"mar", "supervised", "mcar-sampling", "mcar-em"}, default="mar"
        "mar" is selective label sampling; the others assume that labels went missing by lot and are for comparison.
    density : str or object, default="vb-gmm"
        One of lacuna's density families ("vb-gmm", "gmm", "dp-gmm", "kde"), one of its density estimators, or any object
        with `fit(X)` and `score_samples(X)`. Such an object is cloned for every fit. When its `fit` takes
        `sample_weight` it gets the weights of the rows; otherwise it is fitted to rows resampled by weight. Random
        states that it leaves at None follow `random_state`. It is called by one thread at a time, in a fixed order.
        Such a model can be pickled but not saved.
    kappa : float or "auto:ALPHA", default="auto:0.05"
        Threshold of the informative region. "auto:0.05" calls at most 5 % of rows like the labeled ones
        uninformative.
    posterior : {"joint", "product"}, default="joint"
        "joint" is exact, "product" as in the paper.
    draws : int or "soft", default=5
        Missing labels are filled by so many random draws, averaged, or by their probabilities.
    folds : int, default=5
        Folds of the cross-fit for kappa "auto".
    max_em_iterations : int, default=500
        "mcar-em": most rounds of filling and fitting.
    em_tolerance : float, default=1e-4
        "mcar-em": converged when the log likelihood changes by less than this per row.
    features : str, default="standardize"
        Maps before the densities: "none", or "standardize", "pca:N", "pca:SHARE", "vae:N" with commas between them.
        lacuna's own densities do a last "standardize" themselves, so X is not copied for it.
    components, covariance, restarts, max_iterations, tolerance : default=None
        Mixtures ("vb-gmm", "gmm"): most components; "full", "tied", "diagonal" or "spherical"; starts per density; most
        iterations; share of the objective below which it has converged. None is the family's own default.
    covariance_floor : float, default=None
        "gmm": least variance of a component, relative to the data's.
    weight_prior, density_form, weight_concentration, mean_precision, degrees_of_freedom, covariance_scale, \
category_concentration, own_covariance : default=None
        "vb-gmm": see `VariationalGaussianMixture`.
    kde_bandwidth, kde_tolerance : default=None
        "kde": see `KernelDensity`.
    dp_iterations, dp_burn_in, dp_draws, dp_separation, dp_concentration : default=None
        "dp-gmm": see `DirichletProcessMixture`.
    classes : list, default=None
        Classes that may have no labeled row; those found in y are added.
    categorical : list of str or int, default=None
        Columns that hold categories although they look like numbers. Text, category and bool columns of a pandas frame
        are categories anyway.
    missing_label : default=-1
        What marks an unlabeled row in y. None and NaN both stand for None, NaN and pandas.NA.
    random_state : int, RandomState instance or None, default=0
        A whole number is the seed of the command line; one seed, one result. scikit-learn's tools look for this name,
        so it is not called seed.
    threads : int, default=0
        Threads, 0 for all cores; never changes a result. Set 1 inside of `GridSearchCV(n_jobs=-1)`.
    verbose : bool or None, default=None
        None shows a progress bar on terminals and in notebooks when a call takes more than two seconds; False never
        does.

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

    def __init__(
        self,
        method="mar",
        density="vb-gmm",
        kappa="auto:0.05",
        *,
        posterior="joint",
        draws=5,
        folds=5,
        max_em_iterations=500,
        em_tolerance=1e-4,
        features="standardize",
        components=None,
        covariance=None,
        restarts=None,
        max_iterations=None,
        tolerance=None,
        covariance_floor=None,
        weight_prior=None,
        density_form=None,
        weight_concentration=None,
        mean_precision=None,
        degrees_of_freedom=None,
        covariance_scale=None,
        category_concentration=None,
        own_covariance=None,
        kde_bandwidth=None,
        kde_tolerance=None,
        dp_iterations=None,
        dp_burn_in=None,
        dp_draws=None,
        dp_separation=None,
        dp_concentration=None,
        classes=None,
        categorical=None,
        missing_label=-1,
        random_state=0,
        threads=0,
        verbose=None,
    ):
        self.method = method
        self.density = density
        self.kappa = kappa
        self.posterior = posterior
        self.draws = draws
        self.folds = folds
        self.max_em_iterations = max_em_iterations
        self.em_tolerance = em_tolerance
        self.features = features
        self.components = components
        self.covariance = covariance
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.covariance_floor = covariance_floor
        self.weight_prior = weight_prior
        self.density_form = density_form
        self.weight_concentration = weight_concentration
        self.mean_precision = mean_precision
        self.degrees_of_freedom = degrees_of_freedom
        self.covariance_scale = covariance_scale
        self.category_concentration = category_concentration
        self.own_covariance = own_covariance
        self.kde_bandwidth = kde_bandwidth
        self.kde_tolerance = kde_tolerance
        self.dp_iterations = dp_iterations
        self.dp_burn_in = dp_burn_in
        self.dp_draws = dp_draws
        self.dp_separation = dp_separation
        self.dp_concentration = dp_concentration
        self.classes = classes
        self.categorical = categorical
        self.missing_label = missing_label
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose

    # Settings

    def _density_settings(self):
        """Settings of the density, and the bridge to it when it is not one of lacuna's."""
        own = {name: getattr(self, name) for name in _OF_DENSITIES}
        if isinstance(self.density, str):
            return {"density": self.density, **own}, None
        given = [name for name, value in own.items() if value is not None]
        if given:
            raise ValueError(f"{given[0]}: density is an object of its own; set the parameter there")
        if isinstance(self.density, DensityEstimator):
            return self.density._family_settings(), None
        if isinstance(self.density, type) or not is_density(self.density):
            names = ", ".join(_core.density_family_names())
            raise TypeError(
                f"density: got {self.density!r}, expected the name of a family ({names}) or an object with fit(X) and "
                "score_samples(X)"
            )
        return {}, AnyDensity(self.density)

    def _settings(self, seed=0):
        of_density, bridge = self._density_settings()
        values = {name: getattr(self, name) for name in _GENERAL}
        if bridge is not None:
            values["threads"] = 1  # objects that share a random generator would otherwise use it in any order
        return setting_texts({**values, **of_density, "seed": seed}), bridge

    def _takes_gaps(self):
        settings, bridge = self._settings()
        if bridge is None:
            return _core.takes_gaps(settings)
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
        if y is None:
            raise ValueError("This ReliableClassifier estimator requires y to be passed, but the target y is None.")
        seed = seed_of(self.random_state)
        settings, bridge = self._settings(seed)
        _core.check_settings(settings)
        features, columns = self._learn_features(X, settings, bridge)
        check_consistent_length(features, y, sample_weight)
        codes, classes = encode_labels(y, self.classes, self.missing_label)
        weights = read_weights(sample_weight, features)
        if self.classes is not None:
            settings.append(("classes", class_names(self.classes)))
        columns = [tuple(column) for column in columns]
        with progress(self.verbose) as report:
            models = _core.fit_models(
                methods, features, codes, class_names(classes), weights, columns, settings, bridge, report
            )
        for model in models:
            record = json.loads(model.record)
            record["python"] = {"label_type": type_name(classes)}
            if bridge is not None:
                record["options"]["density"] = type(bridge.estimator).__name__
            model.record = json.dumps(record, indent=2)
        return models, classes

    def _learn_features(self, X, settings, bridge):
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
        columns = learn_columns(X, self.categorical, bridge is None and _core.takes_codes(settings))
        return check_numbers(encode(X, columns), allow_nan=allow_nan, name="X"), columns

    def _set_model(self, model, classes):
        self._model = model
        self._columns = [Column(*column) for column in model.columns]
        self.classes_ = classes
        self.kappa_ = model.kappa
        self.informative_weight_ = model.informative_weight
        self.summary_ = json.loads(model.record)["summary"]

    @property
    def record_(self):
        """Everything that decided the fit and what came of it, as the model file keeps it."""
        check_is_fitted(self)
        return json.loads(self._model.record)

    # Predict

    def _read_features(self, X):
        allow_nan = self._model.takes_gaps
        if all(column.categories is None for column in self._columns):
            return read_numbers(self, X, reset=False, allow_nan=allow_nan)
        if not hasattr(X, "iloc"):
            X = np.asarray(X, dtype=object)
            if X.ndim != 2:
                raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
        check_columns(self, X, reset=False)
        return check_numbers(encode(X, self._columns), allow_nan=allow_nan, name="X")

    def _score_rows(self, X):
        check_is_fitted(self)
        features = self._read_features(X)
        with progress(self.verbose) as report:
            threads = self.threads if isinstance(self.density, (str, DensityEstimator)) else 1
            return Scores(*self._model.score(features, threads, report))

    def predict(self, X):
        """The likeliest class of each row."""
        scores = self._score_rows(X)
        return self.classes_[scores.prediction]

    def predict_proba(self, X):
        """The probability of each class, in the order of `classes_`; rows sum to one."""
        return self._score_rows(X).posterior

    def error_probability(self, X):
        """How likely the prediction of each row is wrong, also where nobody ever labeled anything."""
        return self._score_rows(X).error_probability

    def informative(self, X):
        """True where the labels speak about such a row: `log_ratio` above `kappa_`."""
        return self._score_rows(X).informative

    def log_ratio(self, X):
        """The largest log ratio of a class's density among the labeled rows to the density of the unlabeled ones."""
        return self._score_rows(X).log_ratio

    def score(self, X, y, sample_weight=None):
        """The accuracy on the rows that have labels."""
        check_is_fitted(self)
        check_consistent_length(X, y, sample_weight)
        y = column_or_1d(y)
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
        path = os.fspath(path)
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"'{path}' exists; pass overwrite=True to replace it")
        self._model.save(path, overwrite)

    # What scikit-learn wants to know

    def _allows_nan(self):
        try:
            return self._takes_gaps()
        except (TypeError, ValueError):
            return False

    def _more_tags(self):
        tags = {"allow_nan": self._allows_nan(), "requires_y": True}
        if self.missing_label == -1:
            # scikit-learn leaves out its own semi-supervised classifiers here, by name.
            reason = "labels -1 and 1: -1 means unlabeled; the check passes with missing_label=None"
            tags["_xfail_checks"] = {"check_classifiers_classes": reason}
        return tags

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        tags.target_tags.required = True
        return tags


def _parameters_of(options, classes, kind):
    """Parameters of a ReliableClassifier from the options that a model file tells."""
    values = {name.replace("-", "_"): value for name, value in options.items()}
    values["random_state"] = values.pop("seed", 0)
    names = values.pop("classes", None)
    values["classes"] = classes_from_names(names, kind).tolist() if names else None
    values["missing_label"] = None if missing_mask(classes, -1).any() else -1
    values["categorical"] = values.get("categorical") or None
    known = ReliableClassifier().get_params()
    return {name: value for name, value in values.items() if name in known}


def load(path):
    """Reads a model file, written by `ReliableClassifier.save` or `lacuna fit`.

    Labels come back as what they were. A model of the command line knows texts only: they become whole numbers when
    all of them are.

    Examples
    --------
    >>> import os, tempfile, lacuna
    >>> model = lacuna.ReliableClassifier().fit([[0.0], [1.0], [5.0], [6.0], [5.5]], [0, 0, 1, 1, -1])
    >>> path = os.path.join(tempfile.mkdtemp(), "m.lacuna")
    >>> model.save(path)
    >>> lacuna.load(path).predict([[0.2], [5.8]])
    array([0, 1])
    """
    model = _core.load_model(os.fspath(path))
    record = json.loads(model.record)
    kind = record.get("python", {}).get("label_type")
    classes = classes_from_names(model.class_names, kind)
    estimator = ReliableClassifier(**_parameters_of(record.get("options", {}), classes, kind))
    columns = [Column(*column) for column in model.columns]
    estimator.n_features_in_ = len(columns)
    if [column.name for column in columns] != [f"c{j}" for j in range(len(columns))]:
        estimator.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
    estimator._set_model(model, classes)
    return estimator
