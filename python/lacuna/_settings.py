"""Python values as the settings of the library, which has the one list of their names and limits."""

import json
import numbers

import numpy as np

from lacuna import _core

#: Largest seed plus one that is drawn for a random_state that is no number.
_DRAWN_SEEDS = 2**31


def text_of(value):
    """A value as the command line would spell it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)


def setting_texts(values):
    """Settings for the library; None stands for its own default. Names have underscores here, dashes there."""
    return [
        (name.replace("_", "-"), [text_of(v) for v in value] if isinstance(value, (list, tuple)) else [text_of(value)])
        for name, value in values.items()
        if value is not None
    ]


def seed_of(random_state):
    """The seed that scikit-learn's random_state stands for: a whole number is the seed itself."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(_DRAWN_SEEDS))


def preset(name):
    """Parameters of `ReliableClassifier` for a set of settings with a name.

    Parameters
    ----------
    name : {"paper"}
        "paper": what the paper's experiments used.

    Returns
    -------
    dict
        Parameters that differ from the defaults.

    Examples
    --------
    >>> import lacuna
    >>> lacuna.preset("paper")["kappa"]
    '0'
    >>> model = lacuna.ReliableClassifier(**lacuna.preset("paper"))
    """
    return {key.replace("-", "_"): json.loads(value) for key, value in _core.preset(name)}
