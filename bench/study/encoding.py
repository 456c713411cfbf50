"""How a mixed table reaches classifiers that take numbers only."""

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

NUMBERS = make_column_selector(dtype_include=np.number)
WORDS = make_column_selector(dtype_exclude=np.number)


def as_points():
    """For what measures distances or sums columns: numbers standardised, gaps at the median and marked, words one-hot."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(handle_unknown="ignore", min_frequency=5)
    )
    return make_column_transformer((numbers, NUMBERS), (words, WORDS), sparse_threshold=0)


def as_codes():
    """For trees that take gaps: words numbered."""
    return make_column_transformer((_numbered(), WORDS), remainder="passthrough")


def as_codes_without_gaps():
    """For trees that do not: gaps at the median and marked."""
    gaps = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    words = make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"), _numbered())
    return make_column_transformer((words, WORDS), (gaps, NUMBERS))


def _numbered():
    return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
