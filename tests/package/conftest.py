"""What the tests of the package share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

CLI = os.environ["LACUNA_CLI"]
IS_SANITIZED = any(mark in Path(CLI).read_bytes() for mark in (b"__asan_init", b"__tsan_init"))  # and the module with it


def clouds(n=400, seed=0, labeled=0.3):
    """Two classes and a third cloud that nobody labeled: features, labels (-1: none), true classes."""
    random = np.random.default_rng(seed)
    cloud = random.integers(0, 3, n)
    X = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 9.0]])[cloud] + random.normal(size=(n, 2))
    truth = np.where(cloud == 2, random.integers(0, 2, n), cloud)
    y = np.where((cloud < 2) & (random.uniform(size=n) < labeled), truth, -1)
    return X, y, truth


@pytest.fixture
def cli(tmp_path):
    """Runs the command-line tool in tmp_path."""

    def run(*arguments):
        result = subprocess.run([CLI, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run
