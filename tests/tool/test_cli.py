"""The contract of the command-line tool: what scripts rely on."""

import contextlib
import json
import math
import os
import pty
import re
import resource
import struct
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from cli_tool import BINARY, IS_SANITIZED, blobs, fitted_folder, names_in, run, start

COMMANDS = ["diagnose", "fit", "predict", "explain", "advise", "evaluate", "compare", "info", "demo"]
METRICS = [
    "error_rate",
    "mean_error_probability",
    "ece",
    "overconfidence",
    "underconfidence",
    "brier_error",
    "brier",
    "nll",
]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    return fitted_folder(tmp_path_factory, "test.csv")


def predictions(folder, data, *arguments):
    text = run("predict", "model", data, "-o", "-", *arguments, cwd=folder).stdout
    (folder / "read.csv").write_text(text)
    return pd.read_csv(folder / "read.csv")


# --- Help and version


def test_version():
    assert run("--version", cwd="/").stdout.startswith("lacuna 0.")


def test_help_of_the_tool_names_every_command():
    out = run("--help", cwd="/").stdout
    for command in COMMANDS:
        assert command in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(command):
    for length in ("--help", "--help-all"):
        out = run(command, length, cwd="/").stdout
        assert f"Usage: lacuna {command}" in out
        assert f"\n  lacuna {command} " in out.split("Examples:")[1] + " "
        assert max(map(len, out.splitlines())) <= 80


def test_help_of_the_tool_fits_a_terminal():
    assert max(map(len, run("--help", cwd="/").stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", ["fit", "predict", "evaluate", "compare", "diagnose"])
def test_short_help_has_what_people_use(command):
    short = run(command, "--help", cwd="/").stdout
    whole = run(command, "--help-all", cwd="/").stdout
    options = re.findall(r"^  ((?:-o,)?--[a-z-]+)", short, re.MULTILINE)
    everything = re.findall(r"^  ((?:-o,)?--[a-z-]+)", whole, re.MULTILINE)
    assert 10 <= len(options) <= 20 and "--help-all" in options
    assert ("--label" in options) == ("--label" in everything)
    assert set(options) - {"--help-all"} < set(everything)
    assert f"These are {len(options) - 1} of {len(everything)} options; lacuna {command} --help-all" in short


def test_help_is_a_command():
    assert run("help", cwd="/").stdout == run("--help", cwd="/").stdout
    for command in COMMANDS:
        assert run("help", command, cwd="/").stdout == run(command, "--help", cwd="/").stdout
    assert run("help", "fit", "--help-all", cwd="/").stdout == run("fit", "--help-all", cwd="/").stdout
    assert run("help", "help", cwd="/").stdout == run("--help", cwd="/").stdout


def test_help_of_fit_is_grouped_and_shows_defaults():
    out = run("fit", "--help-all", cwd="/").stdout
    for heading in ("Data:", "Method:", "Density:", "Run:"):
        assert heading in out
    assert "[auto:0.05]" in out
    assert "[mar]" in out


def test_the_bare_name_is_a_usage_error_that_helps():
    result = run(cwd="/", code=64)
    assert result.stdout == ""
    assert "fit" in result.stderr and "predict" in result.stderr


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer slows the start")
def test_help_is_quick():
    def cpu_seconds():  # not those of the clock: other tests may run beside this one
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def once():
        before = cpu_seconds()
        subprocess.run([BINARY, "--help"], stdout=subprocess.DEVNULL, check=True)
        return cpu_seconds() - before

    assert min(once() for _ in range(5)) < 0.05


# --- fit


def test_fit_prints_what_one_wants_to_know(fitted, tmp_path):
    frame = blobs().drop(columns="group")
    result = run("fit", fitted / "train.csv", "-o", "m", "--label", "answer", cwd=tmp_path)
    n_labeled = frame["answer"].notna().sum()
    assert f"{n_labeled} labeled, {300 - n_labeled} unlabeled" in result.stdout
    for name, count in frame["answer"].value_counts().items():
        assert f"{name} {count}" in result.stdout
    for word in ("informative", "kappa", "\nw ", "convergence", "time"):
        assert word in result.stdout


@pytest.mark.parametrize(
    ("options", "draws"),
    [(("--conditional", "densities"), "5"), ((), None), (("--method", "mcar-sampling", "--draws", "2"), "2"), (("--draws", "1"), None), (("--draws", "soft"), None),
     (("--method", "supervised"), None), (("--method", "mcar-em"), None)],
)  # fmt: skip
def test_fit_tells_of_draws_that_were_made(fitted, tmp_path, options, draws):
    out = run("fit", fitted / "train.csv", "-o", "m", "--label", "answer", *options, cwd=tmp_path).stdout
    found = [line.split()[1].rstrip(",") for line in out.splitlines() if line.startswith("draws")]
    assert found == ([] if draws is None else [draws])


def test_fit_json_holds_the_record(fitted, tmp_path):
    result = run(
        *("fit", fitted / "train.csv", "-o", "m", "--label", "answer", "--json", "-", "--seed", "5"),
        *("--classes", "maybe,yes", "--kappa", "-1", "--components", "4"),
        cwd=tmp_path,
    )
    record = json.loads(result.stdout)
    assert "labeled" in result.stderr
    assert record["seed"] == 5
    assert record["options"]["kappa"] == "-1"
    assert record["options"]["components"] == 4
    assert record["options"]["method"] == "mar"
    assert set(record["classes"]) == {"maybe", "no", "yes"}
    assert record["summary"]["class_counts"]["maybe"] == 0
    assert record["summary"]["kappa"] == -1
    assert record["summary"]["n_labeled"] + record["summary"]["n_unlabeled"] == 300
    assert record["features"] == ["height", "weight", "town"]
    assert record["seconds"] > 0
    info = json.loads(run("info", "m", "--json", cwd=tmp_path).stdout)
    assert info == {key: value for key, value in record.items() if key != "seconds"}


@pytest.mark.parametrize("method", ["supervised", "mcar-sampling", "mcar-em", "mar"])
@pytest.mark.parametrize("draws", ["soft", "3"])
def test_one_seed_gives_the_same_bytes(fitted, tmp_path, method, draws):
    def everything(name, threads):
        common = ("--threads", threads)
        fit = ("fit", fitted / "train.csv", "-o", name, "--label", "answer", "--method", method)
        run(*fit, "--draws", draws, "--components", "4", "--seed", "3", *common, cwd=tmp_path)
        run("predict", name, fitted / "test.csv", "-o", name + ".csv", *common, cwd=tmp_path)
        evaluate = ("evaluate", name, fitted / "test.csv", "--label", "answer", "--json", name + ".json")
        table = run(*evaluate, *common, cwd=tmp_path).stdout
        return [(tmp_path / (name + end)).read_bytes() for end in ("", ".csv", ".json")], table

    first = everything("a", 1)
    assert everything("b", 2) == first
    assert everything("c", 8) == first
    assert everything("d", 1) == first


def test_another_seed_gives_another_model(fitted, tmp_path):
    for seed in (1, 2):
        fit = ("fit", fitted / "train.csv", "-o", f"m{seed}", "--label", "answer", "--draws", "1")
        run(*fit, "--seed", seed, cwd=tmp_path)
    assert (tmp_path / "m1").read_bytes() != (tmp_path / "m2").read_bytes()


def test_the_model_file_is_safetensors(fitted):
    content = (fitted / "model").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    assert isinstance(header.pop("__metadata__"), dict)
    ends = [entry["data_offsets"][1] for entry in header.values()]
    assert max(ends) == len(content) - 8 - length


def test_an_existing_file_is_replaced_only_by_force(fitted, tmp_path):
    (tmp_path / "m").write_text("precious")
    fit = ("fit", fitted / "train.csv", "-o", "m", "--label", "answer")
    error = run(*fit, cwd=tmp_path, code=73).stderr
    assert "'m'" in error and "--force" in error
    assert (tmp_path / "m").read_text() == "precious"
    run(*fit, "--force", cwd=tmp_path)
    run("info", "m", cwd=tmp_path)
    assert names_in(tmp_path) == ["m"]


# --- Configuration


def test_config_file_command_line_and_preset(fitted, tmp_path):
    (tmp_path / "run.toml").write_text(
        '# a run\nlabel = "answer"\npreset = "paper"\ncomponents = 7 # more than the preset\n'
        'classes = ["maybe", "with, comma"]\nkappa = "auto:0.1"\nno-header = false\nseed = 1_000\n'
        "missing-label = '#none'\n"
    )
    fit = ("fit", fitted / "train.csv", "-o", "m", "--config", "run.toml", "--json", "-", "--seed", "2")
    record = json.loads(run(*fit, cwd=tmp_path).stdout)
    options = record["options"]
    assert options["components"] == 7, "an explicit option wins over the preset"
    assert options["density-form"] == "expected-log", "the preset fills the rest"
    assert options["kappa"] == "auto:0.1"
    assert options["missing-label"] == "#none"
    assert options["seed"] == 2, "the command line wins over the file"
    assert {"maybe", "with, comma"} <= set(record["classes"])


@pytest.mark.parametrize(
    "text, name, value",
    [("kappa = 0.5", "kappa", "0.5"), ("kappa = -1", "kappa", "-1"), ('kappa = "auto:0.1"', "kappa", "auto:0.1"),
     ("components = 20", "components", 20), ('components = "auto"', "components", "auto"), ("tolerance = 1e-3", "tolerance", 1e-3),
     ('seed = "18446744073709551615"', "seed", 2**64 - 1), ("seed = 0x10", "seed", 16), ("draws = 2", "draws", "2"),
     ("own-covariance = true", "own-covariance", True), ('drop = ["weight"]', "drop", ["weight"])],
)  # fmt: skip
def test_values_of_a_configuration_file(fitted, tmp_path, text, name, value):
    (tmp_path / "run.toml").write_text("\ufeff" + text + "\r\n")
    fit = ("fit", fitted / "train.csv", "-o", "m", "--label", "answer", "--config", "run.toml", "--json", "-")
    assert json.loads(run(*fit, cwd=tmp_path).stdout)["options"][name] == value


def test_a_configuration_file_may_name_what_is_required(fitted, tmp_path):
    (tmp_path / "run.toml").write_text('output = "m"\nlabel = "answer"\nforce = true\n')
    for _ in range(2):
        run("fit", fitted / "train.csv", "--config", "run.toml", cwd=tmp_path)
    assert names_in(tmp_path) == ["m", "run.toml"]


def test_lists_on_the_command_line(fitted, tmp_path):
    fit = ("fit", fitted / "train.csv", "-o", "m", "--label", "answer", "--json", "-")
    lists = ("--classes", '"a,b",c', "--drop", "town", "--drop", "weight")
    record = json.loads(run(*fit, *lists, cwd=tmp_path).stdout)
    assert {"a,b", "c"} <= set(record["classes"])
    assert record["features"] == ["height"]


# --- predict


def test_predict_columns_and_values(fitted):
    frame = predictions(fitted, "test.csv")
    assert list(frame.columns) == [
        "prediction",
        "error_probability",
        "informative",
        "log_ratio",
        "p_no",
        "p_yes",
    ]
    assert len(frame) == 300
    posterior = frame[["p_no", "p_yes"]].to_numpy()
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(frame["error_probability"], 1.0 - posterior.max(axis=1), atol=1e-12)
    assert list(frame["prediction"]) == [("no", "yes")[k] for k in posterior.argmax(axis=1)]
    assert set(frame["informative"]) <= {0, 1}
    truth = pd.read_csv(fitted / "test.csv")["answer"]
    assert (frame["prediction"] == truth).mean() > 0.9


def test_predict_ignores_labels_order_and_other_columns(fitted):
    frame = pd.read_csv(fitted / "test.csv")
    frame[["town", "weight", "height"]].to_csv(fitted / "bare.csv", index=False)
    pd.testing.assert_frame_equal(predictions(fitted, "bare.csv"), predictions(fitted, "test.csv"))


def test_predict_streams_what_it_would_say_at_once(fitted, tmp_path):
    """Far more rows than fit in one block, against the rows scored in small files."""
    frame = blobs(n=40_000, seed=3, labeled=1.0)
    frame.to_csv(fitted / "large.csv", index=False)
    whole = run("predict", "model", "large.csv", "-o", "-", cwd=fitted).stdout.splitlines()
    assert len(whole) == 40_001
    for first in (0, 16_380, 32_764, 39_990):
        frame[first : first + 10].to_csv(fitted / "small.csv", index=False)
        small = run("predict", "model", "small.csv", "-o", "-", cwd=fitted).stdout.splitlines()
        assert small[1:] == whole[first + 1 : first + 11]


def test_predict_to_a_file_equals_stdout(fitted, tmp_path):
    run("predict", fitted / "model", fitted / "test.csv", "-o", "p.csv", cwd=tmp_path)
    out = run("predict", fitted / "model", fitted / "test.csv", "-o", "-", cwd=tmp_path).stdout
    assert (tmp_path / "p.csv").read_text() == out
    assert names_in(tmp_path) == ["p.csv"]


def test_predict_into_a_pipe_that_closes_is_quiet(fitted):
    blobs(n=40_000, seed=3).to_csv(fitted / "large.csv", index=False)
    process = start("predict", "model", "large.csv", "-o", "-", cwd=fitted)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == -13  # SIGPIPE, as for every other tool


def test_class_names_are_quoted(tmp_path):
    blobs(classes=('say "no"', "yes, or so")).drop(columns="group").to_csv(tmp_path / "t.csv", index=False)
    run("fit", "t.csv", "-o", "model", "--label", "answer", cwd=tmp_path)
    frame = predictions(tmp_path, "t.csv")
    assert list(frame.columns[4:]) == ['p_say "no"', "p_yes, or so"]
    assert set(frame["prediction"]) == {'say "no"', "yes, or so"}


def test_integer_labels_and_no_header(tmp_path):
    frame = blobs(classes=(0, 1))[["height", "weight", "answer"]]
    frame["answer"] = frame["answer"].astype("Int64")
    frame.to_csv(tmp_path / "t.csv", index=False, header=False)
    run("fit", "t.csv", "-o", "model", "--no-header", "--label", "c2", cwd=tmp_path)
    read = predictions(tmp_path, "t.csv", "--no-header")
    assert list(read.columns[4:]) == ["p_0", "p_1"]
    run("evaluate", "model", "t.csv", "--no-header", "--label", "c2", cwd=tmp_path)


def test_arrays_with_labels_beside_them(tmp_path):
    frame = blobs()
    np.save(tmp_path / "x.npy", frame[["height", "weight"]].to_numpy())
    frame["answer"].to_csv(tmp_path / "y.csv", index=False, header=False)
    run("fit", "x.npy", "-o", "model", "--labels", "y.csv", cwd=tmp_path)
    assert len(predictions(tmp_path, "x.npy")) == 300
    out = run("evaluate", "model", "x.npy", "--labels", "y.csv", "--json", "-", cwd=tmp_path).stdout
    assert json.loads(out)["n"] == frame["answer"].notna().sum()


def predict_held_up(folder, stderr):
    """Predicts from a pipe that pauses for longer than the bar waits, so that speed does not matter."""
    frame = blobs(n=40_000, seed=3)
    os.mkfifo(folder / "slow")
    process = start("predict", "model", "slow", "-o", "slow.csv", "--force", cwd=folder, stderr=stderr)
    with open(folder / "slow", "w") as pipe:
        frame[:20_000].to_csv(pipe, index=False)
        pipe.flush()
        time.sleep(2.5)
        frame[20_000:].to_csv(pipe, index=False, header=False)
    assert process.wait(timeout=60) == 0
    (folder / "slow").unlink()
    return process


def test_a_terminal_gets_a_bar_that_leaves_its_line_to_the_words(fitted):
    ours, theirs = pty.openpty()
    process = predict_held_up(fitted, theirs)
    os.close(theirs)
    talk = ""
    with contextlib.suppress(OSError):  # a terminal whose other end is closed has nothing more to say
        while part := os.read(ours, 1_000_000):
            talk += part.decode()
    os.close(ours)
    process.stdout.close()
    assert "scoring [" in talk
    before, after = talk.split("lacuna: 40,000 rows written")
    assert before.endswith("\r\x1b[K"), repr(talk)
    assert "\x1b" not in after


def test_a_file_gets_no_bar(fitted):
    process = predict_held_up(fitted, subprocess.PIPE)
    talk = process.communicate()[1]
    assert talk == "lacuna: 40,000 rows written to slow.csv\n"


# --- evaluate


def recompute(frame, truth):
    """The metrics of the contract, from the predictions alone."""
    wrong = (frame["prediction"] != truth).to_numpy(dtype=float)
    q = frame["error_probability"].to_numpy()
    p = frame[["p_no", "p_yes"]].to_numpy()
    target = np.stack([truth == "no", truth == "yes"], axis=1).astype(float)
    bins = np.minimum((q * 20).astype(int), 19)
    over = under = 0.0
    for b in range(20):
        inside = bins == b
        if inside.any():
            gap = wrong[inside].mean() - q[inside].mean()
            over += inside.mean() * max(0.0, gap)
            under += inside.mean() * max(0.0, -gap)
    return {
        "error_rate": wrong.mean(),
        "mean_error_probability": q.mean(),
        "ece": over + under,
        "overconfidence": over,
        "underconfidence": under,
        "brier_error": ((wrong - q) ** 2).mean(),
        "brier": ((p - target) ** 2).sum(axis=1).mean(),
        "nll": -np.log((p * target).sum(axis=1)).mean(),
    }


def test_evaluate_agrees_with_numpy(fitted):
    evaluate = ("evaluate", "model", "test.csv", "--label", "answer", "--stratum", "group", "--json", "-")
    result = run(*evaluate, cwd=fitted)
    found = json.loads(result.stdout)
    assert "error_rate" in result.stderr, "the table makes room for the JSON"
    test = pd.read_csv(fitted / "test.csv")
    frame = predictions(fitted, "test.csv")
    assert set(found["strata"]) == {"high", "low"}
    for part, rows in [(found, test["group"] == test["group"])] + [
        (found["strata"][name], test["group"] == name) for name in ("high", "low")
    ]:
        assert part["n"] == rows.sum()
        for name, value in recompute(frame[rows], test["answer"][rows]).items():
            assert part[name] == pytest.approx(value, abs=1e-9), name
        assert len(part["bins"]) == 20
        assert sum(entry["n"] for entry in part["bins"]) == part["n"]
        for i, entry in enumerate(part["bins"]):
            assert entry["low"] == pytest.approx(i / 20)
            assert entry["high"] == pytest.approx((i + 1) / 20)
            assert (entry["n"] == 0) == (entry["error_rate"] is None)
            assert (entry["n"] == 0) == (entry["mean_error_probability"] is None)


def test_evaluate_prints_a_table_and_says_what_it_skipped(fitted):
    result = run("evaluate", "model", "train.csv", "--label", "answer", cwd=fitted)
    for name in ["n", *METRICS]:
        assert name in result.stdout
    n_missing = pd.read_csv(fitted / "train.csv")["answer"].isna().sum()
    assert f"skipped {n_missing} rows" in result.stderr


# --- info and demo


def test_info_tells_about_the_model(fitted):
    out = run("info", "model", cwd=fitted).stdout
    for word in ("no:", "yes:", "height: number", "town: one of", "method", "mar", "kappa", "informative_weight"):
        assert word in out
    options = json.loads(run("info", "model", "--json", cwd=fitted).stdout)["options"]
    values = {name: value for name, value in options.items() if isinstance(value, (str, int, float)) and value != ""}
    shown = dict(line.split() for line in out.split("\noptions\n")[1].split("\n\n")[0].splitlines())
    assert {name: text if isinstance(values[name], str) else json.loads(text) for name, text in shown.items()} == values


def test_info_tells_about_a_stack_as_fit_does(fitted):
    said = run("fit", "train.csv", "-o", "stacked", "--label", "answer", "--conditional", "stack", "--components", 2,
               cwd=fitted).stdout  # fmt: skip
    out = run("info", "stacked", cwd=fitted).stdout
    lines = [line.strip() for line in out.split("\nstack and trust\n")[1].split("\n\n")[0].splitlines()]
    for name, line in zip(("stack", "region by", "trust", "self-check", "deep tenth"), lines, strict=True):
        value = line.removeprefix(name).strip()
        assert len(value) > 5 and any(told.strip().startswith(name) and told.endswith(value) for told in said.splitlines())
    found = json.loads(run("info", "stacked", "--json", cwd=fitted).stdout)["summary"]["stack"]
    assert "".join(f"{member['name']} {member['weight']:.2f}" for member in found["members"]) in lines[0].replace(", ", "")
    assert f"announced {100 * found['self_check']['all']['announced']:.1f} %" in lines[3]
    assert found["region"] in lines[1] and len(found["gaps"]) > 0
    run("fit", "train.csv", "-o", "plain", "--label", "answer", "--conditional", "densities", "--components", 2, cwd=fitted)
    assert "stack and trust" not in run("info", "plain", cwd=fitted).stdout


def test_demo(tmp_path):
    began = time.perf_counter()
    out = run("demo", cwd=tmp_path).stdout
    assert time.perf_counter() - began < 60 or IS_SANITIZED
    assert names_in(tmp_path / "lacuna-demo") == [
        "coin-test.csv",
        "coin-train.csv",
        "coin.svg",
        "quadrants-test.csv",
        "quadrants-train.csv",
        "quadrants.svg",
    ]
    for toy in ("quadrants", "coin"):
        for method in ("supervised", "mcar-sampling", "mcar-em", "mar"):
            assert sum(line.split()[:2] == [toy, method] for line in out.splitlines()) == 2
        train = pd.read_csv(tmp_path / f"lacuna-demo/{toy}-train.csv")
        assert list(train.columns) == ["x1", "x2", "label"]
        assert len(train) == 1000 and train["label"].notna().sum() == 250
        test = pd.read_csv(tmp_path / f"lacuna-demo/{toy}-test.csv")
        assert list(test.columns) == ["x1", "x2", "label", "region"]
        assert set(test["region"]) == {"labeled", "never labeled"}
        assert (tmp_path / f"lacuna-demo/{toy}.svg").stat().st_size < 150_000


def test_the_demo_shows_what_its_own_files_give(tmp_path):
    """The table of the demo is what a user gets by hand from the files beside it."""
    lines = run("demo", "--out", "d", cwd=tmp_path).stdout.splitlines()
    run("fit", "--features", "none", "d/coin-train.csv", "-o", "m", "--label", "label", cwd=tmp_path)
    evaluate = ("evaluate", "m", "d/coin-test.csv", "--label", "label", "--stratum", "region", "--json", "-")
    strata = json.loads(run(*evaluate, cwd=tmp_path).stdout)["strata"]
    for region in ("labeled", "never labeled"):
        row = next(line for line in lines if line.split()[:2] == ["coin", "mar"] and line.split("mar")[1].lstrip().startswith(region))
        shown = [float(text) for text in row.split()[-3:]]
        wanted = [strata[region][k] for k in ("error_rate", "mean_error_probability", "overconfidence")]
        assert all(math.isclose(a, b, abs_tol=6e-4) for a, b in zip(shown, wanted)), (shown, wanted)
