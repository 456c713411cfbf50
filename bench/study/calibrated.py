"""Classifiers calibrated on the labeled rows, as people do it."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import KFold

N_FOLDS = 3
FLOOR = 1e-6  # of a probability, before its logarithm


def isotonic(model, case):
    """scikit-learn's. It needs every class in every fold; where labels are too few for that, people leave it out."""
    if case.smallest_class < N_FOLDS:
        return model.fit(case.labeled, case.labels), f"not calibrated: a class has fewer than {N_FOLDS} labels"
    return CalibratedClassifierCV(model, method="isotonic", cv=N_FOLDS).fit(case.labeled, case.labels), None


class Temperature:
    """Probabilities to a power 1/T, scaled again; T by the likelihood of rows that the model has not seen."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y, seed):
        self.classes_ = np.unique(y)
        log_p = np.full((len(y), len(self.classes_)), np.log(FLOOR))
        for train, test in KFold(N_FOLDS, shuffle=True, random_state=seed).split(X):
            if len(np.unique(y[train])) < 2:
                continue  # nothing to learn from these: uniform
            part = clone(self.model).fit(X.iloc[train], y[train])
            log_p[np.ix_(test, np.searchsorted(self.classes_, part.classes_))] = _logs(part.predict_proba(X.iloc[test]))
        truth = np.searchsorted(self.classes_, y)

        def loss(log_temperature):
            return -np.log(softmax(log_p * np.exp(-log_temperature), axis=1)[np.arange(len(y)), truth] + 1e-300).mean()

        self.temperature_ = np.exp(minimize_scalar(loss, bounds=(-3.0, 5.0), method="bounded").x)
        self.model.fit(X, y)
        return self

    def predict_proba(self, X):
        return softmax(_logs(self.model.predict_proba(X)) / self.temperature_, axis=1)


def temperature(model, case):
    return Temperature(model).fit(case.labeled, case.labels, case.seed), None


def _logs(probabilities):
    return np.log(np.maximum(probabilities, FLOOR))
