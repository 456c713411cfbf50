"""What differs between versions of scikit-learn, in one place: 1.2 (Debian 12) and those after it."""

import inspect

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_array

try:
    from sklearn.utils.validation import validate_data  # 1.6
except ImportError:

    def validate_data(estimator, X, *, reset, skip_check_array=False, **options):
        if not skip_check_array:
            return estimator._validate_data(X, reset=reset, **options)
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)
        return X


_FINITE = "ensure_all_finite"  # since 1.6
if _FINITE not in inspect.signature(check_array).parameters:
    _FINITE = "force_all_finite"


def refuse_masked(values, name, remedy):
    """NumPy and scikit-learn drop the mask of a masked array without a word, and take what lies under it for values."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, and its mask would be lost; {remedy}")


def refuse_masked_rows(X, name="X"):
    refuse_masked(X, name, f"give {name}.astype(float).filled(numpy.nan), where NaN is a missing value")


def is_frame(X):
    """Whether X is a table of pandas, which need not be installed."""
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


def as_table(X):
    """X, where it is a table that only has the interchange protocol of data frames (polars, Arrow and others) as one of pandas."""
    if is_frame(X) or not hasattr(X, "__dataframe__"):
        return X
    try:
        from pandas.api.interchange import from_dataframe  # 1.5
    except ImportError:
        raise ValueError(f"X is a {type(X).__name__}, which only pandas 1.5 or newer can read; install it, or give an array") from None
    return from_dataframe(X)


def read_numbers(estimator, X, *, reset, allow_nan, ensure_min_samples=1, dtype=np.float64):
    """X as a float64 array in C order, without a copy where it is one; names and number of columns are checked.

    With a list of types X may be of any of them, and is the first where it is of none.
    """
    refuse_masked_rows(X)
    X = as_table(X)
    options = {_FINITE: "allow-nan" if allow_nan else True}
    return validate_data(
        estimator, X, reset=reset, dtype=dtype, order="C", ensure_min_samples=ensure_min_samples, **options
    )


def check_numbers(X, *, allow_nan, name):
    """The same for an array that was made from a table; `name` is what errors call it."""
    return check_array(X, dtype=np.float64, order="C", **{_FINITE: "allow-nan" if allow_nan else True}, input_name=name)


def check_columns(estimator, X, *, reset):
    """Only names and number of columns."""
    refuse_masked_rows(X)
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def read_weights(sample_weight, features):
    """One finite weight per row as the library takes them, or None."""
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight", "give sample_weight.filled(0.0) to leave masked rows out")
    weights = np.ascontiguousarray(_check_sample_weight(sample_weight, features, dtype=np.float64))
    if not weights.any():
        raise ValueError("sample_weight: all weights are zero; some row has to count")
    return weights
