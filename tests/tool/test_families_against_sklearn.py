"""Gaussian mixture and kernel density estimate beside scikit-learn's and scipy's: the same numbers."""

import json
import os
import subprocess

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

PROBE = os.environ["LACUNA_FAMILY_PROBE"]
D = 3
TYPES = ["full", "tied", "diag", "spherical"]


def covariances(shown):
    """Our covariances in the user's units, as full matrices."""
    result = []
    for packed in np.array(shown["whitener"]):
        if len(packed) == D:
            precision = np.diag(packed)
        else:
            a = np.zeros((D, D))
            a[np.tril_indices(D)] = packed
            precision = a.T @ a
        scale = np.diag(shown["scale"])
        result.append(scale @ np.linalg.inv(precision) @ scale)
    return np.array(result)


def in_frame(shown, matrices):
    inverse = np.diag(1.0 / np.array(shown["scale"]))
    return np.array([inverse @ m @ inverse for m in matrices])


def sklearn_mixture(shown, kind):
    """scikit-learn's mixture with our parameters, in our frame (a spherical component is round only there)."""
    model = GaussianMixture(n_components=len(shown["weights"]), covariance_type=TYPES[kind], reg_covar=0.0)
    model.weights_ = np.array(shown["weights"])
    model.means_ = np.array(shown["mean"])
    c = in_frame(shown, covariances(shown))
    if kind == 0:
        model.precisions_cholesky_ = np.array([np.linalg.cholesky(np.linalg.inv(m)) for m in c])
    elif kind == 1:
        model.precisions_cholesky_ = np.linalg.cholesky(np.linalg.inv(c[0]))
    elif kind == 2:
        model.precisions_cholesky_ = np.array([1.0 / np.sqrt(np.diag(m)) for m in c])
    else:
        model.precisions_cholesky_ = np.array([1.0 / np.sqrt(m[0, 0]) for m in c])
    return model


@pytest.fixture(scope="module", params=range(4), ids=TYPES)
def gmm(request):
    out = subprocess.run([PROBE, "gmm", str(request.param)], check=True, capture_output=True, text=True)
    shown = json.loads(out.stdout)
    shown["kind"] = request.param
    before = shown["before"]
    shown["z"] = (np.array(shown["rows"]) - before["center"]) / before["scale"]
    return shown


def test_gmm_log_density_agrees(gmm):
    model = sklearn_mixture(gmm["before"], gmm["kind"])
    expected = model.score_samples(gmm["z"]) - np.log(gmm["before"]["scale"]).sum()
    assert np.abs(expected - gmm["log_density"]).max() < 1e-9


def test_gmm_step_agrees(gmm):
    model = sklearn_mixture(gmm["before"], gmm["kind"])
    _, log_responsibilities = model._e_step(gmm["z"])
    model._m_step(gmm["z"], log_responsibilities)
    after = gmm["after"]
    assert np.abs(model.weights_ - after["weights"]).max() < 1e-9
    assert np.abs(model.means_ - after["mean"]).max() < 1e-9
    ours = in_frame(after, covariances(after))
    theirs = model.covariances_
    if gmm["kind"] == 1:
        theirs = np.array([theirs] * len(ours))
    elif gmm["kind"] == 2:
        theirs = np.array([np.diag(c) for c in theirs])
    elif gmm["kind"] == 3:
        theirs = np.array([c * np.eye(D) for c in theirs])
    assert np.abs(theirs - ours).max() < 1e-9


def test_gmm_bic_and_aic_agree(gmm):
    model = sklearn_mixture(gmm["before"], gmm["kind"])
    shift = 2 * len(gmm["z"]) * np.log(gmm["before"]["scale"]).sum()  # scikit-learn sees the frame
    assert model.bic(gmm["z"]) + shift == pytest.approx(gmm["bic"], rel=1e-9)
    assert model.aic(gmm["z"]) + shift == pytest.approx(gmm["aic"], rel=1e-9)


def run_kde(tmp_path, rows, questions, bandwidth, tolerance, weights=None):
    weights = np.ones(len(rows)) if weights is None else weights
    data, result = tmp_path / "in", tmp_path / "out"
    np.concatenate([rows.ravel(), weights, questions.ravel()]).tofile(data)
    arguments = [len(rows), len(questions), rows.shape[1], bandwidth, tolerance, 2, data, result]
    out = subprocess.run([PROBE, "kde", *map(str, arguments)], check=True, capture_output=True, text=True)
    return np.fromfile(result), json.loads(out.stdout)["bandwidth_factor"]


def correlated(n, d, seed):
    shape = np.random.default_rng(0).normal(size=(d + 1, d))
    return np.random.default_rng(seed).normal(size=(n, d)) @ shape[:d] + shape[d]


@pytest.mark.parametrize("d", [1, 2, 5])  # with more, scikit-learn's own error is larger than 1e-9
def test_kde_agrees_with_sklearn(tmp_path, d):
    rows, questions = correlated(700, d, 1), correlated(300, d, 2)
    ours, factor = run_kde(tmp_path, rows, questions, 2, 0.0)
    assert factor == pytest.approx(700 ** (-1 / (d + 4)))
    root = factor * np.linalg.cholesky(np.atleast_2d(np.cov(rows.T)))
    whitened = np.linalg.solve(root, rows.T).T
    theirs = KernelDensity(bandwidth=1.0, rtol=0, atol=0).fit(whitened)
    expected = theirs.score_samples(np.linalg.solve(root, questions.T).T) - np.log(np.diag(root)).sum()
    assert np.abs(expected - ours).max() < 1e-9


@pytest.mark.parametrize("d, reach", [(4, 100), (9, 1)])
def test_kde_is_scipys_plain_sum(tmp_path, d, reach):
    """In the far tails and in many features, where scikit-learn's sums lose their digits."""
    rows, questions = correlated(500, d, 1), reach * correlated(200, d, 2)
    ours, factor = run_kde(tmp_path, rows, questions, 2, 0.0)
    root = factor * np.linalg.cholesky(np.cov(rows.T))
    differences = np.linalg.solve(root, (questions[:, None] - rows[None]).reshape(-1, d).T)
    exponents = -0.5 * (differences**2).sum(axis=0).reshape(200, 500)
    constant = -np.log(500) - np.log(np.diag(root)).sum() - d / 2 * np.log(2 * np.pi)
    expected = logsumexp(exponents, axis=1) + constant
    assert reach == 1 or expected.min() < -10_000
    assert np.abs((ours - expected) / np.maximum(1, np.abs(expected))).max() < 1e-11


@pytest.mark.parametrize("rule, number", [("silverman", 1), ("scott", 2)])
def test_weighted_kde_agrees_with_scipy(tmp_path, rule, number):
    rows, questions = correlated(400, 3, 3), correlated(200, 3, 4)
    weights = np.random.default_rng(5).gamma(0.7, size=400)
    ours, _ = run_kde(tmp_path, rows, questions, number, 0.0, weights)
    expected = gaussian_kde(rows.T, bw_method=rule, weights=weights).logpdf(questions.T)
    near = expected > -600  # scipy's sum vanishes in the far tails
    assert near.sum() > 150
    assert np.abs(expected - ours)[near].max() < 1e-9


def test_kde_stays_inside_its_tolerance(tmp_path):
    rows, questions = correlated(5000, 4, 6), correlated(500, 4, 7)
    exact, _ = run_kde(tmp_path, rows, questions, 2, 0.0)
    for tolerance in (1e-1, 1e-2, 1e-4):
        ours, _ = run_kde(tmp_path, rows, questions, 2, tolerance)
        errors = np.abs(np.expm1(ours - exact))
        assert 0 < errors.max() <= tolerance
