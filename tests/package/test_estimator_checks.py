"""scikit-learn's own checks of every estimator, and the tools that rely on them."""

import inspect
import pickle
import warnings

import joblib
import numpy as np
import pytest
from conftest import clouds
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import lacuna

# As scikit-learn itself makes for its own semi-supervised classifiers: labels -1 and 1, where -1 cannot be a class because it means
# "unlabeled"; with missing_label=None that check is not left out. And a stack deals rows into folds by their numbers, while the check of
# weights that are 0 shuffles the rows; with densities alone it is not left out either. Its newer name is the last.
FOLDS = ("check_sample_weights_invariance", "check_sample_weight_equivalence_on_dense_data")
EXCUSED = {"check_classifiers_classes": "-1 means unlabeled", **dict.fromkeys(FOLDS, "folds go by row numbers")}

ESTIMATORS = [
    lacuna.ReliableClassifier(missing_label=None, conditional="densities"),
    lacuna.ReliableClassifier(missing_label=None, method="mcar-em"),
    lacuna.ReliableClassifier(missing_label=None, conditional="densities", density="kde", features="standardize"),
    lacuna.ReliableClassifier(missing_label=None, conditional="densities", density=lacuna.GaussianMixture(components=2)),
    lacuna.VariationalGaussianMixture(),
    lacuna.GaussianMixture(),
    lacuna.KernelDensity(),
    lacuna.VariationalAutoencoder(vae_hidden=(8,), vae_epochs=2),
    lacuna.VariationalAutoencoder(vae_hidden=(8,), vae_epochs=2, vae_likelihood="gaussian"),
    lacuna.DirichletProcessMixture(20, dp_burn_in=10, dp_draws=5),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_every_check_passes(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", SkipTestWarning)  # nothing is excused
        check_estimator(estimator)


@pytest.mark.parametrize("options", [{}, {"conditional": [GaussianNB()]}], ids=["default", "own member"])
def test_a_stack_passes_all_but_the_excused_ones(options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if "expected_failed_checks" in inspect.signature(check_estimator).parameters:
            check_estimator(lacuna.ReliableClassifier(**options), expected_failed_checks=EXCUSED)
        else:
            check_estimator(lacuna.ReliableClassifier(**options))
    skipped = " ".join(str(w.message) for w in caught if issubclass(w.category, SkipTestWarning))
    assert skipped.count("check_") >= 2 and "check_classifiers_classes" in skipped and "check_sample_weight" in skipped


def same(a, b, X):
    np.testing.assert_array_equal(a.error_probability(X), b.error_probability(X))
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


def test_clone_pickle_and_joblib_keep_every_bit(tmp_path):
    X, y, _ = clouds()
    model = lacuna.ReliableClassifier(density="kde", draws=2, random_state=7).fit(X, y)
    same(pickle.loads(pickle.dumps(model)), model, X)
    joblib.dump(model, tmp_path / "model.joblib")
    same(joblib.load(tmp_path / "model.joblib"), model, X)
    copy = clone(model)
    assert copy.get_params() == model.get_params() and not hasattr(copy, "classes_")
    same(copy.fit(X, y), model, X)
    density = lacuna.VariationalGaussianMixture().fit(X)
    restored = pickle.loads(pickle.dumps(density))
    np.testing.assert_array_equal(restored.score_samples(X), density.score_samples(X))
    assert restored.summary_["objective"] == density.summary_["objective"]


def test_grid_search_over_a_pipeline_with_our_folds():
    X, y, truth = clouds(600)
    pipeline = make_pipeline(StandardScaler(), lacuna.ReliableClassifier(draws=1, threads=1))
    search = GridSearchCV(
        pipeline,
        {"reliableclassifier__density__components": [1, 3], "reliableclassifier__kappa": [0, "auto:0.1"]},
        cv=lacuna.SemiSupervisedKFold(3),
        n_jobs=2,
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ > 0.95
    assert search.best_estimator_[-1].density.components == search.best_params_["reliableclassifier__density__components"]
    scores = cross_val_score(lacuna.ReliableClassifier(draws=1), X, y, cv=lacuna.SemiSupervisedKFold(3))
    assert len(scores) == 3 and scores.min() > 0.9


@pytest.mark.parametrize("missing", [-1, None, np.nan, "NA"])
def test_folds_keep_unlabeled_rows_in_training(missing):
    labels = ["a", "b"] * 15
    y = np.array([*labels, *[missing] * 20], dtype=object)
    random = np.random.default_rng(3)
    y = y[random.permutation(len(y))]
    folds = lacuna.SemiSupervisedKFold(5, shuffle=True, random_state=0, missing_label=missing)
    unlabeled = {i for i, label in enumerate(y) if label not in ("a", "b")}
    tested = []
    assert folds.get_n_splits() == 5
    for train, test in folds.split(np.zeros((50, 1)), y):
        assert unlabeled <= set(train) and not unlabeled & set(test) and not set(train) & set(test)
        assert len(train) + len(test) == 50
        assert sorted(y[test]) == ["a"] * 3 + ["b"] * 3
        tested.extend(test)
    assert len(set(tested)) == 30
