"""Simulated tables: a fresh one for every seed, so that no table is lucky twice."""

import numpy as np
import pandas as pd

from data_table import DataTable


def frame(X):
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


# Toys with regions of their own: where nobody ever labels

def quadrants(random, n=11_000):
    """Four blobs; the class is the sign of the second coordinate. Labels in the upper left and lower right only."""
    left, upper = random.random((2, n)) < 0.5
    X = np.column_stack([np.where(left, -3.0, 3.0), np.where(upper, 1.2, -1.2)]) + random.normal(size=(n, 2)) * [0.8, 0.45]
    return DataTable("quadrants", frame(X), (X[:, 1] > 0).astype(int), np.where(left == upper, -1.0, 1.0), 1000)


def coin(random, n=11_000):
    """Two blobs are the classes; the one between them is labeled by a fair coin, and never seen labeled."""
    blob = random.choice([-1, 1, 0], n, p=[0.25, 0.25, 0.5])
    X = 5.0 * blob[:, None] + random.multivariate_normal([0.0, 0.0], [[1.0, -0.5], [-0.5, 1.0]], n)
    y = np.where(blob == 0, random.random(n) < 0.5, blob == 1).astype(int)
    return DataTable("coin", frame(X), y, np.where(blob == 0, 1.0, -1.0), 1000)


def noise(n_features):
    """Labels that are pure noise: whoever announces less than one half is wrong."""

    def make(random):
        n = 7000
        return DataTable(f"noise-{n_features}", frame(random.normal(size=(n, n_features))), random.integers(0, 2, n), None, 2000)

    return make


# Tables for the rules

def blobs(n_classes, n_informative, n_useless, clusters_per_class=2, flipped=0.05):
    """Classes of several stretched clusters, columns that say nothing among those that do, some labels flipped."""
    return _blobs(f"blobs-{n_classes}x{n_informative}", n_classes, n_informative, n_useless, clusters_per_class, flipped)


def uneven(random):
    """Blobs again, but each class has a third of the rows of the one before it: the last ones are rare wherever one looks."""
    return _blobs("uneven", 6, 8, 4, 2, 0.0, 3.0)(random)


def _blobs(name, n_classes, n_informative, n_useless, clusters_per_class, flipped, rarer=1.0):
    def make(random):
        n = 6000
        if rarer == 1.0:
            cluster = random.integers(0, n_classes * clusters_per_class, n)
        else:
            shares = rarer ** -np.arange(n_classes)
            cluster = random.choice(n_classes, n, p=shares / shares.sum()) + n_classes * random.integers(0, clusters_per_class, n)
        centres = random.normal(size=(n_classes * clusters_per_class, n_informative)) * 2.5 / np.sqrt(n_informative / 2)
        stretch = random.normal(size=(len(centres), n_informative, n_informative)) / np.sqrt(n_informative)
        points = centres[cluster] + np.einsum("nij,nj->ni", stretch[cluster], random.normal(size=(n, n_informative)))
        X = np.hstack([points, random.normal(size=(n, n_useless))])
        y = cluster % n_classes
        is_flipped = random.random(n) < flipped
        y[is_flipped] = random.integers(0, n_classes, is_flipped.sum())
        return DataTable(name, frame(X[:, random.permutation(X.shape[1])]), y)

    return make


def mixed(random):
    """Numbers, amounts that are mostly zero, heavy tails, categories, one cell of ten missing; a curved boundary."""
    n = 6000
    hidden = random.normal(size=(n, 3))
    table = pd.DataFrame({"a": hidden[:, 0] + 0.3 * random.normal(size=n), "b": hidden[:, 1] - hidden[:, 2]})
    table["amount"] = np.where(random.random(n) < 0.6, 0.0, np.exp(1.5 * hidden[:, 1] + random.normal(size=n)))
    table["tail"] = np.sinh(hidden[:, 2]) * random.standard_t(2, n)
    pull = np.exp(hidden @ random.normal(size=(3, 12)))
    level = (pull / pull.sum(axis=1, keepdims=True)).cumsum(axis=1) > random.random((n, 1))
    table["town"] = np.char.add("t", level.argmax(axis=1).astype(str)).astype(object)
    table["kind"] = np.where(hidden[:, 0] + random.normal(size=n) > 0, "old", "new").astype(object)
    score = hidden[:, 0] * hidden[:, 1] + 1.5 * np.sin(2.0 * hidden[:, 2]) + hidden[:, 0]
    y = (random.random(n) < 1.0 / (1.0 + np.exp(-2.0 * score))).astype(int)
    return DataTable("mixed", table.mask(random.random(table.shape) < 0.1), y)


TOYS = {"quadrants": quadrants, "coin": coin, "noise-2": noise(2), "noise-8": noise(8), "noise-20": noise(20)}
DRAWN = {"blobs-3x5": blobs(3, 5, 3), "blobs-6x10": blobs(6, 10, 5), "mixed": mixed, "uneven": uneven}
