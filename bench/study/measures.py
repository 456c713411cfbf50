"""How good and how honest predictions were: the metrics of docs/metrics.md, over all rows and over parts of them.

They are lacuna's own definitions, written a second time so that probabilities of any classifier can be judged in any part without a
detour; a test holds them to `lacuna.reliability`.
"""

import numpy as np

N_BINS = 20
ROUNDING = 1e-12  # what is a rounding error below an edge is on it
NAMES = (
    "n", "error_rate", "mean_error_probability", "ece", "ece_by_chance", "overconfidence", "underconfidence", "brier_error", "brier", "nll",
)  # fmt: skip


def measure(y, probabilities, prediction, error_probability):
    """The metrics of some rows; None where there are no rows."""
    n = len(y)
    if n == 0:
        return {"n": 0, **dict.fromkeys(NAMES[1:])}
    wrong = (prediction != y).astype(float)
    above, below = _gaps(wrong, error_probability)
    truth = np.eye(probabilities.shape[1])[y]
    with np.errstate(divide="ignore"):
        log_true = np.log(probabilities[np.arange(n), y])
    return {
        "n": n,
        "error_rate": wrong.mean(),
        "mean_error_probability": error_probability.mean(),
        "ece": above + below,
        "ece_by_chance": _ece_by_chance(error_probability),
        "overconfidence": above,
        "underconfidence": below,
        "brier_error": ((wrong - error_probability) ** 2).mean(),
        "brier": ((probabilities - truth) ** 2).sum(axis=1).mean(),
        "nll": -log_true.mean(),
    }


def _gaps(wrong, error_probability):
    """Summed over the bins: errors beyond what was announced, and errors announced that did not come."""
    bins = np.minimum(((error_probability + ROUNDING) * N_BINS).astype(int), N_BINS - 1)
    gaps = np.bincount(bins, wrong - error_probability, N_BINS) / len(wrong)
    return np.maximum(gaps, 0.0).sum(), np.maximum(-gaps, 0.0).sum()


def _ece_by_chance(error_probability):
    """The mean `ece` if every announced probability were true: what so few rows show of themselves."""
    n_draws = 50
    lot = np.random.default_rng(0)
    return np.mean([
        sum(_gaps((lot.random(len(error_probability)) < error_probability).astype(float), error_probability)) for _ in range(n_draws)
    ])  # fmt: skip


def parts_of(depth):
    """Which test rows each part holds. `depth` is above 0 where labels are seldom; the same everywhere when by lot.

    The deepest tenth is that of all rows; those as deep as its last one belong to it, so that the order of rows does not matter.
    """
    seldom = depth > 0.0
    parts = {"all": np.ones(len(depth), bool), "common": ~seldom}
    if seldom.any():
        parts["seldom"] = seldom
        parts["deepest"] = seldom & (depth >= np.quantile(depth, 0.9, method="higher"))
    return parts


def measure_parts(depth, y, probabilities, prediction, error_probability):
    return {
        part: measure(y[rows], probabilities[rows], prediction[rows], error_probability[rows])
        for part, rows in parts_of(depth).items()
    }
