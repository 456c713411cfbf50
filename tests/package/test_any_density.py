"""Any object with fit and score_samples as the density: weights, seeds, errors, pickles."""

import pickle

import numpy as np
import pytest
from conftest import clouds
from sklearn.base import BaseEstimator
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.neighbors import KernelDensity

import lacuna
from lacuna._any_density import AnyDensity

X, Y, _ = clouds(600)


class OneGaussian(BaseEstimator):
    """A single Gaussian with the weighted moments of its rows, which the library's mixture with one component and a
    weak prior comes close to."""

    calls = []

    def fit(self, X, y=None, sample_weight=None):
        type(self).calls.append(np.array(sample_weight))
        self.mean = np.average(X, axis=0, weights=sample_weight)
        self.covariance = np.cov(X.T, aweights=sample_weight, bias=True) + 1e-4 * np.eye(X.shape[1])
        return self

    def score_samples(self, X):
        z = np.linalg.solve(np.linalg.cholesky(self.covariance), (X - self.mean).T)
        return -0.5 * (z**2).sum(axis=0) - 0.5 * np.linalg.slogdet(2 * np.pi * self.covariance)[1]


class Plain:
    """No estimator at all: two methods."""

    def fit(self, X):
        self.model = OneGaussian().fit(X, sample_weight=np.ones(len(X)))

    def score_samples(self, X):
        return self.model.score_samples(X).tolist()


def test_the_same_density_gives_the_same_classifier():
    own = lacuna.ReliableClassifier(conditional="densities", density=lacuna.GaussianMixture(1, covariance_floor=1e-9), draws="soft", kappa=0)
    theirs = lacuna.ReliableClassifier(conditional="densities", density=OneGaussian(), draws="soft", kappa=0)
    np.testing.assert_allclose(
        theirs.fit(X, Y).error_probability(X), own.fit(X, Y).error_probability(X), rtol=1e-2, atol=1e-4
    )


def test_lacunas_own_estimators_are_taken_as_their_family():
    by_name = lacuna.ReliableClassifier(density="gmm", draws=1).fit(X, Y)
    by_object = lacuna.ReliableClassifier(density=lacuna.GaussianMixture(), draws=1).fit(X, Y)
    np.testing.assert_array_equal(by_name.error_probability(X), by_object.error_probability(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "density",
    [GaussianMixture(2), BayesianGaussianMixture(n_components=3), KernelDensity(bandwidth=0.5), Plain()],
    ids=lambda density: type(density).__name__,
)
def test_one_seed_one_result_and_a_pickle(density):
    # A stack fits its densities many times: two of them show that it takes any.
    conditional = "stack" if isinstance(density, (GaussianMixture, Plain)) else "densities"
    model = lacuna.ReliableClassifier(density=density, conditional=conditional, draws=2, random_state=3).fit(X, Y)
    again = lacuna.ReliableClassifier(density=density, conditional=conditional, draws=2, random_state=3, threads=1).fit(X, Y)
    questions = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 9.0], [1000.0, 1000.0]])
    error = model.error_probability(questions)
    np.testing.assert_array_equal(error, again.error_probability(questions))
    np.testing.assert_array_equal(model.predict(questions)[:2], [0, 1])
    assert error[0] < 0.05 and error[1] < 0.05 and error[2] > 0.45 and np.isfinite(error).all()
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.error_probability(X), model.error_probability(X))
    assert not hasattr(density, "means_") and not hasattr(density, "model"), "the user's object is never fitted itself"


def test_weights_reach_a_density_that_takes_them():
    OneGaussian.calls.clear()
    weights = np.linspace(0.5, 2.0, len(X))
    lacuna.ReliableClassifier(conditional="densities", density=OneGaussian(), draws=1, kappa=0).fit(X, Y, sample_weight=weights)
    first = OneGaussian.calls[0]
    np.testing.assert_array_equal(first, weights[Y == Y[Y >= 0][0]])


def test_resampling_follows_the_weights():
    class Listener(BaseEstimator):
        def fit(self, X):
            self.rows_ = X[:, 0].astype(int)
            return self

        def score_samples(self, X):
            return np.zeros(len(X))

    rows = np.arange(1000.0).reshape(-1, 1)
    weights = np.where(np.arange(1000) < 500, 3.0, 1.0)
    bridge = AnyDensity(Listener())
    assert not bridge.takes_weights
    counts = np.bincount(bridge.fit(rows, weights, 5).rows_, minlength=1000)
    assert counts.sum() == 1000
    assert set(counts[:500]) <= {1, 2} and set(counts[500:]) <= {0, 1}  # 1.5 and 0.5 times, up or down
    assert counts[:500].sum() in (749, 750, 751)
    np.testing.assert_array_equal(bridge.fit(rows, np.full(1000, 7.0), 5).rows_, np.arange(1000))


class Broken(BaseEstimator):
    def __init__(self, how):
        self.how = how

    def fit(self, X):
        if self.how == "fit":
            raise ZeroDivisionError("no luck")
        if self.how == "few":
            raise ValueError("too few rows")
        return self

    def score_samples(self, X):
        if self.how == "nan":
            return np.full(len(X), np.nan)
        if self.how == "infinite":
            return np.full(len(X), np.inf)
        if self.how == "shape":
            return np.zeros((len(X), 2))
        if self.how == "text":
            return ["a"] * len(X)
        raise KeyError("score")


@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        ("fit", ZeroDivisionError, "no luck"),
        ("few", ValueError, "could not be fitted to .* rows: too few rows"),
        ("nan", ValueError, "Broken.score_samples returned NaN or infinity"),
        ("infinite", ValueError, "returned NaN or infinity"),
        ("shape", ValueError, "returned shape"),
        ("text", ValueError, "could not convert"),
        ("score", KeyError, "score"),
    ],
)
def test_errors_of_the_object_come_out_as_they_are(how, kind, text):
    with pytest.raises(kind, match=text):
        lacuna.ReliableClassifier(density=Broken(how)).fit(X, Y)


def test_minus_infinity_is_a_very_small_density():
    density = KernelDensity(kernel="tophat", bandwidth=0.5)
    model = lacuna.ReliableClassifier(conditional="densities", density=density, draws=1).fit(X, Y)
    probabilities = model.predict_proba([[-3.0, 0.0], [1e6, 1e6]])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(probabilities[1], 0.5)


def test_it_cannot_be_saved(tmp_path):
    model = lacuna.ReliableClassifier(conditional="densities", density=OneGaussian(), draws=1, kappa=0).fit(X, Y)
    with pytest.raises(ValueError, match="Python objects, which a model file cannot hold; keep the model with pickle"):
        model.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
    assert model.record_["options"]["density"] == "OneGaussian"


def test_gaps_where_the_object_takes_them():
    class Careful(OneGaussian):
        def _more_tags(self):
            return {"allow_nan": True}

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.allow_nan = True
            return tags

        def fit(self, X, y=None, sample_weight=None):
            return super().fit(np.nan_to_num(X), sample_weight=sample_weight)

        def score_samples(self, X):
            return super().score_samples(np.nan_to_num(X))

    gaps = X.copy()
    gaps[::7, 1] = np.nan
    lacuna.ReliableClassifier(density=Careful(), draws=1).fit(gaps, Y).predict(gaps)
    with pytest.raises(ValueError, match="NaN"):
        lacuna.ReliableClassifier(density=OneGaussian(), draws=1).fit(gaps, Y)


def test_own_covariance_is_scikit_learns_default_prior():
    # One component: both have the closed form, and nothing is drawn. lacuna's correlations are a millionth smaller.
    prior = {"own_covariance": True, "covariance_scale": 1.0, "density_form": "expected-log"}
    # (Its diagonal mixture takes E[log|precision|] of a full Wishart and is off by a constant.)
    weights = {"weight_concentration_prior_type": "dirichlet_distribution"}
    for covariance in ["full", "tied"]:
        ours = lacuna.VariationalGaussianMixture(1, covariance=covariance, **prior).fit(X[:30])
        other = BayesianGaussianMixture(covariance_type=covariance, reg_covar=0.0, **weights).fit(X[:30])
        np.testing.assert_allclose(ours.score_samples(X), other.score_samples(X), rtol=1e-5, err_msg=covariance)
