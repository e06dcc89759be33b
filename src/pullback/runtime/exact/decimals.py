"""Python's `round(x, digits)`: to the nearest decimal number, where NumPy rounds a product with a power of 10.

>>> round_decimal(0.15, 1), float(np.round(0.15, 1))
(0.1, 0.2)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from pullback.runtime.codegen.compiled import compiled, is_scalar
from pullback.runtime.exact.native import c_function


def round_decimal(x: Any, digits: Any) -> float:
    """The float nearest to x rounded to so many decimal digits; an infinity where Python's is beyond all floats."""
    try:
        return round(float(x), int(digits))
    except OverflowError:
        return math.copysign(math.inf, x)


_native = c_function(round_decimal, "round_decimal", 2, (types.float64,), own=True)


@compiled(round_decimal, prefer_literal=False)
def _round_decimal(x: Any, digits: Any) -> Any:
    if not is_scalar(x) or not is_scalar(digits):
        return None
    return lambda x, digits: _native(np.float64(x), np.float64(digits))
