"""Elementary functions that LLVM inlines and vectorises: branch-free, within 2 ulp, and right at the limits.

Called from Python they are NumPy's or SciPy's functions. Inside @njit each becomes straight-line code of additions,
fma and selects, for float64; float32 is computed in float64 and rounded, so that it is nearly always the nearest.
Their arithmetic keeps its meaning whatever fastmath flags the caller has. A processor without fma makes them slow.
"""

from pullback.runtime.vectormath.error import erf, erfc
from pullback.runtime.vectormath.exponential import exp, exp2, expm1
from pullback.runtime.vectormath.hyperbolic import cosh, sinh, tanh
from pullback.runtime.vectormath.inverse import arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh
from pullback.runtime.vectormath.logarithmic import log, log1p, log2, log10
from pullback.runtime.vectormath.logistic import logaddexp, sigmoid, softplus
from pullback.runtime.vectormath.powers import cbrt, power, sqrt
from pullback.runtime.vectormath.trigonometric import cos, sin, sincos, tan

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "power",
    "sigmoid",
    "sin",
    "sincos",
    "sinh",
    "softplus",
    "sqrt",
    "tan",
    "tanh",
]
