"""lacuna.diagnose: the document of the tool, for rows in memory."""

import json

import lacuna
import numpy as np
import pandas as pd
import pytest

from lacuna import ReliableClassifier, diagnose


def partly_labeled(n=800, seed=3):
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"age": random.uniform(20, 80, n), "job": random.choice(["clerk", "cook"], n)})
    truth = np.where(X["age"] + random.normal(0, 5, n) > 40, "yes", "no")
    labeled = (X["age"] < 55) & (random.uniform(size=n) < 0.5)
    return X, np.where(labeled, truth, None)


def test_says_what_the_tool_says(cli, tmp_path):
    X, y = partly_labeled()
    found = diagnose(X, y, estimator=ReliableClassifier(missing_label=None, random_state=0))
    X.assign(label=y).to_csv(tmp_path / "train.csv", index=False)
    document = cli("diagnose", "train.csv", "--label", "label", "--json", "-")
    assert found.document == json.loads(document)
    assert found.p_value < 0.01 and found.columns[0]["name"] == "age"
    assert 0.3 < found.outside_share < 0.75 and found.error["high"] > found.outside_share


def test_labels_by_lot_and_repr():
    X, y = partly_labeled()
    y = np.where(np.random.default_rng(5).uniform(size=len(X)) < 0.3, (X["age"] > 50).astype(int), -1)
    found = diagnose(X, y)
    assert found.p_value > 0.05 and found.columns == []
    assert "labeling: Labels may be missing by lot" in repr(found)
    assert "--" not in repr(found)  # options are called as Python calls them


def test_other_estimators_are_refused():
    with pytest.raises(TypeError, match="expected a ReliableClassifier"):
        diagnose([[0.0]], [0], estimator=object())
    with pytest.raises(ValueError, match="no row has a label"):
        lacuna.diagnose([[0.0], [1.0]], [-1, -1])
