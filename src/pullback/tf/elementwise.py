"""TensorFlow's elementwise functions, with its derivatives at ties and kinks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from pullback.runtime import sum_to
from pullback.tape import Tensor, custom_gradient
from pullback.tf.operation import operation
from pullback.tf.values import convert_to_tensor, operands

_SAME = {
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": special.erf,
    "exp": np.exp,
    "expm1": np.expm1,
    "floor": np.floor,
    "is_finite": np.isfinite,
    "is_inf": np.isinf,
    "is_nan": np.isnan,
    "lgamma": special.gammaln,
    "log": np.log,
    "log1p": np.log1p,
    "logical_not": np.logical_not,
    "negative": np.negative,
    "reciprocal": np.reciprocal,
    "round": np.rint,
    "sigmoid": special.expit,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
}
_OF_TWO = {
    "add": ("AddV2", np.add),
    "atan2": ("Atan2", np.arctan2),
    "divide": ("RealDiv", np.true_divide),
    "equal": ("Equal", np.equal),
    "floordiv": ("FloorDiv", np.floor_divide),
    "greater": ("Greater", np.greater),
    "greater_equal": ("GreaterEqual", np.greater_equal),
    "less": ("Less", np.less),
    "less_equal": ("LessEqual", np.less_equal),
    "logical_and": ("LogicalAnd", np.logical_and),
    "logical_or": ("LogicalOr", np.logical_or),
    "mod": ("FloorMod", np.remainder),
    "multiply": ("Mul", np.multiply),
    "not_equal": ("NotEqual", np.not_equal),
    "subtract": ("Sub", np.subtract),
}


def _unary(name: str, ufunc: Any) -> Any:
    def function(x: Any, name: str | None = None) -> Any:
        return ufunc(convert_to_tensor(x))

    return _named(function, name, "".join(part.capitalize() for part in name.split("_")))


def _binary(name: str, type_: str, ufunc: Any) -> Any:
    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return ufunc(*operands(x, y))

    return _named(function, name, type_)


def _named(function: Any, name: str, type_: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The elementwise operation {type_}."
    return operation(type_)(function)


ELEMENTWISE: dict[str, Any] = {name: _unary(name, ufunc) for name, ufunc in _SAME.items()}
ELEMENTWISE |= {name: _binary(name, type_, ufunc) for name, (type_, ufunc) in _OF_TWO.items()}


@operation("Sign")
def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1. Its gradient is zeros, not None."""
    return _sign(convert_to_tensor(x))


@custom_gradient
def _sign(x: Any) -> Any:
    return np.sign(x), lambda dy: np.zeros_like(dy)


@operation("Maximum")
def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of two; at a tie the gradient is the first one's."""
    x, y = operands(x, y)
    return np.where(x >= y, x, y)


@operation("Minimum")
def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of two; at a tie the gradient is the first one's."""
    x, y = operands(x, y)
    return np.where(x <= y, x, y)


@operation("Pow")
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x to the power of y; the gradient by the exponent is 0 where x ≤ 0."""
    return _pow(*operands(x, y))


@custom_gradient
def _pow(x: Any, y: Any) -> Any:
    z = x**y

    def gradient(dz: Any) -> Any:
        positive = np.where(x > 0, x, 1)
        return sum_to(dz * y * x ** (y - 1), x.shape), sum_to(dz * x**y * np.log(positive), y.shape)

    return z, gradient


@operation("Rsqrt")
def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """1 / √x."""
    return 1 / np.sqrt(convert_to_tensor(x))


@operation("SquaredDifference")
def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """(x - y)²."""
    x, y = operands(x, y)
    return (x - y) ** 2


@operation("DivNoNan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0, with the gradient 0 there."""
    x, y = operands(x, y)
    zero = y == 0
    return np.where(zero, 0, x / np.where(zero, 1, y))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Between two bounds; the gradient is 1 on the bounds and 0 beyond them."""
    t, low, high = operands(t, clip_value_min, clip_value_max)
    return np.clip(t, low, high)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x or y by a condition; without them the positions where it holds, one in a row."""
    chosen = convert_to_tensor(condition)
    if x is None:
        return Tensor(np.argwhere(chosen.numpy()))
    return np.where(chosen, *operands(x, y))


ELEMENTWISE |= {
    "clip_by_value": clip_by_value,
    "divide_no_nan": divide_no_nan,
    "maximum": maximum,
    "minimum": minimum,
    "pow": pow,
    "rsqrt": rsqrt,
    "sign": sign,
    "squared_difference": squared_difference,
    "where": where,
}
