"""class_weight: the answers of smallest expected cost; probabilities stay those of the target."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight
from test_guarantees import NEW, NEW_TRUTH, X, Y

import lacuna

PLAIN = lacuna.ReliableClassifier(threads=2).fit(X, Y)
COSTLY = {0: 1.0, 1: 5.0}
WEIGHTED = lacuna.ReliableClassifier(threads=2, class_weight=COSTLY).fit(X, Y)


def test_the_fit_and_all_probabilities_stay():
    for question in ("predict_proba", "log_ratio", "informative", "predict_set"):
        np.testing.assert_array_equal(getattr(WEIGHTED, question)(NEW), getattr(PLAIN, question)(NEW))


def test_no_answer_has_a_smaller_expected_cost():
    p = PLAIN.predict_proba(NEW)
    cost = p @ (np.diag([1.0, 5.0]) @ (1.0 - np.eye(2)))  # column: the class that is given
    chosen = cost[np.arange(len(NEW)), WEIGHTED.predict(NEW)]
    np.testing.assert_allclose(chosen, cost.min(axis=1), rtol=1e-12)
    moved = WEIGHTED.predict(NEW) != PLAIN.predict(NEW)
    assert 0.05 < moved.mean() < 0.9 and (WEIGHTED.predict(NEW)[moved] == 1).all()


def test_the_error_probability_is_that_of_the_class_given_and_holds():
    p, predicted, q = PLAIN.predict_proba(NEW), WEIGHTED.predict(NEW), WEIGHTED.error_probability(NEW)
    np.testing.assert_allclose(q, 1.0 - p[np.arange(len(NEW)), predicted], rtol=0, atol=1e-12)
    wrong = predicted != NEW_TRUTH
    plain_gap = abs((PLAIN.predict(NEW) != NEW_TRUTH).mean() - PLAIN.error_probability(NEW).mean())
    # The error rate over 20,000 rows has a standard deviation of .0035; what is left is the fit's own, as without weights.
    assert abs(wrong.mean() - q.mean()) < plain_gap + 0.05
    costs = np.where(NEW_TRUTH == 1, 5.0, 1.0)
    assert (costs * wrong).mean() < (costs * (PLAIN.predict(NEW) != NEW_TRUTH)).mean()


def test_balanced_counts_labeled_rows_as_scikit_learn_does():
    balanced = lacuna.ReliableClassifier(threads=2, class_weight="balanced").fit(X, Y)
    weights = compute_class_weight("balanced", classes=np.array([0, 1]), y=Y[Y >= 0])
    named = lacuna.ReliableClassifier(threads=2, class_weight=dict(enumerate(weights))).fit(X, Y)
    np.testing.assert_array_equal(balanced.predict(NEW), named.predict(NEW))


def test_equal_weights_change_nothing():
    same = lacuna.ReliableClassifier(threads=2, class_weight={0: 3.0, 1: 3.0}).fit(X, Y)
    np.testing.assert_array_equal(same.predict(NEW), PLAIN.predict(NEW))
    np.testing.assert_array_equal(same.accept(NEW, risk=0.2), PLAIN.accept(NEW, risk=0.2))


def test_what_cannot_be_kept_is_said(tmp_path):
    with pytest.raises(ValueError, match="accept.*class_weight"):
        WEIGHTED.accept(NEW)
    with pytest.warns(lacuna.LacunaWarning, match="no place for class_weight"):
        WEIGHTED.save(tmp_path / "m.lacuna")
    np.testing.assert_array_equal(lacuna.load(tmp_path / "m.lacuna").predict(NEW), PLAIN.predict(NEW))


@pytest.mark.parametrize(
    "weight, words",
    [
        ({2: 1.0}, "2 is no class"),
        ({0: -1.0}, "at least 0"),
        ({0: np.nan}, "at least 0"),
        ({0: np.inf}, "at least 0"),
        ({0: 0.0, 1: 0.0}, "all weights are 0"),
        ("even", "expected a dict"),
        ([1.0, 2.0], "expected a dict"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weight, words):
    with pytest.raises(ValueError, match=words):
        lacuna.ReliableClassifier(class_weight=weight).fit(X, Y)


def test_a_class_without_labels_cannot_be_balanced():
    with pytest.raises(ValueError, match="class '2' has no labeled row to balance by"):
        lacuna.ReliableClassifier(class_weight="balanced", classes=[0, 1, 2]).fit(X, Y)
    lacuna.ReliableClassifier(class_weight={2: 4.0}, classes=[0, 1, 2], draws=1).fit(X[:800], Y[:800]).predict(NEW[:5])
