"""lacuna compare, as a user runs it."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_tool import blobs, names_in, run

METHODS = ["supervised", "mcar-sampling", "mcar-em", "mar"]


@pytest.fixture
def folder(tmp_path):
    blobs(seed=1).drop(columns="group").to_csv(tmp_path / "train.csv", index=False)
    blobs(seed=2, labeled=0.9).to_csv(tmp_path / "test.csv", index=False)
    return tmp_path


def compare(folder, *arguments, code=0):
    return run("compare", "train.csv", "test.csv", "--label", "answer", "--components", 2, "--out", "out", *arguments,
               cwd=folder, code=code)  # fmt: skip


def test_one_table_one_document_one_page(folder):
    result = compare(folder, "--stratum", "group")
    assert names_in(folder / "out") == ["metrics.json", "report.html"]
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:13]] == sum([[method, "high", "low"] for method in METHODS], [])
    assert "without a label" in result.stderr
    methods = json.loads((folder / "out/metrics.json").read_text())["methods"]
    assert [method["method"] for method in methods] == METHODS
    for method, line in zip(methods, lines[1:13:3]):
        assert line.split()[2] == f"{method['error_rate']:.4f}"
        assert method["model"]["options"]["method"] == method["method"]
        assert method["model"]["seed"] == methods[0]["model"]["seed"]
        assert set(method["strata"]) == {"high", "low"}


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
