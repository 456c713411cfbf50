"""Sufficient statistics of mixtures: they add up, travel, and make the fit."""

import functools
import operator
import pickle

import numpy as np
import pytest

import lacuna


def rows(n=600, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(n, 2)) + np.array([[-4.0, 0.0], [4.0, 1.0]])[random.integers(0, 2, n)]


@pytest.mark.parametrize("kind", [lacuna.VariationalGaussianMixture, lacuna.GaussianMixture])
def test_blocks_counted_apart_are_the_rows_together(kind):
    X, weights = rows(), np.random.default_rng(1).uniform(0, 3, 600)
    whole, parts = kind(3, max_iterations=2).fit(X), kind(3, max_iterations=2).fit(X)
    blocks = [pickle.loads(pickle.dumps(parts.statistics(X[i::4], weights[i::4]))) for i in (2, 0, 3, 1)]
    total = functools.reduce(operator.add, blocks)
    assert total.total_weight == pytest.approx(weights.sum(), rel=1e-12)
    whole.update(whole.statistics(X, weights))
    parts.update(total)
    np.testing.assert_allclose(parts.score_samples(X), whole.score_samples(X), rtol=1e-9)


@pytest.mark.parametrize("kind", [lacuna.VariationalGaussianMixture, lacuna.GaussianMixture])
def test_what_is_taken_away_is_gone(kind):
    X, more = rows(), rows(200, seed=5)
    mixture = kind(2).fit(X)
    rest = (mixture.statistics(X) + mixture.statistics(more)) - mixture.statistics(more)
    before = pickle.loads(pickle.dumps(mixture)).update(mixture.statistics(X))
    np.testing.assert_allclose(mixture.update(rest).score_samples(more), before.score_samples(more), rtol=1e-9)


@pytest.mark.parametrize("kind", [lacuna.VariationalGaussianMixture, lacuna.GaussianMixture])
def test_updates_climb(kind):
    X = rows()
    mixture = kind(4, max_iterations=1).fit(X)
    heights = []
    for _ in range(8):
        heights.append(mixture.update(mixture.statistics(X)).summary_["objective"])
    assert all(later >= earlier - 1e-9 * abs(earlier) for earlier, later in zip(heights, heights[1:]))
    assert heights[-1] > heights[0]


def test_statistics_of_another_mixture_are_refused():
    X = rows()
    one, other = lacuna.GaussianMixture(2).fit(X), lacuna.GaussianMixture(2).fit(X + 1)
    with pytest.raises(ValueError):
        one.statistics(X) + other.statistics(X)
    with pytest.raises(ValueError):
        one.update(other.statistics(X))
    with pytest.raises(ValueError, match="features"):
        one.statistics(X[:, :1])
