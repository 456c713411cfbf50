"""Python values as options of the library, which has the one table of their names and limits."""

import numbers

import numpy as np

#: Parameters of estimators that are no options of the library.
_PYTHONS_OWN = {"density", "classes", "class_weight", "missing_label", "categorical", "n_latent", "random_state", "verbose"}
#: Largest seed plus one that is drawn for a random_state that is no number.
_DRAWN_SEEDS = 2**31


def options_of(estimator):
    """The parameters of an estimator that are options of the library, by name."""
    return {name: value for name, value in estimator.get_params(deep=False).items() if name not in _PYTHONS_OWN}


def text_of(value):
    """A value as the command line would spell it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)


def option_texts(values):
    """Options as the compiled part takes them; None stands for the library's own default."""
    return [
        (name, [text_of(v) for v in value] if isinstance(value, (list, tuple, np.ndarray)) else [text_of(value)])
        for name, value in values.items()
        if value is not None
    ]


def seed_of(random_state):
    """The seed that scikit-learn's random_state stands for: a whole number is the seed itself."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(_DRAWN_SEEDS))
