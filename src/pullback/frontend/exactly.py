"""Which library computes a function for the user, where more than one has it and they round the last bit apart.

math.exp(x), x ** y of numbers     the C library
np.exp(x)                          NumPy's loop
x ** 2 of an array                 NumPy's loop for one exponent, which squares
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.frontend.bindings import ArrayRef, Binding
from pullback.ir.nodes import Operand, is_scalar
from pullback.runtime import libm, ufuncs

By = Callable[..., Any] | None


def is_of_math(function: Any) -> bool:
    """Whether a function is one of Python's module `math`."""
    return getattr(function, "__module__", None) == "math"


def by_call(function: Any) -> By:
    """What computes a call of this function, as the user named it; None where its own name tells."""
    return getattr(libm, function.__name__, None) if is_of_math(function) else None


def by_operator(function: Any, given: Sequence[Binding]) -> By:
    """What computes an operator: a power of numbers is the C library's, also of those that NumPy has made."""
    is_power = function is np.power and not any(isinstance(binding, ArrayRef) for binding in given)
    return libm.pow if is_power else None


def by_operands(function: Any, operands: Sequence[Operand]) -> By:
    """What computes a function of NumPy: a power with one exponent for all has a loop of its own."""
    return ufuncs.power_to if function is np.power and is_scalar(operands[1]) else None
