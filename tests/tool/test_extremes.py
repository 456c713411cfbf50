"""Options at the ends of their limits: what is fitted can be read; what is beyond them is refused."""

import pandas as pd
import pytest
from cli_tool import blobs, run

MOST = 1e12
LIMITS = {
    "weight-concentration": (1e-308, MOST),
    "mean-precision": (1e-308, MOST),
    "degrees-of-freedom": (2, MOST),
    "covariance-scale": (1e-12, 1e12),
    "category-concentration": (1e-308, MOST),
}
FIT = ("fit", "train.csv", "--label", "answer", "--conditional", "densities", "-o", "model", "--force")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("extremes")
    blobs(n=120).drop(columns="group").to_csv(folder / "train.csv", index=False)
    return folder


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("option", LIMITS)
def test_a_prior_at_its_limits_is_saved_and_read(folder, option, covariance):
    for value in LIMITS[option]:
        run(*FIT, f"--{option}", value, "--covariance", covariance, cwd=folder)
        run("predict", "model", "train.csv", "-o", "p.csv", "--force", cwd=folder)
        probabilities = pd.read_csv(folder / "p.csv").filter(like="p_")
        assert ((probabilities.sum(axis=1) - 1).abs() < 1e-9).all(), (option, value)


@pytest.mark.parametrize("option", LIMITS)
def test_a_prior_beyond_its_limits_is_refused(folder, option):
    for value in ("1e13", "1e100", "1e308"):
        err = run(*FIT, f"--{option}", value, cwd=folder, code=64).stderr
        assert f"--{option}" in err and "1000000000000;" in err.replace(", or 0", ""), err
