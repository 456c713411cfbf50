"""A complete table, all labels known; rules hide them later."""

from dataclasses import dataclass
from typing import Optional

import numpy as np
import pandas as pd


class Absent(Exception):
    """Something the study could use is not on this machine; the text says what would bring it."""


@dataclass(frozen=True)
class DataTable:
    """`X`: columns of numbers (NaN is a gap) and of words (object; NaN is a gap). `y`: classes 0, 1, ..."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    depth: Optional[np.ndarray] = None  # of the table's own rule
    n_train: Optional[int] = None  # the first rows; None: half of them, by lot

    @property
    def n_classes(self):
        return int(self.y.max()) + 1

    def some_rows(self, most):
        """At most so many rows, by a lot that is the same for all."""
        if len(self.y) <= most:
            return self
        kept = np.sort(np.random.default_rng(0).permutation(len(self.y))[:most])
        return DataTable(self.name, self.X.iloc[kept].reset_index(drop=True), self.y[kept])


def tidy(frame, label, name):
    """A frame as pandas reads it, with the label in one of its columns, as a DataTable."""
    frame = frame[frame[label].notna()].reset_index(drop=True)
    X = frame.drop(columns=label)
    for column in X:
        values = X[column]
        if isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.ordered:
            X[column] = values.cat.codes.astype(float).where(values.notna())
        elif pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            X[column] = values.astype(float)
        else:
            X[column] = values.astype(object).map(str, na_action="ignore").where(values.notna(), np.nan)
    return DataTable(name, X, pd.factorize(frame[label].astype(str), sort=True)[0])
