"""Fits to tables that lie in parts on several machines: what every part is asked, and what becomes of the answers.

Nothing here knows an engine. Whoever can call a function for every part and bring back what it returns can fit
(`lacuna.distributed`).
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from lacuna import _core
from lacuna._any_classifier import AnyClassifier, read_conditional
from lacuna._labels import class_names, encode_labels, label_array, missing_mask, type_name
from lacuna._options import seed_of
from lacuna._progress import progress
from lacuna._sklearn import check_columns, check_numbers, is_frame, refuse_masked_rows
from lacuna._tables import (
    Column,
    category_texts,
    column_names,
    column_of_categories,
    column_ranges,
    columns_of_words,
    encode,
    warn_of_columns,
)

#: As the library has it: squares of larger features, and sums of those, would not stay finite.
_LARGEST_FEATURE = 1e100


class Parts:
    """The parts of a table, each a pair (X, y) of rows and labels at first, wherever they lie."""

    def ask(self, name, function, *arguments):
        """What function(place, part, *arguments) returns for every part, in the order of the parts.

        Parameters
        ----------
        name : str
            What is done, in a word.
        function : callable
            Can be pickled, and returns the same for the same arguments: it may be called again when an answer is lost.
        """
        raise NotImplementedError

    def replace(self, name, function, *arguments):
        """Every part becomes what the function returns for it. Nothing is brought back."""
        raise NotImplementedError


class Described(NamedTuple):
    """What a part (X, y) says about itself."""

    head: Any  # X without rows
    n_rows: int
    words: set  # columns of categories
    labeled: np.ndarray  # places of the rows that have a label
    labels: np.ndarray
    unlabeled: np.ndarray  # the label of a row that has none; empty where all have


class Encoded(NamedTuple):
    """A part as the library takes it."""

    features: np.ndarray
    first: int  # number of its first row in the table
    labeled: np.ndarray  # numbers in the table of its labeled rows
    n_labeled_before: int


def describe(place, part, categorical, missing_label):
    X, y = part
    try:
        refuse_masked_rows(X)
        check_consistent_length(X, y)
        if not is_frame(X):
            X = np.asarray(X)
            if X.ndim != 2:
                raise ValueError(f"X has {X.ndim} axes, expected two")
        y = label_array(y)
        mask = missing_mask(y, missing_label)
        head = X.iloc[:0] if is_frame(X) else np.empty((0, X.shape[1]))
        words = columns_of_words(X, categorical)
    except (TypeError, ValueError) as error:
        raise ValueError(f"part {place} of the table: {error}") from None
    return Described(head, len(y), words, np.flatnonzero(~mask), y[~mask], y[mask][:1])


def categories(place, part, words):
    """The texts of the categories in some columns."""
    return [category_texts(part[0], j) for j in words]


def encode_part(place, part, columns, labeled, allow_nan):
    """`labeled` has the numbers of the labeled rows of every part, and where each part begins."""
    first = int(labeled.first[place])
    here = labeled.numbers[labeled.begin[place] : labeled.begin[place + 1]]
    return Encoded(_encode_rows(place, part[0], columns, first, allow_nan), first, here, int(labeled.begin[place]))


def _encode_rows(place, X, columns, first, allow_nan):
    if len(X) == 0:
        return np.empty((0, sum(column.n_features for column in columns)))
    try:
        if any(column.categories is not None for column in columns):
            X = encode(X, columns)
        features = check_numbers(X, allow_nan=allow_nan, name="X")
    except (TypeError, ValueError) as error:
        raise ValueError(f"part {place} of the table, rows {first} to {first + len(X) - 1}: {error}") from None
    low, high = column_ranges(features)
    if (low < -_LARGEST_FEATURE).any() or (high > _LARGEST_FEATURE).any():
        row, j = np.argwhere(np.abs(features) > _LARGEST_FEATURE)[0]
        raise ValueError(
            f"row {first + row} of X, feature {j}: got {features[row, j]:g}, expected a number within "
            f"+-{_LARGEST_FEATURE:g}; leave the row out or rescale the column"
        )
    return features


def ranges(place, part):
    return column_ranges(part.features) if len(part.features) > 0 else None


def take(place, part, numbers):
    """The rows with these numbers in the table."""
    first, last = np.searchsorted(numbers, [part.first, part.first + len(part.features)])
    return part.features[numbers[first:last] - part.first]


def count(place, part, question):
    """What a pass of the library counts in a part."""
    return _core.count_part(question, part.features, part.first, part.labeled, part.n_labeled_before)


class _Labeled(NamedTuple):
    """Where the labeled rows of a table are."""

    numbers: np.ndarray  # of the labeled rows
    first: np.ndarray  # number of the first row of each part
    begin: np.ndarray  # where its labeled rows begin among all; one more for the end


def _labeled_of(described):
    sizes = [part.n_rows for part in described]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    begin = np.concatenate([[0], np.cumsum([len(part.labeled) for part in described])]).astype(np.int64)
    numbers = [start + part.labeled for start, part in zip(first, described)]
    return _Labeled(np.concatenate(numbers).astype(np.int64), first, begin)


def _encode_labels(described, classes, missing_label):
    """Class numbers of the labeled rows, and the classes."""
    found = [part.labels for part in described if len(part.labels) > 0]
    found += [part.unlabeled for part in described if len(part.unlabeled) > 0][:1]
    if any(labels.dtype == object for labels in found):
        found = [labels.astype(object) for labels in found]
    codes, classes = encode_labels(np.concatenate(found), classes, missing_label)
    return codes[codes >= 0], classes


def _check_heads(described):
    """All parts have the same columns."""
    first = described[0].head
    for place, part in enumerate(described):
        if is_frame(part.head) != is_frame(first) or part.head.shape != first.shape:
            raise ValueError(
                f"part {place} of the table has {part.head.shape[1]} columns, the first one {first.shape[1]}; all must agree"
            )
        if is_frame(first) and list(part.head.columns) != list(first.columns):
            raise ValueError(f"part {place} of the table has other names of columns than the first one; all must agree")
    return first


def _learn_columns(parts, described, takes_codes):
    names = column_names(described[0].head)
    words = sorted(set().union(*(part.words for part in described)))
    texts = [set() for _ in words]
    if words:
        for found in parts.ask("categories", categories, words):
            texts = [known | more for known, more in zip(texts, found)]
    texts = dict(zip(words, texts))
    return [
        column_of_categories(name, texts[j], takes_codes) if j in texts else Column(name, None, False)
        for j, name in enumerate(names)
    ]


def _warn_of_columns(parts, n_rows, columns):
    low, high = zip(*(found for found in parts.ask("ranges", ranges) if found is not None))
    warn_of_columns(np.fmin.reduce(low), np.fmax.reduce(high), n_rows, columns)


def fit_parts(classifier, parts, *, memory="1G"):
    """Fits a classifier to a table that lies in parts.

    The rows stay where they are: every part is asked for sums, a few times. Only rows that have a label, and a sample of the
    others, come here. The model depends on the parts' order, and by rounding errors on where one ends.

    Parameters
    ----------
    classifier : ReliableClassifier
        Its parameters decide the fit; it stays as it is.
    parts : Parts
        Where the rows are, and how to ask there.
    memory : str, default="1G"
        How much the rows that come here may take, like the option `--memory` of `lacuna fit`.

    Returns
    -------
    model : ReliableClassifier
    """
    model = clone(classifier)
    seed = seed_of(model.random_state)
    options, bridge = model._options(seed)
    if bridge is not None:
        raise TypeError(
            f"density: {model.density!r} needs all rows in one memory; a distributed fit takes lacuna's own densities"
        )
    options.append(("memory", [memory]))
    if model.classes is not None:
        options.append(("classes", class_names(model.classes)))
    _core.check_options(options)
    described = list(parts.ask("description", describe, model.categorical, model.missing_label))
    if not described or sum(part.n_rows for part in described) == 0:
        raise ValueError("the table has no rows")
    check_columns(model, _check_heads(described), reset=True)
    codes, classes = _encode_labels(described, model.classes, model.missing_label)
    labeled = _labeled_of(described)
    n_rows = int(labeled.first[-1])
    columns = _learn_columns(parts, described, _core.takes_codes(options))
    parts.replace("rows", encode_part, columns, labeled, model._takes_gaps())
    if not str(model.features).startswith("vae"):
        _warn_of_columns(parts, n_rows, columns)
    n_features = sum(column.n_features for column in columns)
    kept = _core.kept_rows(options, n_rows, labeled.numbers, n_features)
    features = np.concatenate(list(parts.ask("kept rows", take, kept)))
    labels = np.full(len(kept), -1, dtype=np.int32)
    labels[np.searchsorted(kept, labeled.numbers)] = codes
    table = _core.RemoteTable(
        n_rows, kept, labeled.numbers, lambda kind, question: parts.ask(kind, count, question)
    )
    members = [AnyClassifier(member, name, classes) for name, member in read_conditional(model.conditional)[1].items()]
    with progress(model.verbose) as report:
        (fitted,) = _core.fit_models(
            [model.method],
            np.ascontiguousarray(features),
            labels,
            class_names(classes),
            None,
            [tuple(column) for column in columns],
            options,
            None,
            members,
            type_name(classes),
            report,
            table,
        )
    model._set_model(fitted, classes)
    return model
