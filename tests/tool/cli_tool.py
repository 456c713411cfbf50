"""Runs the command-line tool the way a user does. LACUNA_CLI names the binary."""

import os
import pty
import signal
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd

BINARY = os.environ["LACUNA_CLI"]
IS_SANITIZED = any(mark in Path(BINARY).read_bytes() for mark in (b"__asan_init", b"__tsan_init"))


def default_signals():
    # A test run in the background may have them ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def start(*arguments, cwd, **options):
    return subprocess.Popen(
        [BINARY, *map(str, arguments)],
        cwd=cwd,
        text=True,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=options.pop("stderr", subprocess.PIPE),
        preexec_fn=default_signals,
        **options,
    )


def run(*arguments, cwd, code=0, **options):
    """Runs to the end and checks the exit code."""
    process = start(*arguments, cwd=cwd, **options)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, f"exit {process.returncode}, not {code}\n{out}\n{err}"
    return subprocess.CompletedProcess(arguments, code, out, err)


def on_a_terminal(*arguments, cwd):
    """All that a terminal is sent."""
    leader, terminal = pty.openpty()
    with subprocess.Popen([BINARY, *arguments], cwd=cwd, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        text = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
    os.close(leader)
    assert process.returncode == 0, text
    return text.decode()


def blobs(n=300, seed=1, labeled=0.4, classes=("no", "yes")):
    """A table with two numbers, a word, and labels for some of the rows."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "height": random.normal(size=n) + 4.0 * truth,
            "weight": random.normal(size=n),
            "town": random.choice(["Aachen", "Bremen, Nord", "Köln"], n),
            "answer": np.array(classes, dtype=object)[truth],
        }
    )
    frame["group"] = np.where(frame["height"] > 2.0, "high", "low")
    hidden = random.uniform(size=n) > labeled
    frame.loc[hidden, "answer"] = np.nan
    return frame


def fitted_folder(tmp_path_factory, test_name):
    """A folder with train.csv as pandas writes it, a table to predict, and a model fitted with no flag beyond --label."""
    folder = tmp_path_factory.mktemp("fitted")
    blobs().drop(columns="group").to_csv(folder / "train.csv", index=False)
    blobs(seed=2, labeled=1.0).to_csv(folder / test_name, index=False)
    run("fit", "train.csv", "-o", "model", "--label", "answer", cwd=folder)
    return folder


def names_in(folder):
    return sorted(path.name for path in Path(folder).iterdir())
