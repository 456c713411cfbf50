"""The study (bench/study): measures against closed forms and lacuna's own, rules that keep their promises, runs that can be killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lacuna

FOLDER = Path(__file__).resolve().parents[2] / "bench" / "study"
sys.path.insert(0, str(FOLDER))

import datasets  # noqa: E402
import measures  # noqa: E402
import rules  # noqa: E402
from calibrated import Temperature  # noqa: E402
from case import Case  # noqa: E402
from cells import Cell, is_finished, run, write  # noqa: E402
from data_table import DataTable, tidy  # noqa: E402
from peers import MAIN, PEERS, importance_weights, probabilities_of  # noqa: E402
from results import Results  # noqa: E402
from settings import CHOOSING_TABLES, SETTINGS, prepared, purpose, shares_of  # noqa: E402

NOWHERE = ("/nonexistent",)


# Measures

def random_answers(random, n, n_classes):
    probabilities = random.dirichlet(np.full(n_classes, 0.7), n)
    prediction = probabilities.argmax(axis=1)
    return random.integers(0, n_classes, n), probabilities, prediction, 1.0 - probabilities[np.arange(n), prediction]


@pytest.mark.parametrize("n_classes", [2, 5])
def test_measures_are_those_of_lacuna(n_classes):
    random = np.random.default_rng(0)
    y, probabilities, prediction, q = random_answers(random, 700, n_classes)
    probabilities[:50] = 1.0 / n_classes  # q is an edge of a bin, up to rounding
    prediction[:50], q[:50] = random.integers(0, n_classes, 50), 1.0 - 1.0 / n_classes
    y[:n_classes] = np.arange(n_classes)
    depth = random.normal(size=700)
    strata = np.where(depth > 0, "seldom", "common")
    theirs = lacuna.reliability(y, probabilities, prediction=prediction, error_probability=q, classes=range(n_classes), strata=strata)
    ours = measures.measure_parts(depth, y, probabilities, prediction, q)
    for part, metrics in (("all", theirs.metrics), ("common", theirs.strata["common"]), ("seldom", theirs.strata["seldom"])):
        for name in set(measures.NAMES) - {"ece_by_chance"}:
            assert ours[part][name] == pytest.approx(metrics[name], abs=1e-12), (part, name)


def test_measures_of_a_fair_coin_have_closed_forms():
    half = np.full((4, 2), 0.5)
    found = measures.measure(np.array([0, 1, 0, 1]), half, np.zeros(4, int), np.full(4, 0.5))
    # The mean of |B - 2| / 4 for B of 4 coins is 3/16; a mean of 50 draws is this near but for 1 time in a million.
    assert found.pop("ece_by_chance") == pytest.approx(3.0 / 16.0, abs=0.12)
    assert found == pytest.approx({
        "n": 4, "error_rate": 0.5, "mean_error_probability": 0.5, "ece": 0.0, "overconfidence": 0.0, "underconfidence": 0.0,
        "brier_error": 0.25, "brier": 0.5, "nll": np.log(2.0),
    })  # fmt: skip


def test_what_chance_shows_of_calibration():
    lot = np.random.default_rng(1)
    q = lot.random(400)
    drawn = []
    for _ in range(400):
        y = (lot.random(400) < q).astype(int)  # class 0 is announced, and wrong with probability q
        drawn.append(measures.measure(y, np.column_stack([1.0 - q, q]), np.zeros(400, int), q)["ece"])
    chance = measures.measure(np.zeros(400, int), np.column_stack([1.0 - q, q]), np.zeros(400, int), q)["ece_by_chance"]
    # Means of 50 and of 400 draws: the false-alarm level of 5 standard errors is below 1e-6.
    assert abs(chance - np.mean(drawn)) < 5.0 * np.std(drawn) * np.sqrt(1.0 / 50.0 + 1.0 / 400.0)


def test_measures_of_a_wrong_certainty():
    found = measures.measure(np.array([1, 1, 0, 0]), np.tile([1.0, 0.0], (4, 1)), np.zeros(4, int), np.zeros(4))
    assert found["overconfidence"] == found["ece"] == found["brier_error"] == 0.5
    assert found["nll"] == np.inf and found["brier"] == 1.0


def test_the_deepest_tenth():
    depth = np.arange(100.0) - 50
    parts = measures.parts_of(depth)
    assert parts["seldom"].sum() == 49 and parts["common"].sum() == 51
    assert np.flatnonzero(parts["deepest"]).tolist() == list(range(90, 100))
    assert set(measures.parts_of(np.full(5, -1.0))) == {"all", "common"}
    tied = np.array([0.0] * 50 + [1.0] * 50)
    assert measures.parts_of(tied)["deepest"].sum() == 50  # as deep as the last one of the tenth


# Rules

def table_of(n=2000, seed=0):
    """Numbers, one of them with gaps, categories, three classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    X = pd.DataFrame({"a": random.normal(size=n) + 3 * y, "b": random.exponential(size=n), "c": random.normal(size=n)})
    X["town"] = random.choice(["x", "y", "z", "w"], n).astype(object)
    X.loc[random.random(n) < 0.1, ["b", "town"]] = np.nan
    return DataTable("made up", X, y)


@pytest.mark.parametrize("rule", rules.RULES)
def test_a_rule_is_a_function_of_the_features_and_leaves_both_sides(rule):
    table = table_of()
    for seed in range(5):
        depth = rules.draw(rule, table, np.random.default_rng(seed))
        assert np.isfinite(depth).all()
        assert rules.LEAST <= (depth > 0).mean() <= rules.MOST
        if rule != "class-region":  # whose region is drawn by a vote, a function of x once the voters are given
            relabeled = DataTable("made up", table.X, table.y[::-1].copy())
            assert (rules.draw(rule, relabeled, np.random.default_rng(seed)) == depth).all()


def test_a_row_does_not_vote_for_itself():
    """Every row alone in its class, far from all others: without its own vote nobody votes for it."""
    Z = np.arange(40.0)[:, None]
    is_rare = np.zeros(40, bool)
    is_rare[7] = True
    votes = rules.neighbour_votes(Z, is_rare, np.random.default_rng(0))
    assert votes[7] == 0.0 and votes[6] > 0.0 and votes[8] > 0.0


def test_labels_are_seen_with_the_promised_probabilities():
    """False alarms: 1e-6 for each of the two counts (exact binomial tails), for a fixed seed decided once and for all."""
    from scipy.stats import binom

    depth = np.random.default_rng(3).normal(size=200_000)
    hidden = rules.hide(depth, (0.2, 0.002), seed=0)
    assert sorted(np.concatenate([hidden.train, hidden.test]).tolist()) == list(range(len(depth)))
    for is_seldom, share in ((False, 0.2), (True, 0.002)):
        rows = (depth[hidden.train] > 0) == is_seldom
        n, seen = rows.sum(), hidden.seen[rows].sum()
        assert binom.ppf(0.5e-6, n, share) <= seen <= binom.isf(0.5e-6, n, share)
    never = rules.hide(depth, (0.2, 0.0), seed=0)
    assert not never.seen[depth[never.train] > 0].any()
    assert (never.train == hidden.train).all()  # the severity changes who is labeled, not who is tested


def test_the_eight_settings(tmp_path):
    """Written down a second time: half of the rows test; 20 % and 0.2 % of the labels, or 10 % by lot; one stream for both draws."""
    random = np.random.default_rng(5)
    n = 999
    adult = pd.DataFrame({"age": random.integers(17, 90, n), "education_num": random.integers(1, 17, n), "job": random.choice(["a", "b"], n)})
    adult["income"] = random.choice(["<=50K", ">50K"], n)
    adult.to_csv(tmp_path / "adult.csv.gz", index=False)
    for name, common in (("adult-age", adult.age >= 38), ("adult-edu", adult.education_num <= 10), ("adult-mcar", None)):
        for seed in range(2):
            table, hidden, _ = prepared(SETTINGS[name], seed, (str(tmp_path),), str(tmp_path))
            stream = np.random.default_rng(seed)
            order = stream.permutation(n)
            train, test = order[: n // 2], order[n // 2 :]
            often = np.ones(n, bool) if common is None else common.to_numpy()
            seen = stream.random(len(train)) < np.where(often[train], 0.1 if common is None else 0.2, 0.002)
            assert (hidden.train == train).all() and (hidden.test == test).all() and (hidden.seen == seen).all()
            assert ((hidden.depth <= 0) == often).all()
            assert (table.y == (adult.income == ">50K")).all() and table.X["job"].dtype == object


def test_the_other_thresholds_of_the_eight():
    found = {name: SETTINGS[name].threshold for name in ("credit-limit", "credit-pay", "htru2-mean")}
    assert found == {"credit-limit": ("LIMIT_BAL", ">=", 140000), "credit-pay": ("PAY_0", "<=", 0), "htru2-mean": ("meanprof", "<=", 115)}
    assert [s.name for s in SETTINGS.values() if s.group == "eight" and s.rule == "lot"] == ["adult-mcar", "credit-mcar", "htru2-mcar"]


def test_test_rows_are_never_labeled_in_training():
    for name in ("wine/half-space/strong", "mixed/class-region/mild", "quadrants", "blobs-3x5/clusters/never"):
        _, hidden, shares = prepared(SETTINGS[name], 1, NOWHERE, "/nonexistent")
        assert not set(hidden.train) & set(hidden.test) and len(hidden.seen) == len(hidden.train)
        if shares[1] == 0.0:
            assert not hidden.seen[hidden.depth[hidden.train] > 0].any()


def test_shares_of_small_and_large_tables():
    half_space = SETTINGS["iris/half-space/strong"]
    assert shares_of(half_space, 75) == (0.5, 0.005) and shares_of(half_space, 1000) == pytest.approx((0.3, 0.003))
    assert shares_of(half_space, 3000) == (0.2, 0.002) and shares_of(SETTINGS["iris/lot"], 3000) == (0.1, 0.1)


def test_no_cell_both_chooses_and_reports():
    seen = {"choosing": set(), "reporting": set()}
    for setting in SETTINGS.values():
        for seed in range(8):
            which = purpose(setting, seed)
            if which is not None:
                seen[which].add((setting.name, seed))
                is_shared = setting.group in ("eight", "toys")
                assert is_shared or (which == "choosing") == (setting.table in CHOOSING_TABLES)
    assert not seen["choosing"] & seen["reporting"]
    assert {seed for name, seed in seen["choosing"]} == {0, 1}
    assert {seed for name, seed in seen["reporting"] if SETTINGS[name].group == "eight"} == set(range(2, 8))


# Tables and methods

def test_a_frame_becomes_a_table():
    frame = pd.DataFrame({"n": [1, 2, 3], "w": ["u", None, "v"], "o": pd.Categorical(["lo", "hi", None], ["lo", "hi"], ordered=True),
                          "flag": [True, False, True], "label": ["b", "a", None]})  # fmt: skip
    table = tidy(frame, "label", "made up")
    assert table.y.tolist() == [1, 0] and table.n_classes == 2
    assert table.X["n"].tolist() == [1.0, 2.0] and table.X["o"].tolist() == [0.0, 1.0]
    assert table.X["w"].dtype == object and table.X["w"].isna().tolist() == [False, True] and table.X["flag"].tolist() == ["True", "False"]


def test_simulated_tables_follow_the_seed():
    for name in ("quadrants", "mixed", "noise-8"):
        first, again, other = (datasets.load(name, seed, NOWHERE, None) for seed in (3, 3, 4))
        pd.testing.assert_frame_equal(first.X, again.X)
        assert (first.y == again.y).all() and not first.X.equals(other.X)


def case_of(n=300, seed=0):
    table = table_of(n, seed)
    hidden = rules.hide(rules.one_sided(table.X["c"], "<=", 0.5), (0.5, 0.05), seed)
    y = np.where(hidden.seen, table.y[hidden.train], -1)
    return Case(table.X.iloc[hidden.train].reset_index(drop=True), y, 4, seed), table.X.iloc[hidden.test]  # nobody has seen class 3


QUICK = [name for name in PEERS if not name.startswith(("forest", "xgboost", "mlp", "m2"))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUICK)
def test_peers_take_mixed_tables_with_gaps(name):
    case, X = case_of()
    model, note = PEERS[name](case)
    probabilities = probabilities_of(model, X, 4)
    assert np.isfinite(probabilities).all() and np.allclose(probabilities.sum(axis=1), 1.0) and (probabilities[:, 3] == 0.0).all()
    assert probabilities[:, :3].max(axis=1).mean() > 0.4  # it has learned something: the classes are three units apart
    assert note is None


def test_samples_keep_unlabeled_rows():
    case, _ = case_of(2000)
    thinned = case.thinned(200)
    assert len(thinned.y) == len(thinned.X) == 200 and (thinned.y >= 0).sum() == 100
    assert case.thinned(10_000) is case


def test_temperature_finds_what_was_wrong():
    """Logits three times too large: the temperature that mends them is 3. Standard error about 0.1 at 4,000 rows."""
    random = np.random.default_rng(0)
    x = random.normal(size=4000) * 2.0
    y = (random.random(4000) < 1.0 / (1.0 + np.exp(-x))).astype(int)

    class TooSure:
        classes_ = np.array([0, 1])

        def get_params(self, deep=False):
            return {}

        def fit(self, X, y):
            return self

        def predict_proba(self, X):
            p = 1.0 / (1.0 + np.exp(-3.0 * X["x"].to_numpy()))
            return np.column_stack([1.0 - p, p])

    # Probabilities below the floor of the logarithms bend it a little.
    assert Temperature(TooSure()).fit(pd.DataFrame({"x": x}), y, 0).temperature_ == pytest.approx(3.0, rel=0.15)


def test_importance_weights_are_larger_where_labels_are_seldom():
    random = np.random.default_rng(1)
    X = pd.DataFrame({"x": random.normal(size=4000)})
    y = np.where(random.random(4000) < np.where(X["x"] > 0, 0.05, 0.5), 1, -1)
    weights = importance_weights(Case(X, y, 2, 0))
    side = X["x"][y >= 0] > 0
    assert weights[side].mean() / weights[~side].mean() == pytest.approx(10.0, rel=0.4)  # the ratio of the two shares


# Cells

def test_records_appear_complete_and_what_failed_is_tried_again(tmp_path):
    cell = Cell("iris/lot", 0, "logistic")
    assert not is_finished(cell, tmp_path, 10)
    write(cell, tmp_path, failed="why")
    assert not is_finished(cell, tmp_path, 10)
    write(cell, tmp_path, over_limit=10)
    assert is_finished(cell, tmp_path, 10) and not is_finished(cell, tmp_path, 20)
    cell.path(tmp_path).write_text('{"study"')
    assert not is_finished(cell, tmp_path, 10)
    run(cell, tmp_path, NOWHERE)
    assert is_finished(cell, tmp_path, 10) and os.listdir(cell.path(tmp_path).parent) == ["logistic.json"]


def test_ours_is_run_again_with_other_options(tmp_path):
    cell = Cell("iris/lot", 0, "mine", '{"method": "supervised"}')
    run(cell, tmp_path, NOWHERE)
    assert is_finished(cell, tmp_path, 10)
    assert not is_finished(Cell("iris/lot", 0, "mine", '{"method": "mar"}'), tmp_path, 10)
    record = json.loads(cell.path(tmp_path).read_text())
    cell.path(tmp_path).write_text(json.dumps({**record, "lacuna": {**record["lacuna"], "sum": "another build"}}))
    assert not is_finished(cell, tmp_path, 10)


def test_what_is_not_there_is_recorded(tmp_path):
    assert "no folder of --data" in run(Cell("adult-age", 0, "logistic"), tmp_path, NOWHERE)["absent"]
    assert Results(tmp_path).troubles[0][0] == "adult-age, seed 0, logistic"


# The commands

ARGUMENTS = ["--settings", "wine/half-space/*", "wine/lot", "noise-2", "--seeds", "0-1", "--methods", "logistic", "boosting", "mar", "soft",
             "--ours", 'soft={"draws": "soft"}', "--jobs", "2"]  # fmt: skip
N_CELLS = 5 * 2 * 4


def start(out, **options):
    return subprocess.Popen(
        [sys.executable, "-B", FOLDER / "run", *ARGUMENTS, "--out", out], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def records(out):
    """All records without the seconds, which differ from run to run."""
    found = {}
    for path in sorted(Path(out).glob("cells/**/*.json")):
        record = json.loads(path.read_text())
        del record["seconds"]
        found[str(path.relative_to(out))] = record
    return found


def test_a_killed_run_goes_on_where_it_was_with_the_same_numbers(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    process = start(whole)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    expected = records(whole)
    assert len(expected) == N_CELLS and all("measures" in record for record in expected.values())

    process = start(killed)
    deadline = time.monotonic() + 120
    while len(list(killed.glob("cells/**/*.json"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)  # the workers hold its output open: they have died with it
    left = records(killed)
    assert 4 <= len(left) < N_CELLS and all(expected[name] == record for name, record in left.items())
    times = {path: path.stat().st_mtime_ns for path in killed.glob("cells/**/*.json")}

    process = start(killed)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0 and f"{len(left)} of them are there already" in err
    assert records(killed) == expected
    assert all(path.stat().st_mtime_ns == then for path, then in times.items())

    result = subprocess.run([sys.executable, "-B", FOLDER / "tables", killed, "--judge", "mar"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    page = (killed / "tables.md").read_text()
    assert "## What decides, for `mar`" in page and "### wine/half-space/never" in page and "`soft`" in page
    numbers = json.loads((killed / "tables.json").read_text())
    cells_ = [expected[f"cells/noise-2/seed-{seed}/mar.json"]["measures"]["all"]["brier_error"] for seed in (0, 1)]
    mean, error = numbers["settings"]["noise-2"]["mar"]["all"]["brier_error"]
    assert mean == pytest.approx(np.mean(cells_)) and error == pytest.approx(abs(cells_[0] - cells_[1]) / 2)


def test_tables_hold_means_and_spreads_of_the_seeds_asked_for(tmp_path):
    """Of records by hand: seed 0 has x and seed 1 has x + 0.02; seed 9, left out, would spoil all."""
    for setting, shift in (("adult-age", 0.0), ("iris/lot", 0.1), ("iris/half-space/strong", 0.2), ("wine/half-space/strong", 0.3)):
        for place, method in enumerate(("mar", *MAIN)):
            for seed in (0, 1, 9):
                x = 0.9 if seed == 9 else 0.1 + shift + 0.01 * place + 0.02 * seed
                parts = {part: dict.fromkeys(measures.NAMES, x) for part in ("all", "common", "seldom", "deepest")}
                write(Cell(setting, seed, method), tmp_path, measures=parts, seconds={"fit": 1.0, "predict": 1.0})
    result = subprocess.run([sys.executable, "-B", FOLDER / "tables", tmp_path, "--seeds", "0-1"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "tables.md").read_text()
    assert "| setting | `boosting-isotonic` | `boosting` | `forest` | `logistic` | `mar` |" in page
    assert "| adult-age | 0.1400 ± 0.0141 | 0.1300 ± 0.0141 | 0.1500 ± 0.0141 | 0.1200 ± 0.0141 | 0.1100 ± 0.0141 |" in page
    assert "| mean | 0.1400 | 0.1300 | 0.1500 | 0.1200 | 0.1100 |" in page
    assert "| half-space, strong | `mar` | 2 | 0.360 | 0.360 | 0.360 | 0.360 | 0.360 | 0.360 | 0.360 |" in page
    assert "| half-spaces, clusters, class regions | `forest` | 2 | 0.400 |" in page
    assert "| iris/lot | -0.010 | -0.010 |" in page


@pytest.mark.parametrize("arguments", [["--methods", "nobody"], ["--settings", "nowhere"], ["--ours", "x"], ["--seeds", "a"], ["--what"]])
def test_wrong_use(arguments, tmp_path):
    result = subprocess.run([sys.executable, "-B", FOLDER / "run", *arguments, "--out", tmp_path], capture_output=True, text=True)
    assert result.returncode == 64 and result.stderr.startswith("study: ") and not list(tmp_path.iterdir())


def test_help_has_examples():
    for command in ("run", "tables"):
        result = subprocess.run([sys.executable, "-B", FOLDER / command, "--help"], capture_output=True, text=True)
        assert result.returncode == 0 and "examples:" in result.stdout


def test_main_peers_are_peers():
    assert set(MAIN) <= set(PEERS)
