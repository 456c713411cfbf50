"""Tables in several files, and fits of tables that are not in memory as a whole."""

import json
import os
import signal
import time

import numpy as np
import pytest
from cli_tool import IS_SANITIZED, blobs, names_in, run, start

QUICK = "--label answer --conditional densities --draws soft --components 2".split()


def peak_megabytes(*arguments, cwd):
    process = start(*arguments, cwd=cwd)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, process.stderr.read()
    return usage.ru_maxrss / 1024


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """One table, whole and in three files of which two are packed."""
    folder = tmp_path_factory.mktemp("parts")
    frame = blobs(900).drop(columns="group")
    frame.to_csv(folder / "whole.csv", index=False)
    frame[:200].to_csv(folder / "part-1.csv", index=False)
    frame[200:500].to_csv(folder / "part-2.csv.gz", index=False)
    frame[500:].to_csv(folder / "part-3.csv.gz", index=False)
    run("fit", "whole.csv", "-o", "model", *QUICK, cwd=folder)
    return folder


@pytest.mark.parametrize("memory", [[], ["--memory", "1M"]])
def test_files_of_one_table_give_the_model_of_that_table(parts, tmp_path, memory):
    run("fit", parts / "part-*", "-o", "joined", *QUICK, *memory, cwd=tmp_path)
    run("fit", parts / "whole.csv", "-o", "whole", *QUICK, *memory, cwd=tmp_path)
    assert (tmp_path / "joined").read_bytes() == (tmp_path / "whole").read_bytes()


def test_predict_and_evaluate_read_several_files(parts):
    one = run("predict", "model", "whole.csv", "-o", "-", cwd=parts).stdout
    assert run("predict", "model", "part-*", "-o", "-", cwd=parts).stdout == one
    judged = [run("evaluate", "model", table, "--label", "answer", "--json", "-", cwd=parts).stdout for table in ("whole.csv", "part-*")]
    assert judged[0] == judged[1]


def test_arrays_and_their_labels_in_several_files(tmp_path):
    random = np.random.default_rng(1)
    rows, labels = random.normal(size=(300, 2)), random.integers(-1, 2, 300)
    rows[:, 0] += 3 * labels
    for name, part in (("1", slice(0, 100)), ("2", slice(100, 300))):
        np.save(tmp_path / f"x-{name}.npy", rows[part])
        np.save(tmp_path / f"y-{name}.npy", labels[part])
    np.save(tmp_path / "x.npy", rows)
    np.save(tmp_path / "y.npy", labels)
    fit = ["--missing-label", "-1", "--conditional", "densities"]
    run("fit", "x-*.npy", "--labels", "y-*.npy", "-o", "a", *fit, cwd=tmp_path)
    run("fit", "x.npy", "--labels", "y.npy", "-o", "b", *fit, cwd=tmp_path)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_errors_of_several_files(parts, tmp_path):
    (tmp_path / "p-1.csv").write_text("height,answer\n1,a\n2,b\n")
    (tmp_path / "p-2.csv").write_text("weight,answer\n1,a\n2,b\n")
    err = run("fit", "p-*.csv", "-o", "m", "--label", "answer", cwd=tmp_path, code=65).stderr
    assert "p-2.csv" in err and "column 1 is 'weight', not 'height'" in err
    err = run("fit", "q-*.csv", "-o", "m", "--label", "answer", cwd=tmp_path, code=66).stderr
    assert "none that this pattern matches" in err
    err = run("fit", "p-*.csv", "-o", "p-2.csv", "--force", "--label", "answer", cwd=tmp_path, code=64).stderr
    assert "one file" in err
    # A shell that was not told to leave the pattern alone hands over several names.
    err = run("fit", "p-1.csv", "p-2.csv", "-o", "m", "--label", "answer", cwd=tmp_path, code=64).stderr
    assert "quotes" in err
    # What a run is writing is none of its inputs, whatever the pattern.
    run("predict", parts / "model", parts / "part-*", "-o", parts / "part-out.csv", cwd=tmp_path)
    (parts / "part-out.csv").unlink()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """400,000 rows of 5 numbers, of which 4,000 have a label."""
    folder = tmp_path_factory.mktemp("large")
    random = np.random.default_rng(3)
    n = 400_000
    truth = random.integers(0, 2, n)
    rows = random.normal(size=(n, 5))
    rows[:, 0] += 3 * truth
    np.save(folder / "x.npy", rows)
    np.save(folder / "y.npy", np.where(random.uniform(size=n) < 0.01, truth, -1).astype(np.int8))
    return folder


ARRAYS = "x.npy --labels y.npy --missing-label -1 --components 3 --max-iterations 10".split()


def test_the_summary_says_what_stayed_in_memory(large):
    done = run("fit", *ARRAYS, "--method", "supervised", "--memory", "200M", "-o", "m", "--json", "m.json", "--force", cwd=large)
    assert "200M: " in done.stdout and "of the unlabeled rows stayed in it" in done.stdout
    record = json.loads((large / "m.json").read_text())
    assert record["options"]["memory"] == "200M"
    kept = record["summary"]["n_kept_unlabeled"]
    assert 20_000 < kept < record["summary"]["n_unlabeled"]
    info = json.loads(run("info", "m", "--json", cwd=large).stdout)
    assert info["summary"]["n_kept_unlabeled"] == kept
    done = run("fit", *ARRAYS, "--method", "supervised", "--memory", "1M", "-o", "m", "--force", cwd=large)
    assert "--memory 1M is not enough" in done.stderr
    record = json.loads(run("fit", *ARRAYS, "--method", "supervised", "--memory", "4G", "-o", "m", "--json", "-", "--force", cwd=large).stdout)
    assert "n_kept_unlabeled" not in record["summary"]


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take memory of their own")
def test_memory_is_kept(large):
    assert peak_megabytes("fit", *ARRAYS, "--memory", "200M", "-o", "m", "--force", cwd=large) < 200


def test_what_is_no_size(large):
    for text in ("2", "G", "-1G", "0M", "2GB", "nan", "1e3M"):
        assert "such as 2G" in run("fit", *ARRAYS, f"--memory={text}", "-o", "none", cwd=large, code=64).stderr


def test_a_pipe_is_an_error(large):
    os.mkfifo(large / "pipe.csv")
    try:
        err = run("fit", "pipe.csv", "--label", "y", "--memory", "1M", "-o", "none", cwd=large, code=66).stderr
        assert "save it to a file first" in err
    finally:
        (large / "pipe.csv").unlink()


def test_no_room_for_the_rows(large):
    before = names_in(large)
    for folder, why in ((large / "nowhere", "No such file or directory"), ("/dev/null", "Not a directory")):
        err = run("fit", *ARRAYS, "--memory", "1M", "-o", "none", cwd=large, code=73, env={**os.environ, "TMPDIR": str(folder)}).stderr
        assert "TMPDIR" in err and why in err
    assert names_in(large) == before


@pytest.mark.parametrize("after", [0.3, 1.5, 4.0])
def test_ctrl_c_leaves_nothing(large, tmp_path, after):
    process = start("fit", large / "x.npy", "--labels", large / "y.npy", "--missing-label", "-1", "--memory", "1M", "--restarts", "1000", "-o", "out", cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)})
    time.sleep(after)
    assert process.poll() is None, process.stderr.read()
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert time.monotonic() - begin < (10.0 if IS_SANITIZED else 1.0)
    assert names_in(tmp_path) == []
