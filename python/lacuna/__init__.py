"""Classification when labels are missing at random: every prediction comes with an error probability that holds.

>>> import lacuna, numpy as np
>>> random = np.random.default_rng(0)
>>> X = np.concatenate([random.normal(-2, 1, (100, 2)), random.normal(2, 1, (100, 2)), random.normal(9, 1, (100, 2))])
>>> y = np.repeat([0, 1, -1], 100)                     # -1: no label; nobody ever labeled the third cloud
>>> model = lacuna.ReliableClassifier().fit(X, y)
>>> model.predict([[-2.0, -2.0], [2.0, 2.0]])
array([0, 1])
>>> model.error_probability([[2.0, 2.0], [9.0, 9.0]]).round(1)   # sure of one, clueless about the other
array([0. , 0.5])
>>> model.informative([[2.0, 2.0], [9.0, 9.0]])
array([ True, False])
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lacuna._core import version as __version__

if TYPE_CHECKING:
    from lacuna._advise import advise
    from lacuna._autoencoder import VariationalAutoencoder
    from lacuna._classifier import ReliableClassifier
    from lacuna._compare import compare
    from lacuna._diagnose import diagnose
    from lacuna._densities import DirichletProcessMixture, GaussianMixture, KernelDensity, VariationalGaussianMixture
    from lacuna._model_selection import SemiSupervisedKFold
    from lacuna._pipeline import Pipeline
    from lacuna._recorded import load, preset
    from lacuna._reliability import reliability
    from lacuna._report import report
    from lacuna._warnings import LacunaWarning

# Where each name lives. It is imported when first used: scikit-learn takes half a second, torch takes several.
_PLACES = {
    "ReliableClassifier": "_classifier",
    "VariationalGaussianMixture": "_densities",
    "GaussianMixture": "_densities",
    "KernelDensity": "_densities",
    "DirichletProcessMixture": "_densities",
    "VariationalAutoencoder": "_autoencoder",
    "SemiSupervisedKFold": "_model_selection",
    "Pipeline": "_pipeline",
    "load": "_recorded",
    "preset": "_recorded",
    "reliability": "_reliability",
    "compare": "_compare",
    "diagnose": "_diagnose",
    "advise": "_advise",
    "report": "_report",
    "LacunaWarning": "_warnings",
}

__all__ = ["__version__", *_PLACES]


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'lacuna' has no attribute {name!r}")
    value = getattr(import_module(f"lacuna.{_PLACES[name]}"), name)  # an AttributeError where a part was not built
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_PLACES})
