"""Prediction sets and accepted rows, through the estimator."""

import numpy as np
import pytest
from lacuna import ReliableClassifier

SEEN, UNSEEN = 0, 1


def two_regions(n, seed):
    """Overlapping classes left; right, at 9, rows that nobody labels. Labels left get rarer along the second column."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    region = random.integers(0, 2, n)
    X = random.normal(size=(n, 2)) + np.where(region == UNSEEN, 9.0, 0.0)[:, None] * [1, 0]
    X[:, 0] += np.where(y == 1, 1.0, -1.0)
    seen = (region == SEEN) & (random.uniform(size=n) < 0.3 / (1.0 + np.exp(-X[:, 1])))
    return X, y, region, seen


X, TRUTH, REGION, HAS_LABEL = two_regions(4000, 0)
Y = np.where(HAS_LABEL, TRUTH, -1)
MODEL = ReliableClassifier(threads=2).fit(X, Y)
NEW, NEW_TRUTH, NEW_REGION, _ = two_regions(20_000, 1)
INSIDE = MODEL.informative(NEW)


def coverage(sets, rows):
    return sets[np.arange(len(NEW_TRUTH)), NEW_TRUTH][rows].mean()


def test_sets_cover_the_target():
    sets = MODEL.predict_set(NEW, alpha=0.1)
    assert sets.dtype == bool and sets.shape == (len(NEW), 2)
    # About 300 labels: the coverage of one fit has a standard deviation of .017, and .83 is four of them away.
    assert 0.83 < coverage(sets, INSIDE) < 0.97
    assert sets[~INSIDE].all()
    assert sets[np.arange(len(NEW)), MODEL.predict(NEW)].all()


def test_more_doubt_makes_larger_sets():
    sets = [MODEL.predict_set(NEW, 0.1, sensitivity=odds) for odds in (1, 1.5, 3)]
    for smaller, larger in zip(sets, sets[1:]):
        assert (larger >= smaller).all() and larger.sum() > smaller.sum()


def test_accepted_rows_keep_the_risk():
    wrong = MODEL.predict(NEW) != NEW_TRUTH
    accepted = MODEL.accept(NEW, risk=0.1, confidence=0.99)
    assert accepted.dtype == bool
    assert accepted.mean() > 0.1
    assert not accepted[~INSIDE].any()
    # Fails with a probability of 0.01, the level that is asked for; the draw is fixed.
    assert wrong[accepted].mean() <= 0.1
    assert MODEL.accept(NEW, risk=0.2, confidence=0.99).sum() >= accepted.sum()
    assert not MODEL.accept(NEW, risk=1e-6).any()
    again, share = MODEL.accept(NEW, risk=0.1, confidence=0.99, return_share=True)
    np.testing.assert_array_equal(again, accepted)
    assert share == accepted.mean()


def test_rows_of_32_bits_and_a_copy_say_the_same(tmp_path):
    few = NEW[:500].astype(np.float32)
    MODEL.save(tmp_path / "model.lacuna")
    import lacuna

    copy = lacuna.load(tmp_path / "model.lacuna")
    for model in (MODEL, copy):
        np.testing.assert_array_equal(model.predict_set(few), MODEL.predict_set(few.astype(np.float64)))
        np.testing.assert_array_equal(model.accept(few), MODEL.accept(few.astype(np.float64)))


def test_what_cannot_be_promised_is_refused():
    plain = ReliableClassifier(conditional="densities").fit(X, Y)
    with pytest.raises(ValueError, match='no held-out answers.*conditional'):
        plain.predict_set(NEW)
    with pytest.raises(ValueError, match="no held-out answers"):
        plain.accept(NEW)
    for alpha in (0, 1, np.nan):
        with pytest.raises(ValueError, match="alpha"):
            MODEL.predict_set(NEW, alpha)
    with pytest.raises(ValueError, match="sensitivity"):
        MODEL.predict_set(NEW, sensitivity=0.5)
    with pytest.raises(ValueError, match="risk"):
        MODEL.accept(NEW, risk=1.0)
    with pytest.raises(ValueError, match="confidence"):
        MODEL.accept(NEW, confidence=0.0)
