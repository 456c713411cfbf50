"""Tables that have nothing but the interchange protocol of data frames, as those of polars and Arrow do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler
from test_tables import people

import lacuna


class Frame:
    """A table of which only the protocol is known; the data lie in a frame of pandas, whose own protocol is used."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__(nan_as_null, allow_copy)


def test_a_mixed_table_with_gaps():
    frame, y = people()
    frame.loc[::7, "height"] = np.nan
    model = lacuna.ReliableClassifier(missing_label=None).fit(Frame(frame), y)
    same = lacuna.ReliableClassifier(missing_label=None).fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    for rows in (Frame(frame), frame):
        np.testing.assert_array_equal(model.error_probability(rows), same.error_probability(frame))
        np.testing.assert_array_equal(model.predict_set(rows), same.predict_set(frame))
    assert model.score(Frame(frame), y) == same.score(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(Frame(frame.rename(columns={"height": "size"})))


def test_numbers_alone():
    frame, y = people()
    numbers = frame[["height", "weight"]]
    for estimator in (lacuna.VariationalGaussianMixture(), lacuna.KernelDensity()):
        np.testing.assert_array_equal(
            estimator.fit(Frame(numbers)).score_samples(Frame(numbers)), estimator.fit(numbers).score_samples(numbers)
        )
    ours = lacuna.ReliableClassifier(missing_label=None).fit(Frame(numbers), y)
    np.testing.assert_array_equal(ours.predict(Frame(numbers)), ours.predict(numbers))


def test_functions_take_them_too():
    frame, y = people()
    numbers = frame[["height", "weight"]]
    truth = np.where(pd.isna(y), "no", y)
    estimator = lacuna.ReliableClassifier(missing_label=None, draws=1)
    options = {"estimator": estimator, "others": {"scaled": lacuna.Pipeline([("s", StandardScaler()), ("m", estimator)])}}
    ours = lacuna.compare(Frame(numbers), y, Frame(numbers), truth, **options)
    theirs = lacuna.compare(numbers, y, numbers, truth, **options)
    assert ours.table().equals(theirs.table())
    assert lacuna.diagnose(Frame(numbers), y, estimator=estimator).document == lacuna.diagnose(numbers, y, estimator=estimator).document
    page = lacuna.report(ours.models["mar"], Frame(numbers), truth, train=(Frame(numbers), y))
    assert page.html == lacuna.report(ours.models["mar"], numbers, truth, train=(numbers, y)).html


def test_without_pandas_it_is_said(monkeypatch):
    frame, y = people()
    import sys

    monkeypatch.setitem(sys.modules, "pandas.api.interchange", None)
    with pytest.raises(ValueError, match="X is a Frame, which only pandas 1.5 or newer can read"):
        lacuna.ReliableClassifier(missing_label=None).fit(Frame(frame), y)
