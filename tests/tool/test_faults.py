"""A few runs of the sweep of faults, of each kind: docs/faults.md has the whole one."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_tool import BINARY, IS_SANITIZED

SWEEP = Path(__file__).parents[1] / "faults" / "sweep.py"


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take memory of their own, and other codes")
@pytest.mark.parametrize("fault", ["descriptors", "paths", "disk", "kills"])
def test_nothing_is_lost_torn_or_left(fault, tmp_path):
    wishes = ["--faults", fault, "--operations", "fit,fit-stream,predict,report", "--stride", "4", "--kills", "12", "--out", str(tmp_path)]
    done = subprocess.run([sys.executable, "-B", SWEEP, "--tool", BINARY, *wishes], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 bad so far" in done.stdout
    assert "## Operation and kind of fault" in (tmp_path / "table.md").read_text()
