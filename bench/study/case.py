"""What a method gets: training rows of which some have labels."""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Case:
    X: pd.DataFrame
    y: np.ndarray  # -1: no label
    n_classes: int
    seed: int

    @property
    def labeled(self):
        return self.X[self.y >= 0]

    @property
    def labels(self):
        return self.y[self.y >= 0]

    @property
    def smallest_class(self):
        """Labels of the class that has the fewest, of those that have any."""
        return np.unique(self.labels, return_counts=True)[1].min()

    def thinned(self, most):
        """At most so many rows, by lot: no more than half of them labeled, unless there are too few others."""
        if len(self.y) <= most:
            return self
        order = np.random.default_rng([self.seed, 3]).permutation(len(self.y))
        labeled, others = order[self.y[order] >= 0], order[self.y[order] < 0]
        n_labeled = min(len(labeled), max(most // 2, most - len(others)))
        kept = np.sort(np.concatenate([labeled[:n_labeled], others[: most - n_labeled]]))
        return Case(self.X.iloc[kept], self.y[kept], self.n_classes, self.seed)
