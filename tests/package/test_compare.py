"""lacuna.compare: the numbers of `lacuna compare`, beside plain models and classifiers of other makers."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

import lacuna

METHODS = ["supervised", "mcar-sampling", "mcar-em", "mar"]
PLAIN = ["logistic", "logistic-isotonic", "boosting", "boosting-isotonic"]
# Without a background: with one even labeled rows alone say that they know nothing far from them.
FAST = {"density": lacuna.VariationalGaussianMixture(2), "draws": 1, "background": "none"}


def strata_of(X):
    return np.where(X[:, 1] > 4.5, "never labeled", "rest")


@pytest.fixture(scope="module")
def result():
    X, y, _ = clouds(600, seed=1)
    X_test, _, truth = clouds(800, seed=2)
    others = {"logistic": LogisticRegression()}
    return lacuna.compare(X, y, X_test, truth, estimator=lacuna.ReliableClassifier(**FAST), others=others, strata=strata_of(X_test))


def test_numbers_of_the_tool(cli, tmp_path):
    X, y, _ = clouds(600, seed=1)
    X_test, _, truth = clouds(800, seed=2)
    truth = truth.astype(float)
    truth[::9] = np.nan
    pd.DataFrame(X, columns=["a", "b"]).assign(y=[label if label >= 0 else "" for label in y]).to_csv(tmp_path / "train.csv", index=False)
    labels = ["" if np.isnan(label) else int(label) for label in truth]
    test = pd.DataFrame(X_test, columns=["a", "b"])
    test.assign(y=labels, where=strata_of(X_test)).to_csv(tmp_path / "test.csv", index=False)
    cli("compare", "train.csv", "test.csv", "--label", "y", "--stratum", "where", "--out", "out", "--seed", 5)
    written = json.loads((tmp_path / "out/metrics.json").read_text())
    expected = {part["method"]: part for part in written["methods"] + written["plain_models"]}
    cells = np.where(np.isnan(truth), -1, truth).astype(int)
    frame = pd.DataFrame(X, columns=["a", "b"])
    estimator = lacuna.ReliableClassifier(random_state=5)
    result = lacuna.compare(frame, y, test, cells, estimator=estimator, strata=strata_of(X_test))
    assert list(result) == METHODS + PLAIN and len(result) == 8
    assert (result.winner, result.words) == (written["winner"]["method"], written["winner"]["words"])
    for method in METHODS + PLAIN:
        ours = dict(result[method].document)
        # What promises came to is counted by the tool alone: predict_set and accept answer for single rows here.
        theirs = {name: value for name, value in expected[method].items() if name not in ("method", "model", "promises")}
        assert ours.pop("model") is None
        assert ours == theirs
    # And those of `lacuna evaluate` with the model file of Python.
    result.models["mar"].save(tmp_path / "m.lacuna")
    cli("evaluate", "m.lacuna", "test.csv", "--label", "y", "--stratum", "where", "--json", "m.json")
    alone = json.loads((tmp_path / "m.json").read_text())
    assert alone.pop("promises") == expected["mar"]["promises"]
    assert {**alone, "model": None} == result["mar"].document


def test_methods_are_those_fitted_alone(result):
    X, y, _ = clouds(600, seed=1)
    X_test, _, truth = clouds(800, seed=2)
    for method in METHODS:
        alone = lacuna.ReliableClassifier(method=method, **FAST).fit(X, y)
        assert repr(result.models[method]) == repr(alone)
        np.testing.assert_array_equal(result.models[method].error_probability(X_test), alone.error_probability(X_test))
        assert result.models[method].summary_ == alone.summary_
    labeled = y >= 0
    p = LogisticRegression().fit(X[labeled], y[labeled]).predict_proba(X_test)
    assert result["logistic"].document == lacuna.reliability(truth, p, strata=strata_of(X_test)).document


def test_what_it_is_for(result):
    """Where nobody labels, a coin decides: ordinary models are sure, lacuna is not."""
    hidden = {name: result[name].strata["never labeled"] for name in result}
    for name in ("supervised", "mcar-em", "logistic"):
        assert hidden[name]["overconfidence"] > 0.2, name
    assert hidden["mar"]["mean_error_probability"] > 0.4 and hidden["mar"]["overconfidence"] < 0.1


def test_plain_models_are_what_scikit_learn_makes_of_the_labeled_rows():
    X, y, _ = clouds(900, seed=7, labeled=0.6)
    y[:200] = np.where(y[:200] >= 0, np.random.default_rng(7).integers(0, 2, 200), -1)  # noise, so that there is something to calibrate
    X_test, _, truth = clouds(2000, seed=8)
    result = lacuna.compare(X, y, X_test, truth, estimator=lacuna.ReliableClassifier(**FAST))
    labeled = y >= 0
    near = X_test[:, 1] < 4  # ours clips what is farther than five standard deviations
    # docs/math/conditional.md, section 2: with two classes C is 2 / 3.
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=2 / 3))
    calibrated = CalibratedClassifierCV(logistic, method="isotonic", cv=5, ensemble=False)
    for name, model, distance in (("logistic", logistic, 1e-3), ("logistic-isotonic", calibrated, 0.03)):
        theirs = model.fit(X[labeled], y[labeled]).predict_proba(X_test)
        ours = result.models[name].predict_proba(X_test)
        assert np.abs(ours - theirs)[near].mean() < distance, name
        np.testing.assert_array_equal(result.models[name].predict(X_test), result.models[name].classes_[ours.argmax(axis=1)])
        assert result[name].document == lacuna.reliability(truth, ours).document
    assert min(result, key=lambda name: result[name].brier_error) == result.winner


def test_an_other_classifier_takes_the_place_of_a_plain_model():
    X, y, truth = clouds(300, seed=9)
    mine = LogisticRegression(C=1e-6)
    result = lacuna.compare(X, y, X, truth, estimator=lacuna.ReliableClassifier(**FAST), others={"boosting": mine})
    assert list(result) == [*METHODS, "logistic", "logistic-isotonic", "boosting-isotonic", "boosting"]
    assert isinstance(result.models["boosting"], LogisticRegression)


def test_a_table_with_categories_and_gaps():
    random = np.random.default_rng(3)
    n = 300
    sick = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "age": np.where(random.uniform(size=n) < 0.1, np.nan, 40 + 15 * sick + random.normal(0, 8, n)),
            "job": pd.Categorical(np.where(random.uniform(size=n) < 0.7, np.array(["clerk", "miner"])[sick], "nurse")),
            "smokes": pd.Series(random.choice(["yes", "no", None], n)),
        }
    )
    labels = pd.Series(np.array(["no", "yes"])[sick]).where((random.uniform(size=n) < 0.4) & (frame["age"] < 65))
    test = frame[150:].assign(job=frame["job"][150:].cat.add_categories("pilot"))
    test.iloc[0, 1] = "pilot"  # nobody has seen one: it counts as missing
    truth = np.array(["no", "yes"])[sick][150:]
    estimator = lacuna.ReliableClassifier(missing_label=None, **FAST)
    result = lacuna.compare(frame[:150], labels[:150], test, truth, estimator=estimator)
    assert all(result[method].n == 150 and result[method].error_rate < 0.4 for method in METHODS)
    assert "age" in result.report().html
    with pytest.raises(ValueError, match="feature names"):
        lacuna.compare(frame[:150], labels[:150], test.rename(columns={"age": "years"}), truth, estimator=estimator)


def test_a_class_without_a_labeled_row():
    X, y, truth = clouds(500, seed=4)
    truth = np.where(X[:, 1] > 4.5, 2, truth)
    estimator = lacuna.ReliableClassifier(classes=[2], **FAST)
    with pytest.warns(UserWarning, match="class '2' has no labeled row"):
        result = lacuna.compare(X, y, X, truth, estimator=estimator, others={"logistic": LogisticRegression()})
    assert result["logistic"].nll == np.inf  # it gave the third class probability 0
    assert np.isfinite(result["mar"].nll)
    assert result["logistic"].confusion_matrix[:, 2].sum() == 0 and result["logistic"].confusion_matrix[2].sum() > 0
    with pytest.raises(ValueError, match=r"y\[\d+\] is 2, which is none of the classes \(0, 1\).*classes="):
        lacuna.compare(X, y, X, truth, estimator=lacuna.ReliableClassifier(**FAST))


def test_texts_as_labels_and_others_in_pipelines():
    X, y, truth = clouds(400, seed=5, labeled=0.5)
    names = np.array(["ill", "well", "?"])
    others = {
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
        "calibrated": CalibratedClassifierCV(LogisticRegression(), method="isotonic", cv=3),
    }
    estimator = lacuna.ReliableClassifier(missing_label="?", **FAST)
    result = lacuna.compare(X, names[y], X, names[truth], estimator=estimator, others=others)
    plain = lacuna.compare(X, y, X, truth, estimator=lacuna.ReliableClassifier(**FAST), others=others)
    for name in result:
        assert result[name].metrics == plain[name].metrics, name
    assert result.models["calibrated"].classes_.tolist() == ["ill", "well"]
    assert not hasattr(others["calibrated"], "classes_")  # it was cloned


def test_any_density():
    X, y, truth = clouds(300, seed=6)
    estimator = lacuna.ReliableClassifier(density=GaussianMixture(2), draws=1)
    result = lacuna.compare(X, y, X, truth, estimator=estimator)
    alone = lacuna.ReliableClassifier(density=GaussianMixture(2), draws=1).fit(X, y)
    assert result["mar"].mean_error_probability == pytest.approx(alone.error_probability(X).mean(), rel=1e-12)
    assert result.report().html.startswith("<!DOCTYPE html>")


def test_tables_and_figures(result):
    table = result.table()
    assert list(table.index.names) == ["method", "rows"] and len(table) == 8 * 3
    assert table.loc[("logistic", "rest"), "error_rate"] == result["logistic"].strata["rest"]["error_rate"]
    tree = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    rows = [["".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]
    assert len(rows) == 25
    shown = {(row[0], row[1]): dict(zip(rows[0][2:], row[2:], strict=True)) for row in rows[1:]}
    for name in result:
        assert shown[name, "all rows"]["overconfidence"] == f"{result[name].overconfidence:.3f}"
        assert shown[name, "never labeled"]["error_rate"] == f"{result[name].strata['never labeled']['error_rate']:.3f}"
    assert "mcar-sampling" in repr(result) and "never labeled" in repr(result)
    assert result.words in repr(result) and result.words in "".join(tree.itertext())
    assert result.words in result.report().html

    from matplotlib.figure import Figure

    axes = Figure().subplots(1, 8)
    assert result.plot(axes) is axes
    assert [ax.get_title() for ax in axes] == list(result)
    assert len(np.ravel(result.plot())) == 8
    with pytest.raises(ValueError, match="axes: got 2, expected 8, one for each of supervised, "):
        result.plot(Figure().subplots(1, 2))


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"others": {"mar": LogisticRegression()}}, ValueError, "'mar' is the name of one of lacuna's methods"),
        ({"others": {"p": Perceptron()}}, TypeError, "'p' is Perceptron.*predict_proba"),
        ({"others": [LogisticRegression()]}, TypeError, "expected a dict of names"),
        ({"estimator": LogisticRegression()}, TypeError, "expected a ReliableClassifier"),
        ({"estimator": lacuna.ReliableClassifier(density="nonsense")}, ValueError, "nonsense"),
        ({"strata": ["u"]}, ValueError, "inconsistent"),
        ({"y_test": [0, 1]}, ValueError, "inconsistent"),
        ({"y_test": np.full(60, -1)}, ValueError, "none of the 60 rows has a label"),
        ({"X_test": np.zeros((60, 3))}, ValueError, "3 features"),
        ({"y": np.zeros(60, int)}, ValueError, "one class"),
        ({"y": np.full(60, -1)}, ValueError, "no row has a label"),
    ],
    ids=str,
)
def test_bad_input(change, kind, text):
    X, y, truth = clouds(60)
    given = {"X": X, "y": y, "X_test": X, "y_test": truth, **change}
    with pytest.raises(kind, match=text):
        lacuna.compare(**given)


def test_the_table_in_the_guide():
    page = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    place = next(number for number, block in enumerate(blocks) if "lacuna.compare(" in block)
    program = blocks[0] + "print('----')\n" + blocks[place]
    printed = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True).stdout
    table = "\n".join(line.rstrip() for line in printed.split("----\n")[1].splitlines())
    assert f"```text\n{table}\n```" in page


class MySpreading(LabelSpreading):
    def fit(self, X, y):
        self.n_unlabeled_ = (y == -1).sum()
        return super().fit(X, y)


def test_others_that_learn_from_unlabeled_rows():
    X, y, _ = clouds(500, seed=11)
    X_test, _, truth = clouds(400, seed=12)
    names = np.array(["right", "left", ""], dtype=object)  # sorted: not the order of the numbers
    spreading = make_pipeline(StandardScaler(), LabelSpreading(gamma=0.5))
    others = {
        "spreading": spreading,
        "training": SelfTrainingClassifier(LogisticRegression()),
        "kde": make_pipeline(StandardScaler(), lacuna.ReliableClassifier(density="kde", draws=1, threads=1)),
        "labeled only": LogisticRegression(),
    }
    estimator = lacuna.ReliableClassifier(missing_label="", **FAST)
    result = lacuna.compare(X, names[y], X_test, names[truth], estimator=estimator, others=others)
    codes = np.where(y >= 0, 1 - y, -1)  # "left" is 0
    for name in ("spreading", "training", "kde"):
        alone = clone(others[name]).fit(X, codes)
        np.testing.assert_array_equal(result.models[name].predict_proba(X_test), alone.predict_proba(X_test))
        assert result.models[name].classes_.tolist() == ["left", "right"]
        np.testing.assert_array_equal(result.models[name].predict(X_test), np.array(["left", "right"])[alone.predict(X_test)])
        assert not hasattr(others[name], "classes_")
    assert isinstance(result.models["labeled only"], LogisticRegression)
    told = lacuna.compare(X, names[y], X_test, names[truth], estimator=estimator, others={"mine": MySpreading(gamma=0.1)}, semi_supervised=["mine"])
    assert told.models["mine"].estimator.n_unlabeled_ == (y < 0).sum()
    with pytest.raises(ValueError, match="labeled only.* took -1"):
        lacuna.compare(X, names[y], X_test, names[truth], estimator=estimator, others=others, semi_supervised=["labeled only"])


def test_who_is_semi_supervised_must_be_there():
    X, y, truth = clouds(100)
    with pytest.raises(ValueError, match="semi_supervised: got .'x'.*names that others has"):
        lacuna.compare(X, y, X, truth, others={}, semi_supervised=["x"])
