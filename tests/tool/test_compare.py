"""lacuna compare, as a user runs it."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from cli_tool import blobs, names_in, run

METHODS = ["supervised", "mcar-sampling", "mcar-em", "mar"]
PLAIN = ["logistic", "logistic-isotonic", "boosting", "boosting-isotonic"]


@pytest.fixture
def folder(tmp_path):
    blobs(seed=1).drop(columns="group").to_csv(tmp_path / "train.csv", index=False)
    blobs(seed=2, labeled=0.9).to_csv(tmp_path / "test.csv", index=False)
    return tmp_path


def compare(folder, *arguments, code=0, **how):
    return run("compare", "train.csv", "test.csv", "--label", "answer", "--components", 2, "--out", "out", *arguments,
               cwd=folder, code=code, **how)  # fmt: skip


def test_one_table_one_document_one_page(folder):
    result = compare(folder, "--stratum", "group")
    assert names_in(folder / "out") == ["metrics.json", "report.html"]
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:25]] == sum([[name, "high", "low"] for name in METHODS + PLAIN], [])
    assert "without a label" in result.stderr
    document = json.loads((folder / "out/metrics.json").read_text())
    methods = document["methods"]
    assert [method["method"] for method in methods] == METHODS
    for method, line in zip(methods, lines[1:13:3]):
        assert line.split()[2] == f"{method['error_rate']:.4f}"
        assert method["model"]["options"]["method"] == method["method"]
        assert method["model"]["seed"] == methods[0]["model"]["seed"]
        assert set(method["strata"]) == {"high", "low"}
    assert [plain["method"] for plain in document["plain_models"]] == PLAIN
    for plain, line in zip(document["plain_models"], lines[13:25:3]):
        assert line.split()[2] == f"{plain['error_rate']:.4f}"
        assert set(plain) == set(methods[0]) and plain["model"] is None
    best = min(methods + document["plain_models"], key=lambda each: each["brier_error"])
    assert document["winner"]["method"] == best["method"]
    assert document["winner"]["is_plain"] == (best["method"] in PLAIN)
    assert lines[26] == document["winner"]["words"] and f"{best['method']} wins" in lines[26]
    assert document["winner"]["words"].split(":")[0] in (folder / "out/report.html").read_text()


def test_without_xgboost_there_is_no_boosting_and_it_is_said(folder):
    result = compare(folder, env={**os.environ, "LACUNA_XGBOOST_LIBRARY": "/nowhere/libxgboost.so"})
    assert "note: boosting and boosting-isotonic are left out" in result.stderr
    document = json.loads((folder / "out/metrics.json").read_text())
    assert [plain["method"] for plain in document["plain_models"]] == PLAIN[:2]
    assert "boosting-isotonic are left out" in document["left_out"]
    assert "boosting-isotonic are left out" in (folder / "out/report.html").read_text()


def test_a_plain_model_that_wins_is_named(tmp_path):
    """Labels missing by lot, a straight border: a logistic regression knows all that can be known."""
    random = np.random.default_rng(0)
    for name, n in (("train", 1500), ("test", 3000)):
        x = random.exponential(size=(n, 8)) ** 2
        truth = random.uniform(size=n) < 1 / (1 + np.exp(3 - 0.5 * x[:, :4].sum(axis=1)))
        labels = np.where((random.uniform(size=n) < 0.1) | (name == "test"), truth.astype(int).astype(str), "")
        pd.DataFrame(x).add_prefix("x").assign(answer=labels).to_csv(tmp_path / f"{name}.csv", index=False)
    result = compare(tmp_path, "--conditional", "densities")
    winner = json.loads((tmp_path / "out/metrics.json").read_text())["winner"]
    assert winner["is_plain"] and winner["method"].startswith("logistic")
    assert f"The plain model {winner['method']} wins" in result.stdout


def test_models_are_those_of_fit(folder):
    compare(folder, "--models", "--seed", 3)
    assert names_in(folder / "out") == sorted(["metrics.json", "report.html", *(f"{m}.lacuna" for m in METHODS)])
    for method in METHODS:
        run("fit", "train.csv", "-o", "model", "--label", "answer", "--components", 2, "--seed", 3, "--method", method,
            "--force", cwd=folder)  # fmt: skip
        assert (folder / "model").read_bytes() == (folder / f"out/{method}.lacuna").read_bytes()
    run("evaluate", "out/mar.lacuna", "test.csv", "--label", "answer", "--json", "m.json", cwd=folder)
    alone = json.loads((folder / "m.json").read_text())
    together = json.loads((folder / "out/metrics.json").read_text())["methods"][3]
    assert together.pop("method") == "mar"
    assert together == alone


def test_nothing_is_replaced_without_force(folder):
    compare(folder)
    before = (folder / "out/report.html").read_bytes()
    result = compare(folder, "--seed", 1, code=73)
    assert "--force" in result.stderr
    assert (folder / "out/report.html").read_bytes() == before
    compare(folder, "--seed", 1, "--force")
    assert (folder / "out/report.html").read_bytes() != before
    assert names_in(folder / "out") == ["metrics.json", "report.html"]


def test_same_command_same_bytes(folder):
    compare(folder, "--threads", 1)
    first = [(folder / "out" / name).read_bytes() for name in names_in(folder / "out")]
    compare(folder, "--threads", 2, "--force")
    assert [(folder / "out" / name).read_bytes() for name in names_in(folder / "out")] == first


def test_arrays_with_labels_in_files(tmp_path):
    random = np.random.default_rng(0)
    for name, n in (("train", 200), ("test", 100)):
        truth = random.integers(0, 2, n)
        np.save(tmp_path / f"{name}.npy", random.normal(size=(n, 3)) + 4.0 * truth[:, None])
        labels = [str(label) if name == "test" or i % 2 else "" for i, label in enumerate(truth)]
        pd.Series(labels).to_csv(tmp_path / f"{name}-y.csv", index=False, header=False)
    arguments = ["compare", "train.npy", "test.npy", "--labels", "train-y.csv", "--components", 2, "--out", "out"]
    run(*arguments, "--test-labels", "test-y.csv", "--report", "page.html", cwd=tmp_path)
    assert names_in(tmp_path / "out") == ["metrics.json"]
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    result = run(*arguments, "--force", cwd=tmp_path, code=64)
    assert "--test-labels" in result.stderr


def test_a_configuration_file_may_hold_the_options(folder):
    (folder / "run.toml").write_text('components = 2\nseed = 5\n')
    run("compare", "train.csv", "test.csv", "--label", "answer", "--config", "run.toml", "--out", "out", cwd=folder)
    methods = json.loads((folder / "out/metrics.json").read_text())["methods"]
    assert methods[0]["model"]["seed"] == 5
    (folder / "run.toml").write_text('method = "mar"\n')
    result = compare(folder, "--config", "run.toml", "--force", code=78)
    assert "options of lacuna compare" in result.stderr


def test_wrong_use_is_told_and_leaves_nothing(folder):
    result = run("compare", "train.csv", "test.csv", "--label", "answer", cwd=folder, code=64)
    assert "--out" in result.stderr
    result = run("compare", "train.csv", "nowhere.csv", "--label", "answer", "--out", "out", cwd=folder, code=66)
    assert "nowhere.csv" in result.stderr
    assert names_in(folder / "out") == []
    result = compare(folder, "--stratum", "nothing", code=65)
    assert "nothing" in result.stderr
    (folder / "file").write_text("")
    result = run("compare", "train.csv", "test.csv", "--label", "answer", "--out", "file", cwd=folder, code=73)
    assert "'file'" in result.stderr
