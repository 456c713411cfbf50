"""Command line, C++ and Python give the same numbers, to the last bit, for the same data, options and seed."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import clouds

import lacuna


@pytest.fixture
def table(tmp_path):
    X, y, _ = clouds(800, seed=2)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y.astype(float))
    (tmp_path / "labels.csv").write_text("".join(f"{label if label >= 0 else ''}\n" for label in y))
    return X, y


def from_the_tool(cli, tmp_path, *options):
    cli("fit", "X.npy", "--labels", "labels.csv", "-o", "m", *options)
    cli("predict", "m", "X.npy", "-o", "p.csv")
    return pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")


def compare(model, X, expected):
    np.testing.assert_array_equal(model.predict(X), expected["prediction"])
    np.testing.assert_array_equal(model.error_probability(X), expected["error_probability"])
    np.testing.assert_array_equal(model.informative(X), expected["informative"] == 1)
    np.testing.assert_array_equal(model.log_ratio(X), expected["log_ratio"])
    np.testing.assert_array_equal(model.predict_proba(X), expected[["p_0", "p_1"]])


def test_the_defaults(cli, tmp_path, table):
    X, y = table
    model = lacuna.ReliableClassifier().fit(X, y)
    compare(model, X, from_the_tool(cli, tmp_path))
    command = [os.environ["LACUNA_CLASSIFY_PROBE"], "X.npy", "y.npy"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in printed.splitlines()]
    np.testing.assert_array_equal(model.predict(X), [int(row[0]) for row in rows])
    np.testing.assert_array_equal(model.error_probability(X), [float.fromhex(row[1]) for row in rows])
    np.testing.assert_array_equal(model.informative(X), [row[2] == "1" for row in rows])
    np.testing.assert_array_equal(model.log_ratio(X), [float.fromhex(row[3]) for row in rows])


mixture = lacuna.VariationalGaussianMixture


def flags_of(options):
    """The flags of the tool for parameters of a classifier: the same names."""
    values = dict(options)
    density = values.pop("density", None)
    if density is not None:
        changed = {k: v for k, v in density.get_params().items() if v != type(density)().get_params()[k]}
        values = {**values, "density": density._family, **changed}
    flags = []
    for name, value in values.items():
        flag = "--seed" if name == "random_state" else "--" + name.replace("_", "-")
        flags.append(flag if value is True else f"{flag}={value}")
    return flags


@pytest.mark.parametrize(
    "options",
    [
        {"method": "mcar-em", "density": lacuna.GaussianMixture(2, covariance="diagonal")},
        {"method": "mcar-sampling", "draws": 2, "random_state": 12345678901234567890},
        {"method": "supervised", "density": lacuna.KernelDensity("silverman")},
        {"kappa": -0.25, "posterior": "product", "draws": "soft", "density": mixture(tolerance=1e-7, own_covariance=True)},
        {"density": mixture("auto"), "draws": 1},
        {"kappa": "auto:0.2", "folds": 3, "features": "standardize,pca:2", "density": mixture(weight_prior="stick-breaking")},
        {"density": lacuna.DirichletProcessMixture(30, dp_burn_in=10, dp_draws=5), "draws": 1},
        lacuna.preset("paper"),
    ],
    ids=str,
)
def test_other_options(cli, tmp_path, table, options):
    X, y = table
    compare(lacuna.ReliableClassifier(**options).fit(X, y), X, from_the_tool(cli, tmp_path, *flags_of(options)))


def test_threads_change_nothing(table):
    X, y = table
    one, three = (lacuna.ReliableClassifier(threads=n).fit(X, y) for n in (1, 3))
    np.testing.assert_array_equal(one.error_probability(X), three.error_probability(X))


def test_weights_are_repetitions(table):
    X, y = table
    weights = np.where(np.arange(len(X)) % 3 == 0, 2.0, 1.0)
    rows = np.repeat(np.arange(len(X)), weights.astype(int))
    options = {"conditional": "densities", "density": mixture(1), "draws": "soft", "kappa": 0}  # nothing is left to chance
    weighted = lacuna.ReliableClassifier(**options).fit(X, y, sample_weight=weights)
    repeated = lacuna.ReliableClassifier(**options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.error_probability(X), repeated.error_probability(X), rtol=1e-4, atol=1e-9)


DENSITIES = [lacuna.VariationalGaussianMixture(), lacuna.GaussianMixture(3), lacuna.KernelDensity()]


@pytest.mark.parametrize("density", DENSITIES, ids=repr)
def test_densities_are_densities(density):
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-2, 1, (60, 2)), random.normal(2, 0.5, (40, 2))])
    density.fit(X)
    side = np.linspace(-30, 30, 601)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    assert np.exp(density.score_samples(grid)).sum() * 0.01 == pytest.approx(1.0, abs=5e-3)
    assert density.score(X) == pytest.approx(density.score_samples(X).mean())
    drawn = density.sample(20000, random_state=1)
    assert drawn.shape == (20000, 2)
    # Means of the sample against those of the density on the grid: four standard errors are left to chance.
    mass = np.exp(density.score_samples(grid)) * 0.01
    mean = mass @ grid
    spread = np.sqrt(mass @ (grid - mean) ** 2)
    assert (np.abs(drawn.mean(axis=0) - mean) < 4 * spread / np.sqrt(20000) + 0.02).all()
    np.testing.assert_array_equal(drawn, density.sample(20000, random_state=1))
    assert (density.sample(5, random_state=2) != density.sample(5, random_state=3)).any()
    weights = np.where(np.arange(100) < 60, 0.0, 1.0)
    only = density.fit(X, sample_weight=weights).score_samples(grid[::1000])
    np.testing.assert_allclose(only, density.fit(X[60:]).score_samples(grid[::1000]), rtol=1e-6)
    with pytest.raises(ValueError, match="all weights are zero"):
        density.fit(X, sample_weight=np.zeros(100))
