"""A model file is a safetensors file: read here by a parser that knows the published format and nothing of lacuna.

LACUNA_CLI names the command-line tool.
"""

import json
import os
import struct
import subprocess
import zlib

import numpy as np
import pytest


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The path of a model fitted by the tool on a small table with gaps and awkward class names."""
    cli = os.environ.get("LACUNA_CLI")
    if not cli:
        pytest.fail("set LACUNA_CLI to the path of the lacuna command-line tool")
    folder = tmp_path_factory.mktemp("safetensors")
    rng = np.random.default_rng(1)
    lines = ["x1,x2,kind"]
    for i in range(120):
        group = i % 2
        x = rng.normal([-3.0, 3.0][group], 1.0, size=2)
        label = ['"grün ""a"""', "blau"][group] if i % 3 == 0 else ""
        lines.append(f"{x[0]:.6f},{x[1]:.6f},{label}")
    table = folder / "train.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / "model.lacuna"
    subprocess.run(
        [cli, "fit", str(table), "-o", str(path), "--label", "kind"], check=True, capture_output=True, timeout=300
    )
    return path


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a name appears twice: {names}"
    return dict(pairs)


def parse(path):
    """Header, metadata, tensors by name, and the offset of the data."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    assert 8 + size <= len(raw)
    header = json.loads(raw[8 : 8 + size].decode("utf-8"), object_pairs_hook=no_duplicates)
    metadata = header.pop("__metadata__")
    data = raw[8 + size :]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], dtype={"F64": "<f8", "F32": "<f4"}[entry["dtype"]]).reshape(entry["shape"])
    return header, metadata, tensors, 8 + size


def test_layout_follows_the_format(model):
    header, metadata, _, data_at = parse(model)
    raw = model.read_bytes()
    assert raw[8:9] == b"{"
    assert data_at % 8 == 0
    assert raw[8:data_at].rstrip(b" ").endswith(b"}")
    assert all(isinstance(k, str) and isinstance(v, str) for k, v in metadata.items())
    assert header, "a fitted model has tensors"
    assert list(header) == sorted(header)
    position = 0
    for name, entry in header.items():
        assert set(entry) == {"dtype", "shape", "data_offsets"}, name
        assert entry["dtype"] in ("F64", "F32"), name
        size = 8 if entry["dtype"] == "F64" else 4
        begin, end = entry["data_offsets"]
        assert begin == position, f"{name}: a hole or an overlap"
        assert end - begin == size * int(np.prod(entry["shape"], dtype=np.int64)), name
        position = end
    assert data_at + position == len(raw)


def test_metadata_says_what_the_file_is(model):
    _, metadata, _, _ = parse(model)
    assert metadata["format"] == "lacuna"
    assert metadata["format_version"] == "2"
    rest = set(metadata) - {"format", "format_version", "checksum"}
    assert all(name.startswith("text/") for name in rest)
    assert any('grün "a"' in metadata[name] for name in rest), "class names survive"


def test_checksum_covers_the_whole_file(model):
    _, metadata, _, _ = parse(model)
    kind, digits = metadata["checksum"].split(":")
    assert kind == "crc32" and len(digits) == 8
    raw = model.read_bytes()
    mark = b'"checksum":"crc32:'
    at = raw.index(mark) + len(mark)
    assert raw[at : at + 8] == digits.encode()
    zeroed = raw[:at] + b"0" * 8 + raw[at + 8 :]
    assert f"{zlib.crc32(zeroed):08x}" == digits


def test_a_damaged_model_is_refused(model, tmp_path):
    raw = bytearray(model.read_bytes())
    raw[-3] ^= 0x10
    damaged = tmp_path / "damaged.lacuna"
    damaged.write_bytes(bytes(raw))
    done = subprocess.run(
        [os.environ["LACUNA_CLI"], "info", str(damaged)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 65
    assert "damaged" in done.stderr and str(damaged) in done.stderr
    assert done.stdout == ""


def test_the_official_package_reads_the_same(model):
    safetensors = pytest.importorskip("safetensors")
    _, metadata, tensors, _ = parse(model)
    with safetensors.safe_open(str(model), framework="np") as file:
        assert file.metadata() == metadata
        assert sorted(file.keys()) == sorted(tensors)
        for name in tensors:
            np.testing.assert_array_equal(file.get_tensor(name), tensors[name])
