"""Who gets a label: rules of missingness.

A rule gives every row of a table a depth, a function of the features alone: above 0 labels are seldom, elsewhere common, and
the deeper a row the farther it is from where they are common. Labels are then seen by lot, with one probability on each side. So
they are missing at random, and by a rule that no method is told.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

#: A drawn region is drawn again unless it holds this share of the rows.
LEAST, MOST = 0.15, 0.7
MOST_DRAWS = 100
N_CLUSTERS = 8
N_NEIGHBOURS = 50
MOST_VOTERS = 5000


class Hidden(NamedTuple):
    """A table after labels were hidden: row numbers of both halves, who has a label, and how deep each row lies."""

    train: np.ndarray
    test: np.ndarray
    seen: np.ndarray  # for the rows of `train`
    depth: np.ndarray  # for all rows


def hide(depth, shares, seed, n_train=None):
    """Half of the rows, or the first `n_train`, are for training; their labels are seen with the two shares by lot."""
    random = np.random.default_rng(seed)
    if n_train is None:
        order = random.permutation(len(depth))
        n_train = len(depth) // 2
    else:
        order = np.arange(len(depth))
    train, test = order[:n_train], order[n_train:]
    common, seldom = shares
    seen = random.random(len(train)) < np.where(depth[train] > 0.0, seldom, common)
    return Hidden(train, test, seen, depth)


# Rules with nothing to draw

def by_lot(n_rows):
    return np.full(n_rows, -1.0)


def one_sided(values, side, threshold):
    """Labels are common where the values are at most ("<=") or at least (">=") the threshold."""
    values = np.asarray(values, dtype=float)
    return values - threshold if side == "<=" else threshold - values


# Rules that draw a region

def draw(rule, table, random):
    """The depth of every row for a region of this kind, drawn until it is neither tiny nor nearly everything."""
    for _ in range(MOST_DRAWS):
        depth = RULES[rule](table, random)
        if LEAST <= (depth > 0.0).mean() <= MOST:
            return depth
    raise ValueError(f"{table.name}: {MOST_DRAWS} draws of the rule {rule} gave no region with {LEAST} to {MOST} of the rows")


def feature(table, random):
    """One column above (or below) a threshold; some of its categories, when it has categories."""
    column = table.X[random.choice(table.X.columns)]
    if column.dtype == object:
        return _some_levels(column, random)
    values = column.fillna(column.median()).to_numpy(float) * random.choice([-1.0, 1.0])
    return values - np.quantile(values, random.uniform(0.4, 0.7))


def _some_levels(column, random):
    levels = column.fillna("missing")
    chosen, share = set(), 0.0
    for level in random.permutation(levels.unique()):
        if share >= 1 / 3:
            break
        chosen.add(level)
        share += (levels == level).mean()
    return np.where(levels.isin(chosen), 1.0, -1.0)


def half_space(table, random):
    """One side of a plane of any direction."""
    Z = coordinates(table.X)
    along = Z @ random.normal(size=Z.shape[1])
    return along - np.quantile(along, random.uniform(0.4, 0.7))


def clusters(table, random):
    """Some of eight clusters, drawn until they hold a third of the rows. Depth: how much nearer the nearest of them is."""
    Z = coordinates(table.X)
    fit = KMeans(N_CLUSTERS, n_init=1, random_state=int(random.integers(2**31))).fit(Z)
    sizes = np.bincount(fit.labels_, minlength=N_CLUSTERS) / len(Z)
    order = random.permutation(N_CLUSTERS)
    n_chosen = int(np.searchsorted(np.cumsum(sizes[order]), 1 / 3)) + 1
    distances = fit.transform(Z)
    chosen, others = order[:n_chosen], order[n_chosen:]
    if len(others) == 0:
        return np.ones(len(Z))
    return distances[:, others].min(axis=1) - distances[:, chosen].min(axis=1)


def class_region(table, random):
    """Where neighbours vote for some classes, drawn by lot. A row does not vote for itself."""
    n_classes = table.n_classes
    rare = random.choice(n_classes, max(1, n_classes // 4), replace=False)
    is_rare = np.isin(table.y, rare)
    votes = neighbour_votes(coordinates(table.X), is_rare, random)
    return votes - np.quantile(votes, 1.0 - np.clip(is_rare.mean(), 0.1, 0.5))


def neighbour_votes(Z, is_rare, random):
    """The share of each row's nearest other rows that are rare, among at most 5,000 voters drawn by lot."""
    voters = np.sort(random.permutation(len(Z))[:MOST_VOTERS])
    k = min(N_NEIGHBOURS, len(voters) // 5)
    nearest = voters[NearestNeighbors(n_neighbors=k + 1).fit(Z[voters]).kneighbors(Z, return_distance=False)]
    is_other = nearest != np.arange(len(Z))[:, None]
    is_other[is_other.all(axis=1), -1] = False  # k votes for everybody: the farthest stays silent
    return (is_rare[nearest] & is_other).sum(axis=1) / k


def coordinates(X):
    """A table as points: numbers standardised, gaps at the median, outliers drawn in, categories as zeros and ones."""
    words = [name for name in X if X[name].dtype == object]
    numbers = X.drop(columns=words).astype(float)
    numbers = numbers.fillna(numbers.median()).fillna(0.0)
    Z = ((numbers - numbers.mean()) / numbers.std(ddof=0).replace(0.0, 1.0)).clip(-5.0, 5.0).to_numpy()
    if not words:
        return Z
    return np.hstack([Z, pd.get_dummies(X[words].fillna("missing"), dtype=float).to_numpy()])


RULES = {"feature": feature, "half-space": half_space, "clusters": clusters, "class-region": class_region}
