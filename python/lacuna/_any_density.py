"""Any object with `fit(X)` and `score_samples(X)` as the density of a classifier."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

#: In the place of minus infinity, with which probabilities could not be compared any more.
_LEAST = -1e300


def is_density(thing):
    return callable(getattr(thing, "fit", None)) and callable(getattr(thing, "score_samples", None))


def allows_nan(estimator):
    try:
        from sklearn.utils import get_tags  # 1.6

        return bool(get_tags(estimator).input_tags.allow_nan)
    except ImportError:
        tags = getattr(estimator, "_get_tags", None)
        return bool(tags().get("allow_nan", False)) if tags is not None else False
    except Exception:  # an object that is no estimator has no tags
        return False


def seeded(estimator, seed):
    """A clone whose random states, where the user left them open, are decided by the seed."""
    copy = clone(estimator, safe=False)
    if hasattr(copy, "get_params") and hasattr(copy, "set_params"):
        open_states = {
            name: seed % 2**32
            for name, value in copy.get_params(deep=True).items()
            if name.split("__")[-1] == "random_state" and value is None
        }
        copy.set_params(**open_states)
    return copy


def resampled(weights, seed):
    """Row numbers, as many as there are weights, each so often as its weight says, rounded up or down by lot."""
    start = np.random.default_rng(seed).uniform()
    places = (start + np.arange(len(weights))) * (weights.sum() / len(weights))
    return np.searchsorted(np.cumsum(weights), places).clip(max=len(weights) - 1)


class AnyDensity:
    """What the library calls: fits clones of `estimator`, and asks them for log densities.

    Rows have weights. An estimator whose `fit` takes `sample_weight` gets them. Any other is fitted to rows resampled
    in proportion to their weights, unless all weigh the same.
    """

    def __init__(self, estimator):
        self.estimator = estimator
        self.name = type(estimator).__name__
        self.takes_weights = has_fit_parameter(estimator, "sample_weight")
        self.handles_missing_values = allows_nan(estimator)

    def fit(self, X, weights, seed):
        density = seeded(self.estimator, seed)
        try:
            if self.takes_weights:
                density.fit(X, sample_weight=weights)
            else:
                density.fit(X if np.ptp(weights) == 0.0 else X[resampled(weights, seed)])
        except ValueError as error:
            remedy = "; conditional='densities' fits it to whole classes only" if len(X) < 10 else ""
            raise ValueError(f"the density could not be fitted to {len(X)} rows{remedy}: {error}") from error
        return density

    def log_density(self, density, X):
        values = np.asarray(density.score_samples(X), dtype=np.float64)
        name = type(density).__name__
        if values.shape != (len(X),):
            raise ValueError(f"{name}.score_samples returned shape {values.shape} for {len(X)} rows; expected one each")
        if np.isnan(values).any() or np.isposinf(values).any():
            raise ValueError(f"{name}.score_samples returned NaN or infinity; a log density is a number")
        return np.maximum(values, _LEAST)
