"""The C library's functions, which Python's `math` and `**` call: they may round apart from NumPy's in the last bit.

Where `math` raises, the value is NumPy's: an infinity or NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from scipy import special

from pullback.runtime.exact.native import c_function, defined

_OF_PYTHON = {math.hypot, math.gamma, math.lgamma, math.degrees, math.radians}
"""What Python computes itself."""


def _of(function: Callable[..., float], otherwise: Any) -> Any:
    """A function of `math` of one float or two; `otherwise` has the value where it raises."""

    def value(*arguments: Any) -> float:
        try:
            return function(*arguments)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return float(otherwise(*arguments))

    native = c_function(value, function.__name__, otherwise.nin, (types.float64,), function in _OF_PYTHON)
    return defined(value, native, otherwise)


exp, expm1, exp2 = _of(math.exp, np.exp), _of(math.expm1, np.expm1), _of(math.exp2, np.exp2)
log, log2 = _of(math.log, np.log), _of(math.log2, np.log2)
log10, log1p = _of(math.log10, np.log10), _of(math.log1p, np.log1p)
sin, cos, tan = _of(math.sin, np.sin), _of(math.cos, np.cos), _of(math.tan, np.tan)
asin, acos, atan = _of(math.asin, np.arcsin), _of(math.acos, np.arccos), _of(math.atan, np.arctan)
sinh, cosh, tanh = _of(math.sinh, np.sinh), _of(math.cosh, np.cosh), _of(math.tanh, np.tanh)
asinh, acosh, atanh = _of(math.asinh, np.arcsinh), _of(math.acosh, np.arccosh), _of(math.atanh, np.arctanh)
atan2, hypot, cbrt = _of(math.atan2, np.arctan2), _of(math.hypot, np.hypot), _of(math.cbrt, np.cbrt)
erf, erfc = _of(math.erf, special.erf), _of(math.erfc, special.erfc)
gamma, lgamma = _of(math.gamma, special.gamma), _of(math.lgamma, special.gammaln)
sqrt, fabs, copysign = _of(math.sqrt, np.sqrt), _of(math.fabs, np.fabs), _of(math.copysign, np.copysign)
fmod, degrees, radians = _of(math.fmod, np.fmod), _of(math.degrees, np.degrees), _of(math.radians, np.radians)
pow = _of(math.pow, np.power)

power = defined(np.power, c_function(np.power, "pow", 2, (types.float32, types.float64), False), np.power)
"""x1 ** x2 of two floats of one dtype, without exceptions."""
