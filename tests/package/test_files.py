"""Model files go both ways between Python and the command line."""

import os

import numpy as np
import pandas as pd
import pytest
from conftest import clouds

import lacuna

X, Y, _ = clouds()


def test_a_model_from_python_predicts_on_the_command_line(cli, tmp_path):
    frame = pd.DataFrame(X, columns=["width", "length"])
    model = lacuna.ReliableClassifier().fit(frame, Y)
    model.save(tmp_path / "m.lacuna")
    frame.to_csv(tmp_path / "t.csv", index=False)
    cli("predict", "m.lacuna", "t.csv", "-o", "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    np.testing.assert_array_equal(predicted["prediction"], model.predict(frame))
    np.testing.assert_array_equal(predicted["error_probability"], model.error_probability(frame))
    assert "width" in cli("info", "m.lacuna")


def test_a_table_without_names_goes_by_position(cli, tmp_path):
    model = lacuna.ReliableClassifier(density="kde").fit(X, Y)
    model.save(tmp_path / "m.lacuna")
    np.save(tmp_path / "X.npy", X)
    cli("predict", "m.lacuna", "X.npy", "-o", "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    np.testing.assert_array_equal(predicted["error_probability"], model.error_probability(X))


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([0, 1], "i"), ([10, -20], "i"), ([0.0, 1.0], "f"), ([False, True], "b"), (["a", "b"], "U"), (["0", "1"], "U")],
)
def test_labels_come_back_as_what_they_were(tmp_path, labels, kind):
    y = np.array([None if label < 0 else labels[label] for label in Y], dtype=object)
    model = lacuna.ReliableClassifier(missing_label=None, draws=1).fit(X, y)
    model.save(tmp_path / "m")
    loaded = lacuna.load(tmp_path / "m")
    assert loaded.classes_.tolist() == sorted(labels) and loaded.classes_.dtype.kind == kind
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_labels_of_the_command_line_are_numbers_when_all_are(cli, tmp_path):
    for names, classes in ((["1", "2"], [1, 2]), (["1", "x"], ["1", "x"]), (["01", "2"], ["01", "2"])):
        pd.DataFrame(X, columns=["a", "b"]).assign(y=[names[label] if label >= 0 else "" for label in Y]).to_csv(
            tmp_path / "t.csv", index=False
        )
        cli("fit", "t.csv", "--label", "y", "-o", "m", "--force", "--seed", "9", "--kappa", "0.5", "--components", "3")
        loaded = lacuna.load(tmp_path / "m")
        assert loaded.classes_.tolist() == classes
        assert (loaded.random_state, loaded.kappa, loaded.density.components, loaded.kappa_) == (9, 0.5, 3, 0.5)
        y = np.array([classes[label] if label >= 0 else None for label in Y], dtype=object)
        again = loaded.set_params(missing_label=None).fit(pd.DataFrame(X, columns=["a", "b"]), y)
        np.testing.assert_array_equal(again.error_probability(X), lacuna.load(tmp_path / "m").error_probability(X))


def test_a_loaded_model_saves_the_same_bytes(tmp_path):
    lacuna.ReliableClassifier().fit(X, Y).save(tmp_path / "a")
    lacuna.load(tmp_path / "a").save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_parameters_come_back_from_the_record(tmp_path):
    densities = [
        lacuna.VariationalGaussianMixture("auto", weight_concentration=0.5, own_covariance=True),
        lacuna.GaussianMixture(2, covariance="tied"),
        lacuna.KernelDensity("scott"),
        lacuna.DirichletProcessMixture(20, dp_burn_in=10, dp_draws=5),
    ]
    for density in densities:
        model = lacuna.ReliableClassifier(density=density, draws=2, kappa=0.5, classes=[0, 1], random_state=3).fit(X, Y)
        model.save(tmp_path / "m", overwrite=True)
        assert repr(lacuna.load(tmp_path / "m")) == repr(model)


def test_files_that_cannot_be(tmp_path):
    model = lacuna.ReliableClassifier(draws=1).fit(X, Y)
    model.save(tmp_path / "m")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        model.save(tmp_path / "m")
    model.save(tmp_path / "m", overwrite=True)
    with pytest.raises(OSError):
        model.save(tmp_path / "nowhere" / "m")
    with pytest.raises(FileNotFoundError):
        lacuna.load(tmp_path / "none")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="text"):
        lacuna.load(tmp_path / "text")
    whole = (tmp_path / "m").read_bytes()
    for end in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:end])
        with pytest.raises(ValueError):
            lacuna.load(tmp_path / "cut")


def test_names_that_are_not_utf8_or_hold_a_zero_byte(tmp_path):
    model = lacuna.ReliableClassifier(draws=1).fit(*clouds()[:2])
    path = os.fsdecode(os.fsencode(tmp_path) + b"/m\xff")
    model.save(path)
    np.testing.assert_array_equal(lacuna.load(path).predict_proba(clouds()[0]), model.predict_proba(clouds()[0]))
    lacuna.load(os.fsencode(path))
    with pytest.raises(FileExistsError):
        model.save(path)
    (tmp_path / "a").write_text("another file")
    with pytest.raises(OSError, match="zero byte"):
        model.save(str(tmp_path / "a\0b"), overwrite=True)
    with pytest.raises(FileNotFoundError, match="zero byte"):
        lacuna.load(str(tmp_path / "a\0b"))
    assert (tmp_path / "a").read_text() == "another file"


def test_names_that_no_model_file_takes_are_refused_before_the_fit():
    long = "x" * (5 << 20)
    y = np.array([None if label < 0 else ("short", long)[label] for label in Y], dtype=object)
    with pytest.raises(ValueError, match="a class whose name 'x+\\.\\.\\.' has 5242880 bytes, expected at most 4194304"):
        lacuna.ReliableClassifier(missing_label=None).fit(X, y)
    with pytest.raises(ValueError, match="a feature whose name"):
        lacuna.ReliableClassifier().fit(pd.DataFrame(X, columns=["a", long]), Y)


def test_categories_that_no_model_file_takes_are_not_saved(tmp_path):
    town = np.where(X[:, 0] > 0, "here", "x" * (5 << 20))
    model = lacuna.ReliableClassifier(conditional="densities").fit(pd.DataFrame({"a": X[:, 1], "town": town}), Y)
    with pytest.raises(ValueError, match="cannot be saved"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("weight", [1e-20, 1e-300])
def test_rows_that_weigh_next_to_nothing_make_a_model_that_can_be_read(tmp_path, weight):
    model = lacuna.ReliableClassifier(conditional="densities").fit(X, Y, sample_weight=np.full(len(X), weight))
    model.save(tmp_path / "m")
    found = lacuna.load(tmp_path / "m").predict_proba(X)
    np.testing.assert_array_equal(found, model.predict_proba(X))
    assert np.isfinite(found).all()
