"""Warnings of the package: at the user's line, and each once in a call."""

import contextlib
import os
import sys
import warnings
from contextvars import ContextVar

_FOLDER = os.path.dirname(__file__)
_said = ContextVar("said", default=None)


class LacunaWarning(UserWarning):
    """Something to know although the work goes on: columns that say nothing, unseen categories, a fit cut short.

    Examples
    --------
    >>> import warnings, lacuna
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     model = lacuna.ReliableClassifier().fit([[0, 7], [1, 7], [5, 7], [6, 7]], [0, 0, 1, 1])
    >>> print(said[0].category.__name__, said[0].message)
    LacunaWarning column 'c1' is the same in every row and says nothing
    """


def warn(text):
    """Gives a warning that points to the line outside of the package that led here."""
    said = _said.get()
    if said is not None:
        if text in said:
            return
        said.add(text)
    level, frame = 2, sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _FOLDER:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, LacunaWarning, stacklevel=level)


@contextlib.contextmanager
def once():
    """Inside, a text is said no second time: for calls that look at the same rows with several models."""
    token = _said.set(_said.get() or set())
    try:
        yield
    finally:
        _said.reset(token)
