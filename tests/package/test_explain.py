"""`ReliableClassifier.explain`: the numbers of `lacuna explain`, for arrays and frames."""

import json
import os
import subprocess

import lacuna
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

CLI = os.environ["LACUNA_CLI"]


def table(n=300, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "height": random.normal(size=n) + 2.0 * truth,
            "town": np.where(random.uniform(size=n) < 0.7, np.array(["Ulm", "Bonn"])[truth], "Kiel"),
            "width": random.normal(size=n),
        }
    )
    frame.loc[random.uniform(size=n) < 0.1, "width"] = np.nan
    labels = np.array(["no", "yes"], dtype=object)[truth]
    labels[(random.uniform(size=n) < 0.5) | (frame["width"] > 1.0)] = None
    return frame, labels


@pytest.mark.parametrize("options", [{}, {"conditional": "densities"}])
def test_explain_is_lacuna_explain(tmp_path, options):
    X, y = table()
    model = lacuna.ReliableClassifier(missing_label=None, **options).fit(X, y)
    model.save(tmp_path / "m")
    X.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    np.savetxt(tmp_path / "y.csv", np.where(pd.isna(y), "", y).astype(str), fmt="%s")
    for row in (0, 7, 299):
        found = model.explain(X, row, train=(X, y))
        command = [CLI, "explain", "m", "t.csv", "--row", str(row + 1), "--train", "t.csv", "--train-labels", "y.csv", "--json", "-"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert found.document == json.loads(result.stdout)
        assert found.error_probability == model.error_probability(X)[row]
        assert found.log_ratio == model.log_ratio(X)[row]
        assert sum(part["weight"] * part["error_probability"] for part in found.parts) == pytest.approx(found.error_probability, abs=1e-12)
        assert all(y[near["row"]] == near["label"] for near in found.nearest)
        assert found.words[0].startswith("Predicted '") and repr(found).startswith("Predicted '")


def test_arrays_of_either_precision():
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3)).astype(np.float32)
    y = np.where(X[:, 0] < 0.5, (X[:, 1] > 0).astype(int), -1)
    model = lacuna.ReliableClassifier(conditional="densities").fit(X, y)
    last = model.explain(X, -1, train=(X, y))
    assert last.document["row"] == 200
    assert last.document == model.explain(X.astype(float), 199, train=(X.astype(float), y)).document
    assert model.explain(X, 3).nearest is None
    assert {column["name"] for column in last.columns} == {"c0", "c1", "c2"}


def test_rows_that_there_are_not():
    X, y = table()
    model = lacuna.ReliableClassifier(missing_label=None, conditional="densities")
    with pytest.raises(NotFittedError):
        model.explain(X)
    model.fit(X, y)
    for row in (300, -301):
        with pytest.raises(IndexError, match="300 rows"):
            model.explain(X, row)
    with pytest.raises(TypeError):
        model.explain(X, 1.5)
