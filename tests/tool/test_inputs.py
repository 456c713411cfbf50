"""What people have: tables as pandas, a European Excel and databases write them, and what they are told about others."""

import bz2
import csv
import gzip
import io
import json
import lzma
import subprocess
import zipfile

import numpy as np
import pandas as pd
import pytest
from cli_tool import BINARY, run

FAST = ["--conditional", "densities", "--draws", "1", "--threads", "1"]


def table(n=300, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "size": (random.normal(size=n) + 3.0 * truth).round(3),
            "price": (random.normal(size=n) * 900.0 + 5000.0 * truth).round(2),
            "share": random.integers(0, 1000, n) / 1000.0,
            "town": random.choice(["Aachen", "Köln; Süd", "Bonn, Nord"], n),
            "sick": np.array(["nein", "ja"], dtype=object)[truth],
        }
    )
    frame.loc[random.uniform(size=n) > 0.5, "sick"] = np.nan
    return frame


def european(value, places=2):
    return f"{value:,.{places}f}".translate(str.maketrans(",.", ".,"))


def as_excel_writes_it(frame, path):
    """Semicolons, decimal commas, points between thousands, a column formatted as percentages, CRLF, a byte order mark."""
    shown = frame.copy()
    shown["price"] = frame["price"].map(european)
    shown["share"] = (100.0 * frame["share"]).map(lambda value: european(value, 1) + "%")
    shown.to_csv(path, index=False, sep=";", decimal=",", encoding="utf-8-sig", lineterminator="\r\n")


def write_all_ways(frame, folder):
    """The same table in files of every kind; the names of those that must bring the very same numbers come back."""
    frame.to_csv(folder / "plain.csv", index=False)
    frame.to_csv(folder / "pandas_comma.csv", index=False, decimal=",")  # numbers in quotes
    frame.to_csv(folder / "europe.csv", index=False, sep=";", decimal=",")
    frame.to_csv(folder / "tab.tsv", index=False, sep="\t")
    frame.to_csv(folder / "database.txt", index=False, sep="|", quoting=csv.QUOTE_NONNUMERIC)
    frame.to_csv(folder / "europe.csv.gz", index=False, sep=";", decimal=",")
    with_thousands = frame.copy()
    with_thousands["price"] = frame["price"].map(lambda value: f"{value:,.2f}")
    with_thousands.to_csv(folder / "american.csv", index=False)
    with_thousands["price"] = frame["price"].map(european)
    with_thousands.to_csv(folder / "german.csv", index=False, sep=";", decimal=",")
    with_thousands["price"] = frame["price"].map(lambda value: f"{value:,.2f}".replace(",", "\u202f").replace(".", ","))
    with_thousands.to_csv(folder / "french.csv", index=False, sep=";", decimal=",")
    as_excel_writes_it(frame, folder / "excel.csv")
    return ["pandas_comma.csv", "europe.csv", "tab.tsv", "database.txt", "europe.csv.gz", "american.csv", "german.csv", "french.csv"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_all_ways(table(), folder)
    run("fit", "plain.csv", "--label", "sick", "-o", "model", *FAST, cwd=folder)
    run("predict", "model", "plain.csv", "-o", "out.csv", cwd=folder)
    return folder


SAME = ["pandas_comma.csv", "europe.csv", "tab.tsv", "database.txt", "europe.csv.gz", "american.csv", "german.csv", "french.csv"]


@pytest.mark.parametrize("name", SAME)
def test_a_table_is_the_same_however_it_is_written(folder, tmp_path, name):
    """Fitted and predicted to the same bytes; and fit says what it found."""
    err = run("fit", folder / name, "--label", "sick", "-o", "model", *FAST, cwd=tmp_path).stderr
    assert "note: found in" in err
    for data in ("plain.csv", name):
        run("predict", "model", folder / data, "-o", "out.csv", "--force", cwd=tmp_path)
        assert (tmp_path / "out.csv").read_bytes() == (folder / "out.csv").read_bytes()


def test_a_plain_table_is_read_without_a_word(folder, tmp_path):
    err = run("fit", folder / "plain.csv", "--label", "sick", "-o", "model", *FAST, cwd=tmp_path).stderr
    assert "found in" not in err
    assert "found in" not in run("predict", "model", folder / "plain.csv", "-o", "out.csv", cwd=tmp_path).stderr


def test_percentages_are_shares(folder, tmp_path):
    err = run("fit", folder / "excel.csv", "--label", "sick", "-o", "model", *FAST, cwd=tmp_path).stderr
    assert "semicolon" in err and "1.234,5" in err and "1 column holds percentages" in err
    run("predict", "model", folder / "excel.csv", "-o", "out.csv", cwd=tmp_path)
    found, expected = pd.read_csv(tmp_path / "out.csv"), pd.read_csv(folder / "out.csv")
    np.testing.assert_allclose(found["error_probability"], expected["error_probability"], rtol=1e-9)


def test_every_command_that_reads_tables_finds_how_they_are_written(folder, tmp_path):
    truth = table()
    truth["sick"] = np.where(truth["size"] > 1.5, "ja", "nein")
    truth.to_csv(tmp_path / "test.csv", index=False)
    as_european = {"index": False, "sep": ";", "decimal": ","}
    truth.to_csv(tmp_path / "test_europe.csv", **as_european)

    def evaluate(test):
        run("evaluate", folder / "model", test, "--label", "sick", "--json", "e.json", "--force", cwd=tmp_path)
        return json.loads((tmp_path / "e.json").read_text())

    assert evaluate("test.csv") == evaluate("test_europe.csv")

    def compare(train, test):
        command = ["compare", train, test, "--label", "sick", "--out", "out", "--force", *FAST]
        found = [line for line in run(*command, cwd=tmp_path).stderr.splitlines() if "found in" in line]
        return run(*command, cwd=tmp_path).stdout, len(found)

    table_of_methods, n_found = compare(folder / "plain.csv", "test.csv")
    assert "mcar-em" in table_of_methods and n_found == 0
    assert compare(folder / "europe.csv", "test_europe.csv") == (table_of_methods, 2)

    def diagnose(train):
        run("diagnose", train, "--label", "sick", "--json", "d.json", "--force", "--threads", "1", cwd=tmp_path)
        return json.loads((tmp_path / "d.json").read_text())

    assert diagnose(folder / "plain.csv") == diagnose(folder / "europe.csv")
    run("fit", folder / "europe.csv", "--label", "sick", "-o", "stacked", "--threads", "1", cwd=tmp_path)

    def advise(data):
        out = run("advise", "stacked", data, "-n", 5, "-o", "-", cwd=tmp_path).stdout
        return [line.split(",")[0] for line in out.splitlines()]

    assert advise(folder / "plain.csv") == advise(folder / "europe.csv") == advise(folder / "tab.tsv")

    def explain(data):
        return run("explain", "stacked", data, "--row", 3, "--train", data, cwd=tmp_path)

    plain, european = explain(folder / "plain.csv"), explain(folder / "europe.csv")
    assert plain.stdout == european.stdout
    assert european.stderr.count("found in") == 1  # though the file is opened three times
    # Several files, each found afresh, and a fit whose rows pass by.
    half = len(table()) // 2
    table()[:half].to_csv(tmp_path / "part-1.csv", index=False)
    table()[half:].to_csv(tmp_path / "part-2.csv", **as_european)
    run("fit", "part-*.csv", "--label", "sick", "-o", "joined", *FAST, cwd=tmp_path)
    run("predict", "joined", "part-*.csv", "-o", "out.csv", cwd=tmp_path)
    assert (tmp_path / "out.csv").read_bytes() == (folder / "out.csv").read_bytes()
    streamed = ["--label", "sick", "--memory", "20K", "--method", "supervised", *FAST]
    run("fit", folder / "plain.csv", "-o", "streamed", *streamed, cwd=tmp_path)
    run("fit", folder / "europe.csv", "-o", "streamed_europe", *streamed, cwd=tmp_path)
    for model in ("streamed", "streamed_europe"):
        run("predict", model, folder / "plain.csv", "-o", f"{model}.csv", cwd=tmp_path)
    assert (tmp_path / "streamed.csv").read_bytes() == (tmp_path / "streamed_europe.csv").read_bytes()
    # Probabilities of another tool, after a detour over a European spreadsheet.
    answers = pd.read_csv(folder / "out.csv", float_precision="round_trip").assign(label=truth["sick"])
    answers.to_csv(tmp_path / "p.csv", index=False)
    answers.to_csv(tmp_path / "p_europe.csv", **as_european)

    def judge(name):
        run("evaluate", "--probabilities", name, "--json", "e.json", "--force", cwd=tmp_path)
        return json.loads((tmp_path / "e.json").read_text())

    assert judge("p.csv") == judge("p_europe.csv")


def test_what_can_be_read_in_two_ways_is_refused_with_the_option(tmp_path):
    rows = [f"{1 + i % 9},{100 + i};{i};{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "t.csv").write_text("a;b;y\n" + "\n".join(rows) + "\n")
    err = run("fit", "t.csv", "--label", "y", "-o", "m", *FAST, cwd=tmp_path, code=65).stderr
    assert "row 1" in err and "'a'" in err and "'1,100'" in err and "--decimal ," in err and "--decimal ." in err
    run("fit", "t.csv", "--label", "y", "-o", "decimals", "--decimal", ",", *FAST, cwd=tmp_path)
    run("fit", "t.csv", "--label", "y", "-o", "thousands", "--decimal", ".", *FAST, cwd=tmp_path)
    # The same question comes back with each file, and has the same answer.
    assert "--decimal" in run("predict", "decimals", "t.csv", "-o", "p.csv", cwd=tmp_path, code=65).stderr
    run("predict", "decimals", "t.csv", "-o", "p.csv", "--decimal", ",", cwd=tmp_path)
    (tmp_path / "points.csv").write_text((tmp_path / "t.csv").read_text().replace(",", ".").replace(";", ","))
    run("predict", "decimals", "points.csv", "-o", "q.csv", cwd=tmp_path)
    assert (tmp_path / "p.csv").read_bytes() == (tmp_path / "q.csv").read_bytes()
    (tmp_path / "either.csv").write_text("a;b|c;y\n1;2|3;x\n4;5|6;\n")
    err = run("fit", "either.csv", "--label", "y", "-o", "m", *FAST, cwd=tmp_path, code=65)
    assert "--label" in err.stderr or "--separator" in err.stderr
    for option, value in (("--decimal", ";"), ("--separator", "ab"), ("--separator", "1"), ("--separator", '"')):
        assert option in run("fit", "t.csv", "--label", "y", "-o", "m", option, value, cwd=tmp_path, code=64).stderr


def test_a_separator_of_ones_own(folder, tmp_path):
    frame = table().replace({"town": {"Köln; Süd": "Köln"}})
    frame.to_csv(tmp_path / "odd.txt", index=False, sep="^")
    frame.to_csv(tmp_path / "plain.csv", index=False)
    for name, option in (("odd.txt", ["--separator", "^"]), ("plain.csv", ["--separator", ","])):
        run("fit", name, "--label", "sick", "-o", "m", "--force", *option, *FAST, cwd=tmp_path)
        run("predict", "m", name, "-o", f"{name}.csv", *option, cwd=tmp_path)
    assert (tmp_path / "odd.txt.csv").read_bytes() == (tmp_path / "plain.csv.csv").read_bytes()
    frame.to_csv(tmp_path / "tabs.txt", index=False, sep="\t")
    run("fit", "tabs.txt", "--label", "sick", "-o", "m", "--force", "--separator", "tab", *FAST, cwd=tmp_path)


def test_missing_values_of_ones_own_are_kept_in_the_model(tmp_path):
    frame = table()
    gaps = np.random.default_rng(3).uniform(size=len(frame)) < 0.2
    coded = frame.copy()
    coded["size"] = np.where(gaps, -999.0, frame["size"])  # pandas writes -999.0
    coded["town"] = np.where(gaps, "keine, Angabe", frame["town"])
    frame["size"] = np.where(gaps, np.nan, frame["size"])
    frame["town"] = np.where(gaps, None, frame["town"])
    frame.to_csv(tmp_path / "empty.csv", index=False)
    coded.to_csv(tmp_path / "coded.csv", index=False)
    given = ["--missing-value", "-999", "--missing-value", '"keine, Angabe"']
    run("fit", "empty.csv", "--label", "sick", "-o", "m", *FAST, cwd=tmp_path)
    run("fit", "coded.csv", "--label", "sick", "-o", "n", *given, *FAST, cwd=tmp_path)
    for model, data in (("m", "empty.csv"), ("n", "coded.csv"), ("n", "empty.csv")):
        run("predict", model, data, "-o", f"{model}-{data}", cwd=tmp_path)
    expected = (tmp_path / "m-empty.csv").read_bytes()
    assert (tmp_path / "n-coded.csv").read_bytes() == expected == (tmp_path / "n-empty.csv").read_bytes()
    record = json.loads(run("info", "n", "--json", cwd=tmp_path).stdout)
    assert record["options"]["missing-value"] == ["-999", "keine, Angabe"]
    # Numbers of an array too.
    np.save(tmp_path / "x.npy", np.where(gaps, -999, coded["size"])[:, None].astype(np.float32))
    (tmp_path / "y.csv").write_text("\n".join(frame["sick"].fillna("")) + "\n")
    err = run("fit", "x.npy", "--labels", "y.csv", "-o", "a", "--missing-value", "-999", *FAST, cwd=tmp_path).stderr
    assert f"{gaps.sum()} feature cells are missing" in err


def test_a_word_among_numbers_names_the_option(tmp_path):
    lines = ["x,y"] + [f"{i},{'ab'[i % 2]}" for i in range(9)] + ["NULL,a"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    err = run("fit", "t.csv", "--label", "y", "-o", "m", *FAST, cwd=tmp_path, code=65).stderr
    assert "row 10" in err and "'NULL'" in err and "--missing-value NULL" in err


def test_weight_two_is_the_row_twice(tmp_path):
    frame = table()
    frame["w"] = np.random.default_rng(5).integers(0, 4, len(frame))
    frame.to_csv(tmp_path / "weighted.csv", index=False, sep=";")
    frame.loc[frame.index.repeat(frame["w"])].drop(columns="w").to_csv(tmp_path / "repeated.csv", index=False)
    how = ["--label", "sick", "--method", "supervised", "--components", "1", "--kappa", "-1", "--shrinkage", "0", "--column-shapes", "plain"]
    run("fit", "weighted.csv", "-o", "m", "--weights", "w", *how, *FAST, cwd=tmp_path)
    run("fit", "repeated.csv", "-o", "n", *how, *FAST, cwd=tmp_path)
    run("fit", "weighted.csv", "-o", "unweighted", "--drop", "w", *how, *FAST, cwd=tmp_path)
    answers = {}
    for model in ("m", "n", "unweighted"):
        out = run("predict", model, "repeated.csv", "-o", "-", cwd=tmp_path).stdout
        answers[model] = pd.read_csv(io.StringIO(out))["p_ja"]
    np.testing.assert_allclose(answers["m"], answers["n"], atol=1e-6)
    assert np.abs(answers["m"] - answers["unweighted"]).max() > 1e-3
    for cell, found in (("-1", "'-1'"), ("", "''"), ("much", "'much'"), ("1e13", "'1e13'")):
        frame["w"] = frame["w"].astype(object)
        frame.loc[7, "w"] = cell
        frame.to_csv(tmp_path / "bad.csv", index=False)
        err = run("fit", "bad.csv", "-o", "x", "--weights", "w", *how, *FAST, cwd=tmp_path, code=65).stderr
        assert "row 8" in err and "'w'" in err and found in err and "a weight" in err
    for options, code, word in (
        (["--weights", "v"], 65, "'v'"),
        (["--weights", "sick"], 64, "label"),
        (["--weights", "w", "--drop", "w"], 64, "--weights"),
        (["--weights", "w", "--memory", "10K"], 64, "--memory"),
    ):
        assert word in run("fit", "weighted.csv", "-o", "x", *options, *how, *FAST, cwd=tmp_path, code=code).stderr


def piped(folder, data, *arguments, code=0):
    process = subprocess.run([BINARY, *map(str, arguments)], input=data, capture_output=True, cwd=folder, timeout=300)
    assert process.returncode == code, process.stderr
    return process


@pytest.mark.parametrize("name", ["plain.csv", "europe.csv", "europe.csv.gz"])
def test_standard_input_is_a_table(folder, tmp_path, name):
    data = (folder / name).read_bytes()
    piped(tmp_path, data, "fit", "-", "--label", "sick", "-o", "m", *FAST)
    out = piped(tmp_path, data, "predict", "m", "-", "-o", "-").stdout
    assert out == (folder / "out.csv").read_bytes()
    with open(folder / name, "rb") as file:  # redirected, not piped
        run("fit", "-", "--label", "sick", "-o", "n", *FAST, cwd=tmp_path, stdin=file)
    run("predict", "n", folder / "plain.csv", "-o", "out.csv", cwd=tmp_path)
    assert (tmp_path / "out.csv").read_bytes() == out
    piped(tmp_path, data, "diagnose", "-", "--label", "sick", "--json", "d.json", "--threads", "1")
    advice = piped(tmp_path, data, "advise", "m", "-", "-n", "3", "-o", "-").stdout
    assert len(advice.splitlines()) == 4
    truth = table().assign(sick="ja").to_csv(index=False).encode()
    piped(tmp_path, truth, "evaluate", "m", "-", "--label", "sick", "--json", "e.json")
    piped(tmp_path, truth, "simulate", "-", "--label", "sick", "--protocol", "mcar", "--labeled", "9", "-o", "s.csv")
    assert pd.read_csv(tmp_path / "s.csv")["sick"].notna().sum() == 9


def test_standard_input_that_cannot_be_read(folder, tmp_path):
    assert b"standard input" in piped(tmp_path, b"", "fit", "-", "--label", "y", "-o", "m", code=65).stderr
    err = piped(tmp_path, b"a,y\n1,x\nz,\n2,x\n", "fit", "-", "--label", "y", "-o", "m", code=65).stderr
    assert b"standard input" in err and b"row 2" in err and b"'z'" in err
    err = piped(tmp_path, b"a\n", "fit", "-", "--labels", "-", "-o", "m", code=64).stderr
    assert b"TRAIN and --labels" in err
    data = (folder / "plain.csv").read_bytes()
    piped(tmp_path, data[: len(data) // 2], "predict", folder / "model", "-", "-o", "half.csv", code=65)
    assert not (tmp_path / "half.csv").exists()


DATES = ["2024-03-05", "2024-03-05 12:30:00", "2024-03-05T12:30:00.123Z", "05.03.2024", "5.3.24", "3/5/2024", "3/5/24 1:05",
         "05-MAR-24", "5 March 2024", "March 5, 2024", "2024/03/05"]  # fmt: skip


@pytest.mark.parametrize("date", DATES)
def test_dates_are_refused_with_a_remedy(tmp_path, date):
    for dates in ([date], [date] * 20 + [""]):
        days = [date.replace("5", str(1 + i % 9), 1) for i in range(30)] + dates[1:]
        pd.DataFrame({"x": range(len(days)), "since": days, "y": list("ab") * (len(days) // 2) + ["a"] * (len(days) % 2)}).to_csv(
            tmp_path / "t.csv", index=False
        )
        err = run("fit", "t.csv", "--label", "y", "-o", "m", *FAST, cwd=tmp_path, code=65).stderr
        assert "row 1" in err and "'since'" in err and "holds dates" in err and days[0] in err
        assert "--drop since" in err and "--categorical since" in err and "days since" in err
    run("fit", "t.csv", "--label", "y", "-o", "m", "--drop", "since", *FAST, cwd=tmp_path)
    run("fit", "t.csv", "--label", "y", "-o", "m", "--force", "--categorical", "since", *FAST, cwd=tmp_path)


@pytest.mark.parametrize("words", [["1-2", "3-4"], ["12:30", "9:15"], ["2024-13-01", "2024-12-01"], ["A 1/2", "B 3/4"], ["10.1", "x"]])
def test_what_only_resembles_a_date_is_a_category(tmp_path, words):
    pd.DataFrame({"x": range(30), "w": words * 15, "y": list("aab") * 10}).to_csv(tmp_path / "t.csv", index=False)
    code = 65 if words == ["10.1", "x"] else 0  # half numbers: a column of numbers with mistakes
    assert "dates" not in run("fit", "t.csv", "--label", "y", "-o", "m", *FAST, cwd=tmp_path, code=code).stderr


PLAIN = b"a,y\n1,x\n2,\n"


def zipped(name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, PLAIN)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "name, data, words",
    [
        ("t.csv.xz", lzma.compress(PLAIN), ["compressed by xz", "xz -dk t.csv.xz"]),
        ("t.csv.bz2", bz2.compress(PLAIN), ["compressed by bzip2", "bzip2 -dk t.csv.bz2"]),
        ("t.csv.zst", b"\x28\xb5\x2f\xfd rest", ["compressed by zstd", "zstd -d"]),
        ("t.zip", zipped("t.csv"), ["a zip archive", "unzip t.zip"]),
        ("t.xlsx", zipped("xl/workbook.xml"), ["an Excel file", "save the sheet as CSV"]),
        ("t.XLSX", zipped("xl/workbook.xml"), ["an Excel file"]),
        ("t.ods", zipped("content.xml"), ["an OpenDocument spreadsheet"]),
        ("t.npz", zipped("a.npy"), ["an NPZ archive", "numpy.save"]),
        ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ["an old Excel file"]),
        ("t.parquet", b"PAR1\x15\x04", ["a Parquet file", "pandas.read_parquet('t.parquet').to_csv"]),
        ("t.feather", b"ARROW1\0\0\xff\xff", ["an Arrow or Feather file", "read_feather"]),
        ("t.db", b"SQLite format 3\0", ["an SQLite database"]),
        ("t.json", b'[{"a": 1, "y": "x"}]', ["JSON", "pandas.read_json"]),
        ("t.json", b"[\n 1, 2]", ["JSON"]),
        ("t.txt", b'{"a": {"0": 1}}', ["JSON"]),
        ("t.parquet.gz", gzip.compress(b"PAR1\x15\x04"), ["a Parquet file"]),
        ("t.csv", "a;y\n1;x\n".encode("utf-16"), ["UTF-16"]),
    ],
)
def test_other_files_are_named_for_what_they_are(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    err = run("fit", name, "--label", "y", "-o", "m", *FAST, cwd=tmp_path, code=65).stderr
    for word in words:
        assert word in err
    assert name in err and "lacuna reads CSV, NPY and IDX" in err


def fit_notes(folder, labels, *options):
    n = len(labels)
    pd.DataFrame({"x": np.random.default_rng(0).normal(size=n), "y": labels}).to_csv(folder / "t.csv", index=False)
    result = run("fit", "t.csv", "--label", "y", "-o", "m", "--force", *options, *FAST, cwd=folder)
    return [line for line in result.stderr.splitlines() if "note: " in line and "category" not in line]


def only_note(folder, labels, *options):
    notes = fit_notes(folder, labels, *options)
    assert len(notes) == 1, notes
    return notes[0]


def test_labels_that_look_odd_are_told_with_the_flag_that_mends_it(tmp_path):
    usual = ["a", "b", ""] * 20
    assert fit_notes(tmp_path, usual) == []
    assert "every row of 't.csv' has a label" in only_note(tmp_path, ["a", "b"] * 30)
    assert "--missing-label" in only_note(tmp_path, ["a", "b"] * 30)
    for word in ("unknown", "None", "N/A", "-", "missing"):
        note = only_note(tmp_path, [word if label == "" else label for label in usual])
        assert f"'{word}' among the labels" in note and f"--missing-label '{word}'" in note
        assert fit_notes(tmp_path, [word if label == "" else label for label in usual], "--missing-label", word) == []
    note = only_note(tmp_path, ["0", "1", "-1"] * 20)
    assert "-1 among the labels" in note and "--missing-label -1" in note
    assert fit_notes(tmp_path, ["1", "-1", ""] * 20) == []  # plus and minus one are classes
    note = only_note(tmp_path, ["ill", "ILL", ""] * 20)
    assert "'ILL', 'ill' differ in case or spaces alone" in note
    assert "differ in case or spaces alone" in only_note(tmp_path, ["very ill", "very  ill", ""] * 20)
    note = only_note(tmp_path, ["c", *usual])
    assert "one class has a single labeled row" in note and "'c'" in note and "--missing-label c" in note
    measured = [f"{i / 7:.3f}" for i in range(60)] * 2 + [""] * 30
    note = only_note(tmp_path, measured)
    assert "60 different numbers" in note and "--label" in note


def test_a_rule_hides_labels_by_features(tmp_path):
    frame = table(3000).assign(sick="ja")
    frame.loc[frame["size"] > 1.5, "sick"] = "nein"
    frame.loc[::50, "share"] = np.nan  # a rule needs no complete rows
    frame.to_csv(tmp_path / "full.csv", index=False, sep=";", decimal=",")

    def simulate(rule, *options):
        run("simulate", "full.csv", "--label", "sick", "--rule", rule, "-o", "s.csv", "--force", *options, cwd=tmp_path)
        found = pd.read_csv(tmp_path / "s.csv", decimal=",")
        assert len(found) == 3000
        return found["stratum"] == "rare", found["sick"].notna()

    inside, labeled = simulate("size < 0.5", "--rate-inside", "0.02", "--labeled", "600")
    np.testing.assert_array_equal(inside, frame["size"] < 0.5)
    assert labeled[~inside].sum() == 600
    # Binomial: six standard deviations, one run in 10^9.
    n = inside.sum()
    assert abs(labeled[inside].sum() - 0.02 * n) < 6 * np.sqrt(0.02 * 0.98 * n)
    inside, labeled = simulate("size < 0.5", "--rate-inside", "0", "--rate-outside", "0.25")
    n = (~inside).sum()
    assert labeled[inside].sum() == 0 and abs(labeled[~inside].sum() - 0.25 * n) < 6 * np.sqrt(0.25 * 0.75 * n)
    again = simulate("size < 0.5", "--rate-inside", "0", "--rate-outside", "0.25")[1]
    np.testing.assert_array_equal(labeled, again)
    rule = "size >= 1 and town = 'Bonn, Nord' or price<-500 and town != Aachen or share > 0.95"
    inside, _ = simulate(rule, "--rate-outside", "1")
    expected = (
        ((frame["size"] >= 1) & (frame["town"] == "Bonn, Nord"))
        | ((frame["price"] < -500) & (frame["town"] != "Aachen"))
        | (frame["share"] > 0.95)
    )
    np.testing.assert_array_equal(inside, expected)
    for rule, word in (
        ("", "--protocol"),
        ("size <", "not complete"),
        ("size ~ 3", "'~'"),
        ("sizes < 3", "did you mean 'size'"),
        ("size < 3 but town = Aachen", "'but'"),
        ("size < high", "'high'"),
        ("sick = ja", "missing at random"),
        ("town = 'Aachen", "quote"),
    ):
        assert word in run("simulate", "full.csv", "--label", "sick", "--rule", rule, "-o", "x", cwd=tmp_path, code=64).stderr
    common = ["simulate", "full.csv", "--label", "sick", "-o", "x"]
    assert "'town'" in run(*common, "--rule", "town < 3", cwd=tmp_path, code=65).stderr
    assert "--rule" in run(*common, "--rule", "size < 3", "--protocol", "mcar", cwd=tmp_path, code=64).stderr
    assert "--rare" in run(*common, "--rule", "size < 3", "--rare", "ja", cwd=tmp_path, code=64).stderr
