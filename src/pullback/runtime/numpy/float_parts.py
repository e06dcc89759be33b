"""Numbers taken apart: fractional and whole part, mantissa and exponent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from pullback.runtime.codegen.compiled import compiled, dtype_of, is_array, is_scalar
from pullback.runtime.memory.strided import flat, shaped


def modf(x: Any) -> Any:
    """np.modf(x): the fractional and the whole part, both with the sign of x."""
    return np.modf(x)


def frexp(x: Any) -> Any:
    """np.frexp(x): x = mantissa 2^exponent with 1/2 <= |mantissa| < 1."""
    return np.frexp(x)


@register_jitable
def parts_of(x: Any) -> Any:
    whole = np.trunc(x)
    part = 0.0 if math.isinf(x) else x - whole
    return math.copysign(part, x), whole


def _define(function: Any, of_number: Any, second: Any) -> None:
    """The overload of a function with two results; second: the dtype of the second, None for that of the first."""

    @compiled(function)
    def typed(x: Any) -> Any:
        if not (is_array(x) or is_scalar(x)):
            return None
        dtype = dtype_of(x) if dtype_of(x).kind == "f" else np.dtype(np.float64)
        second_dtype = np.dtype(second or dtype)
        first_kind, second_kind = dtype.type, second_dtype.type

        def parts_of_number(x: Any) -> Any:
            first, last = of_number(x)
            return first_kind(first), second_kind(last)

        def parts_of_array(x: Any) -> Any:
            y = flat(x)
            firsts, lasts = np.empty(y.size, dtype), np.empty(y.size, second_dtype)
            for k in range(y.size):
                firsts[k], lasts[k] = of_number(y[k])
            return shaped(firsts, x.shape), shaped(lasts, x.shape)

        return parts_of_array if is_array(x) else parts_of_number


_define(modf, parts_of, None)
_define(frexp, math.frexp, np.int32)
