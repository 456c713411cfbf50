"""Frames of pandas: names, categories, gaps; the same numbers as the command line has for the same table."""

import numpy as np
import pandas as pd
import pytest

import lacuna


def people(n=300, seed=1):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "height": random.normal(size=n) + 3.0 * truth,
            "weight": random.normal(size=n),
            "town": random.choice(["Aachen", "Bremen, Nord", "Köln"], n, p=[0.2, 0.5, 0.3]),
            "zone": random.integers(1, 4, n),
            "smokes": random.uniform(size=n) < 0.3,
        }
    )
    y = np.array(["no", "yes"], dtype=object)[truth]
    y[random.uniform(size=n) > 0.4] = None
    return frame, y


def with_gaps(frame):
    frame = frame.copy()
    frame.loc[::7, "height"] = np.nan
    frame.loc[::11, "town"] = None
    return frame


def command_line(cli, tmp_path, frame, y, *options):
    frame.assign(answer=y).to_csv(tmp_path / "t.csv", index=False)
    cli("fit", "t.csv", "--label", "answer", "-o", "cli.lacuna", "--categorical", "zone", *options)
    cli("predict", "cli.lacuna", "t.csv", "-o", "p.csv")
    return pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_a_mixed_table_is_what_the_command_line_makes_of_it(cli, tmp_path, gaps, kind):
    frame, y = people()
    frame = with_gaps(frame) if gaps else frame
    expected = command_line(cli, tmp_path, frame, y)
    frame["town"] = frame["town"].astype(kind)
    model = lacuna.ReliableClassifier(missing_label=None, categorical=["zone"]).fit(frame, y)
    np.testing.assert_array_equal(model.error_probability(frame), expected["error_probability"])
    np.testing.assert_array_equal(model.log_ratio(frame), expected["log_ratio"])
    np.testing.assert_array_equal(model.predict(frame), expected["prediction"])
    loaded = lacuna.load(tmp_path / "cli.lacuna")
    np.testing.assert_array_equal(loaded.error_probability(frame), expected["error_probability"])
    assert loaded.feature_names_in_.tolist() == list(frame.columns)


@pytest.mark.parametrize("options", [["--density", "gmm"], ["--features", "standardize,pca:3"]], ids=str)
def test_categories_become_columns_where_a_density_cannot_take_them(cli, tmp_path, options):
    frame, y = people()
    expected = command_line(cli, tmp_path, frame, y, *options)
    parameters = dict(zip([name[2:] for name in options[::2]], options[1::2]))
    model = lacuna.ReliableClassifier(missing_label=None, categorical=["zone"], **parameters).fit(frame, y)
    np.testing.assert_array_equal(model.error_probability(frame), expected["error_probability"])
    np.testing.assert_array_equal(lacuna.load(tmp_path / "cli.lacuna").predict(frame), expected["prediction"])


def test_new_categories_and_gaps_at_predict():
    frame, y = people()
    model = lacuna.ReliableClassifier(missing_label=None).fit(frame, y)
    new = frame.copy()
    new["town"] = "Ulm"
    gone = frame.copy()
    gone["town"] = None
    np.testing.assert_array_equal(model.error_probability(new), model.error_probability(gone))


def test_gaps_in_an_array():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2))
    y = (X[:, 0] > 0).astype(int)
    X[::5, 1] = np.nan
    model = lacuna.ReliableClassifier(draws=1).fit(X, y)
    assert model.score(X, y) > 0.95
    for density in ("gmm", "kde"):
        with pytest.raises(ValueError, match="NaN"):
            lacuna.ReliableClassifier(density=density).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        lacuna.ReliableClassifier(density="gmm").fit(X[:, :1], y).predict([[np.nan]])


def test_numbers_as_categories_in_an_array():
    random = np.random.default_rng(0)
    code = random.integers(0, 3, 300)
    X = np.stack([random.normal(size=300), code], axis=1)
    y = (code == 1).astype(int)  # no cut through the middle code tells them apart
    model = lacuna.ReliableClassifier(categorical=[1], draws=1).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model._columns[1].categories == ["0", "1", "2"]
    with pytest.raises(ValueError, match="categorical: there is no column 7"):
        lacuna.ReliableClassifier(categorical=[7]).fit(X, y)
    with pytest.raises(ValueError, match="categorical: got 'town'"):
        lacuna.ReliableClassifier(categorical=["town"]).fit(X, y)


def test_names_are_checked():
    frame, y = people()
    numbers = frame[["height", "weight"]]
    model = lacuna.ReliableClassifier(missing_label=None, draws=1).fit(numbers, y)
    assert model.feature_names_in_.tolist() == ["height", "weight"] and model.n_features_in_ == 2
    for wrong in (numbers[["weight", "height"]], numbers.rename(columns={"height": "size"})):
        with pytest.raises(ValueError, match="feature names"):
            model.predict(wrong)
    with pytest.raises(ValueError, match="expecting 2 features"):
        model.predict(np.zeros((3, 3)))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pd.date_range("2020", periods=300), "turn them into numbers, or leave the column out"),
        (pd.Categorical([None] * 300), "column 'more' is empty"),
        ([np.inf] * 300, "infinity"),
        ([1e300] * 300, "got 1e.300, expected a feature within"),
        ([1j] * 300, "turn them into numbers"),
    ],
)
def test_columns_that_cannot_be(column, text):
    frame, y = people()
    frame["more"] = column
    model = lacuna.ReliableClassifier(missing_label=None, draws=1)
    with pytest.raises(ValueError, match=text):
        model.fit(frame, y)


@pytest.mark.parametrize("column", [[None] * 300, [np.nan] * 300, [3.0] * 300, ["x"] * 300], ids=lambda c: repr(c[0]))
def test_columns_that_say_nothing_do_no_harm(column):
    frame, y = people()
    without = lacuna.ReliableClassifier(missing_label=None, draws=1).fit(frame, y)
    frame["more"] = column
    model = lacuna.ReliableClassifier(missing_label=None, draws=1).fit(frame, y)
    assert np.isfinite(model.error_probability(frame)).all()
    assert np.mean(model.predict(frame) == without.predict(frame[without.feature_names_in_])) > 0.97


def test_two_columns_of_one_name_are_refused():
    frame, y = people()
    for columns in (["height", "height"], ["height", "height", "town"]):
        with pytest.raises(ValueError, match="there are two columns 'height'"):
            lacuna.ReliableClassifier(missing_label=None).fit(frame[columns], y)


def test_an_identifier_is_refused():
    n = 1500
    frame = pd.DataFrame({"id": [f"id {i}" for i in range(n)], "x": np.arange(n) % 7})
    with pytest.raises(ValueError, match="more than 1000 look like an identifier"):
        lacuna.ReliableClassifier().fit(frame, np.arange(n) % 2)


def test_a_number_column_that_turned_into_words():
    frame, y = people()
    model = lacuna.ReliableClassifier(missing_label=None, draws=1).fit(frame, y)
    with pytest.raises(ValueError, match="column 'height' was a column of numbers"):
        model.predict(frame.assign(height="tall"))
