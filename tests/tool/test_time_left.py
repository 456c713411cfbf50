"""When a stage ends, as the progress bar says it: nothing, or the truth nearly, and never a jump."""

import os
import re
import subprocess
import time

import numpy as np
import pytest
from cli_tool import blobs, on_a_terminal, run

PROBE = os.environ["LACUNA_TIME_LEFT_PROBE"]


def ask(lines):
    result = subprocess.run([PROBE], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = result.stdout.split("\n")[:-1]
    assert len(answers) == len(lines)
    return answers


def watch(times, shares, stage="work"):
    """What is said at each time; NaN where nothing is."""
    answers = ask([f"{stage} {share!r} {now!r}" for now, share in zip(times.tolist(), shares.tolist())])
    return np.array([np.nan if answer == "-" else float(answer) for answer in answers])


def is_a_countdown(times, left):
    """Between two things said without a silence between them, as much time passes as is said."""
    both = ~np.isnan(left[1:]) & ~np.isnan(left[:-1])
    return np.allclose((left[:-1] - left[1:])[both], np.diff(times)[both], atol=1e-4)


@pytest.mark.parametrize("seconds", [8.0, 60.0, 3600.0, 40 * 3600.0])
def test_even_work_is_known_soon_and_exactly(seconds):
    times = np.linspace(0.0, seconds, 2000)
    left = watch(times, times / seconds)
    said = ~np.isnan(left)
    assert np.allclose(left[said], (seconds - times)[said], atol=1e-3)
    assert said[(times > max(4.0, 0.03 * seconds)) & (times < seconds - 1.1)].all()
    assert not said[times < 3.0].any()


def test_uneven_work_counts_down_near_the_truth():
    errors, n_said = [], []
    for seed in range(20):
        steps = np.random.default_rng(seed).lognormal(0.0, 0.8, 400)  # a fifth of them take twice the median
        times = np.concatenate([[0.0], np.cumsum(steps)]) * 120.0 / steps.sum()
        left = watch(times, np.linspace(0.0, 1.0, 401))
        assert is_a_countdown(times, left)
        said = ~np.isnan(left)
        n_said.append(said.mean())
        errors.extend((np.abs(left - (120.0 - times)) / np.maximum(120.0 - times, 10.0))[said])
    assert min(n_said) > 0.4
    assert np.quantile(errors, 0.95) < 0.35 and max(errors) < 1.0


def test_work_that_gets_slower_is_not_known_until_it_is_even_again():
    # Half of the steps take 10 s, the others 100 s.
    times = np.concatenate([np.linspace(0.0, 10.0, 200), np.linspace(10.0, 110.0, 201)[1:]])
    shares = np.linspace(0.0, 1.0, 400)
    left = watch(times, shares)
    assert is_a_countdown(times, left)
    assert np.isnan(left[(times > 20.0) & (times < 30.0)]).all()  # what was said has turned out wrong
    late = (times > 90.0) & (times < 108.0)
    assert (~np.isnan(left[late])).mean() > 0.8
    assert np.nanmax(np.abs(left - (110.0 - times))[late]) < 6.0


def test_work_that_stops_is_not_known():
    lines = [f"work {i / 1000!r} {0.1 * i!r}" for i in range(200)]
    answers = ask([*lines, "? 19.95", "? 25", "? 1000"])
    assert answers[-3] != "-" and answers[-2:] == ["-", "-"]


def test_a_new_stage_begins_anew():
    lines = [f"one {i / 100!r} {0.1 * i!r}" for i in range(90)] + [f"two {i / 1000!r} {9 + 0.1 * i!r}" for i in range(200)]
    answers = ask(lines)
    assert answers[80] != "-"
    assert set(answers[90:119]) == {"-"}
    assert abs(float(answers[-1]) - 80.0) < 0.5
    again = ask(lines[:90] + [f"one {i / 1000!r} {9 + 0.1 * i!r}" for i in range(20)])
    assert set(again[90:]) == {"-"}


def test_what_nobody_can_know_is_not_said():
    weeks = np.linspace(0.0, 40000.0, 400)
    assert np.isnan(watch(weeks, 0.05 * weeks / weeks[-1])).all()  # nine days
    nothing_done = np.linspace(0.0, 100.0, 50)
    assert np.isnan(watch(nothing_done, np.zeros(50))).all()
    few_steps = np.array([0.0, 10.0, 20.0, 30.0])
    assert np.isnan(watch(few_steps, np.array([0.0, 0.25, 0.5, 0.75]))).all()


def test_durations_in_words():
    seconds = [1.2, 9.4, 13.0, 61.0, 100.0, 3000.0, 9000.0, 90000.0]
    words = ["1 s", "9 s", "15 s", "60 s", "2 min", "50 min", "3 h", "25 h"]
    assert ask([f"= {value}" for value in seconds]) == words


# --- A real run

PREDICT = ("predict", "model", "data.csv", "-o", "out.csv", "--force", "--threads", "1")


@pytest.fixture(scope="module")
def long_work(tmp_path_factory):
    """A folder with a model and a table that takes this machine about ten seconds to predict."""
    folder = tmp_path_factory.mktemp("long")
    blobs(n=5000).drop(columns="group").to_csv(folder / "train.csv", index=False)
    fit = ("--label", "answer", "--drop", "town", "--conditional", "densities", "--density", "kde", "--kde-tolerance", "0")
    run("fit", "train.csv", "-o", "model", *fit, "--draws", "1", cwd=folder)
    head, *rows = blobs(n=1000, seed=3).drop(columns=["answer", "group"]).to_csv(index=False).splitlines(keepends=True)
    copies = 8
    while True:
        (folder / "data.csv").write_text(head + "".join(rows) * copies)
        start = time.perf_counter()
        run(*PREDICT, cwd=folder)
        seconds = time.perf_counter() - start
        if seconds > 2.0:
            break
        copies *= 2
    (folder / "data.csv").write_text(head + "".join(rows) * round(copies * 12.0 / seconds))
    return folder


def test_the_bar_says_when_it_ends(long_work):
    start = time.perf_counter()
    text = on_a_terminal(*PREDICT, cwd=long_work)
    seconds = time.perf_counter() - start
    bars = re.findall(r"\r\x1b\[K(scoring[^\r]*)", text)
    assert len(bars) > 20
    said = [re.search(r", (\d+) s, this stage ends in about (\d+) (s|min)$", bar) for bar in bars]
    said = [match for match in said if match]
    assert said, bars[-1]
    for match in said:
        left = int(match[2]) * (1 if match[3] == "s" else 60)
        assert int(match[1]) >= 3
        assert left < 3.0 * seconds, (match[0], seconds)  # a machine that others use, too
    assert max(map(len, bars)) < 100


def test_quiet_says_nothing(long_work):
    assert on_a_terminal(*PREDICT, "--quiet", cwd=long_work) == ""
