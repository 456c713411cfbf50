"""Fits to tables in parts: the same model as of the whole table, on Dask's workers, on those that are left, and by MPI."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from conftest import IS_SANITIZED, clouds

import lacuna
from lacuna import _core, distributed
from lacuna.distributed import ListedParts, fit_parts

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "python" / "mpi_fit.py"
sys.path.append(str(ROOT / "tests" / "faults"))
import lost_worker  # noqa: E402


def plain(**options):
    """Densities alone, which are quick to fit, on one thread."""
    return lacuna.ReliableClassifier(**{"conditional": "densities", "random_state": 1, "threads": 1, **options})


def stack(**options):
    """A stack without episodes, which see the rows that are in memory anyway."""
    return plain(conditional="stack", trust="none", **options)


def cut(X, y, *places):
    """Parts of a table that begin at these rows."""
    begins = [0, *places]
    ends = [*places, len(y)]
    rows = X.iloc if hasattr(X, "iloc") else X
    return ListedParts([(rows[a:b], y[a:b]) for a, b in zip(begins, ends)])


def assert_same_model(a, b, X, tolerance):
    for method in ("predict_proba", "error_probability", "log_ratio"):
        np.testing.assert_allclose(getattr(a, method)(X), getattr(b, method)(X), rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(a.informative(X), b.informative(X))
    np.testing.assert_array_equal(a.classes_, b.classes_)
    assert a.informative_weight_ == pytest.approx(b.informative_weight_, rel=tolerance)
    for name in ("n_labeled", "n_unlabeled", "class_counts", "n_informative"):
        assert a.summary_[name] == b.summary_[name]


# Parts in this process


@pytest.fixture(scope="module")
def table():
    return clouds(1500, seed=4, labeled=0.2)[:2]


@pytest.mark.parametrize(
    "classifier",
    [
        plain(),
        stack(),
        stack(region="densities"),
        plain(density="gmm"),
        plain(density="kde"),
        plain(features="pca:2"),
        stack(features="pca:1"),
        plain(method="mcar-em"),
        plain(density=lacuna.VariationalGaussianMixture(own_covariance=True)),
    ],
    ids=["densities", "stack", "stack by densities", "gmm", "kde", "pca", "pca and stack", "mcar-em", "own covariance"],
)
def test_parts_give_the_model_of_the_whole_table(classifier, table):
    X, y = table
    whole = classifier.fit(X, y)
    one = fit_parts(classifier, cut(X, y))
    assert_same_model(one, whole, X, 1e-9)
    # Rows of an empty part, of one row and of others; some parts have no label.
    assert_same_model(fit_parts(classifier, cut(X, y, 300, 300, 301, 1000)), one, X, 1e-9)
    assert one.record_["options"]["memory"] == "1G"


def with_words(X, seed=5):
    """A frame with gaps, long tails, a column of words that have gaps too, and one that not every part has."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(X.copy(), columns=["a", "b"])
    frame["tail"] = np.exp(2.0 * random.normal(size=len(X)))
    frame.loc[random.uniform(size=len(X)) < 0.1, "a"] = np.nan
    frame["word"] = np.where(X[:, 0] > 0, "left", "right").astype(object)
    frame.loc[random.uniform(size=len(X)) < 0.1, "word"] = None
    frame["rare"] = np.where(np.arange(len(X)) < 450, "early", "late")
    return frame


@pytest.mark.parametrize("kind", [plain, stack])
def test_frames_with_words_gaps_and_tails(table, kind):
    X, y = table
    X = with_words(X)
    y = np.where(y < 0, None, np.where(y == 0, "cat", "dog"))
    classifier = kind(missing_label=None)
    whole = classifier.fit(X, y)
    parts = fit_parts(classifier, cut(X, y, 400, 900))
    assert_same_model(parts, whole, X, 1e-9)
    assert list(parts.feature_names_in_) == list(X.columns)
    assert parts.record_["notes"] == whole.record_["notes"] != []


@pytest.mark.parametrize("kind", [plain, stack])
def test_all_rows_may_have_labels(table, kind):
    X = table[0]
    y = np.where(X[:, 0] > 0, 1, 0)
    assert_same_model(fit_parts(kind(), cut(X, y, 500)), kind().fit(X, y), X, 1e-9)


def test_a_sample_is_that_of_the_tool(cli, tmp_path):
    """Where most rows only pass by, parts give what `lacuna fit --memory` gives of the same rows."""
    X, y, _ = clouds(60_000, seed=6, labeled=0.01)
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "labels.csv").write_text("".join(f"{label if label >= 0 else ''}\n" for label in y))
    options = ["--conditional", "densities", "--memory", "1M"]
    cli("fit", "X.npy", "--labels", "labels.csv", "-o", "m", *options)
    tool = lacuna.load(tmp_path / "m")
    with pytest.warns(UserWarning, match="memory 1M is not enough"):
        model = fit_parts(plain(random_state=0), cut(X, y, 17_000, 45_000), memory="1M")
    assert model.record_["summary"]["n_kept_unlabeled"] < 45_000 < model.summary_["n_unlabeled"]
    assert_same_model(model, tool, X[:2000], 1e-9)


def test_the_classifier_itself_stays_as_it_is(table):
    classifier = plain()
    fit_parts(classifier, cut(*table))
    assert not hasattr(classifier, "classes_")


def test_what_is_wrong_is_told_with_its_place(table):
    X, y = table
    bad = X.copy()
    bad[834, 1] = np.inf
    with pytest.raises(ValueError, match=r"part 1 of the table, rows 500 to 999: .*infinity"):
        fit_parts(plain(), cut(bad, y, 500, 1000))
    bad[834, 1] = -2e100
    with pytest.raises(ValueError, match=r"row 834 of X, feature 1: got -2e\+100"):
        fit_parts(plain(), cut(bad, y, 500, 1000))
    bad[834, 1] = np.nan
    with pytest.raises(ValueError, match="part 1 of the table, rows 500 to 999: .*NaN"):
        fit_parts(plain(density="gmm"), cut(bad, y, 500, 1000))
    with pytest.raises(ValueError, match="no row has a label"):
        fit_parts(plain(), cut(X, np.full(len(y), -1), 1000))
    with pytest.raises(ValueError, match="part 1 of the table has 1 columns, the first one 2"):
        fit_parts(plain(), ListedParts([(X, y), (X[:, :1], y)]))
    with pytest.raises(ValueError, match="part 1 of the table: .*inconsistent numbers of samples"):
        fit_parts(plain(), ListedParts([(X, y), (X, y[:-1])]))
    with pytest.raises(ValueError, match="the table has no rows"):
        fit_parts(plain(), ListedParts([]))
    with pytest.raises(ValueError, match="memory"):
        fit_parts(plain(), cut(X, y), memory="much")

    class Own:
        def fit(self, X):
            return self

        def score_samples(self, X):
            return np.zeros(len(X))

    with pytest.raises(TypeError, match="needs all rows in one memory"):
        fit_parts(plain(density=Own()), cut(X, y))


def test_questions_that_are_none_are_refused(table):
    X, _ = table
    with pytest.raises(ValueError, match="a question"):
        _core.count_part(b"no question", X, 0, np.empty(0, dtype=np.int64), 0)


# Dask


def refuse_sanitizers():
    if IS_SANITIZED:
        pytest.skip("programs that start others under a sanitizer take minutes; what these call is tested above")


@pytest.fixture(scope="module")
def client():
    refuse_sanitizers()
    with lost_worker.cluster(4) as client:
        yield client


@pytest.fixture(scope="module")
def made():
    """A table that workers make, and its rows."""
    X, y = lost_worker.table()
    return X, y, X.compute(scheduler="sync"), y.compute(scheduler="sync")


def test_four_workers_one_worker_and_none(client, made):
    X, y, rows, labels = made
    classifier = lacuna.ReliableClassifier(random_state=1)
    four = distributed.fit(classifier, X, y, client=client)
    with lost_worker.cluster(1) as alone:
        one = distributed.fit(classifier, X, y, client=alone)
    np.testing.assert_array_equal(four.predict_proba(rows), one.predict_proba(rows))
    assert four.summary_ == one.summary_
    assert_same_model(four, classifier.fit(rows, labels), rows, 1e-9)


def test_frames(client, table):
    X, y = table
    frame = with_words(X).assign(y=y)
    lazy = dd.from_pandas(frame, npartitions=3)
    X, lazy_X = frame.drop(columns="y"), lazy.drop(columns="y").astype({"word": "category"})
    model = distributed.fit(plain(), lazy_X, lazy["y"], client=client)
    assert_same_model(model, plain().fit(X, y), X, 1e-9)
    told = distributed.predict_proba(model, lazy_X)
    assert list(told.columns) == list(told.compute().columns) == [0, 1]
    np.testing.assert_array_equal(told.compute(), model.predict_proba(X))
    error = distributed.error_probability(model, lazy_X).compute()
    np.testing.assert_array_equal(error, model.error_probability(X))
    assert error.index.equals(X.index) and error.name == "error_probability"
    some = lazy_X[lazy_X["a"] > 1e9]  # every partition is empty
    assert len(distributed.predict(model, some).compute()) == 0


def test_predictions_are_those_of_the_model(client, made):
    X, y, rows, labels = made
    model = plain().fit(rows, labels)
    for method in ("predict", "predict_proba", "error_probability", "informative", "log_ratio"):
        lazy = getattr(distributed, method)(model, X)
        expected = getattr(model, method)(rows)
        assert lazy.shape == expected.shape and lazy.dtype == expected.dtype
        np.testing.assert_array_equal(lazy.compute(), expected)


def test_the_dashboard_names_the_stages(client, made):
    distributed.fit(plain(), *made[:2], client=client).predict(made[2])
    distributed.error_probability(plain().fit(made[2], made[3]), made[0]).compute()
    known = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    expected = {f"lacuna-{stage.replace(' ', '-')}" for stage in lost_worker.STAGES}
    assert expected | {"lacuna-error-probability"} <= set(known)


def test_an_error_of_a_worker_is_that_of_the_fit(client, made):
    X, y = made[:2]
    with pytest.raises(ValueError, match=r"part \d of the table, rows \d+ to \d+: Input X contains infinity"):
        distributed.fit(plain(), da.where(X > 2.0, np.inf, X), y, client=client)


def test_what_is_not_of_dask_is_refused(client, made):
    X, y, rows, labels = made
    with pytest.raises(TypeError, match="X: got ndarray"):
        distributed.fit(plain(), rows, y, client=client)
    with pytest.raises(TypeError, match="y: got ndarray"):
        distributed.fit(plain(), X, labels, client=client)
    with pytest.raises(ValueError, match="X: got an array with 1 axes"):
        distributed.fit(plain(), y, y, client=client)
    with pytest.raises(TypeError, match="X: got ndarray"):
        distributed.predict(plain().fit(rows, labels), rows)
    frame = dd.from_dask_array(X, columns=["a", "b"])
    with pytest.raises(ValueError, match="X has 5 partitions and y has 3"):
        distributed.fit(plain(), frame, y.rechunk(500), client=client)


def test_other_chunks_are_cut_anew(client, made):
    X, y, rows, labels = made
    model = distributed.fit(plain(), X.rechunk((500, 1)), y.rechunk(400), client=client)
    assert_same_model(model, plain().fit(rows, labels), rows, 1e-9)
    assert distributed.predict_proba(model, X.rechunk((500, 1))).compute().shape == (1500, 2)


def test_ctrl_c_ends_a_fit(client, made):
    """Within seconds, though the fit would take for ever; the cluster goes on."""
    endless = lacuna.VariationalGaussianMixture(components=9, max_iterations=10**8, tolerance=0)
    key = threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT])
    key.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        distributed.fit(plain(density=endless), *made[:2], client=client)
    assert time.monotonic() - started < 30
    assert client.submit(sum, [1, 2]).result(timeout=30) == 3


@pytest.fixture(scope="module")
def in_parts(made):
    return lost_worker.expected(plain(), *made[:2])[0]


# scripts/faults does it at every stage.
@pytest.mark.parametrize("stage", ["table", "rows", "start sample", "mixture", "region"])
def test_a_lost_worker_changes_nothing(made, in_parts, stage):
    refuse_sanitizers()
    with lost_worker.cluster(2) as client:
        model = lost_worker.fit_with_a_loss(plain(), client, stage, *made[:2])
    assert lost_worker.is_same(model, in_parts, made[2])


# MPI


def test_processes_of_mpi_give_the_same(tmp_path):
    refuse_sanitizers()
    command = ["mpirun", "--oversubscribe", "-n"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # as in a container
    errors = []
    for n in (1, 3):
        out = tmp_path / f"{n}.npy"
        subprocess.run(
            [*command, str(n), sys.executable, "-B", str(EXAMPLE), str(out)], check=True, timeout=120, env=os.environ | root
        )
        errors.append(np.load(out))
    np.testing.assert_allclose(errors[0], errors[1], rtol=1e-9, atol=1e-9)
