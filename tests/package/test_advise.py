"""lacuna.advise: what `lacuna advise` says, for rows in memory."""

import numpy as np
import pandas as pd
import pytest
from conftest import clouds
from sklearn.neighbors import KNeighborsClassifier

import lacuna

X, Y, _ = clouds(700, seed=3)
MODEL = lacuna.ReliableClassifier().fit(X, Y)


def test_the_rows_of_the_tool(cli, tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = lacuna.ReliableClassifier().fit(frame, Y)
    model.save(tmp_path / "m.lacuna")
    frame.assign(y=[label if label >= 0 else "" for label in Y]).to_csv(tmp_path / "t.csv", index=False)
    cli("advise", "m.lacuna", "t.csv", "--label", "y", "-o", "out.csv", "-n", 30)
    theirs = pd.read_csv(tmp_path / "out.csv")
    ours = lacuna.advise(model, frame, Y, n=30)
    assert ours.rows.tolist() == (theirs["row"] - 1).tolist()
    for name in ("error_probability", "stands_for", "expected_drop"):
        np.testing.assert_allclose(getattr(ours, name), theirs[name], rtol=1e-3)
    assert ours.prediction.tolist() == theirs["prediction"].tolist()
    assert ((ours.reasons == "unseen") == (theirs["why"] == "labels say nothing about rows like this")).all()


def test_what_it_says_is_what_the_model_says():
    advice = lacuna.advise(MODEL, X, Y, n=40)
    assert (Y[advice.rows] == -1).all() and len(set(advice.rows)) == len(advice.rows) == 40
    np.testing.assert_array_equal(advice.error_probability, MODEL.error_probability(X)[advice.rows])
    np.testing.assert_array_equal(advice.reasons == "uncertain", MODEL.informative(X)[advice.rows])
    np.testing.assert_array_equal(advice.prediction, MODEL.predict(X)[advice.rows])
    assert (advice.prediction != advice.second).all()
    assert advice.n_unlabeled == (Y == -1).sum()
    assert advice.mean_error_probability == pytest.approx(MODEL.error_probability(X)[Y == -1].mean())
    assert X[advice.rows[0], 1] > 4.5  # the third cloud
    assert advice.table().shape == (40, 6) and "40 of" in repr(advice) and "<table" in advice._repr_html_()
    again = lacuna.advise(MODEL.set_params(threads=1), X.tolist(), Y.tolist(), n=40)
    assert again.rows.tolist() == advice.rows.tolist()


def test_labels_as_the_model_knows_them():
    names = np.array(["left", "right", ""], dtype=object)[Y]
    model = lacuna.ReliableClassifier(missing_label="").fit(X, names)
    advice = lacuna.advise(model, X, names, n=5)
    assert set(advice.prediction) <= {"left", "right"}
    for nothing in (None, np.full(len(X), "", dtype=object)):
        assert lacuna.advise(model, X, nothing, n=5).n_unlabeled == len(X)
    nobody = lacuna.advise(model, X[Y >= 0], names[Y >= 0])
    assert len(nobody.rows) == 0 and nobody.n_unlabeled == 0 and nobody.table().empty


def test_labels_of_the_advised_rows_are_those_that_were_missing():
    random = np.random.default_rng(8)
    cloud = random.integers(0, 20, 3000)  # twenty clouds, every second of class 1; ten were labeled
    centers = np.array([[12.0 * (c % 5), 12.0 * (c // 5)] for c in range(20)])
    rows, truth = centers[cloud] + random.normal(size=(3000, 2)), cloud % 2
    seen = np.where((cloud < 10) & (random.uniform(size=3000) < 0.2), truth, -1)
    chosen = lacuna.advise(lacuna.ReliableClassifier().fit(rows, seen), rows, seen, n=20).rows
    assert set(cloud[chosen]) >= set(range(10, 20))  # every cloud that nobody knows gets a label

    def errors_of_neighbours(labeled):  # the nearest label decides: it knows what labels there are, and nothing else
        return (KNeighborsClassifier(1).fit(rows[labeled], truth[labeled]).predict(rows) != truth).mean()

    known = np.flatnonzero(seen >= 0)
    assert errors_of_neighbours(known) > 0.2
    assert errors_of_neighbours(np.concatenate([known, chosen])) < 0.001


@pytest.mark.parametrize(
    "model, options, kind, words",
    [
        (MODEL, {"n": 0}, ValueError, "n: got 0, expected a whole number from 1 to 1000"),
        (MODEL, {"n": 2.5}, ValueError, "n: got 2.5"),
        (MODEL, {"n": True}, ValueError, "n: got True"),
        (MODEL, {"y": Y[:5]}, ValueError, "inconsistent numbers of samples"),
        (MODEL, {"y": np.where(Y >= 0, 7, -1)}, ValueError, "does not know"),
        (lacuna.ReliableClassifier(), {}, ValueError, "not fitted"),
        ("model", {}, TypeError, "expected a fitted ReliableClassifier"),
    ],
)
def test_what_cannot_be_meant_is_refused(model, options, kind, words):
    with pytest.raises(kind, match=words):
        lacuna.advise(model, X, options.pop("y", None), **options)
