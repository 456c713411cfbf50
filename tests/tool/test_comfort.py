"""What spares a user a look at the reference: hints about slips, and quiet where it is wanted."""

import subprocess

import numpy as np
import pytest
from cli_tool import BINARY, blobs, fitted_folder, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return fitted_folder(tmp_path_factory, "test.csv")


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (["fitt"], 64, "there is no command 'fitt'; did you mean fit?"),
        (["predcit", "model", "test.csv"], 64, "did you mean predict?"),
        (["help", "evalute"], 64, "did you mean evaluate?"),
        (["--versoin"], 64, "did you mean --version?"),
        (["fit", "train.csv", "--lable", "answer", "-o", "m"], 64, "there is no option '--lable'; did you mean --label?"),
        (["fit", "train.csv", "--max_iterations=7"], 64, "did you mean --max-iterations?"),
        (["fit", "train.csv", "--max-iter", "7"], 64, "did you mean --max-iterations?"),
        (["fit", "--helpall"], 64, "did you mean --help-all?"),
        (["predict", "model", "test.csv", "-o", "p", "--thread", "1"], 64, "did you mean --threads?"),
        (["fit", "train.csv", "-o", "m", "--label", "answer", "--method", "Mar"], 64, "did you mean mar?"),
        (["fit", "train.csv", "-o", "m", "--label", "answer", "--density", "vb_gmm"], 64, "did you mean vb-gmm?"),
        (["fit", "train.csv", "-o", "m", "--label", "answer", "--conditional", "stak"], 64, "did you mean stack?"),
        (["fit", "train.csv", "-o", "m", "--label", "anser"], 65, "did you mean 'answer'?"),
        (["fit", "train.csv", "-o", "m", "--label", "answer", "--drop", "wieght"], 64, "did you mean 'weight'?"),
        (["fit", "train.csv", "-o", "m", "--label", "answer", "--config", "slip.toml"], 78, "did you mean components?"),
        (["fit", "train.csv", "-o", "m", "--label", "answer", "--config", "choice.toml"], 78, "did you mean mar?"),
    ],
)
def test_slips_get_a_hint(folder, arguments, code, hint):
    (folder / "slip.toml").write_text("componets = 3\n")
    (folder / "choice.toml").write_text('method = "marr"\n')
    err = run(*arguments, cwd=folder, code=code).stderr
    assert hint in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["frobnicate"], ["fit", "--frobnicate"], ["fit", "-x"], ["fit", "--method", "magic"]])
def test_no_hint_where_nothing_is_near(folder, arguments):
    err = run(*arguments, *(["t", "-o", "m"] if "magic" in arguments else []), cwd=folder, code=64).stderr
    assert "did you mean" not in err and " --help" in err


def test_files_that_a_shell_made_of_a_pattern(folder):
    err = run("fit", "train.csv", "test.csv", "other.csv", "-o", "m", cwd=folder, code=64).stderr
    assert "'part-*.csv'" in err and "did you mean" not in err


# --- Quiet


def test_quiet_keeps_what_was_asked_for_and_what_is_wrong(folder, tmp_path):
    densities = ("--conditional", "densities", "--density", "gmm", "--components", "1", "--kappa", "-2")
    fit = ("fit", folder / "train.csv", "--label", "answer", *densities)
    loud = run(*fit, "-o", "loud", cwd=tmp_path)
    assert "informative" in loud.stdout
    silent = run(*fit, "-o", "silent", "--quiet", cwd=tmp_path)
    assert silent.stdout == silent.stderr == ""
    assert (tmp_path / "loud").read_bytes() == (tmp_path / "silent").read_bytes()
    (tmp_path / "run.toml").write_text("quiet = true\n")
    assert run(*fit, "-o", "by-file", "--config", "run.toml", cwd=tmp_path).stdout == ""

    predict = ("predict", "silent", folder / "test.csv", "--quiet")
    assert run(*predict, "-o", "p.csv", cwd=tmp_path).stderr == ""
    assert run(*predict, "-o", "-", cwd=tmp_path).stdout == (tmp_path / "p.csv").read_text()

    evaluate = ("evaluate", "silent", folder / "test.csv", "--label", "answer", "--quiet")
    assert "error_rate" in run(*evaluate, cwd=tmp_path).stdout  # nothing else was asked for
    quiet = run(*evaluate, "--json", "e.json", cwd=tmp_path)
    assert quiet.stdout == quiet.stderr == "" and (tmp_path / "e.json").exists()


def test_quiet_keeps_warnings_and_errors(folder, tmp_path):
    frame = blobs(n=60).drop(columns="group")
    frame.loc[frame["answer"] == "no", "answer"] = np.nan
    frame.to_csv(tmp_path / "one.csv", index=False)
    result = run("fit", "one.csv", "-o", "m", "--label", "answer", "--classes", "no", "--quiet", cwd=tmp_path)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines and all(line.startswith("lacuna: warning: ") for line in lines)
    assert "lacuna: error: " in run("info", "nowhere", "--quiet", cwd=tmp_path, code=66).stderr
    bad = subprocess.run([BINARY, "info", "m", "--quiet=perhaps"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert bad.returncode == 64 and "--quiet" in bad.stderr
