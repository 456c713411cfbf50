"""Answers when errors cost more for some classes than for others (docs/math/class-weight.md)."""

import numbers

import numpy as np


def costs_of(class_weight, classes, counts):
    """What an error costs by the true class, or None where all cost the same. `counts`: labeled rows of each class, by its name."""
    if class_weight is None:
        return None
    n_labeled = np.array(list(counts.values()), dtype=np.float64)
    if isinstance(class_weight, str) and class_weight == "balanced":
        if (n_labeled == 0).any():
            name = list(counts)[int(np.argmin(n_labeled))]
            raise ValueError(f"class_weight: class {name!r} has no labeled row to balance by; give a dict with a weight for it")
        costs = n_labeled.sum() / (len(classes) * n_labeled)
    else:
        costs = _named_costs(class_weight, classes.tolist())
    return None if np.ptp(costs) == 0.0 else costs


def _named_costs(class_weight, classes):
    if not hasattr(class_weight, "items"):
        raise ValueError(f'class_weight: got {class_weight!r}, expected a dict of class and weight, "balanced" or None')
    for label, weight in class_weight.items():
        if label not in classes:
            raise ValueError(f"class_weight: {label!r} is no class; there are {classes}")
        if not isinstance(weight, numbers.Real) or not 0.0 <= weight < np.inf:
            raise ValueError(f"class_weight: got {weight!r} for class {label!r}, expected a number of at least 0")
    costs = np.array([float(class_weight.get(label, 1.0)) for label in classes])
    if not costs.any():
        raise ValueError("class_weight: all weights are 0; an error has to cost something")
    return costs


def cheapest(scores, costs):
    """The scores when each row gets the class that makes the expected cost smallest."""
    # Scaled, so that no product is infinite. What is as good as the prediction does not take its place.
    gains = scores.posterior * (costs / costs.max())
    rows = np.arange(len(gains))
    best = gains.argmax(axis=1)
    moved = gains[rows, best] > gains[rows, scores.prediction]
    prediction = np.where(moved, best, scores.prediction).astype(scores.prediction.dtype)
    others = np.where(np.arange(gains.shape[1]) == prediction[:, None], 0.0, scores.posterior).sum(axis=1)
    return scores._replace(
        prediction=prediction, error_probability=np.where(moved, others, scores.error_probability)
    )
