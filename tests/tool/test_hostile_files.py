"""Files that somebody damaged or made up: wrong data is exit code 65 and a sentence, never a crash or lost rows."""

import gzip
import json
import struct
import subprocess
import zlib

import pytest
from cli_tool import BINARY, IS_SANITIZED, fitted_folder, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return fitted_folder(tmp_path_factory, "new.csv")


def tampered(path, edit):
    """The bytes of a model file after edit(header, data), its checksum made right again."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    data = bytearray(raw[8 + size :])
    edit(header, data)
    zeros = "crc32:00000000"
    header["__metadata__"]["checksum"] = zeros
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    file = struct.pack("<Q", len(text)) + text + data
    return file.replace(zeros.encode(), b"crc32:%08x" % zlib.crc32(file), 1)


def refused(folder, model, *words):
    """Every command that loads a model refuses this one."""
    (folder / "bad").write_bytes(model)
    for arguments in (["info", "bad"], ["evaluate", "bad", "new.csv", "--label", "answer"]):
        result = run(*arguments, cwd=folder, code=65)
        assert result.stderr.startswith("lacuna: error: ") and len(result.stderr) < 1000
        for word in ("'bad'", *words):
            assert word in result.stderr, f"{word!r} is not in: {result.stderr}"


# --- Tables


def test_a_damaged_second_gzip_member_is_no_end_of_the_table(folder):
    lines = (folder / "train.csv").read_bytes().splitlines(keepends=True)
    first, second = gzip.compress(b"".join(lines[:201])), gzip.compress(b"".join(lines[201:]))
    (folder / "two.csv.gz").write_bytes(first + second)
    run("fit", "two.csv.gz", "-o", "same", "--label", "answer", cwd=folder)
    assert (folder / "same").read_bytes() == (folder / "model").read_bytes()
    for damaged in (b"\0" + second[1:], b"x" + second[1:], second[:1], second[:10], b"more,1,2,no\n"):
        (folder / "bad.csv.gz").write_bytes(first + damaged)
        result = run("fit", "bad.csv.gz", "-o", "out", "--label", "answer", cwd=folder, code=65)
        assert "bad.csv.gz" in result.stderr and "row 200" in result.stderr and "gzip" in result.stderr
        assert not (folder / "out").exists()


def test_zeros_behind_gzip_are_padding(folder):
    (folder / "padded.csv.gz").write_bytes(gzip.compress((folder / "train.csv").read_bytes()) + bytes(512))
    run("fit", "padded.csv.gz", "-o", "padded", "--label", "answer", cwd=folder)
    assert (folder / "padded").read_bytes() == (folder / "model").read_bytes()


# --- Models


def test_the_helper_changes_nothing_by_itself(folder):
    assert tampered(folder / "model", lambda header, data: None) == (folder / "model").read_bytes()


@pytest.mark.parametrize("before", ['"measures": {', '"options": {', '"notes": [', '"columns":['])
def test_deep_json_is_refused_before_it_is_read(folder, before):
    depth = 107_000

    def edit(header, data):
        nested = "[" * depth + "]" * depth
        texts = header["__metadata__"]
        name = "text/schema/schema" if before == '"columns":[' else "text/record"
        assert before in texts[name]
        texts[name] = texts[name].replace(before, before + ('"deep": ' if "{" in before else "") + nested + ",", 1)

    refused(folder, tampered(folder / "model", edit), "damaged")


def write_number(header, data, name, value):
    """Sets the first number of a tensor."""
    begin, _ = header[name]["data_offsets"]
    data[begin : begin + 8] = struct.pack("<d", value)


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer takes all addresses for itself")
def test_a_claim_of_many_features_asks_for_no_memory(folder):
    options = ["--label", "answer", "--drop", "town", "--conditional", "densities"]
    run("fit", "train.csv", "-o", "numbers", *options, cwd=folder)
    changed = tampered(
        folder / "numbers", lambda *file: write_number(*file, "classifier/initial/class/0/n_features", 2.0**24)
    )
    (folder / "many").write_bytes(changed)
    command = 'ulimit -v 300000; "$0" info numbers && "$0" info many'
    result = subprocess.run(["bash", "-c", command, BINARY], cwd=folder, capture_output=True, text=True, timeout=300)
    assert result.returncode == 65, result.stderr
    assert "'many'" in result.stderr and "center" in result.stderr


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer takes all addresses for itself")
@pytest.mark.parametrize("command", ["fit none.idx --label c0 -o out", "predict model none.idx -o out"])
def test_columns_of_no_row_ask_for_no_memory(folder, tmp_path, command):
    (tmp_path / "model").write_bytes((folder / "model").read_bytes())
    (tmp_path / "none.idx").write_bytes(b"\0\0\x08\x02" + struct.pack(">II", 0, 1_000_000))
    command = 'ulimit -v 100000; "$0" ' + command
    result = subprocess.run(["bash", "-c", command, BINARY], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 65, result.stderr
    assert "it has no row, yet its header claims 1000000 columns" in result.stderr


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 0.0, 1e300])
@pytest.mark.parametrize("name", ["whitener", "degrees_of_freedom", "scale", "rows"])
def test_numbers_that_no_fit_gives(folder, name, value):
    where = "classifier/initial/class/0/" + name
    refused(folder, tampered(folder / "model", lambda *file: write_number(*file, where, value)), "damaged")


def test_a_record_of_other_classes(folder):
    def edit(header, data):
        texts = header["__metadata__"]
        record = json.loads(texts["text/record"])
        record["classes"].append("maybe")
        texts["text/record"] = json.dumps(record)

    refused(folder, tampered(folder / "model", edit), "classes")


def test_a_record_without_counts_is_shown_with_zeros(folder):
    def edit(header, data):
        texts = header["__metadata__"]
        record = json.loads(texts["text/record"])
        record["summary"]["class_counts"] = {}
        texts["text/record"] = json.dumps(record)

    (folder / "uncounted").write_bytes(tampered(folder / "model", edit))
    assert "yes: 0" in run("info", "uncounted", cwd=folder).stdout


def test_texts_are_not_endless(folder):
    def edit(header, data):
        header["__metadata__"]["text/classifier/class_name/0"] = "n" * 5_000_000

    refused(folder, tampered(folder / "model", edit), "too long")


def test_an_unknown_family_is_not_quoted_at_length(folder):
    def edit(header, data):
        header["__metadata__"]["text/classifier/initial/class/0/family"] = "\x1b[2J" + "n" * 100_000

    refused(folder, tampered(folder / "model", edit), "nnn...")
    assert "\x1b" not in run("info", "bad", cwd=folder, code=65).stderr
