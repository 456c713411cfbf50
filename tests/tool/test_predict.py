"""predict: what is written by the ending of the name, which error comes first, threads and memory."""

import csv
import gzip
import io
import resource
import signal
import subprocess

import numpy as np
import pandas as pd
import pytest
from cli_tool import BINARY, IS_SANITIZED, default_signals, names_in, run

N_CLASSES = 4


def rows_of(n, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, N_CLASSES, n)
    return random.normal(size=(n, 3)) + 3.0 * truth[:, None], truth


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of columns c0, c1 and c2, and tables for it."""
    folder = tmp_path_factory.mktemp("predict")
    X, truth = rows_of(400)
    np.save(folder / "train.npy", X)
    (folder / "y.csv").write_text("\n".join(map(str, truth)) + "\n")
    run("fit", "train.npy", "--labels", "y.csv", "-o", "model", "--conditional", "densities", "--draws", "1", cwd=folder)
    X, _ = rows_of(5000, seed=1)
    np.save(folder / "x.npy", X)
    pd.DataFrame(X, columns=["c0", "c1", "c2"]).to_csv(folder / "x.csv", index=False)
    run("predict", "model", "x.csv", "-o", "out.csv", cwd=folder)
    return folder


def predict(folder, data, out, *arguments, code=0):
    return run("predict", folder / "model", folder / data, "-o", out, "--force", *arguments, cwd=folder, code=code)


@pytest.mark.parametrize("data", ["x.csv", "x.npy"])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_and_the_format_of_the_table_change_no_byte(folder, tmp_path, data, threads):
    predict(folder, data, tmp_path / "out.csv", "--threads", threads)
    assert (tmp_path / "out.csv").read_bytes() == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize("name", ["p.csv.gz", "p.CSV.GZ"])
def test_a_name_in_gz_is_gzip(folder, tmp_path, name):
    predict(folder, "x.csv", tmp_path / name)
    assert gzip.decompress((tmp_path / name).read_bytes()) == (folder / "out.csv").read_bytes()
    assert (tmp_path / name).stat().st_size < 0.7 * (folder / "out.csv").stat().st_size


@pytest.mark.parametrize("data", ["x.csv", "x.npy"])
def test_a_name_in_npy_is_an_array_of_the_same_numbers(folder, tmp_path, data):
    predict(folder, data, tmp_path / "p.npy")
    found = np.load(tmp_path / "p.npy")
    expected = pd.read_csv(folder / "out.csv", float_precision="round_trip")
    assert found.dtype == np.float64 and found.shape == (5000, 4 + N_CLASSES)
    np.testing.assert_array_equal(found, expected.to_numpy())  # the classes are called 0, 1, ...
    assert (tmp_path / "p.npy").stat().st_size == 128 + found.nbytes


def test_an_array_without_rows(folder, tmp_path):
    np.save(tmp_path / "none.npy", np.zeros((0, 3)))
    run("predict", folder / "model", "none.npy", "-o", "p.npy", cwd=tmp_path)
    assert np.load(tmp_path / "p.npy").shape == (0, 4 + N_CLASSES)


@pytest.mark.parametrize("name", ["p", "p.csv", ".p", "v1.2/p", "csv"])
def test_other_names_get_csv(folder, tmp_path, name):
    (tmp_path / "v1.2").mkdir()
    predict(folder, "x.csv", tmp_path / name)
    assert (tmp_path / name).read_bytes() == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize("name", ["p.txt", "p.parquet", "p.gz", "p.npy.gz", "p.csv.bz2", "p.npz", "p."])
def test_an_unknown_ending_is_refused_before_anything_is_read(tmp_path, name):
    err = run("predict", "no model", "no table", "-o", name, cwd=tmp_path, code=64).stderr
    assert "--output" in err and name in err
    for ending in (".csv", ".csv.gz", ".npy"):
        assert ending in err
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("out", ["out", "out.csv.gz", "out.npy"])
def test_a_full_disk_is_an_error_and_nothing_is_left(folder, tmp_path, out):
    def small_files_only():
        default_signals()
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    result = subprocess.run(
        [BINARY, "predict", folder / "model", folder / "x.csv", "-o", out],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=small_files_only,
    )
    assert result.returncode == 73, result.stderr
    assert "cannot be written" in result.stderr and "too large" in result.stderr
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_bad_row_of_the_file_is_named(folder, tmp_path, threads):
    lines = (folder / "x.csv").read_text().splitlines()
    lines[4000] = "1,oops,2"
    lines[4500] = "1,2"
    (tmp_path / "bad.csv").write_text("\n".join(lines) + "\n")
    command = ["predict", folder / "model", "bad.csv", "-o", "out", "--threads", threads]
    err = run(*command, cwd=tmp_path, code=65).stderr
    assert "bad.csv" in err and "line 4001" in err and "'c1'" in err and "'oops'" in err and "mend the cell" in err
    lines[3000] = "1,2,3,4"
    (tmp_path / "bad.csv").write_text("\n".join(lines) + "\n")
    assert "line 3001" in run(*command, cwd=tmp_path, code=65).stderr
    assert names_in(tmp_path) == ["bad.csv"]


@pytest.mark.parametrize("threads", [1, 4])
def test_a_row_that_cannot_be_scored_comes_before_one_that_cannot_be_read(folder, tmp_path, threads):
    """A gap is found when rows are mapped, a word when they are read, and both stand among the same few rows."""
    run("fit", folder / "train.npy", "--labels", folder / "y.csv", "-o", "reduced", "--features", "pca:2", cwd=tmp_path)
    lines = (folder / "x.csv").read_text().splitlines()
    command = ["predict", "reduced", "bad.csv", "-o", "out", "--threads", threads]
    for gap, word, first in ((2000, 2010, "gap"), (2010, 2000, "word"), (1500, 4900, "gap"), (4900, 1500, "word")):
        changed = list(lines)
        changed[gap] = "1,,2"
        changed[word] = "1,oops,2"
        (tmp_path / "bad.csv").write_text("\n".join(changed) + "\n")
        err = run(*command, cwd=tmp_path, code=65).stderr
        assert ("oops" in err) == (first == "word"), err
        assert "oops" in err or f"row {gap}" in err, err


def peak_of(command, cwd):
    """The most memory that a command held, in bytes."""
    program = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
        "print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    # Of a program without arrays: a child counts what its parent held when it was started.
    done = subprocess.run(["python3", "-S", "-c", program, *map(str, command)], cwd=cwd, check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take memory of their own")
@pytest.mark.parametrize("data", ["csv", "npy"])
@pytest.mark.parametrize("out", ["p.csv", "p.csv.gz", "p.npy"])
def test_memory_does_not_grow_with_the_rows(folder, tmp_path, data, out):
    peaks = []
    for n in (30_000, 300_000):
        X, _ = rows_of(n)
        if data == "npy":
            np.save(tmp_path / "large.npy", X)
        else:
            pd.DataFrame(X.round(3), columns=["c0", "c1", "c2"]).to_csv(tmp_path / "large.csv", index=False)
        command = [BINARY, "predict", folder / "model", f"large.{data}", "-o", out, "--force", "--threads", "2"]
        peaks.append(peak_of(command, tmp_path))
    # The table holds 7.2 MB more and its predictions 17 MB more; pieces and buffers are 8 MB in all.
    assert peaks[1] - peaks[0] < 2e6, peaks
    assert peaks[1] < 40e6, peaks


@pytest.fixture(scope="module")
def stacked(folder):
    """A model that held labels out, and a third cloud that nobody labeled."""
    X, truth = rows_of(1500)
    np.save(folder / "some.npy", X)
    seen = (truth < 2) & (np.random.default_rng(2).uniform(size=len(truth)) < 0.5)
    (folder / "some.csv").write_text("".join(f"{'a|b' if label else 'c'}\n" if s else "\n" for label, s in zip(truth, seen)))
    run("fit", "some.npy", "--labels", "some.csv", "-o", "stacked", cwd=folder)
    return folder / "stacked"


PROMISES = ["--sets", "0.9", "--risk", "0.05", "--sensitivity", "2"]


def test_promises_are_columns_behind_the_others(folder, stacked):
    run("predict", stacked, "x.csv", "-o", "plain.csv", "--force", cwd=folder)
    plain = (folder / "plain.csv").read_text().splitlines()
    said = run("predict", stacked, "x.csv", "-o", "promised.csv", "--force", *PROMISES, cwd=folder).stderr
    promised = (folder / "promised.csv").read_text().splitlines()
    assert promised[0] == plain[0] + ",worst_error_probability,flip_odds,set_size,set,accepted"
    assert all(new.startswith(old + ",") for old, new in zip(plain, promised, strict=True))

    table = pd.read_csv(folder / "promised.csv")
    outside = table[table.informative == 0]
    inside = table[table.informative == 1]
    assert len(outside) > 1000 and len(inside) > 1000
    assert set(outside["set"]) == {"a|b|c"} and set(outside.set_size) == {2}
    assert not outside.accepted.any()
    # Clouds three standard deviations apart: nearly all rows inside have one class and are answered.
    assert (inside.set_size == 1).mean() > 0.9 and inside.accepted.mean() > 0.8
    alone = inside[inside.set_size == 1]
    assert (alone["set"] == alone.prediction).all()
    q = table.error_probability
    np.testing.assert_allclose(table.worst_error_probability, 2 * q / (1 - q + 2 * q), rtol=1e-12)
    p = table[["p_a|b", "p_c"]].to_numpy()
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(table.flip_odds, p.max(axis=1) / p.min(axis=1), rtol=1e-9)
    assert f"{table.accepted.sum()} of them accepted" in said


def test_promises_in_other_formats_and_from_any_number_of_threads(folder, stacked):
    run("predict", stacked, "x.csv", "-o", "promised.csv", "--force", *PROMISES, cwd=folder)
    for threads in ("1", "3"):
        run("predict", stacked, "x.csv", "-o", "p.csv.gz", "--force", *PROMISES, "--threads", threads, cwd=folder)
        assert gzip.decompress((folder / "p.csv.gz").read_bytes()) == (folder / "promised.csv").read_bytes()
    run("predict", stacked, "x.npy", "-o", "p.npy", "--force", *PROMISES, cwd=folder)
    array, table = np.load(folder / "p.npy"), pd.read_csv(folder / "promised.csv")
    names = ["worst_error_probability", "flip_odds", "set_size"]
    np.testing.assert_allclose(array[:, 6:9], table[names], rtol=1e-12)
    sets = [["a|b" in cell, cell.endswith("c")] for cell in table["set"]]
    np.testing.assert_array_equal(array[:, 9:11], sets)
    np.testing.assert_array_equal(array[:, 11], table.accepted)


def test_promises_that_cannot_be_kept(folder, stacked):
    run("predict", "model", "x.csv", "-o", "no.csv", "--sets", "0.9", cwd=folder, code=64)
    said = run("predict", "model", "x.csv", "-o", "no.csv", "--risk", "0.1", cwd=folder, code=64).stderr
    assert "no held-out answers" in said and "--conditional stack" in said
    assert not (folder / "no.csv").exists()
    for option, value in (("--sets", "1"), ("--risk", "0"), ("--confidence", "nan"), ("--sensitivity", "0.5")):
        assert option in run("predict", stacked, "x.csv", "-o", "no.csv", option, value, cwd=folder, code=64).stderr
    said = run("predict", stacked, "x.csv", "-o", "none.csv", "--risk", "1e-6", cwd=folder).stderr
    assert "none is accepted" in said and "--risk" in said
    assert not pd.read_csv(folder / "none.csv").accepted.any()


def carry(folder, table, *arguments, out="carried.csv", code=0):
    table.to_csv(folder / "ids.csv", index=False, lineterminator="\n")
    return run("predict", folder / "model", "ids.csv", "-o", out, "--force", *arguments, cwd=folder, code=code)


def carried(folder, table, *arguments):
    """What is written, byte for byte."""
    carry(folder, table, *arguments)
    return (folder / "carried.csv").read_bytes().decode()


ODD_IDS = ["007", "1e3", " 12 ", 'he said "no"', "a,b", "two\nlines", "CR\r\nLF", "Žižkov 東京 🙂", "", "NA", "=1+1", "0.10", "'", "-", "\ttab"]


@pytest.fixture(scope="module")
def with_ids(folder):
    X = rows_of(2500, seed=2)[0]
    table = pd.DataFrame(X, columns=["c0", "c1", "c2"])
    table.insert(1, "key", (ODD_IDS * 200)[:2500])
    table["note, long"] = [f"row {i}" for i in range(2500)]
    return table


def as_text(text):
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, lineterminator="\n")


@pytest.mark.parametrize("threads", [1, 3])
def test_columns_pass_through_byte_for_byte(folder, with_ids, threads):
    plain = carried(folder, with_ids)
    text = carried(folder, with_ids, "--id", "key", "--keep", '"note, long",c1', "--threads", threads)
    records = list(csv.reader(io.StringIO(text, newline="")))
    own = plain.splitlines()[0].split(",")
    assert records[0] == ["key", *own, "note, long", "c1"]
    rows = records[1:]
    assert [row[0] for row in rows] == list(with_ids["key"])
    assert [row[-2] for row in rows] == list(with_ids["note, long"])
    given = (folder / "ids.csv").read_text().splitlines()[1].split(",")
    assert rows[0][-1] == given[2]  # the digits of the file, not those of a double
    # All else stays as it was.
    assert [",".join(row[1:-2]) for row in rows] == plain.splitlines()[1:]
    # And the file can be read back by row, with a model's own columns among them.
    assert as_text(text)["key"].tolist() == list(with_ids["key"])


def test_columns_pass_through_other_formats(folder, with_ids, tmp_path):
    expected = carried(folder, with_ids, "--id", "key")
    carry(folder, with_ids, "--id", "key", out=tmp_path / "p.csv.gz")
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()).decode() == expected
    with_ids.to_csv(folder / "europe.csv", index=False, sep=";", decimal=",", lineterminator="\n")
    predict(folder, "europe.csv", tmp_path / "europe.csv", "--id", "key")
    assert (tmp_path / "europe.csv").read_bytes().decode() == expected
    np.save(folder / "ids.npy", np.arange(15).reshape(5, 3))
    records = run("predict", folder / "model", "ids.npy", "-o", "-", "--id", "c1", cwd=folder).stdout.splitlines()
    assert [record.split(",")[0] for record in records] == ["c1", "1", "4", "7", "10", "13"]
    safe = carried(folder, with_ids, "--id", "key", "--csv-safe")
    keys = list(as_text(safe)["key"])
    assert keys[:15] == [("'" + key if key in ("=1+1", "-") else key) for key in ODD_IDS]


def test_columns_that_cannot_pass_through(folder, with_ids):
    renamed = with_ids.rename(columns={"key": "prediction"})
    assert "already have a column 'prediction'" in carry(folder, renamed, "--id", "prediction", code=64).stderr
    assert "'key'" in carry(folder, with_ids, "--id", "key", "--keep", "key", code=64).stderr
    assert "did you mean 'key'" in carry(folder, with_ids, "--keep", "kay", code=65).stderr
    for option in (["--id", "key"], ["--keep", "key"], ["--digits", "5"]):
        err = carry(folder, with_ids, *option, out="p.npy", code=64).stderr
        assert option[0] in err and "NPY" in err


def test_abstention_empties_cells_above_the_threshold(folder, tmp_path):
    everything = pd.read_csv(folder / "out.csv", dtype={"prediction": str})
    threshold = everything["error_probability"].median()
    err = predict(folder, "x.csv", tmp_path / "a.csv", "--abstain", threshold).stderr
    found = pd.read_csv(tmp_path / "a.csv", dtype={"prediction": str})
    is_left = everything["error_probability"] <= threshold
    assert 0 < is_left.sum() < len(everything)
    assert f"{(~is_left).sum()} of them without a prediction" in err
    expected = everything["prediction"].where(is_left)
    pd.testing.assert_series_equal(found["prediction"], expected)
    pd.testing.assert_frame_equal(found.drop(columns="prediction"), everything.drop(columns="prediction"))
    predict(folder, "x.csv", tmp_path / "a.npy", "--abstain", threshold)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy")[:, 0], expected.astype(float))
    predict(folder, "x.csv", tmp_path / "one.csv", "--abstain", "1")
    assert (tmp_path / "one.csv").read_bytes() == (folder / "out.csv").read_bytes()
    for value in ("-0.1", "1.5", "nan"):
        assert "--abstain" in predict(folder, "x.csv", tmp_path / "x.csv", "--abstain", value, code=64).stderr


@pytest.mark.parametrize("digits", [1, 4, 7, 17])
def test_digits_are_as_many_as_asked_for(folder, tmp_path, digits):
    predict(folder, "x.csv", tmp_path / "d.csv", "--digits", digits)
    found = pd.read_csv(tmp_path / "d.csv", float_precision="round_trip")
    exact = pd.read_csv(folder / "out.csv", float_precision="round_trip")
    numbers = [name for name in exact if name not in ("prediction", "informative")]
    np.testing.assert_allclose(found[numbers], exact[numbers], rtol=0.5 * 10.0 ** (1 - digits) * (1 + 1e-9), atol=0)
    assert found[["prediction", "informative"]].equals(exact[["prediction", "informative"]])
    cells = {cell for line in (tmp_path / "d.csv").read_text().splitlines()[1:] for cell in line.split(",")}
    cells -= {"inf", "-inf"}
    assert max(len(cell.split("e")[0].replace(".", "").strip("-0")) for cell in cells) <= digits
    if digits == 7:  # what evaluate asks of probabilities holds
        exact.assign(label=exact["prediction"]).drop(columns="prediction").to_csv(tmp_path / "e.csv", index=False)
        found.assign(label=exact["prediction"]).drop(columns="prediction").to_csv(tmp_path / "p.csv", index=False)
        run("evaluate", "--probabilities", "p.csv", cwd=tmp_path)


def test_exact_digits_are_the_default(folder, tmp_path):
    predict(folder, "x.csv", tmp_path / "d.csv", "--digits", "exact")
    assert (tmp_path / "d.csv").read_bytes() == (folder / "out.csv").read_bytes()
    for value in ("0", "18", "2.5"):
        assert "--digits" in predict(folder, "x.csv", tmp_path / "x.csv", "--digits", value, code=64).stderr
