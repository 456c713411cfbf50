"""Docstrings that are partly generated."""

import re

_SECTION = re.compile(r"^ *(Attributes|Examples)\n", re.MULTILINE)


def documented(kind):
    """Puts the parameters, which the first base of a class describes, before the sections of its docstring."""
    if kind.__doc__ is not None:  # python -OO leaves none
        place = _SECTION.search(kind.__doc__).start()
        kind.__doc__ = kind.__doc__[:place] + kind.__bases__[0].__doc__.lstrip("\n").rstrip(" ") + kind.__doc__[place:]
    return kind
