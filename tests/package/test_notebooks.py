"""The notebooks of docs/notebooks: they run, soon, and print the tables that their text quotes."""

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
#: How far a number may be from the quoted one: linear algebra rounds otherwise on another processor, where a trained
#: network becomes another one.
TOLERANCE = {"credit_scoring": 0.02, "fashion_mnist": 0.3, "medical_screening": 0.02}
NUMBER = re.compile(r"-?\d+(\.\d+)?|inf|nan")


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prose(name):
    """The text of the markdown cells."""
    cells = re.split(r"^# %%", (FOLDER / f"{name}.py").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return "\n".join(
        "\n".join(line.removeprefix("#").removeprefix(" ") for line in cell.splitlines()[1:] if line.startswith("#"))
        for cell in cells
        if cell.startswith(" [markdown]")
    )


def quotes(text):
    return re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def words(text):
    return [line.split() for line in text.splitlines() if line.strip()]


def same(quoted, printed, tolerance):
    if not (NUMBER.fullmatch(quoted) and NUMBER.fullmatch(printed)):
        return quoted == printed
    return abs(float(quoted) - float(printed)) <= tolerance * max(1.0, abs(float(quoted)))


@pytest.mark.parametrize("name", NAMES)
def test_notebook(name, tmp_path):
    before = cpu_seconds()
    result = subprocess.run(
        [sys.executable, "-B", "-W", "error::FutureWarning", str(FOLDER / f"{name}.py")], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert cpu_seconds() - before < 60.0
    assert list(tmp_path.iterdir()) == []  # no figure unless asked
    printed = words(result.stdout)
    quoted = [line for quote in quotes(prose(name)) for line in words(quote)]
    assert len(quoted) == len(printed) > 10
    for ours, theirs in zip(quoted, printed, strict=True):
        assert len(ours) == len(theirs) and all(map(same, ours, theirs, [TOLERANCE[name]] * len(ours))), (ours, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_in_the_text_are_in_its_tables(name):
    text = prose(name)
    tables = quotes(text)
    known = {word for table in tables for line in words(table) for word in line}
    rest = text
    for table in tables:
        rest = rest.replace(table, "")
    results = rest[rest.index("```text") :]  # what comes before describes the data
    for number in re.findall(r"\d+\.\d+", results):
        assert number in known, number


def test_a_table_of_ones_own_and_a_figure(tmp_path):
    """Applicants from a file, judged by a rule of the user's."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(0)
    score = random.normal(size=4200)
    table = pd.DataFrame({"score": score, "town": random.choice(["north", "south"], 4200), "limit": random.normal(size=4200)})
    table["bad"] = np.where(random.uniform(size=4200) < 1 / (1 + np.exp(2 * score)), "Y", "N")
    table.to_csv(tmp_path / "own.csv", index=False)
    result = subprocess.run(
        [sys.executable, "-B", str(FOLDER / "credit_scoring.py"), "--table", "own.csv", "--label", "bad", "--approved", "score > -0.5",
         "--figure", "diagrams.png"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "rejected" in result.stdout
    assert (tmp_path / "diagrams.png").read_bytes().startswith(b"\x89PNG")


def test_cells():
    """They open as notebooks: text and code in turn, in the percent format."""
    for name in NAMES:
        lines = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "# %% [markdown]" and lines[1].startswith("# # ")
        assert sum(line == "# %%" for line in lines) >= 3
        for number, line in enumerate(lines):
            if line == "# %% [markdown]":  # all of the cell is text
                cell = lines[number + 1 :]
                end = next((i for i, other in enumerate(cell) if other.startswith("# %%")), len(cell))
                assert all(other.startswith("#") or not other for other in cell[:end]), (name, number)
