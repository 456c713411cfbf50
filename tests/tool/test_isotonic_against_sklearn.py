"""The isotonic calibration of plain models against scikit-learn's, on the same held-out probabilities."""

import os
import subprocess

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import IsotonicRegression

PROBE = os.environ["LACUNA_ISOTONIC_PROBE"]


class Repeats(ClassifierMixin, BaseEstimator):
    """A classifier whose features are its probabilities: what it says about a row does not depend on its fit."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return X


def probabilities(random, n, n_classes):
    """Unsure ones, and some that are equal."""
    return random.dirichlet(np.full(n_classes, 0.7), n).round(2 if n_classes == 2 else 12)


def ours(folder, p, labels, weights, asked):
    names = []
    for name, array in (("p", p), ("labels", labels[:, None]), ("weights", weights[:, None]), ("asked", asked)):
        np.save(folder / f"{name}.npy", np.asarray(array, dtype=float))
        names.append(folder / f"{name}.npy")
    printed = subprocess.run([PROBE, *names], capture_output=True, text=True, check=True).stdout
    return np.array([line.split() for line in printed.splitlines()], dtype=float)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_same_probabilities(tmp_path, n_classes):
    random = np.random.default_rng(n_classes)
    p = probabilities(random, 600, n_classes)
    labels = np.array([random.choice(n_classes, p=row / row.sum()) for row in p**2 + 0.1])
    asked = probabilities(random, 300, n_classes)
    model = CalibratedClassifierCV(Repeats(), method="isotonic", cv=2, ensemble=False).fit(p, labels)
    np.testing.assert_allclose(ours(tmp_path, p, labels, np.ones(600), asked), model.predict_proba(asked), atol=1e-9)


def test_same_weighted_curve(tmp_path):
    random = np.random.default_rng(7)
    p = random.uniform(size=400)
    labels = (random.uniform(size=400) < p**2).astype(int)
    weights = random.integers(1, 4, 400)
    asked = np.linspace(0, 1, 101)
    curve = IsotonicRegression(out_of_bounds="clip").fit(p, labels, weights)
    found = ours(tmp_path, np.stack([1 - p, p], 1), labels, weights, np.stack([1 - asked, asked], 1))
    np.testing.assert_allclose(found[:, 1], curve.predict(asked), atol=1e-9)
