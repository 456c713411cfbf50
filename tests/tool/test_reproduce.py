"""lacuna reproduce, as a user runs it, on small images made here."""

import json
import struct

import numpy as np
import pandas as pd
import pytest

from cli_tool import IS_SANITIZED, run

METHODS = {"supervised", "mcar-sampling", "mcar-em", "mar"}
METRICS = {
    "n", "error_rate", "mean_error_probability", "ece", "overconfidence", "underconfidence", "brier_error", "brier",
    "nll", "bins",
}  # fmt: skip


def write_idx(path, values):
    values = np.asarray(values, dtype=np.uint8)
    header = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    path.write_bytes(header + values.tobytes())


def write_images(folder, n_train=1600, n_test=300, n_classes=10, side=6):
    """Each class is a bright patch at its own place, under noise."""
    random = np.random.default_rng(0)
    folder.mkdir(parents=True)
    patches = random.integers(0, 2, (n_classes, side, side)) * 200
    for name, n in (("train", n_train), ("t10k", n_test)):
        labels = random.integers(0, n_classes, n)
        images = np.clip(patches[labels] + random.integers(0, 56, (n, side, side)), 0, 255)
        write_idx(folder / f"{name}-images-idx3-ubyte", images)
        write_idx(folder / f"{name}-labels-idx1-ubyte", labels)


def metrics(folder):
    return json.loads((folder / "metrics.json").read_text())["runs"]


def test_toy(tmp_path):
    result = run("reproduce", "toy", "--protocol", "strict-mar", "--repeats", 1, "--out", "results", cwd=tmp_path)
    assert "rare overconfidence" in result.stdout
    runs = metrics(tmp_path / "results")
    assert {(r["toy"], r["preset"], r["method"]) for r in runs} == {
        (toy, preset, method) for toy in ("coin", "quadrants") for preset in ("paper", "default") for method in METHODS
    }
    curve = pd.read_csv(tmp_path / "results/figures/reliability.csv")
    np.testing.assert_allclose(curve["rare_contribution"] + curve["rest_contribution"], curve["error_rate"])
    # The metrics of one run again, from the rows behind its figure.
    rows = pd.read_csv(tmp_path / "results/figures/coin-test-default-mar.csv")
    wrong = rows["prediction"] != rows["class"]
    run_metrics = next(
        r["metrics"] for r in runs if (r["toy"], r["preset"], r["method"]) == ("coin", "default", "mar")
    )
    assert run_metrics["error_rate"] == pytest.approx(wrong.mean())
    assert run_metrics["brier_error"] == pytest.approx(((wrong - rows["error_probability"]) ** 2).mean())
    assert run_metrics["strata"]["rare"]["error_rate"] == pytest.approx(wrong[rows["stratum"] == "rare"].mean())


@pytest.mark.skipif(IS_SANITIZED, reason="trains networks, which the sanitizers slow down to minutes")
@pytest.mark.parametrize("experiment, protocol", [("mnist", "strict-mar"), ("fashion-mnist", "authors")])
def test_images(tmp_path, experiment, protocol):
    write_images(tmp_path / "data" / experiment)
    command = ["reproduce", experiment, "--protocol", protocol, "--out", "results"]
    run(*command, "--repeats", 1, cwd=tmp_path)
    runs = metrics(tmp_path / "results")
    assert [(r["vae_seed"], r["repeat"]) for r in runs] == [(0, 0)] * 8
    for r in runs:
        assert METRICS <= set(r["metrics"])
        assert r["metrics"]["n"] == 300
        assert set(r["metrics"]["strata"]) == {"rare", "rest"}
        assert METRICS <= set(r["metrics"]["strata"]["rare"])
        assert len(r["metrics"]["bins"]) == 20
    points = pd.read_csv(tmp_path / "results/figures/points.csv")
    assert len(points) == 1600
    labeled = points[points["label"].notna()]
    assert (labeled["label"] == labeled["class"]).all()
    assert labeled["weight"].sum() == 1000
    if protocol == "authors":
        assert not set(labeled["class"]) & {0, 1}
        assert labeled["weight"].max() > 1
    before = (tmp_path / "results/metrics.json").read_bytes()

    # Done already; then one repeat more with the same features; then a second VAE.
    result = run(*command, "--repeats", 1, cwd=tmp_path)
    assert "8 of 8 runs were there already" in result.stderr
    assert (tmp_path / "results/metrics.json").read_bytes() == before
    features = (tmp_path / "results/cache/vae0.safetensors").stat().st_mtime_ns
    run(*command, "--repeats", 2, "--vae-seeds", 2, cwd=tmp_path)
    assert (tmp_path / "results/cache/vae0.safetensors").stat().st_mtime_ns == features
    more = metrics(tmp_path / "results")
    assert len(more) == 32
    assert more[:8] == runs
    assert {(r["vae_seed"], r["repeat"]) for r in more} == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_errors_say_what_to_do(tmp_path):
    common = ["reproduce", "mnist", "--out", "results"]
    assert "scripts/get-data mnist" in run(*common, cwd=tmp_path, code=66).stderr
    assert "strict-mar" in run(*common, "--protocol", "mcar", cwd=tmp_path, code=64).stderr
    error = run("reproduce", "cifar", "--out", "r", cwd=tmp_path, code=64).stderr
    assert "EXPERIMENT" in error and "toy, mnist or fashion-mnist" in error and "--experiment" not in error
    write_images(tmp_path / "data/mnist")
    write_idx(tmp_path / "data/mnist/t10k-labels-idx1-ubyte", [1, 2, 3])
    assert "3 labels, expected 300" in run(*common, cwd=tmp_path, code=65).stderr
