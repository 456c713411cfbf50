"""Labels of every type, missing ones of every spelling, and what cannot be told apart."""

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from hypothesis import given
from hypothesis import strategies as st

from lacuna import ReliableClassifier
from lacuna._labels import class_names, classes_from_names, encode_labels, type_name

X, Y, TRUTH = clouds()
BASE = ReliableClassifier(draws=1).fit(X, Y)
NAMES = np.array(["cat", "dog"])


def check(model, y, classes):
    model.fit(X, y)
    assert model.classes_.tolist() == classes
    np.testing.assert_array_equal(model.error_probability(X), BASE.error_probability(X))
    prediction = model.predict(X)
    assert prediction.dtype == model.classes_.dtype
    np.testing.assert_array_equal(prediction, model.classes_[BASE.predict(X)])
    assert model.score(X, y) == BASE.score(X, Y)


@pytest.mark.parametrize(
    ("missing", "nothing"),
    [(-1, -1), (None, None), (None, np.nan), (None, pd.NA), (np.nan, None), ("NA", "NA"), ("", ""), (9, 9)],
    ids=repr,
)
@pytest.mark.parametrize("kind", ["object", "series"])
def test_text_labels_with_any_missing_label(missing, nothing, kind):
    y = np.array([NAMES[label] if label >= 0 else nothing for label in Y], dtype=object)
    check(ReliableClassifier(draws=1, missing_label=missing), pd.Series(y) if kind == "series" else y, ["cat", "dog"])


def test_text_arrays():
    y = np.where(Y < 0, "NA", NAMES[Y])
    check(ReliableClassifier(draws=1, missing_label="NA"), y, ["cat", "dog"])
    # NumPy has made text of the -1 here.
    check(ReliableClassifier(draws=1), np.where(Y < 0, "-1", NAMES[Y]), ["cat", "dog"])
    check(ReliableClassifier(draws=1), list(y_ if y_ != "NA" else -1 for y_ in y), ["cat", "dog"])


def test_numbers_as_labels():
    check(ReliableClassifier(draws=1), np.where(Y < 0, -1, Y * 10 + 5), [5, 15])
    check(ReliableClassifier(draws=1, missing_label=np.nan), np.where(Y < 0, np.nan, Y), [0.0, 1.0])
    series = pd.Series(np.where(Y < 0, np.nan, Y)).astype("Int64")
    check(ReliableClassifier(draws=1, missing_label=None), series, [0, 1])
    check(ReliableClassifier(draws=1, missing_label=0), np.where(Y < 0, 0, Y * 2 - 1), [-1, 1])
    flags = [None if label < 0 else bool(label) for label in Y]
    check(ReliableClassifier(draws=1, missing_label=None), flags, [False, True])
    check(ReliableClassifier(draws=1), pd.DataFrame({"y": Y})["y"], [0, 1])


def test_classes_that_nobody_saw():
    model = ReliableClassifier(conditional="densities", draws=1, classes=["cat", "dog", "emu"], missing_label=None)
    model.fit(X, [None if label < 0 else NAMES[label] for label in Y])
    assert model.classes_.tolist() == ["cat", "dog", "emu"]
    probabilities = model.predict_proba([[-3.0, 0.0], [0.0, 9.0]])
    assert probabilities[0, 2] < 0.05
    np.testing.assert_allclose(probabilities[1], 1 / 3, atol=0.01)  # nobody knows
    assert model.summary_["class_counts"]["emu"] == 0


def test_one_class_and_the_others_by_name():
    y = np.where(Y == 1, -1, Y)
    with pytest.warns(UserWarning, match="only class '0' has labeled rows"):
        model = ReliableClassifier(classes=[1], draws=1).fit(X, y)
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "options", "text"),
    [
        (np.where(Y == 0, -1, 1), {}, "-1, which means 'unlabeled'"),
        (np.where(Y == 0, -1, 1), {}, "missing_label to what marks unlabeled rows"),
        (np.resize([-2, -1, 3], len(Y)), {}, "beside -2, 3 it looks like a class"),
        (Y, {"classes": [-1, 0, 1]}, "classes names -1, which is also the missing_label"),
        (Y, {"classes": ["a"]}, "classes names 'a' but y holds labels such as"),
        (np.full(len(Y), -1), {}, "no row has a label (missing_label=-1)"),
        (np.zeros(len(Y)), {}, "y has one class only"),
        (np.resize([0, 1, np.nan], len(Y)), {}, "contains NaN"),
        (np.resize([0.0, 1.0, np.inf], len(Y)), {}, "contains infinity"),
        (np.resize(np.array([0, 1, None], dtype=object), len(Y)), {}, "set missing_label=None"),
        (np.resize(np.array([0, "a", -1], dtype=object), len(Y)), {}, "mixes labels that are texts with others"),
        (np.linspace(0.0, 1.0, len(Y)), {}, "Unknown label type"),
        (Y[:-1], {}, "inconsistent numbers of samples"),
        (np.stack([Y, Y], axis=1), {}, "1d array"),
        (None, {}, "requires y to be passed, but the target y is None"),
    ],
)
def test_what_cannot_be_is_a_value_error(y, options, text):
    with pytest.raises(ValueError) as caught:
        ReliableClassifier(**options).fit(X, y)
    assert text in str(caught.value)


def test_minus_one_and_one_once_somebody_has_said_which_it_is():
    y = np.where(TRUTH == 0, -1, 1)
    assert ReliableClassifier(missing_label=None, draws=1).fit(X, y).classes_.tolist() == [-1, 1]
    with pytest.warns(UserWarning, match="only class '1'"):
        assert ReliableClassifier(classes=[0], draws=1).fit(X, y).classes_.tolist() == [0, 1]


KINDS = st.one_of(
    st.sets(st.integers(0, 2**40), min_size=2, max_size=5),
    st.sets(st.text(min_size=1, max_size=3).filter(lambda text: "\0" not in text), min_size=2, max_size=5),
    st.just({True, False}),
    st.sets(st.integers(0, 2**40).map(float), min_size=2, max_size=5),
)


@given(KINDS, st.lists(st.integers(0, 5), min_size=1, max_size=30), st.sampled_from([None, np.nan, pd.NA]))
def test_numbers_and_names_of_classes_lead_back_to_the_labels(kinds, choices, nothing):
    kinds = sorted(kinds)
    # Each class once, then any of them or none.
    labels = [*kinds, *(kinds[i] if i < len(kinds) else nothing for i in choices)]
    codes, classes = encode_labels(np.array(labels, dtype=object), None, None)
    assert classes.tolist() == kinds
    for label, code in zip(labels, codes):
        assert (code == -1) if label is nothing else (classes[code] == label)
    restored = classes_from_names(class_names(classes), type_name(classes))
    assert restored.tolist() == kinds
    subset, named = encode_labels(np.array(labels[:2], dtype=object), kinds[1:], None)
    assert named.tolist() == kinds and subset.tolist() == codes[:2].tolist()


def test_score_wants_a_label():
    with pytest.raises(ValueError, match="nothing to score"):
        BASE.score(X, np.full(len(X), -1))
    half = np.where(np.arange(len(X)) % 2 == 0, TRUTH, -1)
    assert BASE.score(X, half) == pytest.approx(np.mean(BASE.predict(X)[::2] == TRUTH[::2]))


@pytest.mark.parametrize("kind", ["S", object])
@pytest.mark.parametrize("nothing", [b"", b"?"])
def test_labels_that_are_bytes(kind, nothing):
    y = np.array([nothing if label == -1 else NAMES[label].encode() for label in Y.tolist()], dtype=kind)
    check(ReliableClassifier(draws=1, missing_label=nothing), y, [b"cat", b"dog"])


def test_bytes_and_texts_name_the_same_missing_label():
    texts = np.array(["" if label == -1 else NAMES[label] for label in Y.tolist()])
    for labels in (texts, texts.astype(object)):
        check(ReliableClassifier(draws=1, missing_label=b""), labels, ["cat", "dog"])
    model = ReliableClassifier(draws=1, missing_label="").fit(X, texts.astype("S"))
    assert model.classes_.tolist() == [b"cat", b"dog"]


@pytest.mark.parametrize("y", [[0.0, 1.0, np.nan], ["a", "b", None], ["a", "b", np.nan], pd.array([0, 1, None], dtype="Int64")], ids=str)
def test_nan_in_y_hints_at_missing_label(y):
    X = np.arange(3.0)[:, None]
    for labels in (y, pd.Series(y)):
        with pytest.raises(ValueError, match="y contains NaN or None. If these rows are unlabeled, set missing_label=None"):
            ReliableClassifier().fit(X, labels)
