"""Estimators from options that the library tells: those of a model file, and those of a preset."""

import dataclasses
import os

import numpy as np

from lacuna import _core
from lacuna._classifier import ReliableClassifier
from lacuna._densities import FAMILIES
from lacuna._labels import classes_from_names, missing_mask, type_of_names
from lacuna._tables import Column


def _names(kind):
    return {field.name for field in dataclasses.fields(kind)}


def _value(value):
    """A number that the library keeps as a text, because a word could stand there, is a number again."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:
            pass
    return value


def _parameters(options):
    """Parameters of a ReliableClassifier, the density among them as an object."""
    values = {name: _value(value) for name, value in options.items()}
    kind = FAMILIES[values.pop("density", ReliableClassifier().density)]
    density = kind(**{name: values.pop(name) for name in _names(kind) & values.keys()})
    return {**{name: values[name] for name in _names(ReliableClassifier) & values.keys()}, "density": density}


def preset(name):
    """Parameters of `ReliableClassifier` for a set of options with a name.

    Parameters
    ----------
    name : {"paper"}
        "paper": what the paper's experiments used.

    Returns
    -------
    dict
        Parameters that differ from the defaults, `density` among them.

    Examples
    --------
    >>> import lacuna
    >>> lacuna.preset("paper")["density"].components
    5
    >>> model = lacuna.ReliableClassifier(**lacuna.preset("paper"))
    """
    return _parameters(_core.preset(name))


def load(path):
    """Reads a model file, written by `ReliableClassifier.save` or `lacuna fit`.

    Labels come back as what they were. A model of the command line knows texts only: they become whole numbers when
    all of them are.

    Examples
    --------
    >>> import os, tempfile, lacuna
    >>> model = lacuna.ReliableClassifier().fit([[0.0], [1.0], [5.0], [6.0], [5.5]], [0, 0, 1, 1, -1])
    >>> path = os.path.join(tempfile.mkdtemp(), "m.lacuna")
    >>> model.save(path)
    >>> lacuna.load(path).predict([[0.2], [5.8]])
    array([0, 1])
    """
    model = _core.load_model(os.fsencode(path))
    kind = model.label_type or type_of_names(model.class_names)
    classes = classes_from_names(model.class_names, kind)
    options = model.options
    seed, named = options.pop("seed", 0), options.pop("classes", [])
    estimator = ReliableClassifier(
        **{
            **_parameters(options),
            "random_state": seed,
            "classes": classes_from_names(named, kind).tolist() or None,
            "missing_label": None if missing_mask(classes, -1).any() else -1,
            "categorical": options.get("categorical") or None,
        }
    )
    columns = [Column(*column) for column in model.columns]
    estimator.n_features_in_ = len(columns)
    if [column.name for column in columns] != [f"c{j}" for j in range(len(columns))]:
        estimator.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
    estimator._set_model(model, classes)
    return estimator
