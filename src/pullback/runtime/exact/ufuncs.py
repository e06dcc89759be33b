"""NumPy's and SciPy's own elementary functions in compiled code, bit for bit: each element goes through their loops.

Elsewhere compiled code has faster ones, which round the last bit in another way.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from scipy import special

from pullback.runtime.codegen.compiled import compiled, kernel
from pullback.runtime.exact.native import defined, element_of
from pullback.runtime.numpy.elementwise_loops import define_unary


def _of(ufunc: Any, fixed: bool = False) -> Any:
    """A ufunc of floats as a function for compiled code; fixed: see `element_of`."""
    return defined(ufunc, element_of(ufunc, fixed), ufunc)


exp, exp2, expm1 = _of(np.exp), _of(np.exp2), _of(np.expm1)
log, log2, log10, log1p = _of(np.log), _of(np.log2), _of(np.log10), _of(np.log1p)
sin, cos, tan = _of(np.sin), _of(np.cos), _of(np.tan)
arcsin, arccos, arctan, arctan2 = _of(np.arcsin), _of(np.arccos), _of(np.arctan), _of(np.arctan2)
sinh, cosh, tanh = _of(np.sinh), _of(np.cosh), _of(np.tanh)
arcsinh, arccosh, arctanh = _of(np.arcsinh), _of(np.arccosh), _of(np.arctanh)
cbrt, hypot = _of(np.cbrt), _of(np.hypot)
degrees, radians, deg2rad, rad2deg = _of(np.degrees), _of(np.radians), _of(np.deg2rad), _of(np.rad2deg)
logaddexp, logaddexp2 = _of(np.logaddexp), _of(np.logaddexp2)
power, power_to, float_power = _of(np.power), _of(np.power, fixed=True), _of(np.float_power)
erf, erfc, gamma = _of(special.erf), _of(special.erfc), _of(special.gamma)
lgamma, digamma, sigmoid = _of(special.gammaln), _of(special.psi), _of(special.expit)


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), where pi x is the spacing of floats at 1 for x = 0, as in NumPy."""
    return np.sinc(x)


def _sinc_of(v: Any) -> Any:
    """The same for one float."""


@compiled(_sinc_of, prefer_literal=False)
def _typed_sinc_of(v: Any) -> Any:
    kind = np.float32 if v == types.float32 else np.float64
    pi, least = kind(math.pi), np.finfo(kind).eps

    def quotient(v: Any) -> Any:
        y = pi * v
        y = y if y != 0 else least
        return sin(y) / y

    return quotient


define_unary(sinc, None, kernel(lambda v: _sinc_of(v)))
