"""Whatever the tool is doing, Ctrl-C ends it within a second, and no signal leaves a part file behind."""

import gzip
import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest
from cli_tool import BINARY, IS_SANITIZED, blobs, default_signals, names_in, run, start

LIMIT = 10.0 if IS_SANITIZED else 1.0


def wait_for_part(process, folder):
    deadline = time.monotonic() + 60
    while not any(".part-" in name for name in names_in(folder)):
        assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
        time.sleep(0.02)


def ends_in_time(process, number, code):
    assert process.poll() is None, "it ended before it could be interrupted: " + process.stderr.read()
    begin = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    seconds = time.monotonic() - begin
    assert process.returncode == code, err
    assert seconds < LIMIT, f"{seconds} s"
    return err


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """300 rows of 5,000 columns."""
    folder = tmp_path_factory.mktemp("wide")
    random = np.random.default_rng(0)
    features = random.normal(size=(300, 5000))
    features[random.uniform(size=features.shape) < 0.01] = np.nan
    np.save(folder / "x.npy", features)
    labels = np.where(random.uniform(size=300) < 0.5, random.integers(0, 2, 300).astype(str), '""')
    (folder / "y.csv").write_text("\n".join(labels) + "\n")
    return folder


@pytest.mark.parametrize("after", [0.3, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_a_fit_of_5000_columns(wide, covariance, after):
    before = names_in(wide)
    process = start("fit", "x.npy", "--labels", "y.csv", "-o", "out", "--covariance", covariance, cwd=wide)
    time.sleep(after)
    if process.poll() is None:
        assert "interrupted" in ends_in_time(process, signal.SIGINT, 130)
    assert names_in(wide) == before or process.returncode == 0


@pytest.fixture(scope="module")
def blank(tmp_path_factory):
    """Four gigabytes of blank lines in four megabytes, behind a header and a row, and before them."""
    folder = tmp_path_factory.mktemp("blank")
    lines = gzip.compress(b"\n" * (1 << 26)) * 64
    (folder / "behind.csv.gz").write_bytes(gzip.compress(b"height,weight,answer,p_no,p_yes\n1,2,no,0.5,0.5\n") + lines)
    (folder / "before.csv.gz").write_bytes(lines)
    blobs().drop(columns=["group", "town"]).to_csv(folder / "train.csv", index=False)
    run("fit", "train.csv", "-o", "model", "--label", "answer", cwd=folder)
    return folder


@pytest.mark.parametrize("table", ["behind.csv.gz", "before.csv.gz"])
@pytest.mark.parametrize(
    "command",
    [
        ["fit", "TABLE", "--label", "answer", "-o", "out"],
        ["predict", "model", "TABLE", "-o", "out"],
        ["evaluate", "model", "TABLE", "--label", "answer", "--json", "out"],
        ["evaluate", "--probabilities", "TABLE", "--label", "answer", "--json", "out"],
    ],
)
def test_a_gzip_of_blank_lines(blank, command, table):
    before = names_in(blank)
    process = start(*[table if word == "TABLE" else word for word in command], cwd=blank)
    time.sleep(0.7)
    ends_in_time(process, signal.SIGINT, 130)
    assert names_in(blank) == before


def test_blank_lines_show_progress(blank):
    process = start("predict", "model", "behind.csv.gz", "-o", "-", cwd=blank)
    time.sleep(11.0)  # a line every ten seconds, where there is no terminal
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 143
    else:
        out, err = process.communicate()
    assert "%" in err


def start_blocked(folder):
    """A run that has a part file and waits for a table that nobody writes."""
    os.mkfifo(folder / "pipe")
    process = start("predict", "model", "pipe", "-o", "out", cwd=folder)
    wait_for_part(process, folder)
    return process


@pytest.fixture
def folder(blank, tmp_path):
    (tmp_path / "model").write_bytes((blank / "model").read_bytes())
    return tmp_path


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_input_that_never_comes(folder, number, code):
    process = start_blocked(folder)
    assert "interrupted" in ends_in_time(process, number, code)
    assert names_in(folder) == ["model", "pipe"]


def test_a_second_interrupt_kills_at_once_and_cleans_up(folder):
    process = start_blocked(folder)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert names_in(folder) == ["model", "pipe"]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU])
def test_other_ends_leave_no_part_file(folder, number):
    process = start_blocked(folder)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    assert names_in(folder) == ["model", "pipe"]


def test_a_file_that_may_not_grow_is_an_error(folder):
    def small_files_only():
        default_signals()
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    blobs().to_csv(folder / "new.csv", index=False)
    result = subprocess.run(
        [BINARY, "predict", "model", "new.csv", "-o", "out"], cwd=folder, capture_output=True, text=True, preexec_fn=small_files_only
    )
    assert result.returncode == 73
    assert "too large" in result.stderr
    assert names_in(folder) == ["model", "new.csv"]


def test_what_a_killed_run_left_behind_is_removed(folder):
    process = start_blocked(folder)
    process.kill()
    process.communicate(timeout=60)
    assert any(".part-" in name for name in names_in(folder))
    blobs().to_csv(folder / "new.csv", index=False)
    run("predict", "model", "new.csv", "-o", "another", cwd=folder)
    assert names_in(folder) == ["another", "model", "new.csv", "pipe"]


def test_the_part_file_of_a_living_run_stays(folder):
    process = start_blocked(folder)
    blobs().to_csv(folder / "new.csv", index=False)
    run("predict", "model", "new.csv", "-o", "another", cwd=folder)
    assert any(".part-" in name for name in names_in(folder))
    process.kill()
    process.communicate(timeout=60)
