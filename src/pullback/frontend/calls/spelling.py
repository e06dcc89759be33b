"""One spelling per function: operators, methods, `math` and aliases become one canonical function."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np
import scipy.special

from pullback import runtime
from pullback.ir.infer import PYTHON

OPERATORS: dict[type, Callable[..., Any]] = {
    gast.Add: np.add,
    gast.Sub: np.subtract,
    gast.Mult: np.multiply,
    gast.Div: np.true_divide,
    gast.FloorDiv: np.floor_divide,
    gast.Mod: np.remainder,
    gast.Pow: np.power,
    gast.MatMult: np.matmul,
    gast.BitAnd: np.bitwise_and,
    gast.BitOr: np.bitwise_or,
    gast.BitXor: np.bitwise_xor,
    gast.LShift: np.left_shift,
    gast.RShift: np.right_shift,
    gast.USub: np.negative,
    gast.UAdd: np.positive,
    gast.Invert: np.invert,
    gast.Not: np.logical_not,
    gast.Lt: np.less,
    gast.LtE: np.less_equal,
    gast.Gt: np.greater,
    gast.GtE: np.greater_equal,
    gast.Eq: np.equal,
    gast.NotEq: np.not_equal,
}
"""What a syntax node means."""

_SAME_NAME = (
    "sin cos tan exp expm1 log2 log10 log1p sqrt cbrt sinh cosh tanh fabs hypot copysign "
    "degrees radians exp2 isnan isinf isfinite fmod"
).split()

_ALIASES: dict[Any, Callable[..., Any]] = {
    **{getattr(math, name): getattr(np, name) for name in _SAME_NAME if hasattr(math, name)},
    math.asin: np.arcsin,
    math.acos: np.arccos,
    math.atan: np.arctan,
    math.atan2: np.arctan2,
    math.asinh: np.arcsinh,
    math.acosh: np.arccosh,
    math.atanh: np.arctanh,
    math.pow: np.power,
    math.erf: runtime.erf,
    math.erfc: runtime.erfc,
    math.gamma: runtime.gamma,
    math.lgamma: runtime.lgamma,
    scipy.special.erf: runtime.erf,
    scipy.special.erfc: runtime.erfc,
    scipy.special.gamma: runtime.gamma,
    scipy.special.gammaln: runtime.lgamma,
    scipy.special.digamma: runtime.digamma,
    scipy.special.expit: runtime.sigmoid,
    builtins.abs: np.absolute,
    builtins.pow: np.power,
    operator.pow: np.power,
    np.amax: np.max,
    np.amin: np.min,
    **{python: canonical for canonical, python in PYTHON.items()},
}

METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(np, name)
    for name in (
        "sum mean prod max min var std any all argmax argmin cumsum cumprod dot reshape ravel transpose swapaxes "
        "squeeze clip repeat trace diagonal round argsort take"
    ).split()
}
"""Methods of arrays that are functions of NumPy by the same name."""


def canonical(function: Any) -> Any:
    """The one function that stands for all spellings.

    >>> canonical(math.sin) is np.sin, canonical(operator.mul) is np.multiply, canonical(np.sin) is np.sin
    (True, True, True)
    """
    try:
        return _ALIASES.get(function, function)
    except TypeError:  # unhashable objects are nobody's alias
        return function


def spell(function: Any, meant: Callable[..., Any]) -> None:
    """Let a function stand for another one wherever a differentiated function calls it."""
    _ALIASES[function] = meant
