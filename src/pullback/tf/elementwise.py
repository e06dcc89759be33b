"""TensorFlow's elementwise functions, with its derivatives at ties and kinks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from pullback.runtime import sum_to
from pullback.tape import Tensor, custom_gradient
from pullback.tf.operation import operation
from pullback.tf.values import convert_to_tensor, operands

# The function, and an example: arguments and result.
_SAME = {
    "abs": (np.absolute, "[-1.5]", "[1.5]"),
    "acos": (np.arccos, "[1.0]", "[0.0]"),
    "acosh": (np.arccosh, "[1.0]", "[0.0]"),
    "asin": (np.arcsin, "[0.0]", "[0.0]"),
    "asinh": (np.arcsinh, "[0.0]", "[0.0]"),
    "atan": (np.arctan, "[0.0]", "[0.0]"),
    "atanh": (np.arctanh, "[0.0]", "[0.0]"),
    "ceil": (np.ceil, "[0.5]", "[1.0]"),
    "cos": (np.cos, "[0.0]", "[1.0]"),
    "cosh": (np.cosh, "[0.0]", "[1.0]"),
    "erf": (special.erf, "[0.0]", "[0.0]"),
    "exp": (np.exp, "[0.0]", "[1.0]"),
    "expm1": (np.expm1, "[0.0]", "[0.0]"),
    "floor": (np.floor, "[0.5]", "[0.0]"),
    "is_finite": (np.isfinite, "[0.5]", "[True]"),
    "is_inf": (np.isinf, "[0.5]", "[False]"),
    "is_nan": (np.isnan, "[0.5]", "[False]"),
    "lgamma": (special.gammaln, "[1.0]", "[0.0]"),
    "log": (np.log, "[1.0]", "[0.0]"),
    "log1p": (np.log1p, "[0.0]", "[0.0]"),
    "logical_not": (np.logical_not, "[True]", "[False]"),
    "negative": (np.negative, "[0.5]", "[-0.5]"),
    "reciprocal": (np.reciprocal, "[4.0]", "[0.25]"),
    "round": (np.rint, "[2.5]", "[2.0]"),
    "sigmoid": (special.expit, "[0.0]", "[0.5]"),
    "sin": (np.sin, "[0.0]", "[0.0]"),
    "sinh": (np.sinh, "[0.0]", "[0.0]"),
    "sqrt": (np.sqrt, "[4.0]", "[2.0]"),
    "square": (np.square, "[3.0]", "[9.0]"),
    "tan": (np.tan, "[0.0]", "[0.0]"),
    "tanh": (np.tanh, "[0.0]", "[0.0]"),
}
# The type of operation, the function, and an example.
_OF_TWO = {
    "add": ("AddV2", np.add, "[1.0], [2.0]", "[3.0]"),
    "atan2": ("Atan2", np.arctan2, "[0.0], [2.0]", "[0.0]"),
    "divide": ("RealDiv", np.true_divide, "[1.0], [2.0]", "[0.5]"),
    "equal": ("Equal", np.equal, "[1.0], [2.0]", "[False]"),
    "floordiv": ("FloorDiv", np.floor_divide, "[5.0], [2.0]", "[2.0]"),
    "greater": ("Greater", np.greater, "[1.0], [2.0]", "[False]"),
    "greater_equal": ("GreaterEqual", np.greater_equal, "[1.0], [2.0]", "[False]"),
    "less": ("Less", np.less, "[1.0], [2.0]", "[True]"),
    "less_equal": ("LessEqual", np.less_equal, "[1.0], [2.0]", "[True]"),
    "logical_and": ("LogicalAnd", np.logical_and, "[True], [False]", "[False]"),
    "logical_or": ("LogicalOr", np.logical_or, "[True], [False]", "[True]"),
    "mod": ("FloorMod", np.remainder, "[5.0], [2.0]", "[1.0]"),
    "multiply": ("Mul", np.multiply, "[1.5], [2.0]", "[3.0]"),
    "not_equal": ("NotEqual", np.not_equal, "[1.0], [2.0]", "[True]"),
    "subtract": ("Sub", np.subtract, "[1.0], [2.0]", "[-1.0]"),
}


def _unary(name: str, ufunc: Any, *example: str) -> Any:
    def function(x: Any, name: str | None = None) -> Any:
        return ufunc(convert_to_tensor(x))

    type_ = "".join(part.capitalize() for part in name.split("_"))
    return _documented(function, name, type_, f"`{ufunc.__name__}` of `x`", *example)


def _binary(name: str, type_: str, ufunc: Any, *example: str) -> Any:
    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return ufunc(*operands(x, y))

    return _documented(function, name, type_, f"`{ufunc.__name__}` of `x` and `y`", *example)


def _documented(function: Any, name: str, type_: str, what: str, arguments: str, result: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""NumPy's or SciPy's {what}, elementwise; the type of operation is {type_}.

    >>> import pullback.tf as tf
    >>> tf.math.{name}({arguments}).numpy().tolist()
    {result}
    """
    return operation(type_)(function)


ELEMENTWISE: dict[str, Any] = {name: _unary(name, *row) for name, row in _SAME.items()}
ELEMENTWISE |= {name: _binary(name, *row) for name, row in _OF_TWO.items()}


@operation("Sign")
def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1 as the sign of `x`. Its gradient is zeros, not None.

    >>> import pullback.tf as tf
    >>> tf.sign([-2.0, 0.0, 5.0])
    <Tensor [-1.  0.  1.], float32>
    """
    return _sign(convert_to_tensor(x))


@custom_gradient
def _sign(x: Any) -> Any:
    return np.sign(x), lambda dy: np.zeros_like(dy)


@operation("Maximum")
def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of `x` and `y`, elementwise; at a tie the gradient is that of `x`.

    >>> import pullback.tf as tf
    >>> tf.maximum([1.0, 5.0], 2.0)
    <Tensor [2. 5.], float32>
    """
    x, y = operands(x, y)
    return np.where(x >= y, x, y)


@operation("Minimum")
def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of `x` and `y`, elementwise; at a tie the gradient is that of `x`.

    >>> import pullback.tf as tf
    >>> tf.minimum([1.0, 5.0], 2.0)
    <Tensor [1. 2.], float32>
    """
    x, y = operands(x, y)
    return np.where(x <= y, x, y)


@operation("Pow")
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x` to the power of `y`, elementwise; the gradient by the exponent is 0 where x ≤ 0.

    >>> import pullback.tf as tf
    >>> tf.pow([2.0, 3.0], 2.0)
    <Tensor [4. 9.], float32>
    """
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
    """1 / √x, elementwise.

    >>> import pullback.tf as tf
    >>> tf.math.rsqrt([4.0])
    <Tensor [0.5], float32>
    """
    return 1 / np.sqrt(convert_to_tensor(x))


@operation("SquaredDifference")
def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """(x - y)², elementwise.

    >>> import pullback.tf as tf
    >>> tf.math.squared_difference([1.0, 5.0], 2.0)
    <Tensor [1. 9.], float32>
    """
    x, y = operands(x, y)
    return (x - y) ** 2


@operation("DivNoNan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, and 0 where y is 0, with the gradient 0 there.

    >>> import pullback.tf as tf
    >>> tf.math.divide_no_nan([1.0, 1.0], [2.0, 0.0])
    <Tensor [0.5 0. ], float32>
    """
    x, y = operands(x, y)
    zero = y == 0
    return np.where(zero, 0, x / np.where(zero, 1, y))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """The elements of `t`, or the bounds `clip_value_min` and `clip_value_max` where they lie beyond them.

    The gradient is 1 on the bounds and 0 beyond them.

    >>> import pullback.tf as tf
    >>> tf.clip_by_value([-1.0, 0.5, 7.0], 0.0, 1.0)
    <Tensor [0.  0.5 1. ], float32>
    """
    t, low, high = operands(t, clip_value_min, clip_value_max)
    return np.clip(t, low, high)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where `condition` holds, else y; without them the positions where it holds, one in a row.

    >>> import pullback.tf as tf
    >>> tf.where([True, False], [1.0, 2.0], 0.0)
    <Tensor [1. 0.], float32>
    >>> tf.where([True, False])
    <Tensor [[0]], int64>
    """
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
