"""Every density family through the command-line tool."""

import json
import re

import pandas as pd
import pytest
from cli_tool import blobs, run

FAMILIES = ["vb-gmm", "gmm", "kde", "dp-gmm"]
MEASURES = {
    "vb-gmm": set(),
    "gmm": {"aic", "bic"},
    "kde": {"bandwidth_factor", "effective_sample_size"},
    "dp-gmm": {"clusters", "concentration", "ess_clusters", "ess_concentration", "ess_log_joint"},
}


def gap_at(row, folder):
    """A labeled table of many blocks in which one number of this row, counted from 1, is missing."""
    table = pd.concat([pd.read_csv(folder / "test.csv")] * 100, ignore_index=True)
    name = table.select_dtypes("number").columns[-1]
    table.loc[row - 1, name] = None
    table.to_csv(folder / "gap.csv", index=False)
    return name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("families")
    blobs().drop(columns="group").to_csv(path / "train.csv", index=False)
    blobs(seed=2, labeled=1.0).to_csv(path / "test.csv", index=False)
    return path


@pytest.mark.parametrize("family", FAMILIES)
def test_fit_predict_info(folder, family):
    run("fit", "train.csv", "-o", "model", "--label", "answer", "--density", family, "--json", "fit.json", "--force", cwd=folder)
    run("predict", "model", "test.csv", "-o", "out.csv", "--force", cwd=folder)
    predictions = pd.read_csv(folder / "out.csv")
    truth = pd.read_csv(folder / "test.csv")["answer"]
    assert (predictions["prediction"] == truth).mean() > 0.8
    assert predictions["error_probability"].between(0, 1).all()
    record = json.loads((folder / "fit.json").read_text())
    assert record["options"]["density"] == family
    assert ("kde-tolerance" in record["options"]) == (family == "kde")
    assert ("components" in record["options"]) == (family in ["vb-gmm", "gmm"])
    assert ("dp-iterations" in record["options"]) == (family == "dp-gmm")
    measures = record["summary"]["densities"][0]["measures"]
    assert set(measures) == MEASURES[family]
    assert re.search(rf"^  density +{family}$", run("info", "model", cwd=folder).stdout, re.MULTILINE)


@pytest.mark.parametrize(
    "family, option, value, remedy",
    [
        ("kde", "components", "4", "vb-gmm or gmm"),
        ("gmm", "mean-precision", "2", "vb-gmm"),
        ("vb-gmm", "kde-tolerance", "0.1", "kde"),
        ("dp-gmm", "components", "4", "vb-gmm or gmm"),
        ("kde", "dp-draws", "4", "dp-gmm"),
    ],
)
def test_options_of_other_families_are_refused(folder, family, option, value, remedy):
    fit = ["fit", "train.csv", "-o", "none", "--label", "answer", "--density", family]
    result = run(*fit, f"--{option}", value, cwd=folder, code=64)
    assert f"--{option}: density family {family}" in result.stderr
    assert remedy in result.stderr
    (folder / "config.toml").write_text(f"{option} = {value}\n")
    result = run(*fit, "--config", "config.toml", cwd=folder, code=78)
    assert "line 1" in result.stderr and remedy in result.stderr
    assert not (folder / "none").exists()


def test_components_auto(folder):
    fit = ["fit", "train.csv", "-o", "auto", "--label", "answer", "--force", "--components", "auto"]
    run(*fit, "--json", "auto.json", cwd=folder)
    record = json.loads((folder / "auto.json").read_text())
    assert record["options"]["components"] == "auto"
    assert all(density["n_components"] >= 1 for density in record["summary"]["densities"])
    result = run(*fit, "--density", "gmm", cwd=folder, code=64)
    assert "--components: got 'auto', expected a whole number from 1 to 10000" in result.stderr
    result = run(*fit[:-1], "0", cwd=folder, code=64)
    assert "components: got 0" in result.stderr and "auto" in result.stderr


def test_an_unknown_family_is_told_the_known_ones(folder):
    result = run("fit", "train.csv", "-o", "none", "--label", "answer", "--density", "histogram", cwd=folder, code=64)
    for name in FAMILIES:
        assert name in result.stderr


@pytest.mark.parametrize("options", [["--density", "gmm"], ["--density", "kde"], ["--features", "pca:1"]])
def test_a_gap_is_named_by_its_row_and_column(folder, options):
    column = gap_at(29876, folder)
    fit = ["--label", "answer", "--force", *options]
    run("fit", "train.csv", "-o", "model", *fit, cwd=folder)
    for command in (
        ["predict", "model", "gap.csv", "-o", "-"],
        ["evaluate", "model", "gap.csv", "--label", "answer"],
        ["compare", "train.csv", "gap.csv", "--out", "comparison", *fit],
    ):
        result = run(*command, cwd=folder, code=65)
        assert f"row 29876, column '{column}': the value is missing" in result.stderr, command
