"""The library has one list of settings; the package offers those, under those names, with those defaults."""

import inspect
import json

import pytest

import lacuna
from lacuna import _core

SETTINGS = {setting["name"].replace("-", "_"): setting for setting in _core.settings()}
# Settings about files, which arrays have no use for, and what has a name of its own in Python.
OF_FILES = {"label", "labels", "drop", "no_header", "preset"}
RENAMED = {"seed": "random_state"}
VAE_GROUP = "VAE (--features vae)"


def parameters(kind):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(kind.__init__).parameters.items()
        if name != "self"
    }


def default_of(name):
    return json.loads(SETTINGS[name]["default"])


def test_the_classifier_has_every_setting_of_a_fit():
    wanted = {RENAMED.get(n, n) for n, s in SETTINGS.items() if s["group"] != VAE_GROUP} - OF_FILES
    assert set(parameters(lacuna.ReliableClassifier)) - {"verbose"} == wanted


def test_defaults_are_those_of_the_library():
    own = parameters(lacuna.ReliableClassifier)
    for name in ("method", "density", "kappa", "posterior", "folds", "max_em_iterations", "em_tolerance", "features"):
        assert own[name] == default_of(name), name
    assert own["draws"] == int(default_of("draws")) and own["random_state"] == default_of("seed")
    assert own["threads"] == 0
    assert all(own[name] is None for name, setting in SETTINGS.items() if setting["families"])


DENSITIES = [getattr(lacuna, name) for name, place in lacuna._PLACES.items() if place == "_densities"]


@pytest.mark.parametrize("kind", DENSITIES)
def test_densities_have_the_settings_of_their_family(kind):
    own = parameters(kind)
    wanted = {name for name, setting in SETTINGS.items() if kind._family in setting["families"]}
    assert set(own) - {"random_state", "threads", "verbose"} == wanted
    for name in wanted:
        assert own[name] == default_of(name), name


def test_every_family_has_an_estimator():
    assert {kind._family for kind in DENSITIES} == set(_core.density_family_names())


def test_the_autoencoder_has_the_settings_of_its_group():
    wanted = {name.removeprefix("vae_") for name, setting in SETTINGS.items() if setting["group"] == VAE_GROUP}
    own = parameters(lacuna.VariationalAutoencoder)
    assert set(own) - {"n_latent", "random_state", "threads", "verbose"} == wanted
    for name in wanted - {"checkpoint", "checkpoint_every"}:
        default = json.loads(SETTINGS[f"vae_{name}" if f"vae_{name}" in SETTINGS else name]["default"])
        assert (list(own[name]) if isinstance(own[name], tuple) else own[name]) == default, name


def test_the_preset_of_the_paper():
    values = lacuna.preset("paper")
    assert (values["components"], values["density_form"], values["posterior"]) == (5, "expected-log", "product")
    assert lacuna.ReliableClassifier(**values)._settings()
    with pytest.raises(ValueError, match="preset: got 'mine', expected paper"):
        lacuna.preset("mine")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "magic"}, "method: got 'magic'"),
        ({"density": "magic"}, "density: got 'magic', expected one of vb-gmm, gmm, kde"),
        ({"dp_draws": 3}, "dp_draws: "),
        ({"kappa": "auto:2"}, "kappa: got auto:2"),
        ({"draws": 0}, "draws: got 0, expected 1 to 1000, or soft"),
        ({"max_em_iterations": 0}, "max_em_iterations: got 0"),
        ({"components": 2.5}, "components: got '2.5', expected a whole number"),
        ({"max_iterations": 0}, "max_iterations: got 0"),
        ({"kde_bandwidth": "scott"}, "kde_bandwidth: density family vb-gmm has no such option"),
        ({"density": "kde", "components": 3}, "components: density family kde has no such option"),
        ({"features": "magic"}, "features: got 'magic'"),
        ({"threads": -1}, "threads: got -1"),
        ({"density": lacuna.KernelDensity(), "components": 3}, "components: density is an object of its own"),
        ({"density": lacuna.KernelDensity("magic")}, "got 'magic'"),
    ],
    ids=str,
)
def test_wrong_settings_are_named_as_python_names_them(options, text):
    with pytest.raises(ValueError) as caught:
        lacuna.ReliableClassifier(**options).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert text in str(caught.value)


@pytest.mark.parametrize("density", [3, None, object(), lacuna.KernelDensity])
def test_what_is_no_density_is_a_type_error(density):
    with pytest.raises(TypeError, match="fit.X. and score_samples.X."):
        lacuna.ReliableClassifier(density=density).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_a_seed_is_a_random_state():
    X, y = [[0.0], [1.0], [5.0], [6.0], [5.5], [0.3]], [0, 0, 1, 1, -1, -1]
    record = lacuna.ReliableClassifier(random_state=2**63).fit(X, y).record_
    assert record["seed"] == 2**63
    lacuna.ReliableClassifier(random_state=None).fit(X, y)
    with pytest.raises(ValueError):
        lacuna.ReliableClassifier(random_state=-1).fit(X, y)
