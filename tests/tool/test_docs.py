"""Every `sh` block of README and docs is run, file by file, in an empty folder; C++ blocks are lines of the examples."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(os.environ["LACUNA_CLI"])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [text for found, text in BLOCK.findall(page.read_text()) if found == language]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "sh")], ids=lambda p: p.name)
def test_commands_run(page, tmp_path):
    environment = {**os.environ, "PATH": f"{CLI.parent}:{os.environ['PATH']}"}
    for text in blocks(page, "sh"):
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert result.returncode == 0, f"{text}\n{result.stderr}"


def test_readme_has_commands():
    assert any("lacuna fit" in text for text in blocks(ROOT / "README.md", "sh"))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "cpp")], ids=lambda p: p.name)
def test_cpp_lines_stand_in_the_examples(page):
    examples = "\n".join(path.read_text() for path in (ROOT / "examples").glob("*.cpp"))
    known = {line.strip() for line in examples.splitlines()}
    for text in blocks(page, "cpp"):
        for line in filter(None, map(str.strip, text.splitlines())):
            assert line in known, f"{line!r} is not in examples/"


def test_links_lead_somewhere():
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
