"""The variational mixture beside scikit-learn's and scipy's: the same numbers where the definitions agree."""

import json
import os
import subprocess

import numpy as np
import pytest
from scipy.stats import multivariate_t
from sklearn.mixture import BayesianGaussianMixture

PROBE = os.environ["LACUNA_VB_PROBE"]
D = 3


@pytest.fixture(scope="module", params=[0, 1], ids=["dirichlet", "stick-breaking"])
def fit(request):
    out = subprocess.run([PROBE, "fit", "0", str(request.param)], check=True, capture_output=True, text=True)
    shown = {key: np.array(value) for key, value in json.loads(out.stdout).items()}
    shown["weight_prior"] = request.param
    shown["z"] = (shown["rows"] - shown["center"]) / shown["scale"]
    whiteners = []
    for packed in shown["whitener"]:
        a = np.zeros((D, D))
        a[np.tril_indices(D)] = packed
        whiteners.append(a)
    shown["scale_matrix"] = np.array([a.T @ a for a in whiteners])  # W_k
    return shown


def sklearn_model(fit):
    """scikit-learn's mixture with our priors, in our frame."""
    n = len(fit["beta"])
    kind = "dirichlet_process" if fit["weight_prior"] else "dirichlet_distribution"
    model = BayesianGaussianMixture(
        n_components=n,
        covariance_type="full",
        weight_concentration_prior_type=kind,
        weight_concentration_prior=0.7,
        mean_precision_prior=0.8,
        mean_prior=np.zeros(D),
        degrees_of_freedom_prior=3.5,
        covariance_prior=0.9 * np.eye(D),
        reg_covar=0.0,
    )
    model._check_parameters(fit["z"])
    return model


def test_m_step_agrees(fit):
    model = sklearn_model(fit)
    responsibilities = fit["responsibilities"]
    assert np.allclose(responsibilities.sum(axis=1), 1.0, atol=1e-12)
    model._m_step(fit["z"], np.log(np.maximum(responsibilities, 1e-300)))
    # The fit has converged, so its posterior is the M-step of its own responsibilities up to the last small step.
    assert np.allclose(model.mean_precision_, fit["beta"], rtol=1e-3)
    assert np.allclose(model.degrees_of_freedom_, fit["nu"], rtol=1e-3)
    assert np.allclose(model.means_, fit["mean"], atol=2e-3)
    ours = np.array([np.linalg.inv(w) / nu for w, nu in zip(fit["scale_matrix"], fit["nu"])])
    assert np.allclose(model.covariances_, ours, atol=2e-3)


def test_responsibilities_agree_at_equal_parameters(fit):
    model = sklearn_model(fit)
    rows = fit["component_rows"]
    if fit["weight_prior"]:
        after = np.append(np.cumsum(rows[::-1])[-2::-1], 0.0)
        model.weight_concentration_ = (1.0 + rows, 0.7 + after)
    else:
        model.weight_concentration_ = 0.7 + rows
    model.mean_precision_ = fit["beta"]
    model.means_ = fit["mean"]
    model.degrees_of_freedom_ = fit["nu"]
    # scikit-learn wants upper factors with precision = P P'.
    model.precisions_cholesky_ = np.array(
        [np.linalg.cholesky(nu * w) for nu, w in zip(fit["nu"], fit["scale_matrix"])]
    )
    _, log_responsibilities = model._estimate_log_prob_resp(fit["z"])
    assert np.abs(np.exp(log_responsibilities) - fit["responsibilities"]).max() < 1e-9


def test_predictive_density_is_scipys_student_mixture(fit):
    density = np.zeros(len(fit["z"]))
    for weight, mean, beta, nu, w in zip(
        fit["weights"], fit["mean"], fit["beta"], fit["nu"], fit["scale_matrix"]
    ):
        dof = nu + 1 - D
        shape = np.linalg.inv(w) * (1 + beta) / (beta * dof)
        density += weight * multivariate_t(loc=mean, shape=shape, df=dof).pdf(fit["z"])
    expected = np.log(density) - np.log(fit["scale"]).sum()
    assert np.abs(expected - fit["log_density"]).max() < 1e-10


def test_peak_memory_stays_below_three_times_the_data():
    out = subprocess.run([PROBE, "memory"], check=True, capture_output=True, text=True)
    assert 1.0 < float(out.stdout) < 3.0
