"""What the command line notes is a warning in Python: at the user's line, each once in a call."""

import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import clouds

import lacuna

X, Y, TRUTH = clouds(200)


def said(call):
    """The texts of lacuna's warnings during a call; each points to this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    own = [w for w in caught if issubclass(w.category, lacuna.LacunaWarning)]
    assert all(w.filename == __file__ for w in own), [w.filename for w in own]
    return [str(w.message) for w in own]


def classifier(**options):
    """Few rows ask for a low threshold, of which the library warns; here it is given."""
    return lacuna.ReliableClassifier(density=lacuna.VariationalGaussianMixture(2), draws=1, kappa=0.0, **options)


def test_nothing_to_say():
    assert said(lambda: classifier().fit(X, Y).predict(X)) == []


def test_columns_that_say_nothing_are_kept_and_named():
    one = np.column_stack([X, np.full(len(X), 7.0)])
    assert said(lambda: classifier().fit(one, Y)) == ["column 'c2' is the same in every row and says nothing"]
    assert classifier().fit(one, Y).n_features_in_ == 3
    gap = np.where(np.arange(len(X)) % 2 == 0, np.nan, 7.0)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(same=gap, word="x", none=np.nan, nothing=None)
    assert said(lambda: classifier().fit(frame, Y)) == [
        "2 columns are the same in every row and say nothing: 'same', 'word'",
        "2 columns are empty in every row and say nothing: 'none', 'nothing'",
    ]
    wide = np.column_stack([X, np.zeros((len(X), 25))])
    (text,) = said(lambda: classifier().fit(wide, Y))
    assert text.startswith("25 columns are") and text.endswith("'c21' and 5 more")


def test_pixels_have_their_place():
    X = np.random.default_rng(0).uniform(size=(60, 4)) * [1, 1, 1, 0]
    y = np.resize([0, 1, -1], 60)
    assert said(lambda: lacuna.VariationalAutoencoder(vae_hidden=[4], vae_epochs=1).fit(X)) == []
    assert said(lambda: classifier(features="vae:2").fit(X, y)) == []


def test_an_identifier():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(name=[f"n{i % 150}" for i in range(len(X))])
    assert said(lambda: classifier().fit(frame, Y)) == [
        "column 'name' holds 150 categories, almost as many as rows; if it is an identifier, leave it out"
    ]


@pytest.mark.parametrize("density", ["vb-gmm", "gmm"])
def test_unseen_categories(density):
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(town=np.resize(["Aachen", "Köln"], len(X)))
    model = lacuna.ReliableClassifier(density=density, draws=1).fit(frame, Y)
    assert said(lambda: model.predict(frame)) == []
    new = frame.copy()
    new.loc[:2, "town"] = "Ulm"
    assert said(lambda: model.predict(new)) == [
        "3 cells hold categories that the training table did not have; they count as unknown"
    ]
    new.loc[1:2, "town"] = "Köln"
    assert said(lambda: model.error_probability(new)) == [
        "1 cell holds a category that the training table did not have; they count as unknown"
    ]
    new.loc[0, "town"] = None  # a coded column has a place for what is missing, columns of zeros and ones have none
    assert len(said(lambda: model.predict(new))) == (0 if density == "vb-gmm" else 1)


def test_what_the_library_says_and_once_for_all_methods():
    short = lacuna.ReliableClassifier(density=lacuna.VariationalGaussianMixture(max_iterations=1), draws=2, kappa=0.0)
    (text,) = said(lambda: short.fit(X, Y))
    assert "densities stopped at max" in text and "\x1f" not in text
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(town=np.resize(["Aachen", "Köln"], len(X)), same=1)
    new = frame.assign(town="Ulm")
    texts = said(lambda: lacuna.compare(frame, Y, new, TRUTH, estimator=classifier(classes=[2])))
    assert len(texts) == len(set(texts))
    for part in ("cells hold categories", "is the same in every row", "class '2' has no labeled row; method supervised"):
        assert sum(part in text for text in texts) == 1, part
    models = {"one": classifier().fit(frame, Y), "two": classifier().fit(frame, Y)}
    assert len(said(lambda: lacuna.report(models, new, TRUTH))) == 1


def test_warnings_as_errors():
    model = classifier()
    with warnings.catch_warnings():
        warnings.simplefilter("error", lacuna.LacunaWarning)
        with pytest.raises(lacuna.LacunaWarning, match="'c0' is the same"):
            model.fit(np.column_stack([np.ones(len(X)), X]), Y)
        with pytest.raises(lacuna.LacunaWarning, match="max"):
            lacuna.ReliableClassifier(density=lacuna.GaussianMixture(max_iterations=1), kappa=0.0).fit(X, Y)
