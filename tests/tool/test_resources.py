"""A machine that has too little: fewer threads do the work, too little memory is an error with a code of its own."""

import resource
import subprocess

import numpy as np
import pytest
from cli_tool import BINARY, IS_SANITIZED, blobs, names_in, run

pytestmark = pytest.mark.skipif(IS_SANITIZED, reason="sanitizers reserve terabytes of addresses")
MEGABYTE = 1 << 20


def run_with(limits, *arguments, cwd):
    def set_limits():
        for name, size in limits.items():
            resource.setrlimit(name, (size, resource.getrlimit(name)[1]))

    return subprocess.run(
        [BINARY, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, preexec_fn=set_limits, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resources")
    blobs(n=2000).drop(columns="group").to_csv(folder / "train.csv", index=False)
    run("fit", "train.csv", "--label", "answer", "-o", "expected", "--threads", "2", cwd=folder)
    return folder


def test_threads_that_cannot_start_are_done_without(originals, tmp_path):
    # Each thread would want a stack of 8 GB. RLIMIT_NPROC does not bind root.
    limits = {resource.RLIMIT_STACK: 8192 * MEGABYTE, resource.RLIMIT_AS: 4096 * MEGABYTE}
    result = run_with(limits, "fit", originals / "train.csv", "--label", "answer", "-o", "model", "--threads", "8", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    expected = run("predict", originals / "expected", originals / "train.csv", "-o", "-", cwd=tmp_path).stdout
    assert run("predict", "model", originals / "train.csv", "-o", "-", cwd=tmp_path).stdout == expected


def test_an_autoencoder_trains_without_threads(originals, tmp_path):
    limits = {resource.RLIMIT_STACK: 8192 * MEGABYTE, resource.RLIMIT_AS: 4096 * MEGABYTE}
    options = ("--label", "answer", "--features", "standardize,vae", "--vae-likelihood", "gaussian", "--vae-hidden", "8", "--vae-epochs", "2")
    result = run_with(limits, "fit", originals / "train.csv", *options, "-o", "model", "--threads", "4", cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("command", ["fit", "fit-stack", "predict"])
def test_too_little_memory_is_an_error_and_nothing_is_left(originals, tmp_path, command):
    arguments = {
        "fit-stack": ["fit", originals / "train.csv", "--label", "answer", "-o", "out", "--force"],
        "fit": ["fit", originals / "train.csv", "--label", "answer", "--conditional", "densities", "-o", "out", "--force"],
        "predict": ["predict", originals / "expected", originals / "train.csv", "-o", "out", "--force"],
    }[command]
    codes = []
    for size in [*range(16, 100, 6), 140, 200, 400, 1000]:
        result = run_with({resource.RLIMIT_AS: size * MEGABYTE}, *arguments, "--threads", "4", cwd=tmp_path)
        if "error while loading shared libraries" in result.stderr or (result.returncode == -11 and not result.stderr):
            assert not codes, result.stderr  # lacuna has not begun
            continue
        codes.append(result.returncode)
        assert result.returncode in (0, 71), f"{size} MB: {result.returncode}\n{result.stderr}"
        assert result.returncode == 0 or "memory" in result.stderr, result.stderr
        assert names_in(tmp_path) in ([], ["out"]) and (result.returncode != 0 or names_in(tmp_path) == ["out"])
    assert codes[-1] == 0


def test_a_table_that_does_not_fit(tmp_path):
    array = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.uint8, shape=(2_000_000, 100))
    array[::2] = 1  # 200 MB, 1.6 GB as features
    del array
    np.save(tmp_path / "y.npy", np.tile(np.array([0, 0, 1, 1], dtype=np.uint8), 500_000))
    before = names_in(tmp_path)
    result = run_with({resource.RLIMIT_AS: 1200 * MEGABYTE}, "fit", "x.npy", "--labels", "y.npy", "-o", "out", cwd=tmp_path)
    assert result.returncode == 71, result.stderr
    assert "2000000 rows of 100 features do not fit into memory" in result.stderr
    assert names_in(tmp_path) == before
