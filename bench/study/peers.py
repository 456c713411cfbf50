"""What people use: each entry of PEERS fits a Case and returns a model with `classes_` and `predict_proba`, and a note or None."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import calibrated
import semi_supervised
from data_table import Absent
from encoding import as_codes, as_codes_without_gaps, as_points


# Classifiers of labeled rows

def logistic(seed):
    return make_pipeline(as_points(), LogisticRegression(C=1.0, max_iter=500))


def boosting(seed, n_trees=100):
    trees = HistGradientBoostingClassifier(
        max_iter=n_trees, learning_rate=0.07, max_leaf_nodes=15, min_samples_leaf=20, l2_regularization=1.0, random_state=seed
    )
    return make_pipeline(as_codes(), trees)


def forest(seed):
    return make_pipeline(as_codes_without_gaps(), RandomForestClassifier(300, n_jobs=1, random_state=seed))


class WithoutHoles(ClassifierMixin, BaseEstimator):
    """For a classifier that wants classes 0, 1, ... without holes, which labels by a rule do not promise."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = clone(self.model).fit(X, codes)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def xgboost(seed):
    try:
        from xgboost import XGBClassifier
    except ImportError:
        raise Absent("the Python package xgboost (Debian: python3-xgboost)") from None
    trees = XGBClassifier(
        n_estimators=100, learning_rate=0.1, max_depth=5, tree_method="hist", n_jobs=1, random_state=seed, verbosity=0
    )
    return make_pipeline(as_codes(), WithoutHoles(trees))


def svm(seed):
    """With Platt's scaling."""
    return make_pipeline(as_points(), SVC(probability=True, random_state=seed))


class Ensemble:
    """Networks that differ in their start; the mean of their probabilities."""

    def __init__(self, seed, n=5):
        self.networks = [make_pipeline(as_points(), MLPClassifier(max_iter=200, random_state=1000 * seed + i)) for i in range(n)]

    def fit(self, X, y):
        for network in self.networks:
            network.fit(X, y)
        self.classes_ = self.networks[0].classes_
        return self

    def predict_proba(self, X):
        return np.mean([network.predict_proba(X) for network in self.networks], axis=0)


# Weights for the shift between labeled and all rows

MOST_WEIGHT = 10.0  # times the mean weight


def importance_weights(case, n_folds=4):
    """Of the labeled rows: how much denser all rows lie there than labeled ones, by a cross-fitted classifier, clipped."""
    has_label = (case.y >= 0).astype(int)
    weights = np.zeros(len(has_label))
    for train, test in KFold(n_folds, shuffle=True, random_state=case.seed).split(case.X):
        model = boosting(case.seed, 60).fit(case.X.iloc[train], has_label[train])
        weights[test] = 1.0 / np.maximum(model.predict_proba(case.X.iloc[test])[:, 1], 1e-5)
    weights = weights[case.y >= 0]
    return np.minimum(weights / weights.mean(), MOST_WEIGHT)


def weighted(make):
    def fit(case):
        model = make(case.seed)
        step = model.steps[-1][0]
        return model.fit(case.labeled, case.labels, **{f"{step}__sample_weight": importance_weights(case)}), None

    return fit


# All of them

def plain(make):
    return lambda case: (make(case.seed).fit(case.labeled, case.labels), None)


def _family(name, make):
    return {
        name: plain(make),
        f"{name}-isotonic": lambda case: calibrated.isotonic(make(case.seed), case),
        f"{name}-temperature": lambda case: calibrated.temperature(make(case.seed), case),
    }


PEERS = {
    **_family("logistic", logistic),
    **_family("boosting", boosting),
    **_family("forest", forest),
    **_family("xgboost", xgboost),
    "weighted-logistic": weighted(logistic),
    "weighted-boosting": weighted(boosting),
    "mlp-ensemble": plain(Ensemble),
    "svm": plain(svm),
    "self-training-logistic": lambda case: semi_supervised.self_training(logistic(case.seed), case),
    "self-training-boosting": lambda case: semi_supervised.self_training(boosting(case.seed), case),
    "self-training-svm": lambda case: semi_supervised.self_training(svm(case.seed), case, semi_supervised.MOST_ROWS_SVM),
    "label-spreading": semi_supervised.label_spreading,
    "laplacian-least-squares": semi_supervised.laplacian_least_squares,
    "m2-vae": semi_supervised.m2_vae,
}
#: Those that ours is measured against first.
MAIN = ("logistic", "boosting", "boosting-isotonic", "forest")


def probabilities_of(model, X, n_classes):
    """One column per class, 0 for those the model has not seen; rows add up to one. A row it says nothing about: uniform."""
    found = np.asarray(model.predict_proba(X), dtype=float)
    sums = found.sum(axis=1, keepdims=True)
    silent = ~(np.isfinite(sums) & (sums > 0.0))[:, 0]
    aligned = np.zeros((len(X), n_classes))
    aligned[:, np.asarray(model.classes_).astype(int)] = found / np.where(silent[:, None], 1.0, sums)
    aligned[silent] = 1.0 / n_classes
    return aligned
