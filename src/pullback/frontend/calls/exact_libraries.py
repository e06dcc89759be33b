"""Which library computes a function for the user, where more than one has it and they round the last bit apart.

math.exp(x)               libm.exp           the C library; the result is a number of Python's
x ** y of numbers         libm.power
x ** 2 of an array        ufuncs.power_to    NumPy's loop for one exponent, which squares
np.float_power(x, y)      ufuncs.float_power
np.exp(x)                                    NumPy's loop, as the function itself tells

The names are those of `pullback.runtime.exact.libm` and `pullback.runtime.exact.ufuncs`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import ArrayRef, Binding
from pullback.functions import canonical, rule_of
from pullback.ir.nodes import Operand, is_scalar

ALIKE = frozenset(f"libm.{name}" for name in ("sqrt", "fabs", "copysign", "fmod", "degrees", "radians"))
"""What all libraries round alike."""

POWER, POWER_TO, FLOAT_POWER = "libm.power", "ufuncs.power_to", "ufuncs.float_power"


def is_of_math(by: str) -> bool:
    """Whether the name is that of a function of `math`, which takes and gives Python's floats."""
    return by.startswith("libm.") and by != POWER


def by_call(function: Any) -> str:
    """What computes a call of this function, as the user named it; "" where the canonical function tells."""
    of_floats = function is math.log or rule_of(canonical(function)) is not None
    is_of_math = getattr(function, "__module__", None) == "math" and of_floats
    return f"libm.{function.__name__}" if is_of_math else ""


def by_operator(function: Any, given: Sequence[Binding]) -> str:
    """What computes an operator: a power of numbers is the C library's, also of those that NumPy has made."""
    is_power = function is np.power and not any(isinstance(binding, ArrayRef) for binding in given)
    return POWER if is_power else ""


def by_operands(function: Any, operands: Sequence[Operand]) -> str:
    """What computes a function of NumPy: a power with one exponent for all has a loop of its own."""
    return POWER_TO if function is np.power and is_scalar(operands[1]) else ""
