"""The auto-encoder as a transformer: the numbers of the command line, names, encodings, pickles."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import lacuna


@pytest.fixture(scope="module")
def images():
    random = np.random.default_rng(0)
    kind = random.integers(0, 2, 200)
    base = np.stack([np.linspace(0, 1, 16), np.linspace(1, 0, 16)])
    X = np.clip(base[kind] + 0.1 * random.normal(size=(200, 16)), 0, 1)
    y = np.where(random.uniform(size=200) < 0.5, kind, -1)
    return X, y


@pytest.fixture(scope="module")
def encoder(images):
    return lacuna.VariationalAutoencoder(vae_hidden=[8], vae_epochs=20, vae_batch=32).fit(images[0])


def test_a_pipeline_is_the_tool_with_features(cli, tmp_path, images, encoder):
    X, y = images
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "labels.csv").write_text("".join(f"{label if label >= 0 else ''}\n" for label in y))
    options = ["--features", "vae:2", "--vae-hidden", "8", "--vae-epochs", "20", "--vae-batch", "32"]
    cli("fit", "X.npy", "--labels", "labels.csv", "-o", "m", *options)
    cli("predict", "m", "X.npy", "-o", "p.csv")
    expected = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    pipeline = make_pipeline(clone(encoder), lacuna.ReliableClassifier()).fit(X, y)
    np.testing.assert_array_equal(pipeline.predict_proba(X), expected[["p_0", "p_1"]])
    loaded = lacuna.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.error_probability(X), expected["error_probability"])
    whole = lacuna.ReliableClassifier(features="vae:2")
    assert whole.get_params()["features"] == loaded.features


def test_names_pickles_and_frames(images, encoder):
    X, _ = images
    assert encoder.get_feature_names_out().tolist() == ["z1", "z2"] and encoder.n_latent_ == 2
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(encoder)).transform(X), encoder.transform(X))
    frame = lacuna.VariationalAutoencoder(vae_hidden=[8], vae_epochs=1).set_output(transform="pandas").fit_transform(X)
    assert list(frame.columns) == ["z1", "z2"]


def test_encodings_tell_the_kinds_apart(images, encoder):
    X, y = images
    z = encoder.transform(X)
    between = np.linalg.norm(z[y == 0].mean(axis=0) - z[y == 1].mean(axis=0))
    assert between > 2 * z[y == 0].std(axis=0).max()


def test_a_drawn_encoding_is_a_draw_that_a_seed_repeats(images, encoder):
    X, _ = images
    draw = lacuna.VariationalAutoencoder(vae_hidden=[8], vae_epochs=20, vae_batch=32, encoding="sample").fit(X)
    first = draw.transform(X)
    np.testing.assert_array_equal(first, draw.transform(X))
    assert np.abs(first - encoder.transform(X)).max() > 0.01


def test_what_it_cannot_take(images, encoder):
    X, _ = images
    with pytest.raises(ValueError, match="Negative values in data passed to .*'gaussian' takes them"):
        lacuna.VariationalAutoencoder().fit(X - 1.0)
    with pytest.raises(ValueError, match="NaN"):
        lacuna.VariationalAutoencoder().fit(np.where(X < 0.1, np.nan, X))
    with pytest.raises(ValueError, match="vae_epochs: got 0, expected a whole number from 1 to"):
        lacuna.VariationalAutoencoder(vae_epochs=0).fit(X)
    with pytest.raises(ValueError, match="n_latent: got 0, expected a whole number from 1 to 1000"):
        lacuna.VariationalAutoencoder(0).fit(X)
    with pytest.raises(ValueError, match="expecting 16 features"):
        encoder.transform(X[:, :3])
