"""Names that others chose: harmless where people see them, exact where programs read them."""

import json
import os
import subprocess

import pandas as pd
import pytest
from cli_tool import BINARY, blobs, on_a_terminal, run

# Sets the title of a window, deletes, starts a command of its own in one character, turns the writing, forges a line.
HOSTILE = "\x1b]0;title\x07 \x7f \u009b31m \u202e\u2066 \u2028\nlacuna: error: forged"
OBEYED = ["\x1b", "\x07", "\x7f", "\u009b", "\u202e", "\u2066", "\u2028"]
SHOWN = ["\\x1b]0;title\\x07", "\\x7f", "\\u009b31m", "\\u202e\\u2066", "\\u2028", "\\x0a"]
NAMES = {"no": HOSTILE + " no", "yes": "ünïcödé 名前"}
LABEL = "\x1b[2Jlabel"
FIT = ("--label", LABEL, "--conditional", "densities", "--density", "gmm", "--components", "1")


def renamed(frame):
    frame = frame.copy()
    frame["answer"] = frame["answer"].map(NAMES)
    frame["town"] = "\x1b[8m" + frame["town"]
    return frame.rename(columns={"answer": LABEL, "height": "he\x1b[31might\tx"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    renamed(blobs(n=120).drop(columns="group")).to_csv(folder / "train.csv", index=False)
    test = renamed(blobs(n=120, seed=2, labeled=1.0))
    test["group"] = "\x1b[1m" + test["group"]
    test.to_csv(folder / "test.csv", index=False)
    run("fit", "train.csv", "-o", "model", *FIT, cwd=folder)
    return folder


def is_harmless(text, *wanted, may_have_lines=False):
    for character in OBEYED:
        assert character not in text
    assert may_have_lines or "\nlacuna: error: forged" not in text
    for word in wanted:
        assert word in text, text


def test_tables_show_escapes(folder):
    fit = run("fit", "train.csv", "-o", "m", "--force", *FIT, cwd=folder)
    is_harmless(fit.stdout, *SHOWN, "ünïcödé 名前")
    is_harmless(fit.stderr)
    info = run("info", "model", cwd=folder).stdout
    is_harmless(info, *SHOWN, "ünïcödé 名前", "he\\x1b[31might\\x09x", "\\x1b[8mAachen", "\\x1b[2Jlabel")
    evaluate = ("evaluate", "model", "test.csv", "--label", LABEL, "--stratum", "group")
    is_harmless(run(*evaluate, cwd=folder).stdout, "\\x1b[1mhigh")
    is_harmless(run(*evaluate, "--json", "-", cwd=folder).stderr, "\\x1b[1mhigh")
    compare = ("compare", "train.csv", "test.csv", *FIT, "--stratum", "group", "--out", "c", "--force")
    is_harmless(run(*compare, cwd=folder).stdout, "\\x1b[1mhigh")


def test_messages_show_escapes(folder):
    missing = run("predict", "model", HOSTILE, "-o", "p.csv", cwd=folder, code=66)
    is_harmless(missing.stderr, *SHOWN)
    unknown = run("fit", "train.csv", "-o", "x", "--label", HOSTILE, cwd=folder, code=65)
    is_harmless(unknown.stderr, *SHOWN)
    unreadable = run("info", HOSTILE, cwd=folder, code=66)
    is_harmless(unreadable.stderr, *SHOWN)
    is_harmless(run("--" + HOSTILE, cwd=folder, code=64).stderr, *SHOWN)
    written = run("predict", "model", "test.csv", "-o", "\x1b[2J.csv", "--force", cwd=folder)
    is_harmless(written.stderr, "written to \\x1b[2J.csv")
    strange = os.fsencode("info"), os.fsencode("\u009b") + b"\x9b\xff\xc0\xaf"
    result = subprocess.run([BINARY, *strange], cwd=folder, capture_output=True, check=False)
    assert b"'\\u009b\\x9b\\xff\\xc0\\xaf'" in result.stderr


def test_messages_of_several_lines_keep_them(folder):
    fit = ("fit", "train.csv", "-o", "x", "--label", LABEL, "--components", "0", "--max-iterations", "0")
    err = run(*fit, cwd=folder, code=64).stderr
    assert "\n  --components" in err and "\n  --max-iterations" in err


def test_files_and_pipes_are_exact(folder):
    run("predict", "model", "test.csv", "-o", "p.csv", "--force", cwd=folder)
    assert set(pd.read_csv(folder / "p.csv")["prediction"]) == set(NAMES.values())
    piped = run("predict", "model", "test.csv", "-o", "-", cwd=folder).stdout
    assert piped.encode() == (folder / "p.csv").read_bytes()
    record = json.loads(run("info", "model", "--json", cwd=folder).stdout)
    assert set(record["classes"]) == set(NAMES.values())


def test_a_terminal_gets_escapes_for_documents_too(folder):
    table = on_a_terminal("predict", "model", "test.csv", "-o", "-", cwd=folder)
    is_harmless(table, "\\x1b]0;title", "\\u202e", may_have_lines=True)  # a cell of a table may
    is_harmless(on_a_terminal("info", "model", "--json", cwd=folder), "\\u001b]0;title", "\\u202e")


# --- Spreadsheets

FORMULAS = ["=1+1", "+cmd", "-cmd", "@sum", "\t=1", " =1"]
HARMLESS = ["-1", "+1.5e3", "a=b", "'=1", "-"]


@pytest.mark.parametrize("name", FORMULAS + HARMLESS)
def test_predictions_that_look_like_formulas(tmp_path, name):
    frame = blobs(n=80, classes=(name, "other")).drop(columns="group")
    frame.to_csv(tmp_path / "train.csv", index=False)
    fit = ("--label", "answer", "--conditional", "densities", "--density", "gmm", "--components", "1")
    run("fit", "train.csv", "-o", "m", *fit, cwd=tmp_path)

    def predictions(*arguments):
        run("predict", "m", "train.csv", "-o", "p.csv", "--force", *arguments, cwd=tmp_path)
        return set(pd.read_csv(tmp_path / "p.csv", dtype=str)["prediction"])

    found = json.loads(run("info", "m", "--json", cwd=tmp_path).stdout)["classes"]
    own = next(each for each in found if each != "other")  # as the reader of tables took it
    assert predictions() == {own, "other"}
    is_formula = own.strip()[0] in "=+-@" and name not in HARMLESS[:2]
    assert predictions("--csv-safe") == {"'" + own if is_formula else own, "other"}
