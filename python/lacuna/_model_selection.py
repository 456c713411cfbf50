"""Folds for data of which only some rows have labels."""

import numpy as np
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold
from sklearn.utils import column_or_1d

from lacuna._labels import missing_mask


class SemiSupervisedKFold(BaseCrossValidator):
    """Stratified folds of the labeled rows; unlabeled rows are always in the training part.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=False
        Deal rows out at random.
    random_state : int, RandomState instance or None, default=None
        For `shuffle`.
    missing_label : default=-1
        What marks an unlabeled row in y; None and NaN stand for both and for pandas.NA.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna import SemiSupervisedKFold
    >>> y = np.array([0, 0, 1, 1, -1, -1])
    >>> for train, test in SemiSupervisedKFold(n_splits=2).split(np.zeros((6, 1)), y):
    ...     print(train, test)
    [1 3 4 5] [0 2]
    [0 2 4 5] [1 3]
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None, missing_label=-1):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.missing_label = missing_label

    def get_n_splits(self, X=None, y=None, groups=None):
        return self.n_splits

    def split(self, X, y=None, groups=None):
        """Yields the row numbers of each training and test part."""
        if y is None:
            raise ValueError("SemiSupervisedKFold needs y, which tells the labeled rows from the others")
        y = column_or_1d(y)
        mask = missing_mask(y, self.missing_label)
        labeled = np.flatnonzero(~mask)
        if len(labeled) == 0:
            raise ValueError(f"no row has a label (missing_label={self.missing_label!r})")
        unlabeled = np.flatnonzero(mask)
        folds = StratifiedKFold(self.n_splits, shuffle=self.shuffle, random_state=self.random_state)
        labels = y[labeled]
        if labels.dtype == object:
            labels = np.array(labels.tolist())
        for train, test in folds.split(labeled.reshape(-1, 1), labels):
            yield np.sort(np.concatenate([labeled[train], unlabeled])), labeled[test]
