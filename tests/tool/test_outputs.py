"""Files that a command writes: kept apart, all or none, and free of messages."""

import itertools
import json
import os
import resource
import signal
import subprocess

import numpy as np
import pytest
from cli_tool import BINARY, blobs, default_signals, names_in, run

FIT = ("--label", "answer", "--drop", "town", "--conditional", "densities", "--density", "gmm", "--components", "1")
EVALUATE = ("evaluate", "model", "test.csv", "--label", "answer")
COMPARE = ("compare", "train.csv", "test.csv", *FIT)
SIMULATE = ("simulate", "x.npy", "--labels", "y.txt", "--protocol", "mcar", "--labeled", "50", "--rare", "yes")


@pytest.fixture
def folder(tmp_path):
    blobs(n=80).drop(columns="group").to_csv(tmp_path / "train.csv", index=False)
    test = blobs(n=80, seed=2, labeled=1.0)
    test.to_csv(tmp_path / "test.csv", index=False)
    np.save(tmp_path / "x.npy", test[["height", "weight"]].to_numpy())
    (tmp_path / "y.txt").write_text("\n".join(test["answer"]) + "\n")
    (tmp_path / "run.toml").write_text("seed = 3\n")
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "images" / "mnist").mkdir(parents=True)
    (tmp_path / "images" / "mnist" / "t10k-labels-idx1-ubyte").write_bytes(b"")
    run("fit", "train.csv", "-o", "model", *FIT, cwd=tmp_path)
    return tmp_path


def contents(folder):
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# --- Standard descriptors that are closed

ALL_COMMANDS = {
    "diagnose": ("diagnose", "train.csv", "--json", "out/d.json", *FIT),
    "fit": ("fit", "train.csv", "-o", "out/m", "--json", "out/m.json", "--report", "out/m.html", *FIT),
    "predict": ("predict", "model", "test.csv", "-o", "out/p.csv"),
    "advise": ("advise", "model", "train.csv", "-n", "5", "-o", "out/a.csv"),
    "explain": ("explain", "model", "test.csv", "--row", "3", "--train", "train.csv", "--json", "out/x.json"),
    "evaluate": (*EVALUATE, "--json", "out/e.json", "--report", "out/e.html"),
    "compare": (*COMPARE, "--out", "out", "--models"),
    "simulate": (*SIMULATE, "-o", "out/labels.csv"),
    "demo": ("demo", "--out", "out", "--report", "out/demo.html"),
    "reproduce": ("reproduce", "toy", "--out", "out"),
}
ON_STDOUT = {
    "info": ("info", "model"),
    "predict": ("predict", "model", "test.csv", "-o", "-"),
    "evaluate": EVALUATE,
    "explain": ("explain", "model", "test.csv", "--row", "3"),
    "json": (*EVALUATE, "--json", "-"),
    "version": ("--version",),
}


def exit_code_without(descriptors, arguments, cwd):
    def close():
        default_signals()
        for descriptor in descriptors:
            os.close(descriptor)

    with open(os.devnull, "r+b") as null:
        standard = {"stdin": null, "stdout": null, "stderr": null}
        command = [BINARY, *arguments]
        return subprocess.run(command, cwd=cwd, preexec_fn=close, timeout=300, check=False, **standard).returncode


def without_seconds(content):
    """The record of a fit says how long it took."""
    if not content.startswith(b"{"):
        return content
    record = json.loads(content)
    record.pop("seconds", None)
    return record


@pytest.mark.parametrize("command", ALL_COMMANDS)
def test_closed_descriptors_leave_files_as_they_are(folder, command):
    out = folder / "out"
    expected = None
    for n in range(4):
        for descriptors in itertools.combinations((0, 1, 2), n):
            out.mkdir(exist_ok=True)
            assert exit_code_without(descriptors, ALL_COMMANDS[command], folder) == 0, descriptors
            found = {path: without_seconds(content) for path, content in contents(out).items()}
            expected = expected or found
            assert found == expected, descriptors
            if command == "reproduce":  # it goes on where it was; only what it writes at the end is new
                (out / "metrics.json").unlink()
                continue
            for path in out.iterdir():
                path.unlink()


@pytest.mark.parametrize("command", ON_STDOUT)
def test_what_should_go_to_a_closed_stdout_is_an_error(folder, command):
    for n in range(4):
        for descriptors in itertools.combinations((0, 1, 2), n):
            expected = 73 if 1 in descriptors else 0
            assert exit_code_without(descriptors, ON_STDOUT[command], folder) == expected, descriptors


# --- One file for two things


def is_refused(folder, words, *arguments):
    before = contents(folder)
    err = run(*arguments, "--force", cwd=folder, code=64).stderr
    for word in words:
        assert word in err, err
    assert contents(folder) == before


SHARED = [
    (["--output", "--json", "'new'"], ("fit", "train.csv", "-o", "new", "--json", "new", *FIT)),
    (["--output", "--json", "'model'"], ("fit", "train.csv", "-o", "model", "--json", "./model", *FIT)),
    (["--output", "--config", "run.toml"], ("fit", "train.csv", "-o", "run.toml", "--config", "run.toml", *FIT)),
    (["--json", "--config", "run.toml"], ("fit", "train.csv", "-o", "m", "--json", "run.toml", "--config", "run.toml", *FIT)),
    (["--output", "TRAIN", "train.csv"], ("fit", "train.csv", "-o", "train.csv", *FIT)),
    (["--json", "TRAIN", "train.csv"], ("fit", "train.csv", "-o", "m", "--json", "train.csv", *FIT)),
    (["--output", "--labels"], ("fit", "x.npy", "-o", "y.txt", "--labels", "y.txt")),
    (
        ["--json", "--vae-checkpoint"],
        ("fit", "train.csv", "-o", "m", "--json", "m.checkpoint", "--features", "vae:1", *FIT),
    ),
    (["--output", "MODEL"], ("predict", "model", "test.csv", "-o", "model")),
    (["--output", "DATA"], ("predict", "model", "test.csv", "-o", "test.csv")),
    (["--json", "--train"], ("explain", "model", "test.csv", "--row", "3", "--train", "train.csv", "--json", "train.csv")),
    (["--json", "--report", "'new'"], (*EVALUATE, "--json", "new", "--report", "new")),
    (["--json", "--report", "'-'"], (*EVALUATE, "--json", "-", "--report", "-")),
    (["--report", "MODEL"], (*EVALUATE, "--report", "model")),
    (["--json", "--probabilities"], ("evaluate", "--probabilities", "test.csv", "--json", "test.csv")),
    (["--report", "metrics.json of --out"], (*COMPARE, "--out", "new", "--report", "new/metrics.json")),
    (["--report", "metrics.json of --out"], (*COMPARE, "--out", "./new/", "--report", "new/../new/metrics.json")),
    (["--report", "mar.lacuna of --out"], (*COMPARE, "--out", "new", "--models", "--report", "new/mar.lacuna")),
    (["--report", "TEST"], (*COMPARE, "--out", "new", "--report", "test.csv")),
    (["--report", "--config"], (*COMPARE, "--out", "new", "--report", "run.toml", "--config", "run.toml")),
    (["--output", "DATA"], (*SIMULATE, "-o", "x.npy")),
    (["--report", "quadrants.svg of --out"], ("demo", "--out", "new", "--report", "new/quadrants.svg")),
    (["--report", "metrics.json of --out"], ("reproduce", "toy", "--out", "new", "--report", "new/metrics.json")),
    (["--report", "new/runs"], ("reproduce", "toy", "--out", "new", "--report", "new/runs/coin-vae0-repeat0-default-mar.json")),
    (["--report", "new/figures"], ("reproduce", "toy", "--out", "new", "--report", "here/new/figures/coin-points.csv")),
    (["--report", "new/cache"], ("reproduce", "toy", "--out", "new", "--report", "new/cache")),
    (["--report", "--data"], ("reproduce", "mnist", "--data", "images", "--out", "new", "--report", "images/mnist/t10k-labels-idx1-ubyte")),
    (["--report", "--out"], ("reproduce", "toy", "--out", "new/deep", "--report", "new")),
    (["--report", "--out"], ("demo", "--out", "new", "--report", "new")),
    (["--report", "--out"], (*COMPARE, "--out", "new", "--report", "new")),
]


@pytest.mark.parametrize("words,arguments", SHARED)
def test_one_file_for_two_things_is_refused(folder, words, arguments):
    is_refused(folder, words, *arguments)


def test_links_to_one_file_are_one_file(folder):
    (folder / "soft").symlink_to("model")
    os.link(folder / "model", folder / "hard")
    for name in ("soft", "hard", "here/model"):
        is_refused(folder, ["--output", "--json", name], "fit", "train.csv", "-o", "model", "--json", name, *FIT)
        is_refused(folder, ["--output", "MODEL", name], "predict", "model", "test.csv", "-o", name)
    fit = ("fit", "train.csv", "-o", "new", "--json", "here/new", *FIT)
    is_refused(folder, ["--output", "--json", "here/new"], *fit)
    is_refused(folder, ["--report"], *COMPARE, "--out", "here/a/b", "--report", "a/b/metrics.json")


def test_a_link_to_a_file_that_is_to_be_made_is_that_file(folder):
    (folder / "soft").symlink_to("new")
    (folder / "softer").symlink_to("here/soft")
    for name in ("soft", "softer"):
        is_refused(folder, ["--output", "--json", name], "fit", "train.csv", "-o", "new", "--json", name, *FIT)
        is_refused(folder, ["--output", "--json", name], "fit", "train.csv", "-o", name, "--json", "new", *FIT)


# --- All or none


def fails_on_a_full_disk(folder, n_bytes, *arguments):
    """No file may grow beyond n_bytes, which is an error like that of a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    result = subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert result.returncode == 73, result
    assert "File too large" in result.stderr


def one_that_is_larger(paths):
    """The last file, whose last byte does not fit, while all others do."""
    *others, last = (path.stat().st_size for path in paths)
    assert max(others) < last
    return last - 1


@pytest.mark.parametrize(
    "arguments,names",
    [
        ((*EVALUATE, "--json", "o.json", "--report", "o.html"), ["o.json", "o.html"]),
        ((*COMPARE, "--out", "o"), ["o/metrics.json", "o/report.html"]),
        ((*SIMULATE, "-o", "o.csv"), ["o.csv", "o-strata.csv"]),
        (("demo", "--out", "o"), ["o/quadrants-train.csv", "o/quadrants.svg"]),
        (("demo", "--out", "o", "--report", "o.html"), ["o/quadrants-train.csv", "o.html"]),
        (("reproduce", "toy", "--out", "o", "--report", "o.html"), ["o/metrics.json", "o.html"]),
    ],
)
def test_a_disk_that_is_full_at_the_second_file_leaves_both_old_ones(folder, arguments, names):
    run(*arguments, cwd=folder)
    n_bytes = one_that_is_larger([folder / name for name in names])
    for name in names:
        (folder / name).write_text("old")
    before = contents(folder)
    fails_on_a_full_disk(folder, n_bytes, *arguments, "--force")
    assert contents(folder) == before
    # Nor does one of them appear alone.
    for name in names:
        (folder / name).unlink()
    rest = names_in(folder)
    fails_on_a_full_disk(folder, n_bytes, *arguments, "--force")
    assert names_in(folder) == rest
    assert not any((folder / name).exists() for name in names)


def on_a_small_disk(script, *arguments, cwd):
    """Runs a script in which "$@" are the arguments, and `disk` is a file system of one page, which nobody else sees."""
    (cwd / "disk").mkdir(exist_ok=True)
    whole = "mount -t tmpfs -o size=4k tmpfs disk || exit 99\n" + script
    return subprocess.run(["unshare", "-rm", "sh", "-c", whole, "sh", *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def test_a_full_disk_under_the_record_of_a_fit_leaves_the_old_model(folder):
    if on_a_small_disk("true", cwd=folder).returncode != 0:
        pytest.skip("file systems of one's own are not allowed here")
    arguments = ("fit", "train.csv", "-o", "model", "--json", "disk/fit.json", "--seed", "5", "--force", *FIT)
    before = contents(folder)
    result = on_a_small_disk('"$@"; code=$?; ls disk; exit $code', BINARY, *arguments, cwd=folder)
    assert result.returncode == 73, result
    assert "No space left" in result.stderr
    assert result.stdout == ""
    assert contents(folder) == before


def test_nothing_else_is_left_beside_outputs_that_were_replaced(folder):
    fit = ("fit", "train.csv", "-o", "o", "--json", "o.json", *FIT)
    run(*fit, cwd=folder)
    before = names_in(folder)
    run(*fit, "--force", cwd=folder)
    assert names_in(folder) == before
