"""What the built programs and libraries promise the system's loader."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from cli_tool import BINARY, run

BUILD = Path(BINARY).resolve().parent


def is_linked(path):
    """A program or shared library; object files are linked into these."""
    with path.open("rb") as file:
        start = file.read(18)
    return start[:4] == b"\x7fELF" and start[16] in (2, 3)


def linked_files():
    found = []
    for folder, folders, names in os.walk(BUILD):
        # What CMake tries out, and what the test `consumer` installs and builds while we look.
        folders[:] = [name for name in folders if name not in ("CMakeFiles", "consumer")]
        paths = [Path(folder) / name for name in names]
        found += [path for path in paths if path.is_file() and not path.is_symlink() and is_linked(path)]
    return found


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def is_release():
    return "CMAKE_BUILD_TYPE:STRING=Release" in (BUILD / "CMakeCache.txt").read_text()


def test_a_library_in_the_current_folder_is_not_loaded(tmp_path):
    (tmp_path / "libz.so.1").write_text("no library")
    assert run("--version", cwd=tmp_path).stdout.startswith("lacuna ")


def test_libraries_are_looked_for_in_whole_paths_only():
    paths = linked_files()
    assert Path(BINARY).resolve() in paths
    for path in paths:
        for entries in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", readelf("-d", path)):
            for entry in entries.split(":"):
                assert entry.startswith(("/", "$ORIGIN")), f"{path}: [{entries}]"
                # What is installed moves as a whole; tests stay where they are.
                if path.parent == BUILD and path.name.startswith(("lacuna", "liblacuna.", "liblacuna_report.")):
                    assert entry.startswith("$ORIGIN"), f"{path}: [{entries}]"


@pytest.mark.skipif(not is_release(), reason="other builds have flags of their own")
def test_release_builds_are_hardened():
    for path in linked_files():
        dynamic = readelf("-d", path)
        assert "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*\bNOW\b", dynamic), path
        assert "GNU_RELRO" in readelf("-l", path), path
        assert re.search(r"Type:\s+DYN", readelf("-h", path)), f"{path} has a fixed place in memory"
    symbols = readelf("--dyn-syms", BINARY)
    assert "__stack_chk_fail" in symbols
    assert re.search(r"__(memcpy|fread|fprintf|snprintf|read)_chk", symbols)
    assert "__glibcxx_assert_fail" in symbols
