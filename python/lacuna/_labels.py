"""Labels of any type, some of them missing, and the class numbers of the library."""

import numbers

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

from lacuna._sklearn import refuse_masked
from lacuna._tables import is_null, value_text

_REMEDY = (
    "If -1 is a class, set missing_label to what marks unlabeled rows (None when there are none); if -1 marks "
    "unlabeled rows, name the classes that there are with classes=[...]"
)


def label_array(y, *, warn=False):
    """Labels as an array with one axis."""
    _refuse_masked_labels(y)
    if isinstance(y, (list, tuple)) and any(is_null(label) for label in y):
        labels = np.empty(len(y), dtype=object)  # NumPy would make the text "nan" of a NaN beside texts
        labels[:] = y
        y = labels
    return column_or_1d(y, warn=warn)


def missing_mask(y, missing_label):
    """True where a row has no label."""
    _refuse_masked_labels(y)
    y = np.asarray(y)
    if is_null(missing_label):
        if y.dtype.kind == "f":
            return np.isnan(y)
        return np.array([is_null(label) for label in y], dtype=bool) if y.dtype == object else np.zeros(len(y), bool)
    if y.dtype.kind == "S":
        return y == np.asarray(_as_bytes(missing_label), dtype="S")
    if y.dtype.kind == "U":  # NumPy makes text of numbers that stand beside text
        return y == np.asarray(_as_text(missing_label), dtype="U")
    if y.dtype == object:
        text = _as_text(missing_label)
        return np.array([_same(label, missing_label, text) for label in y], dtype=bool)
    if isinstance(missing_label, (bool, np.bool_)) or not isinstance(missing_label, numbers.Real):
        return np.zeros(len(y), bool)
    return y == missing_label


def _refuse_masked_labels(y):
    refuse_masked(y, "y", "give y.filled(V) and missing_label=V, with a V that is no class")


def _as_text(label):
    return label.decode("utf-8", "surrogateescape") if isinstance(label, bytes) else str(label)


def _as_bytes(label):
    return label if isinstance(label, bytes) else str(label).encode("utf-8", "surrogateescape")


def _same(label, missing_label, text):
    if isinstance(label, str):
        return label == text
    if isinstance(label, bytes):
        return label == _as_bytes(missing_label)
    if isinstance(label, numbers.Real) and isinstance(missing_label, numbers.Real):
        return label == missing_label
    return False


def plain_labels(labels):
    """Labels out of an object array as an array of one type."""
    if labels.dtype != object or len(labels) == 0:
        return labels
    n_texts = sum(isinstance(label, str) for label in labels)
    if n_texts == len(labels):
        return labels
    if n_texts > 0:
        example = next(label for label in labels if not isinstance(label, str))
        raise ValueError(f"y mixes labels that are texts with others, such as {example!r}; give all the same type")
    return np.array(labels.tolist())


def _check_not_ambiguous(y, mask, labeled, missing_label, classes):
    """-1 means unlabeled, unless it looks like a class: then somebody has to say which."""
    if isinstance(missing_label, (bool, str)) or missing_label != -1 or not mask.any():
        return
    if classes is None and labeled.dtype.kind in "if" and len(labeled) > 0:
        found = np.unique(labeled)
        if found.min() < 0 or (len(found) == 1 and found[0] == 1):
            others = ", ".join(value_text(label) for label in found[:5])
            raise ValueError(
                f"y holds -1, which means 'unlabeled' for missing_label=-1, but beside {others} it looks like a class. "
                f"{_REMEDY}"
            )


def _named_classes(classes, missing_label):
    named = plain_labels(np.asarray(list(classes), dtype=object))
    if missing_mask(named, missing_label).any():
        raise ValueError(
            f"classes names {missing_label!r}, which is also the missing_label. {_REMEDY}"
            if missing_label == -1
            else f"classes names {missing_label!r}, which is also the missing_label; a class needs another name"
        )
    return named


def _refuse_nan(labels):
    has_nan = np.isnan(labels).any() if labels.dtype.kind == "f" else labels.dtype == object and any(map(is_null, labels))
    if has_nan:
        raise ValueError("Input y contains NaN or None. If these rows are unlabeled, set missing_label=None")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")


def encode_labels(y, classes, missing_label):
    """Class numbers, -1 where the label is missing, and the sorted classes."""
    y = label_array(y, warn=True)
    mask = missing_mask(y, missing_label)
    labeled = y[~mask]
    _refuse_nan(labeled)
    labeled = plain_labels(labeled)
    _check_not_ambiguous(y, mask, labeled, missing_label, classes)
    if len(labeled) == 0:
        raise ValueError(
            f"no row has a label (missing_label={missing_label!r}); label some rows of at least two classes"
        )
    check_classification_targets(labeled)
    known = labeled
    if classes is not None:
        named = _named_classes(classes, missing_label)
        if (named.dtype.kind in "OUS") != (labeled.dtype.kind in "OUS"):
            raise ValueError(
                f"classes names {named[0]!r} but y holds labels such as {labeled[0]!r}; give both the same type"
            )
        known = np.concatenate([labeled, named.astype(labeled.dtype) if labeled.dtype == object else named])
    found = np.unique(known)
    if len(found) < 2:
        raise ValueError(
            f"y has one class only: all labeled rows are of class {value_text(found[0])!r}. There is nothing to tell "
            "apart; label rows of another class, or name the classes that exist beside it with classes=[...]"
        )
    codes = np.full(len(y), -1, dtype=np.int32)
    codes[~mask] = np.searchsorted(found, labeled)
    return codes, found


def class_names(classes):
    """The texts under which a model file knows the classes."""
    return [value_text(label) for label in classes]


def type_name(classes):
    """Which kind of labels the classes are, for those who read the names back."""
    return {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(classes.dtype.kind, "str")


def type_of_names(names):
    """The kind of labels that the command line has read: names that are all whole numbers are numbers."""
    return "int" if all(_is_whole_number(name) for name in names) else "str"


def classes_from_names(names, kind):
    """The classes of a model file."""
    if kind == "bool":
        return np.array([name == "True" for name in names])
    return np.array(names, dtype={"int": np.int64, "float": np.float64, "str": str}[kind])


def _is_whole_number(text):
    try:
        return str(int(text)) == text
    except ValueError:
        return False
