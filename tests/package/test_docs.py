"""The examples of the docstrings, the blocks of docs/python.md and README, and the example programs."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lacuna

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = sorted(path.stem for path in Path(lacuna.__file__).parent.glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def run(*arguments, cwd):
    result = subprocess.run([sys.executable, "-B", *arguments], cwd=cwd, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = lacuna if name == "__init__" else importlib.import_module(f"lacuna.{name}")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    public = [kind for kind in lacuna._PLACES if lacuna._PLACES[kind] == name]
    for kind in public:
        assert ">>> " in getattr(module, kind).__doc__, f"{kind} has no example"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda p: p.name)
def test_python_blocks_run(page, tmp_path):
    run("-W", "error::UserWarning", "-c", "\n".join(blocks(page)), cwd=tmp_path)


def test_quickstart_prints_what_it_says(tmp_path):
    page = ROOT / "docs" / "python.md"
    printed = run("-c", blocks(page)[0], cwd=tmp_path)
    assert f"```text\n{printed}```" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "python").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(path, tmp_path):
    printed = run(str(path), cwd=tmp_path)
    assert 0.4 <= float(re.findall(r"\d\.\d\d", printed)[-1]) <= 0.5  # it does not know where nobody labeled
