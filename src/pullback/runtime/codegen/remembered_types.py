"""Type inference that remembers which types an operator or ufunc gives for which.

At each place of a program, Numba asks all its rules for `+`, of which there are many, until one applies.
"""

from __future__ import annotations

import copy
import functools
from types import BuiltinFunctionType
from typing import Any

import numpy as np
from numba import types
from numba.core.registry import cpu_target
from numba.core.typing import Context

_PLAIN = (types.Number, types.Boolean, types.Array, types.UniTuple, types.NoneType)


class RememberingContext(Context):
    """Numba's context of type inference, with a memory. What it knows is Numba's own."""

    remembered: dict[Any, Any]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a function for types."""
        if kws or not _is_remembered(func, args):
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self.remembered:
            self.remembered[key] = super().resolve_function_type(func, args, kws)
        return self.remembered[key]


@functools.cache
def remembering() -> Any:
    """The one of this process."""
    context = copy.copy(cpu_target.typing_context)
    context.__class__ = RememberingContext
    context.remembered = {}
    return context


def _is_remembered(function: Any, arguments: Any) -> bool:
    """Whether a signature follows from nothing but the function and these types.

    A function has other rules than before as a type of its own.
    """
    if not isinstance(function, types.Function):
        return False
    key = function.typing_key
    is_operator = isinstance(key, BuiltinFunctionType) and key.__module__ == "_operator"
    return (is_operator or isinstance(key, np.ufunc)) and all(isinstance(t, _PLAIN) for t in arguments)
