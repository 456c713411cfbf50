"""What lacuna 0.1 did, this build does: its model files, fits, metrics and records (tests/golden, made by record.py).

Every case is one table and the options of one fit. Three things are asked for:

- a model file of 0.1 predicts what 0.1 printed;
- a fit anew, with the same options and without what 0.1 did not have, predicts that too, or what tests/golden/refits says where a
  correction has changed it since (golden.py);
- for some cases `evaluate --json` and `fit --json` say what those of 0.1 said. They may say more.

Equal means bit for bit where this processor can compute as the recording one did (LACUNA_INSTRUCTION_SET): the printed text is the
same, and every number in JSON is the same double. This holds for one compiler, Eigen and libm; another one may round otherwise.
With each other instruction set, numbers agree to a relative 1e-6 (1e-3 with a vae, whose networks are float32) or an absolute
1e-9, words and counts are equal, and a prediction may differ only where the two most probable classes are that close.

Models of format 2 (tests/golden/format2, by record_format_2.py) predict what the build that wrote them printed.

This is the one test that compares with what the code printed before. It finds changes, it does not say what is right.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from cli_tool import run

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
import golden

ENVIRONMENT = {**os.environ, **golden.recorded_environment()}
HERE = ENVIRONMENT.get("LACUNA_INSTRUCTION_SET") or golden.instruction_sets()[-1]
OTHERS = [name for name in golden.instruction_sets() if name != HERE]
CASES = golden.manifest()["cases"]
EVALUATED = [name for name, case in CASES.items() if case["evaluate"] is not None]
RECORDED = [name for name, case in CASES.items() if case["record"]]


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    """Fits a case once; returns its model file and record."""
    folder = tmp_path_factory.mktemp("golden")
    done = {}

    def fit_case(name):
        if name not in done:
            model = folder / f"{name}.lacuna"
            record = run(*golden.refit_arguments(CASES[name], model), "--json", "-", cwd=folder, env=ENVIRONMENT).stdout
            done[name] = model, record
        return done[name]

    return fit_case


def check_predictions(case, model, path, folder, instruction_set=HERE):
    environment = {**ENVIRONMENT, "LACUNA_INSTRUCTION_SET": instruction_set}
    text = run(*golden.predict_arguments(case, model), cwd=folder, env=environment).stdout
    differences = golden.differences_of_tables(text, path.read_text(), golden.tolerance(case, instruction_set))
    assert not differences, "\n".join(differences[:20])


def check_json(name, text, path):
    differences = golden.differences_of_json(json.loads(text), json.loads(path.read_text()), golden.tolerance(CASES[name], HERE))
    assert not differences, "\n".join(differences[:20])


def test_every_golden_file_belongs_to_a_case():
    """So that none is left out by a slip in the manifest."""
    for file, names in (
        (golden.model_file, CASES),
        (golden.predictions_file, CASES),
        (golden.evaluation_file, EVALUATED),
        (golden.record_file, RECORDED),
    ):
        assert sorted(file("any").parent.iterdir()) == sorted(map(file, names))
        assert names


def test_little_is_fitted_otherwise_than_in_0_1():
    """Above all not preset paper, and of most methods that draw nothing only the region."""
    changed = sorted(golden.refit_file("any").parent.iterdir())
    assert {path.stem for path in changed} <= CASES.keys() - {"vb-paper"}
    for path in changed:
        if golden.is_fitted_otherwise(CASES[path.stem]):
            continue
        if path == golden.refit_file(path.stem):
            expected = golden.predictions_file(path.stem).read_text()
            differences = golden.differences_of_tables(path.read_text(), expected, golden.EXACT)
        else:
            expected = json.loads(golden.record_file(path.stem).read_text())
            differences = golden.differences_of_json(json.loads(path.read_text()), expected, golden.EXACT)
        assert differences
        assert all(map(golden.is_of_the_region, differences))


@pytest.mark.parametrize("name", CASES)
def test_a_model_of_0_1_predicts_the_same(name, tmp_path):
    check_predictions(CASES[name], golden.model_file(name), golden.predictions_file(name), tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_a_fit_predicts_the_same(name, fit, tmp_path):
    model, _ = fit(name)
    changed = golden.refit_file(name)
    check_predictions(CASES[name], model, changed if changed.exists() else golden.predictions_file(name), tmp_path)


@pytest.mark.parametrize("name", EVALUATED)
def test_evaluate_says_the_same(name, tmp_path):
    text = run(*golden.evaluate_arguments(CASES[name], golden.model_file(name)), cwd=tmp_path, env=ENVIRONMENT).stdout
    check_json(name, text, golden.evaluation_file(name))


@pytest.mark.parametrize("name", RECORDED)
def test_the_record_of_a_fit_says_the_same(name, fit):
    """Names and values of the options, classes, columns, and the summary; not the version."""
    _, record = fit(name)
    changed = golden.refit_record_file(name)
    check_json(name, record, changed if changed.exists() else golden.record_file(name))


def test_every_file_of_format_2_belongs_to_a_case():
    files = {golden.format_2_file(name, ending) for name in golden.format_2_cases() for ending in ("lacuna", "csv")}
    assert sorted(golden.FORMAT_2.parent.iterdir()) == sorted({golden.FORMAT_2, *files})
    assert all(b'"format_version":"2"' in path.read_bytes()[:4096] for path in files if path.suffix == ".lacuna")


@pytest.mark.parametrize("name, case", golden.format_2_cases().items())
def test_a_model_of_format_2_predicts_the_same(name, case, tmp_path):
    check_predictions(case, golden.format_2_file(name, "lacuna"), golden.format_2_file(name, "csv"), tmp_path)


@pytest.mark.parametrize("instruction_set", OTHERS)
@pytest.mark.parametrize("name", ["defaults", "mar-gmm", "mar-kde", "mar-dp-gmm", "vb-mixed-mar", "vb-paper", "vae-mlp", "vae-conv"])
def test_other_instruction_sets_differ_by_rounding_alone(name, instruction_set, tmp_path):
    """Fit and predict, with one thread and with two: the bound on the differences is golden.tolerance, between threads there are none."""
    environment = {**ENVIRONMENT, "LACUNA_INSTRUCTION_SET": instruction_set}
    files = []
    for threads in ("1", "2"):
        files.append(tmp_path / f"{threads}.lacuna")
        run(*golden.refit_arguments(CASES[name], files[-1]), "--threads", threads, cwd=tmp_path, env=environment)
    assert files[0].read_bytes() == files[1].read_bytes()
    changed = golden.refit_file(name)
    path = changed if changed.exists() else golden.predictions_file(name)
    check_predictions(CASES[name], files[0], path, tmp_path, instruction_set)


def test_an_instruction_set_that_is_none_is_refused(tmp_path):
    environment = {**ENVIRONMENT, "LACUNA_INSTRUCTION_SET": "sse9"}
    arguments = golden.predict_arguments(CASES["defaults"], golden.model_file("defaults"))
    result = run(*arguments, cwd=tmp_path, env=environment, code=64)
    assert "LACUNA_INSTRUCTION_SET is 'sse9'; this processor runs: plain" in result.stderr
