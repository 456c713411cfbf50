"""The library has one table of options; the package offers those, under those names, with those defaults and limits."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import clone

import lacuna
from lacuna import _core
from lacuna._densities import FAMILIES

ROOT = Path(__file__).resolve().parents[2]
TABLES = _core.options()
ROWS = [[0.0], [1.0], [5.0], [6.0], [5.5], [0.3]]
LABELS = [0, 0, 1, 1, -1, -1]


def parameters(kind):
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def test_what_is_generated_is_up_to_date():
    command = [sys.executable, "-B", ROOT / "scripts" / "generate-options", "--check"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_every_family_has_an_estimator_with_its_options():
    assert FAMILIES.keys() == TABLES["families"].keys()
    for family, kind in FAMILIES.items():
        own = parameters(kind)
        assert list(own)[: -len(("random_state", "threads", "verbose"))] == [row["name"] for row in TABLES["families"][family]]
        assert all(own[row["name"]] == row["default"] for row in TABLES["families"][family])


def test_defaults_that_are_empty_in_the_library_are_none():
    own = parameters(lacuna.VariationalGaussianMixture)
    assert (own["components"], own["weight_concentration"], own["degrees_of_freedom"]) == (7, None, None)
    own = parameters(lacuna.VariationalAutoencoder)
    assert (own["vae_image_height"], own["vae_patience"], own["vae_checkpoint"]) == (None, None, None)
    assert (own["n_latent"], own["vae_hidden"], own["vae_batch"]) == (2, (512, 256), 256)


def test_the_classifier_has_what_is_no_densitys():
    own = parameters(lacuna.ReliableClassifier)
    assert list(own)[:3] == ["method", "density", "kappa"]
    assert own["draws"] == 5 and own["kappa"] == "auto:0.05" and own["features"] == "standardize"
    assert not own.keys() & {row["name"] for rows in TABLES["families"].values() for row in rows}


def test_docstrings_tell_every_parameter():
    for kind in (lacuna.ReliableClassifier, lacuna.VariationalAutoencoder, *FAMILIES.values()):
        for name in parameters(kind):
            assert f"\n    {name} : " in kind.__doc__ or f"{name}," in kind.__doc__ or f", {name}\n" in kind.__doc__, name
        assert kind.__doc__.index("Parameters\n") < kind.__doc__.index("Examples\n")


def test_the_preset_of_the_paper():
    values = lacuna.preset("paper")
    density = values["density"]
    assert (density.components, density.density_form, density.own_covariance) == (5, "expected-log", True)
    assert (values["posterior"], values["kappa"], values["draws"]) == ("product", 0, 1)
    record = lacuna.ReliableClassifier(**values).fit(ROWS, LABELS).record_
    assert record["options"]["covariance-scale"] == 1.0 and record["options"]["tolerance"] == 1e-6
    with pytest.raises(ValueError, match="preset: got 'mine', expected paper"):
        lacuna.preset("mine")


def mixture(**options):
    return {"density": lacuna.VariationalGaussianMixture(**options)}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "magic"}, "method: got 'magic'"),
        ({"density": "magic"}, "density: got 'magic', expected one of vb-gmm, gmm, kde"),
        ({"kappa": "auto:2"}, "kappa: got auto:2"),
        ({"draws": 0}, "draws: got 0, expected a whole number from 1 to 1000, or soft"),
        ({"max_em_iterations": 0}, "max_em_iterations: got 0"),
        ({"features": "magic"}, "features: got 'magic'"),
        ({"threads": -1}, "threads: got -1"),
        (mixture(components=2.5), "components: got '2.5', expected a whole number"),
        (mixture(max_iterations=0), "max_iterations: got 0"),
        (mixture(weight_prior="magic"), "weight_prior: got 'magic', expected one of dirichlet, stick-breaking"),
        ({"density": lacuna.KernelDensity("magic")}, "kde_bandwidth: got 'magic'"),
        ({"density": lacuna.DirichletProcessMixture(10)}, "dp_burn_in: got 150, expected less than dp_iterations"),
    ],
    ids=str,
)
def test_wrong_options_are_named_as_python_names_them(options, text):
    with pytest.raises(ValueError) as caught:
        lacuna.ReliableClassifier(**options).fit(ROWS, LABELS)
    assert text in str(caught.value)


def test_errors_tell_their_parts(tmp_path):
    with pytest.raises(ValueError) as caught:
        lacuna.VariationalGaussianMixture(max_iterations=0).fit(ROWS)
    error = caught.value
    assert (error.option, error.found, error.expected) == ("max_iterations", "0", "a whole number of at least 1")
    assert not hasattr(error, "file") and not hasattr(error, "row")
    with pytest.raises(FileNotFoundError) as caught:
        lacuna.load(tmp_path / "none")
    assert caught.value.file == str(tmp_path / "none")


@pytest.mark.parametrize("density", [3, None, object(), lacuna.KernelDensity])
def test_what_is_no_density_is_a_type_error(density):
    with pytest.raises(TypeError, match="fit.X. and score_samples.X."):
        lacuna.ReliableClassifier(density=density).fit(ROWS, LABELS)


def test_parameters_of_the_density_are_reached_through_the_classifier():
    model = lacuna.ReliableClassifier(density=lacuna.VariationalGaussianMixture())
    model.set_params(density__components=2, kappa=0.5)
    assert model.get_params()["density__components"] == clone(model).density.components == 2
    by_name = lacuna.ReliableClassifier().set_params(density__components=2, kappa=0.5)
    assert repr(by_name) == repr(model)
    other = lacuna.ReliableClassifier().set_params(density="gmm", density__components=2)
    assert isinstance(other.density, lacuna.GaussianMixture) and other.density.components == 2
    with pytest.raises(ValueError, match="kde_bandwidth"):
        lacuna.ReliableClassifier().set_params(density__kde_bandwidth="scott")


def test_a_name_is_the_familys_defaults():
    for family, kind in FAMILIES.items():
        options = lacuna.ReliableClassifier(density=family, draws=1).fit(ROWS, LABELS).record_["options"]
        assert options == lacuna.ReliableClassifier(density=kind(), draws=1).fit(ROWS, LABELS).record_["options"]


def test_auto_and_none():
    for value, recorded in (("auto", "auto"), (3, 3)):
        model = lacuna.ReliableClassifier(**mixture(components=value), draws=1).fit(ROWS, LABELS)
        assert model.record_["options"]["components"] == recorded
    for nothing in (None, 0, 0.0):
        model = lacuna.ReliableClassifier(**mixture(weight_concentration=nothing), draws=1).fit(ROWS, LABELS)
        assert model.record_["options"]["weight-concentration"] == 0


def test_a_seed_is_a_random_state():
    record = lacuna.ReliableClassifier(random_state=2**63).fit(ROWS, LABELS).record_
    assert record["seed"] == 2**63
    lacuna.ReliableClassifier(random_state=None).fit(ROWS, LABELS)
    with pytest.raises(ValueError):
        lacuna.ReliableClassifier(random_state=-1).fit(ROWS, LABELS)
