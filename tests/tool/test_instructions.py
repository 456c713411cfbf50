"""Guards of speed that no busy machine can upset: instructions, counted by valgrind, of what more rows, columns,
components and classes cost. Differences of two sizes are taken, so that what happens once does not count."""

import functools
import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from cli_tool import BINARY

VALGRIND = shutil.which("valgrind")
pytestmark = [
    pytest.mark.skipif(VALGRIND is None, reason="valgrind is not installed (scripts/setup --for test)"),
    pytest.mark.skipif("LACUNA_COUNTED" not in os.environ, reason="only gcc's release build is counted"),
]


@functools.lru_cache(maxsize=None)
def instructions(*command, cwd=None):
    counted = subprocess.run(
        [VALGRIND, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *map(str, command)],
        check=True, capture_output=True, text=True, cwd=cwd,
    )
    return int(re.search(r"I\s+refs:\s+([\d,]+)", counted.stderr)[1].replace(",", ""))


def of_pass(features, components, rows=1024):
    """Of a row in a mixture's pass."""
    probe = os.environ["LACUNA_PASS_PROBE"]
    return (instructions(probe, 2 * rows, features, components) - instructions(probe, rows, features, components)) / rows


# What a row took when this was written down: gcc 12, release build, AVX2, which is what valgrind has. A change that costs
# more than SLACK is noticed; one that is worth it writes its own numbers.
SLACK = 1.2
PASS = {(5, 20): 952, (10, 20): 2676, (32, 8): 7316}  # by columns and components
PREDICT = {(2, "csv"): 8107, (2, "npy"): 3860, (8, "csv"): 15126, (8, "npy"): 8912}  # by classes and the kind of file
PREDICT_STACK = 52716  # of 8 classes, from NPY


@pytest.mark.parametrize("shape", PASS)
def test_a_pass_costs_no_more_than_it_did(shape):
    assert of_pass(*shape) < SLACK * PASS[shape]


def test_a_pass_is_linear_in_rows_and_components_and_quadratic_in_columns():
    assert of_pass(10, 20, 4096) == pytest.approx(of_pass(10, 20, 2048), rel=0.02)  # tasks have 2048 rows
    assert of_pass(10, 40) < 2.05 * of_pass(10, 20)
    assert of_pass(32, 8) < 4.1 * of_pass(16, 8)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of 2 classes and one of 8, in the same columns."""
    folder = tmp_path_factory.mktemp("instructions")
    random = np.random.default_rng(0)
    for n_classes in (2, 8):
        labels = np.arange(1600) % n_classes
        rows = random.normal(size=(1600, 5)) + 4.0 * np.eye(8)[labels][:, :5] - 3.0 * (labels[:, None] > 4)
        lines = ["c0,c1,c2,c3,c4,y"]
        lines += [",".join(f"{x:.4f}" for x in row) + (f",{y}" if i % 3 == 0 else ",") for i, (row, y) in enumerate(zip(rows, labels))]
        (folder / f"train{n_classes}.csv").write_text("\n".join(lines) + "\n")
        command = [BINARY, "fit", f"train{n_classes}.csv", "--label", "y", "-o", f"model{n_classes}", "--conditional", "densities"]
        subprocess.run([*command, "--draws", "2", "--components", "3"], check=True, capture_output=True, cwd=folder)
    command = [BINARY, "fit", "train8.csv", "--label", "y", "-o", "model8-stack", "--conditional", "stack"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    for n_rows in (1024, 2048, 4096):
        rows = random.normal(size=(n_rows, 5))
        text = "c0,c1,c2,c3,c4\n" + "".join(",".join(f"{x:.15g}" for x in row) + "\n" for row in rows)
        (folder / f"rows{n_rows}.csv").write_text(text)
        np.save(folder / f"rows{n_rows}.npy", rows)
    return folder


def of_prediction(folder, model, ending, rows=1024):
    """Of a row that is read, scored and written down."""
    def at(n):
        command = [BINARY, "predict", f"model{model}", f"rows{n}.{ending}", "-o", f"out.{ending}", "--force", "--threads", "1"]
        return instructions(*command, cwd=folder)

    return (at(2 * rows) - at(rows)) / rows


@pytest.mark.parametrize(("n_classes", "ending"), PREDICT)
def test_predict_costs_no_more_than_it_did(models, n_classes, ending):
    assert of_prediction(models, n_classes, ending) < SLACK * PREDICT[n_classes, ending]


def test_predict_by_a_stack_costs_no_more_than_it_did(models):
    assert of_prediction(models, "8-stack", "npy") < SLACK * PREDICT_STACK


def test_predict_is_linear_in_rows_and_at_most_so_in_classes(models):
    assert of_prediction(models, 2, "csv", 2048) == pytest.approx(of_prediction(models, 2, "csv"), rel=0.05)
    assert of_prediction(models, 8, "npy") < 4.2 * of_prediction(models, 2, "npy")
