"""lacuna.reliability: the numbers of `lacuna evaluate`, bit for bit, and what it says to those who send nonsense."""

import json
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss

import lacuna

Y = np.array(["a", "b", "b", "a"])
P = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])


def three_classes(n=500, seed=0):
    """Labels, some missing, probabilities that are wrong at times and tie at times, and groups."""
    random = np.random.default_rng(seed)
    probabilities = random.dirichlet([0.4, 0.4, 0.4], n).round(2)
    probabilities[:, 2] = 1.0 - probabilities[:, 0] - probabilities[:, 1]
    probabilities = np.abs(probabilities.round(2))
    labels = np.array([random.choice(["x", "y", "z"], p=0.6 * p / p.sum() + 0.4 / 3) for p in probabilities], dtype=object)
    labels[random.uniform(size=n) < 0.1] = None
    return labels, probabilities, random.choice(["far", "near", "on, the \"edge\""], n)


def document(cli, tmp_path, *arguments):
    cli("evaluate", *arguments, "--json", "m.json")
    return json.loads((tmp_path / "m.json").read_text())


@pytest.mark.parametrize("options", [{}, {"bins": 7}, {"bins": 10, "bin_kind": "equal-mass"}], ids=str)
def test_numbers_of_the_tool_for_any_tools_probabilities(cli, tmp_path, options):
    labels, probabilities, groups = three_classes()
    table = pd.DataFrame(probabilities, columns=["p_x", "p_y", "p_z"]).assign(y=labels, group=groups)
    table.to_csv(tmp_path / "p.csv", index=False)
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    expected = document(cli, tmp_path, "--probabilities", "p.csv", "--label", "y", "--stratum", "group", *flags)
    assert lacuna.reliability(labels, probabilities, strata=groups, **options).document == expected


def test_numbers_of_the_tool_for_predictions_of_its_own(cli, tmp_path):
    labels, probabilities, _ = three_classes(seed=1)
    random = np.random.default_rng(2)
    prediction = random.choice(["x", "y", "z"], len(labels))
    q = random.uniform(size=len(labels))
    table = pd.DataFrame(probabilities, columns=["p_x", "p_y", "p_z"])
    table.assign(y=labels, prediction=prediction, error_probability=q).to_csv(tmp_path / "p.csv", index=False)
    expected = document(cli, tmp_path, "--probabilities", "p.csv", "--label", "y")
    assert lacuna.reliability(labels, probabilities, prediction=prediction, error_probability=q).document == expected


def test_metrics_against_scikit_learn():
    labels, probabilities, groups = three_classes(seed=3)
    probabilities = 0.98 * probabilities + 0.02 / 3
    result = lacuna.reliability(labels, probabilities, strata=groups)
    known = np.array([label is not None for label in labels])
    y, p = labels[known].astype(str), probabilities[known]
    likeliest = np.array(["x", "y", "z"])[p.argmax(axis=1)]
    assert result.n == known.sum() and result.n_unlabeled == (~known).sum()
    assert result.error_rate == pytest.approx((likeliest != y).mean())
    assert result.mean_error_probability == pytest.approx(1.0 - p.max(axis=1).mean())
    assert result.nll == pytest.approx(log_loss(y, p, labels=["x", "y", "z"]))
    assert result.brier_error == pytest.approx(brier_score_loss(likeliest != y, 1.0 - p.max(axis=1)))
    np.testing.assert_array_equal(result.confusion_matrix, confusion_matrix(y, likeliest, labels=["x", "y", "z"]))
    assert result.overconfidence + result.underconfidence == pytest.approx(result.ece)
    for group in np.unique(groups):
        rows = groups[known] == group
        assert result.strata[group]["n"] == rows.sum()
        assert result.strata[group]["error_rate"] == pytest.approx((likeliest != y)[rows].mean())
    for part in result.curve:
        if part["n"] > 0:
            assert sum(part["contributions"].values()) == pytest.approx(part["error_rate"])


def test_order_of_classes_changes_nothing():
    labels, probabilities, _ = three_classes(seed=4)
    unique = (probabilities == probabilities.max(axis=1, keepdims=True)).sum(axis=1) == 1  # ties go to the first column
    assert unique.mean() > 0.9
    one = lacuna.reliability(labels[unique], probabilities[unique], classes=["x", "y", "z"])
    other = lacuna.reliability(labels[unique], probabilities[unique][:, [2, 0, 1]], classes=["z", "x", "y"])
    for name in ("error_rate", "ece", "brier_error", "nll", "aurc", "brier"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12), name
    np.testing.assert_array_equal(one.confusion_matrix[2, 0], other.confusion_matrix[0, 1])


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (["a", "b", "b", None], {}),
        (["a", "b", "b", np.nan], {}),
        (pd.Series(["a", "b", "b", pd.NA], dtype="string"), {}),
        (pd.Series(["a", "b", "b", None], dtype="category"), {}),
        (np.array(["a", "b", "b", "?"]), {"missing_label": "?"}),
        (np.array([0, 1, 1, -1]), {"missing_label": -1}),
        ([0.0, 1.0, 1.0, np.nan], {}),
        ([0.0, 1.0, 1.0, np.nan], {"classes": [0, 1]}),
        (pd.Series([0, 1, 1, pd.NA], dtype="Int64"), {}),
        (pd.array([False, True, True, None], dtype="boolean"), {}),
        (np.array([[0], [1], [1], [7]]), {"missing_label": 7}),
    ],
    ids=repr,
)
def test_types_of_labels(labels, options):
    result = lacuna.reliability(labels, P, **options)
    expected = lacuna.reliability(["a", "b", "b"], P[:3])
    assert (result.n, result.n_unlabeled) == (3, 1)
    assert result.metrics == {**expected.metrics, "n_unlabeled": 1}


def test_classes_that_nobody_has_seen():
    result = lacuna.reliability(["a", "b"], [[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]], classes=["a", "b", "c"])
    np.testing.assert_array_equal(result.confusion_matrix, [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    assert lacuna.reliability(["a", "b"], [[1.0, 0.0], [1.0, 0.0]]).nll == np.inf


def test_strata_of_any_type():
    result = lacuna.reliability(Y, P, strata=[1.0, 2.0, np.nan, 1.0])
    assert {name: part["n"] for name, part in result.strata.items()} == {"": 1, "1": 2, "2": 1}
    result = lacuna.reliability(Y, P, strata=pd.Series(["<b>", None, "<b>", "all rows"], dtype="category"))
    assert {name: part["n"] for name, part in result.strata.items()} == {"": 1, "<b>": 2, "all rows": 1}
    # A group whose rows have no label has nothing to show.
    assert set(lacuna.reliability(["a", "b", None], P[:3], strata=["u", "u", "v"]).strata) == {"u"}


def test_single_precision_is_scaled_and_mistakes_are_not():
    random = np.random.default_rng(5)
    p = random.dirichlet(np.ones(300), 200).astype(np.float32) * np.float32(1.0 + 2e-5)
    y = random.integers(0, 300, 200)
    assert np.isfinite(lacuna.reliability(y, p, classes=np.arange(300)).nll)
    with pytest.raises(ValueError, match=r"probabilities\[0\]: those of the 300 classes add up to 1.00002"):
        lacuna.reliability(y, p.astype(np.float64), classes=np.arange(300))
    with pytest.raises(ValueError, match="add up to 2"):
        lacuna.reliability(Y, (2 * np.full((4, 2), 0.5)).astype(np.float32))


BAD = [
    ({"probabilities": P[:, 1]}, ValueError, r"one axis.*predict_proba"),
    ({"probabilities": P[:3]}, ValueError, "inconsistent numbers of samples"),
    ({"probabilities": P[:, :, None]}, ValueError, "dim 3"),
    ({"probabilities": np.column_stack([P, P]) / 2}, ValueError, r"4 columns for 2 classes \(a, b\).*classes="),
    ({"probabilities": np.where(P == 0.2, np.nan, P)}, ValueError, "probabilities contains NaN"),
    ({"probabilities": np.where(P == 0.2, np.inf, P)}, ValueError, "infinity"),
    ({"probabilities": P - [[0.0, 0.0], [0.0, 0.3], [0.0, 0.0], [0.0, 0.0]]}, ValueError, r"probabilities\[1\].*'b'.*from 0 to 1"),
    ({"probabilities": 1.2 * P}, ValueError, r"probabilities\[0\]: that of class 'a' is 1.08"),
    ({"probabilities": 0.9 * P}, ValueError, r"probabilities\[0\]: those of the 2 classes add up to 0.9"),
    ({"probabilities": np.full((4, 2), "a")}, ValueError, "convert"),
    ({"probabilities": None}, ValueError, "Expected 2D"),
    ({"probabilities": np.empty((0, 2)), "y": []}, ValueError, "0 sample"),
    ({"y": ["a", "b", "c", "b"], "classes": ["a", "b"]}, ValueError, r"y\[2\] is 'c', which is none of the classes \('a', 'b'\)"),
    ({"y": [0, 1, 1, 0], "classes": ["0", "1"]}, ValueError, r"y\[0\] is 0, which is none of the classes \('0', '1'\)"),
    ({"y": ["a", 1, "b", "b"]}, ValueError, "none of|mixes|columns"),
    ({"y": np.array(["a", 1, "b", "b"], dtype=object)}, ValueError, "mixes labels"),
    ({"y": [None] * 4, "classes": ["a", "b"]}, ValueError, "none of the 4 rows has a label"),
    ({"y": P}, ValueError, "1d array"),
    ({"classes": ["a", "a"]}, ValueError, "names 'a' twice"),
    ({"classes": ["a", "b", "c"]}, ValueError, "2 columns for 3 classes"),
    ({"strata": ["u"]}, ValueError, "inconsistent"),
    ({"strata": P}, ValueError, "1d array"),
    ({"prediction": ["a", "b", "c", "b"]}, ValueError, r"prediction\[2\] is 'c'"),
    ({"prediction": ["a"]}, ValueError, "inconsistent"),
    ({"error_probability": [0.1, 0.2, np.nan, 0.1]}, ValueError, r"error_probability\[2\] is nan"),
    ({"error_probability": [0.1, -0.2, 0.0, 0.1]}, ValueError, r"error_probability\[1\] is -0.2"),
    ({"bins": 0}, ValueError, "bins"),
    ({"bins": 2.5}, TypeError, ""),
    ({"bin_kind": "round"}, ValueError, "equal-width"),
]


@pytest.mark.parametrize(("change", "kind", "text"), BAD, ids=[f"{list(c)[0]}: {t}" for c, _, t in BAD])
def test_bad_input(change, kind, text):
    given = {"y": Y, "probabilities": P, **change}
    with pytest.raises(kind, match=text):
        lacuna.reliability(given.pop("y"), given.pop("probabilities"), **given)


def test_attributes_and_pickle():
    result = pickle.loads(pickle.dumps(lacuna.reliability(Y, P)))
    assert result.error_rate == result.metrics["error_rate"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        result.nonsense  # noqa: B018
    assert "error_rate" in repr(result) and "all rows" in repr(result)


def parsed(text):
    """A piece of a page as a tree; fails where it is not well formed."""
    return ElementTree.fromstring(f"<div>{text}</div>")


def cells(tree):
    return [["".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]


def test_a_notebook_shows_the_numbers():
    strata = ["<script>alert(1)</script>", "u & v", "u & v", "u & v"]
    result = lacuna.reliability(Y, P, strata=strata)
    tree = parsed(result._repr_html_())
    rows = cells(tree)
    assert [row[0] for row in rows[1:]] == ["all rows", *sorted(set(strata))]
    shown = dict(zip(rows[0][1:], rows[1][1:], strict=True))
    assert shown["n"] == "4" and shown["error_rate"] == f"{result.error_rate:.3f}" and shown["ece"] == f"{result.ece:.3f}"
    assert rows[3][rows[0].index("overconfidence")] == f"{result.strata['u & v']['overconfidence']:.3f}"
    assert len(list(tree.iter("{http://www.w3.org/2000/svg}svg"))) == 1
    assert not list(tree.iter("script"))


def test_diagram_on_given_axes():
    from matplotlib.figure import Figure

    X, y, truth = clouds(600, labeled=0.5)
    model = LogisticRegression().fit(X[y >= 0], y[y >= 0])
    result = lacuna.reliability(truth, model.predict_proba(X), strata=np.where(X[:, 1] > 4, "never labeled", "rest"))
    left, right = Figure().subplots(1, 2)
    assert result.plot(left) is left and result.plot_risk_coverage(right) is right
    seen = [part for part in result.curve if part["n"] > 0]
    points = {line.get_label(): line.get_xydata() for line in left.get_lines()}
    np.testing.assert_array_equal(points["from never labeled"][:, 1], [part["contributions"]["never labeled"] for part in seen])
    errors = left.containers[0]
    np.testing.assert_array_equal(errors[0].get_ydata(), [part["error_rate"] for part in seen])
    bars = [segment[:, 1] for segment in errors[2][0].get_segments()]
    np.testing.assert_allclose(bars, [[part["interval_low"], part["interval_high"]] for part in seen], atol=1e-12)
    np.testing.assert_array_equal(
        right.get_lines()[0].get_xdata(), [point["coverage"] for point in result.document["risk_coverage"]["curve"]]
    )


def in_a_fresh_interpreter(program, tmp_path):
    text = "import sys, lacuna\nresult = lacuna.reliability([0, 1, 1], [[.9, .1], [.4, .6], [.7, .3]])\n" + program
    result = subprocess.run([sys.executable, "-B", "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_figures_leave_pyplot_alone_unless_it_is_in_use(tmp_path):
    in_a_fresh_interpreter("result.plot().figure.savefig('f.png')\nassert 'matplotlib.pyplot' not in sys.modules", tmp_path)
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    in_a_fresh_interpreter("assert '<svg' in result._repr_html_()\nassert 'matplotlib.pyplot' not in sys.modules", tmp_path)
    in_a_fresh_interpreter(
        "import matplotlib; matplotlib.use('agg')\nimport matplotlib.pyplot as plt\nassert result.plot() is plt.gca()", tmp_path
    )


def test_without_matplotlib(tmp_path):
    in_a_fresh_interpreter(
        "sys.modules['matplotlib'] = sys.modules['matplotlib.figure'] = None\n"
        "assert '<table>' in result._repr_html_() and '<svg' not in result._repr_html_()\n"
        "try:\n    result.plot()\nexcept ImportError as error:\n    assert 'python3-matplotlib' in str(error)\nelse:\n    sys.exit(1)",
        tmp_path,
    )
