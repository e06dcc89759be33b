"""Quotients, remainders and powers, with what NumPy makes of zeros and of integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.elementwise_loops import define_binary


def floor_divide(x1: Any, x2: Any) -> Any:
    """np.floor_divide(x1, x2), but ZeroDivisionError for two of Python's integers and x2 == 0."""
    if is_integer_scalar(x1) and is_integer_scalar(x2) and x2 == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return np.floor_divide(x1, x2)


def remainder(x1: Any, x2: Any) -> Any:
    """np.remainder(x1, x2), but ZeroDivisionError for two of Python's integers and x2 == 0."""
    if is_integer_scalar(x1) and is_integer_scalar(x2) and x2 == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return np.remainder(x1, x2)


def quotient_of_integers(x1: Any, x2: Any) -> Any:
    """np.floor_divide(x1, x2) of two of NumPy's integers: 0 for x2 == 0."""
    return np.floor_divide(x1, x2)


def remainder_of_integers(x1: Any, x2: Any) -> Any:
    """np.remainder(x1, x2) of two of NumPy's integers: 0 for x2 == 0."""
    return np.remainder(x1, x2)


def is_integer_scalar(x: Any) -> bool:
    return isinstance(x, (int, np.integer))


@kernel
def floor_divide_floats(a: Any, b: Any) -> Any:
    if b == 0:
        return a / b
    mod = np.fmod(a, b)
    div = (a - mod) / b
    if mod != 0 and (b < 0) != (mod < 0):
        div -= 1.0
    if div != 0:
        below = math.floor(div) if math.isfinite(div) else div
        return below + 1.0 if div - below > 0.5 else below + 0.0
    return math.copysign(0.0, a / b)


@kernel
def remainder_floats(a: Any, b: Any) -> Any:
    if b == 0:
        return a * math.nan
    mod = np.fmod(a, b)
    if mod == 0:
        return math.copysign(0.0, b)
    if (b < 0) != (mod < 0):
        mod += b
    return mod


@kernel
def floor_divide_integers(a: Any, b: Any) -> Any:
    if b == 0 or b == -1:  # a * b wraps around, where the quotient of the smallest does not fit
        return a * b
    return a // b


@kernel
def remainder_integers(a: Any, b: Any) -> Any:
    if b == 0 or b == -1:
        return a - a
    return a % b


@kernel
def floor_divide_checked(a: Any, b: Any) -> Any:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b


@kernel
def remainder_checked(a: Any, b: Any) -> Any:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a % b


define_binary(
    floor_divide, np.floor_divide, floor_divide_floats, lambda s: floor_divide_checked if s else floor_divide_integers
)
define_binary(remainder, np.remainder, remainder_floats, lambda s: remainder_checked if s else remainder_integers)
define_binary(quotient_of_integers, np.floor_divide, floor_divide_integers)
define_binary(remainder_of_integers, np.remainder, remainder_integers)


def power(x1: Any, x2: Any) -> Any:
    """np.power(x1, x2). ValueError for an integer to a negative integer power, as in NumPy."""
    return np.power(x1, x2)


@kernel
def power_integers(a: Any, n: Any) -> Any:
    if n < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    result = a * 0 + 1
    while n > 0:
        if n & 1:
            result *= a
        a *= a
        n >>= 1
    return result


define_binary(power, np.power, kernel(lambda a, b: a**b), lambda s: power_integers)
