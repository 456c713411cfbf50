"""lacuna's densities as scikit-learn's estimators."""

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from lacuna import _core
from lacuna._progress import progress
from lacuna._settings import seed_of, setting_texts
from lacuna._sklearn import read_numbers, read_weights

#: Parameters of every density that are none of its family's settings.
_COMMON = ("random_state", "threads", "verbose")


class DensityEstimator(DensityMixin, BaseEstimator):
    """What lacuna's density estimators have in common. `_family` is the name that the library has for each."""

    _family = None

    def _family_settings(self):
        own = {name: value for name, value in self.get_params(deep=False).items() if name not in _COMMON}
        return {"density": self._family, **own}

    def _settings(self, seed=0):
        return setting_texts({**self._family_settings(), "seed": seed, "threads": self.threads, "features": "none"})

    def _allows_nan(self):
        try:
            return _core.takes_gaps(self._settings())
        except ValueError:
            return False

    def fit(self, X, y=None, sample_weight=None):
        """Fits the density.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            float64 in C order is used where it lies; anything else is converted once.
        y : ignored
        sample_weight : array of shape (n_samples,), default=None
            Weight 2 is the row twice.

        Returns
        -------
        self
        """
        settings = self._settings(seed_of(self.random_state))
        _core.check_settings(settings)
        features = read_numbers(self, X, reset=True, allow_nan=_core.takes_gaps(settings))
        weights = read_weights(sample_weight, features)
        with progress(self.verbose) as report:
            self._density = _core.fit_density(features, weights, settings, report)
        self._set_summary()
        return self

    def _set_summary(self):
        self.summary_ = self._density.summary
        self.n_iter_ = max(1, self.summary_["n_iterations"])

    def score_samples(self, X):
        """The log density of each row."""
        check_is_fitted(self)
        features = read_numbers(self, X, reset=False, allow_nan=self._allows_nan())
        with progress(self.verbose) as report:
            return self._density.log_density(features, self.threads, report)

    def score(self, X, y=None):
        """The mean log density of the rows."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples=1, random_state=None):
        """Random vectors from the density, as an array of shape (n_samples, n_features).

        `random_state` None is that of the estimator.
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples: got {n_samples}, expected at least 1")
        return self._density.sample(n_samples, seed_of(self.random_state if random_state is None else random_state))

    def _more_tags(self):
        return {"allow_nan": self._allows_nan()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        return tags


class _Mixture(DensityEstimator):
    """A mixture, which can be counted and updated block by block."""

    def statistics(self, X, sample_weight=None):
        """What an update of this mixture needs to know of some rows. Statistics add up, and can be pickled.

        Count blocks of rows anywhere, add the results in any order with `+` (or take some away with `-`), and give
        the sum to `update`. They belong to the mixture that counted them.
        """
        check_is_fitted(self)
        features = read_numbers(self, X, reset=False, allow_nan=self._allows_nan())
        with progress(self.verbose) as report:
            return _core.count_statistics(
                self._density, features, read_weights(sample_weight, features), self.threads, report
            )

    def update(self, statistics):
        """One iteration of the fit, with the rows that `statistics` of this mixture tell of. Returns self.

        The objective in `summary_` is that of the mixture before the update; it never falls from one to the next.
        """
        check_is_fitted(self)
        self._density = _core.update_mixture(self._density, statistics, self._settings())
        self._set_summary()
        return self


class VariationalGaussianMixture(_Mixture):
    """A Gaussian mixture fitted by variational Bayes, family "vb-gmm".

    Unlike scikit-learn's BayesianGaussianMixture it returns a true density: the Student-t posterior predictive, which
    integrates to one however few rows there are. Missing values (NaN) are integrated out.

    Parameters
    ----------
    components : int or "auto", default=7
        The most components there can be, of which unneeded ones switch off; "auto" looks for as many as the evidence
        favours.
    covariance : {"full", "tied", "diagonal", "spherical"}, default="full"
    restarts : int, default=1
        Starts from other seeds; the best is kept.
    max_iterations : int, default=500
        Per start.
    tolerance : float, default=1e-5
        Converged when the bound changes by less than this share of itself.
    weight_prior : {"dirichlet", "stick-breaking"}, default="dirichlet"
    density_form : {"predictive", "plug-in", "expected-log"}, default="predictive"
        What `score_samples` returns; "expected-log" is no density.
    weight_concentration : float, default=0
        Prior of the weights; 0 lets it follow `components`.
    mean_precision : float, default=1
        Rows of prior evidence for a component's mean.
    degrees_of_freedom : float, default=0
        Of the Wishart prior; 0 stands for the number of features.
    covariance_scale : float, default=0.3
        Prior scatter of a component, relative to the data's variance.
    category_concentration : float, default=1
        Prior rows of each category in a component.
    own_covariance : bool, default=False
        Prior scatter from the rows' own covariance, as in scikit-learn, however few they are. Otherwise it has no
        correlations, and inside a classifier few rows borrow variance from all.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna import VariationalGaussianMixture
    >>> random = np.random.default_rng(0)
    >>> X = np.concatenate([random.normal(-5, 1, (200, 1)), random.normal(5, 1, (200, 1))])
    >>> density = VariationalGaussianMixture().fit(X)
    >>> grid = np.linspace(-40, 40, 8001).reshape(-1, 1)
    >>> float(np.exp(density.score_samples(grid)).sum().round(-1) * 0.01)   # integrates to one
    1.0
    >>> density.sample(3, random_state=1).shape
    (3, 1)
    >>> new = random.normal(5, 1, (100, 1))                                 # later rows: count, add, update
    >>> before = density.score(new)
    >>> density.update(density.statistics(X) + density.statistics(new)).score(new) > before
    True
    """

    _family = "vb-gmm"

    def __init__(
        self,
        components=7,
        *,
        covariance="full",
        restarts=1,
        max_iterations=500,
        tolerance=1e-5,
        weight_prior="dirichlet",
        density_form="predictive",
        weight_concentration=0.0,
        mean_precision=1.0,
        degrees_of_freedom=0.0,
        covariance_scale=0.3,
        category_concentration=1.0,
        own_covariance=False,
        random_state=0,
        threads=0,
        verbose=None,
    ):
        self.components = components
        self.covariance = covariance
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.weight_prior = weight_prior
        self.density_form = density_form
        self.weight_concentration = weight_concentration
        self.mean_precision = mean_precision
        self.degrees_of_freedom = degrees_of_freedom
        self.covariance_scale = covariance_scale
        self.category_concentration = category_concentration
        self.own_covariance = own_covariance
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose


class GaussianMixture(_Mixture):
    """A Gaussian mixture fitted by EM, family "gmm".

    Parameters
    ----------
    components : int, default=7
    covariance : {"full", "tied", "diagonal", "spherical"}, default="full"
    restarts : int, default=1
        Starts from other seeds; the best is kept.
    max_iterations : int, default=500
        Per start.
    tolerance : float, default=1e-5
        Converged when the log likelihood changes by less than this share of itself.
    covariance_floor : float, default=1e-4
        Least variance of a component, relative to the data's variance.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    Examples
    --------
    >>> from lacuna import GaussianMixture
    >>> density = GaussianMixture(components=1).fit([[0.0], [2.0], [4.0]])
    >>> density.score_samples([[2.0]]).round(3)
    array([-1.409])
    """

    _family = "gmm"

    def __init__(
        self,
        components=7,
        *,
        covariance="full",
        restarts=1,
        max_iterations=500,
        tolerance=1e-5,
        covariance_floor=1e-4,
        random_state=0,
        threads=0,
        verbose=None,
    ):
        self.components = components
        self.covariance = covariance
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.covariance_floor = covariance_floor
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose


class KernelDensity(DensityEstimator):
    """A kernel density estimate with a full bandwidth matrix, family "kde".

    Parameters
    ----------
    kde_bandwidth : {"likelihood", "silverman", "scott"}, default="likelihood"
        How wide the kernels are: where each row is likeliest under all others, or by a rule.
    kde_tolerance : float, default=1e-4
        Largest relative error of a density; 0 for the exact sum.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna import KernelDensity
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> density = KernelDensity().fit(X)
    >>> density.score_samples([[0.0, 0.0]]).round()
    array([-2.])
    """

    _family = "kde"

    def __init__(self, kde_bandwidth="likelihood", *, kde_tolerance=1e-4, random_state=0, threads=0, verbose=None):
        self.kde_bandwidth = kde_bandwidth
        self.kde_tolerance = kde_tolerance
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose


class DirichletProcessMixture(DensityEstimator):
    """A Dirichlet process mixture of Gaussians by MCMC, family "dp-gmm"; the density is averaged over draws.

    Parameters
    ----------
    dp_iterations : int, default=300
        Iterations of the Markov chain, the burn-in included.
    dp_burn_in : int, default=150
        First iterations that count for nothing.
    dp_draws : int, default=15
        Later iterations, evenly spaced, that the density is averaged over.
    dp_separation : float, default=3
        Expected distance of two clusters, in standard deviations of one.
    dp_concentration : float, default=0.3
        Prior mean of the concentration; larger means more clusters.
    random_state, threads, verbose
        As for `ReliableClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna import DirichletProcessMixture
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> bool(DirichletProcessMixture(20, dp_burn_in=10, dp_draws=5).fit(X).score(X) > -1.6)
    True
    """

    _family = "dp-gmm"

    def __init__(
        self,
        dp_iterations=300,
        *,
        dp_burn_in=150,
        dp_draws=15,
        dp_separation=3.0,
        dp_concentration=0.3,
        random_state=0,
        threads=0,
        verbose=None,
    ):
        self.dp_iterations = dp_iterations
        self.dp_burn_in = dp_burn_in
        self.dp_draws = dp_draws
        self.dp_separation = dp_separation
        self.dp_concentration = dp_concentration
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose
