"""Long work: the GIL is free, Ctrl-C stops it, progress is shown where somebody looks, memory is not wasted."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest
from conftest import IS_SANITIZED

import lacuna
from lacuna import _progress

BUSY = """
import numpy as np, lacuna, sys, time
class Endless:
    def fit(self, X, y=None):
        while True:
            np.linalg.norm(X)
    def score_samples(self, X):
        return np.zeros(len(X))
    predict_proba = score_samples
random = np.random.default_rng(0)
X = random.normal(size=(400_000, 8))
y = np.where(random.uniform(size=len(X)) < 0.5, (X[:, 0] > 0).astype(int), -1)
"""
WORK = {
    "fit": "lacuna.ReliableClassifier(density=lacuna.VariationalGaussianMixture(tolerance=0, max_iterations=100_000)).fit(X, y)",
    "kde": "lacuna.ReliableClassifier(density='kde').fit(X, y)",
    "predict": "m = lacuna.ReliableClassifier(conditional='densities', density=lacuna.KernelDensity(kde_tolerance=0)).fit(X[::100], y[::100])\n"
    "print('go', flush=True)\nm.predict(np.tile(X, (5, 1)))",
    "density": "lacuna.VariationalGaussianMixture(tolerance=0, max_iterations=100_000).fit(X)",
    "python": "lacuna.ReliableClassifier(density=Endless()).fit(X[::4], y[::4])",
    "stack": "lacuna.ReliableClassifier().fit(X, y)",
    "vae": "lacuna.VariationalAutoencoder(vae_likelihood='gaussian').fit(np.tile(X, (1, 20)))",
    "wide": "W = random.normal(size=(300, 5000))\n"
    "print('go', flush=True)\nlacuna.ReliableClassifier().fit(W, np.resize([0, 1, -1], 300))",
    "pca": "W = random.normal(size=(2000, 3000))\n"
    "print('go', flush=True)\nlacuna.ReliableClassifier(features='pca:2').fit(W, np.resize([0, 1, -1], 2000))",
    # Again and again: on a fast machine once is over before Ctrl-C is pressed.
    "reliability": "P = np.full((16_000_000, 2), 0.5)\ntruth = np.resize([0, 1], len(P))\n"
    "print('go', flush=True)\nwhile True: lacuna.reliability(truth, P)",
    "members": "lacuna.ReliableClassifier(conditional=[Endless()], threads=3).fit(X[::1000], y[::1000])",
}


def start(program, **options):
    def default_signals():  # a test run in the background may have them ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)

    return subprocess.Popen(
        [sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, preexec_fn=default_signals, text=True, **options
    )


def processor_seconds(process):
    """Of all its threads together."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_stops_it(name):
    call = WORK[name] if "go" in WORK[name] else f"print('go', flush=True)\n{WORK[name]}"
    process = start(
        f"{BUSY}\ntry:\n    " + call.replace("\n", "\n    ") + "\nexcept KeyboardInterrupt:\n    print('stopped', flush=True)\n"
        "print(lacuna.KernelDensity().fit(X[:50]).score_samples(X[:1]).shape)",
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout.readline() == "go\n"
    time.sleep(1.5)
    pressed, worked = time.monotonic(), processor_seconds(process)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    # On a machine that does other things the seconds are those that the process had.
    waited = min(time.monotonic() - pressed, processor_seconds(process) - worked)
    out = process.stdout.read()  # communicate() would lose what readline() has read ahead
    assert process.wait(timeout=60) == 0 and out == "(1,)\n", out  # and the process works on
    assert waited < 1.0 or IS_SANITIZED  # which takes its time for each block of rows


def test_the_gil_is_free():
    X = np.random.default_rng(0).normal(size=(200_000, 5))
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    lacuna.VariationalGaussianMixture(tolerance=0, max_iterations=20).fit(X)
    end = time.monotonic()
    done.set()
    thread.join()
    inside = [t for t in ticks if begin < t < end]
    assert len(inside) > 5 and np.diff([begin, *inside, end]).max() < 0.5 * (end - begin)


def test_fits_from_several_threads():
    X = np.random.default_rng(0).normal(size=(500, 2))
    y = np.where(np.arange(500) % 3 == 0, -1, (X[:, 0] > 0).astype(int))
    expected = lacuna.ReliableClassifier().fit(X, y).error_probability(X)
    found = [None] * 6

    def work(i):
        found[i] = lacuna.ReliableClassifier().fit(X, y).error_probability(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in found:
        np.testing.assert_array_equal(result, expected)


SLOW = """
import time, numpy as np, lacuna
class Slow:
    def fit(self, X):
        time.sleep(0.8)
    def score_samples(self, X):
        return -0.5 * (X ** 2).sum(axis=1)
X = np.random.default_rng(0).normal(size=(60, 1))
lacuna.ReliableClassifier(conditional="densities", density=Slow(), kappa=0, shrinkage=0, draws=1, verbose=%s).fit(X, np.resize([0, 1, -1], 60))
"""


def terminal_output(verbose):
    """What appears on a terminal."""
    ours, theirs = pty.openpty()
    process = start(SLOW % verbose, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait() == 0, text
    return text.decode()


def test_a_bar_on_a_terminal_after_two_seconds():
    text = terminal_output("None")
    assert "final models [" in text and " 50 %" in text
    seconds = [int(part.split()[-1]) for part in text.split(" s")[:-1]]
    assert min(seconds) >= 2
    assert text.endswith("\r\x1b[K")  # it is gone in the end
    assert terminal_output("False") == ""


def test_silence_elsewhere_unless_asked_for():
    for verbose, lines in (("None", False), ("True", True)):
        process = start(SLOW % verbose, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
        assert ("final models [" in err) is lines, err


def test_a_bar_in_a_notebook(monkeypatch):
    """A stand-in for IPython, with the two calls of it that the bar makes."""
    shown = []

    class Handle:
        def update(self, data, raw):
            assert raw
            shown.append(data["text/plain"])

    def display(data, raw, display_id):
        assert raw and display_id
        shown.append(data["text/plain"])
        return Handle()

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    module = types.ModuleType("IPython.display")
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    with _progress.progress(True) as report:
        report("EM", 1, 4)
        time.sleep(0.15)
        report("EM", 2, 4)
    assert shown == ["EM [######..................] 25 %, 0 s", "EM [############............] 50 %, 0 s", ""]


def peak_of(program):
    """How far a process's peak memory rose during the last line of a program, in bytes."""
    *before, last = program.strip().splitlines()
    text = "\n".join(
        [
            *before,
            "import re",
            "size = lambda key: 1024 * int(re.search(key + r':\\s+(\\d+)', open('/proc/self/status').read())[1])",
            "open('/proc/self/clear_refs', 'w').write('5')  # forget the peak so far",
            "start = size('VmRSS')",
            last,
            "print(size('VmHWM') - start)",
        ]
    )
    result = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return int(result.stdout)


# 60,000 rows of 100 features: 48 MB. What a fit needs of its own, per row and per block of rows, is far less. A stack takes samples of at
# most 20,000 rows as well, which this table is too small to hide.
MEMORY = """
import numpy as np, lacuna
X = np.zeros((60_000, 100)%s)
X += np.random.default_rng(0).normal(size=100)
X[:, 0] = np.arange(60_000) %% 97
X[:, 1] = np.arange(60_000) %% 89
y = np.where(np.arange(60_000) %% 5 == 0, (X[:, 0] > 40).astype(int), -1)
density = lacuna.VariationalGaussianMixture(components=2, covariance="diagonal", max_iterations=3).fit(X[:500].copy())
model = lacuna.ReliableClassifier(conditional="densities", density=density, draws=1, kappa=0).fit(X[:500].copy(), y[:500])
"""
SIZE = 60_000 * 100 * 8


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer has memory of its own")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", ["model.fit(X, y)", "model.predict(X)", "density.fit(X)", "density.score_samples(X)"])
def test_no_copy_of_x(call):
    assert peak_of(MEMORY % "" + call) < 0.3 * SIZE
    converted = peak_of(MEMORY % ", order='F'" + call)
    assert 0.9 * SIZE < converted < 1.3 * SIZE  # once, and the measure does see copies


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer has memory of its own")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", ["model.predict(Y)", "model.predict_proba(Y)"])
def test_float32_is_never_a_whole_table_of_float64(call):
    rows = MEMORY % "" + "Y = X.astype('float32')\n"
    assert peak_of(rows + call) < 0.4 * SIZE  # blocks of 2,097,152 numbers, 16 MB of 48
    assert peak_of(rows + call.replace("Y", "Y.astype(float)")) > 0.9 * SIZE


def test_float32_rows_are_scored_as_the_same_numbers_in_float64():
    random = np.random.default_rng(0)
    X = random.normal(size=(30_000, 3)).astype(np.float32)
    y = np.where(random.uniform(size=300) < 0.5, (X[:300, 0] > 0).astype(int), -1)
    model = lacuna.ReliableClassifier(conditional="densities", draws=1).fit(X[:300], y)
    X[7, 1] = np.nan
    exact = model._score_rows(X.astype(np.float64))
    for rows in (X, np.asfortranarray(X), X[::-1][::-1]):
        for found, expected in zip(model._score_rows(rows), exact):
            np.testing.assert_array_equal(found, expected)


def test_import_is_quick_and_brings_no_torch():
    program = "import sys, lacuna; print('torch' in sys.modules, 'sklearn' in sys.modules, len(dir(lacuna)) > 8)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False", "True"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        lacuna.nonsense
