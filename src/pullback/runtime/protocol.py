"""Functions of ours that ask their arguments first, as NumPy's functions do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

_OF_ARRAYS = np.ndarray.__array_function__


def dispatched(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, computed by the first argument with an `__array_function__` of its own, where there is one.

    >>> class Doubled:
    ...     def __array_function__(self, function, types, arguments, keywords):
    ...         return 2 * function(*(3.0 if argument is self else argument for argument in arguments))
    >>> dispatched(lambda x, y: x * y)(Doubled(), 4.0)
    24.0
    """

    @wraps(function)
    def call(*arguments: Any) -> Any:
        for argument in arguments:
            if has_protocol(argument):
                return argument.__array_function__(call, (type(argument),), arguments, {})
        return function(*arguments)

    return call


def has_protocol(argument: Any) -> bool:
    """Whether this computes NumPy's functions of it itself."""
    return getattr(type(argument), "__array_function__", _OF_ARRAYS) is not _OF_ARRAYS
