"""What only lacuna's classifier says, through a Pipeline of scikit-learn's steps."""

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import lacuna

QUESTIONS = ["error_probability", "informative", "log_ratio", "predict_set", "accept"]


def people(n, seed):
    X, y, _ = clouds(n, seed)
    town = np.random.default_rng(seed).choice(["Aachen", "Bremen"], n)
    return pd.DataFrame({"a": 1000.0 * X[:, 0], "b": X[:, 1], "town": town}), y


def steps():
    columns = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(sparse_output=False), ["town"]))
    return make_pipeline(columns, "passthrough", lacuna.ReliableClassifier()).steps


def test_the_pipeline_asks_about_mapped_rows():
    X, y = people(600, 0)
    new, _ = people(300, 1)
    model = lacuna.Pipeline(steps()).fit(X, y)
    rows = model.steps[0][1].transform(new)
    alone = lacuna.ReliableClassifier().fit(model.steps[0][1].transform(X), y)
    for question in QUESTIONS:
        np.testing.assert_array_equal(getattr(model, question)(new), getattr(alone, question)(rows))
    np.testing.assert_array_equal(model.predict_set(new, 0.3, sensitivity=2), alone.predict_set(rows, 0.3, sensitivity=2))
    np.testing.assert_array_equal(model.accept(new, risk=0.2), alone.accept(rows, risk=0.2))
    np.testing.assert_array_equal(model.predict_log_proba(new), np.log(alone.predict_proba(rows)))
    assert model.informative(new).any() and not model.informative(new).all()


def test_a_fitted_pipeline_of_scikit_learn_can_be_asked():
    X, y = people(400, 2)
    theirs = make_pipeline(*[step for _, step in steps()]).fit(X, y)
    ours = lacuna.Pipeline(theirs.steps)
    np.testing.assert_array_equal(ours.error_probability(X), theirs[-1].error_probability(theirs[:-1].transform(X)))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_tools_of_scikit_learn_take_it():
    X, y = people(400, 3)
    search = GridSearchCV(
        lacuna.Pipeline(steps()), {"reliableclassifier__kappa": [0, 0.5]}, cv=lacuna.SemiSupervisedKFold(3), error_score="raise"
    ).fit(X, y)
    assert isinstance(search.best_estimator_, lacuna.Pipeline)
    assert search.best_estimator_.error_probability(X).shape == (400,)
    assert isinstance(clone(search.best_estimator_)[:2], lacuna.Pipeline)


def test_a_last_step_that_does_not_know_is_not_asked():
    pipe = lacuna.Pipeline([("scale", StandardScaler()), ("forest", RandomForestClassifier())])
    for question in QUESTIONS:
        assert not hasattr(pipe, question)
        assert hasattr(lacuna.Pipeline(steps()), question)
    with pytest.raises(AttributeError, match="error_probability"):
        pipe.error_probability([[0.0]])
