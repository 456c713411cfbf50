"""lacuna's densities as scikit-learn's estimators."""

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from lacuna import _core
from lacuna._documented import documented
from lacuna._options import option_texts, options_of, seed_of
from lacuna._parameters import (
    DirichletProcessMixtureParameters,
    GaussianMixtureParameters,
    KernelDensityParameters,
    VariationalGaussianMixtureParameters,
)
from lacuna._progress import progress
from lacuna._sklearn import read_numbers, read_weights


class DensityEstimator(DensityMixin, BaseEstimator):
    """What lacuna's density estimators have in common. `_family` is the name that the library has for each."""

    _family = None

    def _family_options(self):
        """The family and its options, without those of a run."""
        own = options_of(self)
        del own["threads"]
        return {"density": self._family, **own}

    def _options(self, seed=0):
        return option_texts({**self._family_options(), "seed": seed, "threads": self.threads, "features": "none"})

    def _allows_nan(self):
        try:
            return _core.takes_gaps(self._options())
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
        options = self._options(seed_of(self.random_state))
        _core.check_options(options)
        features = read_numbers(self, X, reset=True, allow_nan=_core.takes_gaps(options))
        weights = read_weights(sample_weight, features)
        with progress(self.verbose) as report:
            self._density = _core.fit_density(features, weights, options, report)
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


class Mixture(DensityEstimator):
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
        self._density = _core.update_mixture(self._density, statistics, self._options())
        self._set_summary()
        return self


@documented
class VariationalGaussianMixture(VariationalGaussianMixtureParameters, Mixture):
    """A Gaussian mixture fitted by variational Bayes, family "vb-gmm".

    Unlike scikit-learn's BayesianGaussianMixture it returns a true density: the Student-t posterior predictive, which
    integrates to one however few rows there are. Missing values (NaN) are integrated out.

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


@documented
class GaussianMixture(GaussianMixtureParameters, Mixture):
    """A Gaussian mixture fitted by EM, family "gmm".

    Examples
    --------
    >>> from lacuna import GaussianMixture
    >>> density = GaussianMixture(components=1).fit([[0.0], [2.0], [4.0]])
    >>> density.score_samples([[2.0]]).round(3)
    array([-1.409])
    """

    _family = "gmm"


@documented
class KernelDensity(KernelDensityParameters, DensityEstimator):
    """A kernel density estimate with a full bandwidth matrix, family "kde".

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


@documented
class DirichletProcessMixture(DirichletProcessMixtureParameters, DensityEstimator):
    """A Dirichlet process mixture of Gaussians by MCMC, family "dp-gmm"; the density is averaged over draws.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna import DirichletProcessMixture
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> bool(DirichletProcessMixture(20, dp_burn_in=10, dp_draws=5).fit(X).score(X) > -1.6)
    True
    """

    _family = "dp-gmm"


#: The estimator of each family.
FAMILIES = {
    kind._family: kind for kind in (VariationalGaussianMixture, GaussianMixture, KernelDensity, DirichletProcessMixture)
}
