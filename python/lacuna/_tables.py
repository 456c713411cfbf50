"""Columns of a user's table and how they become features: the same mapping that a model file holds.

A column of numbers is one feature. A column of categories is one feature that holds the category's number where the
densities know what to do with it, and otherwise one feature of zeros and ones for each category.
"""

import math
import numbers
from typing import NamedTuple, Optional

import numpy as np

from lacuna._sklearn import is_frame
from lacuna._warnings import warn

#: More categories than that are an identifier, as for the command line.
MOST_CATEGORIES = 1000


class Column(NamedTuple):
    name: str
    categories: Optional[list]  # sorted; None for numbers
    is_coded: bool

    @property
    def n_features(self):
        return 1 if self.categories is None or self.is_coded else len(self.categories)


def value_text(value):
    """A label or category as a model file names it: whole numbers without a point, as in a CSV file."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def is_null(value):
    """None, NaN, NaT and pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and math.isnan(value)


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _values(X, j):
    return X.iloc[:, j].to_numpy() if is_frame(X) else np.asarray(X)[:, j]


def _texts(X, j):
    """The texts of a column ("" for a missing value) and the number of its text for each row."""
    if is_frame(X):  # each different value is looked at once
        numbered, values = X.iloc[:, j].factorize()
    else:
        places = {}
        column = [None if is_null(value) else value for value in _values(X, j).tolist()]
        numbered = np.array([places.setdefault(value, len(places)) for value in column], dtype=np.intp)
        values = list(places)
    texts = ["" if is_null(value) else value_text(value) for value in values]
    return [*texts, ""], np.where(numbered < 0, len(texts), numbered)


def _holds_words(series):
    """Whether a column of a frame holds categories rather than numbers."""
    kind = series.dtype.kind
    if kind in "iuf":
        return False
    if kind in "Mmc":
        raise ValueError(
            f"column {series.name!r} holds {series.dtype} values; turn them into numbers, or leave the column out"
        )
    if kind == "O" and series.dtype == object:
        return not all(is_null(value) or _is_number(value) for value in series)
    return True  # bool, category, string


def check_names(names):
    """A model goes by names, so each must be there once."""
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"there are two columns {name!r}; rename one of them")
        seen.add(name)


def _listed(X, categorical, names):
    """The numbers of the columns that `categorical` lists by name or number."""
    found = set()
    for entry in [] if categorical is None else categorical:
        if isinstance(entry, numbers.Integral) and not isinstance(entry, bool):
            if not -len(names) <= entry < len(names):
                raise ValueError(f"categorical: there is no column {entry}; the data have {len(names)} columns")
            found.add(int(entry) % len(names))
        elif is_frame(X) and entry in names:
            found.add(names.index(entry))
        else:
            raise ValueError(f"categorical: got {entry!r}, expected the name or the number of a column")
    return found


def category_texts(X, j):
    """The texts of the categories that a column holds; "" for a missing value."""
    texts, numbered = _texts(X, j)
    return {texts[place] for place in np.unique(numbered)}


def column_of_categories(name, texts, is_coded):
    """A column that holds these."""
    if is_coded:
        texts = texts - {""}  # a missing value, which a density of coded columns integrates out
    if len(texts) > MOST_CATEGORIES:
        raise ValueError(
            f"column {name!r} has {len(texts)} different categories; more than {MOST_CATEGORIES} look like an "
            "identifier: leave the column out"
        )
    if not texts:
        raise ValueError(f"column {name!r} is empty; leave it out")
    return Column(name, sorted(texts), is_coded)


def column_names(X):
    """Those of a pandas frame; columns of an array are called c0, c1, ..."""
    names = [str(name) for name in X.columns] if is_frame(X) else [f"c{j}" for j in range(X.shape[1])]
    check_names(names)
    return names


def columns_of_words(X, categorical):
    """The numbers of the columns that hold categories: those listed, and in a frame those that hold no numbers."""
    found = _listed(X, categorical, column_names(X))
    if is_frame(X):
        found |= {j for j in range(X.shape[1]) if j not in found and _holds_words(X.iloc[:, j])}
    return found


def learn_columns(X, categorical, takes_codes):
    """The columns of a table: a pandas frame, or an array of numbers."""
    words = columns_of_words(X, categorical)
    return [
        column_of_categories(name, category_texts(X, j), takes_codes) if j in words else Column(name, None, False)
        for j, name in enumerate(column_names(X))
    ]


def _quoted(names, most=20):
    """Some of the names, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _warn_of_silence(names, what):
    if len(names) == 1:
        warn(f"column {names[0]!r} is {what} and says nothing")
    elif names:
        warn(f"{len(names)} columns are {what} and say nothing: {_quoted(names)}")


def column_ranges(features):
    """The smallest and the largest number of each feature; NaN where all are."""
    return np.fmin.reduce(features, axis=0), np.fmax.reduce(features, axis=0)


def warn_of_columns(low, high, n_rows, columns):
    """Warns of columns that say nothing and of those that look like identifiers, as the command line does."""
    if n_rows < 2:
        return
    first = 0
    constant, empty = [], []
    for column in columns:
        n_categories = 0 if column.categories is None else len(column.categories)
        if n_categories == 0 and math.isnan(low[first]):
            empty.append(column.name)
        elif n_categories == 1 or (n_categories == 0 and low[first] == high[first]):
            constant.append(column.name)
        elif n_categories > 10 and 2 * n_categories > n_rows:
            warn(
                f"column {column.name!r} holds {n_categories} categories, almost as many as rows; if it is an identifier, "
                "leave it out"
            )
        first += column.n_features
    _warn_of_silence(constant, "the same in every row")
    _warn_of_silence(empty, "empty in every row")


def _encode_categories(column, texts, numbered, out):
    """Fills in the features of a column; returns how many cells hold a category that nobody has seen at fit."""
    places = {text: place for place, text in enumerate(column.categories)}
    # What nobody has seen says nothing: it counts as missing.
    codes = np.array([places.get(text, math.nan) for text in texts])[numbered]
    unknown = np.isnan(codes)
    if column.is_coded:
        out[:, 0] = codes
        is_missing = np.array([text == "" for text in texts])[numbered]
        return np.count_nonzero(unknown & ~is_missing)
    out[:] = 0.0
    known = np.flatnonzero(~unknown)
    out[known, codes[known].astype(np.intp)] = 1.0
    return np.count_nonzero(unknown)


def _numbers(X, j, name):
    values = _values(X, j)
    try:
        if values.dtype == object:
            values = [math.nan if is_null(value) else value for value in values]
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} was a column of numbers when the model was fitted: {error}") from None


def encode(X, columns):
    """The features of a table's rows as a float64 array in C order."""
    features = np.empty((X.shape[0], sum(column.n_features for column in columns)))
    first = n_unseen = 0
    for j, column in enumerate(columns):
        out = features[:, first : first + column.n_features]
        if column.categories is None:
            out[:, 0] = _numbers(X, j, column.name)
        else:
            n_unseen += _encode_categories(column, *_texts(X, j), out)
        first += column.n_features
    if n_unseen > 0:
        cells = "1 cell holds a category" if n_unseen == 1 else f"{n_unseen} cells hold categories"
        warn(f"{cells} that the training table did not have; they count as unknown")
    return features


def needs_encoding(X, categorical):
    """Whether a table has to be looked at column by column; an array of numbers goes to the library as it is."""
    if categorical is not None and len(categorical) > 0:
        return True
    return is_frame(X) and any(_holds_words(X.iloc[:, j]) for j in range(X.shape[1]))
