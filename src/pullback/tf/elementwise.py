"""TensorFlow's elementwise functions, with its derivatives at ties and kinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from pullback.runtime import sum_to
from pullback.tape import Tensor, custom_gradient
from pullback.tf.kinks import piecewise
from pullback.tf.operation import operation
from pullback.tf.values import convert_to_tensor, operands

# The function, and an example: arguments and result.
_SAME = {
    "acos": (np.arccos, "[1.0]", "[0.0]"),
    "acosh": (np.arccosh, "[1.0]", "[0.0]"),
    "asin": (np.arcsin, "[0.0]", "[0.0]"),
    "asinh": (np.arcsinh, "[0.0]", "[0.0]"),
    "atan": (np.arctan, "[0.0]", "[0.0]"),
    "atanh": (np.arctanh, "[0.0]", "[0.0]"),
    "ceil": (np.ceil, "[0.5]", "[1.0]"),
    "conj": (np.conjugate, "[0.5]", "[0.5]"),
    "cos": (np.cos, "[0.0]", "[1.0]"),
    "cosh": (np.cosh, "[0.0]", "[1.0]"),
    "erf": (special.erf, "[0.0]", "[0.0]"),
    "exp": (np.exp, "[0.0]", "[1.0]"),
    "expm1": (np.expm1, "[0.0]", "[0.0]"),
    "floor": (np.floor, "[0.5]", "[0.0]"),
    "is_finite": (np.isfinite, "[0.5]", "[True]"),
    "is_inf": (np.isinf, "[0.5]", "[False]"),
    "is_nan": (np.isnan, "[0.5]", "[False]"),
    "log": (np.log, "[1.0]", "[0.0]"),
    "log1p": (np.log1p, "[0.0]", "[0.0]"),
    "logical_not": (np.logical_not, "[True]", "[False]"),
    "negative": (np.negative, "[0.5]", "[-0.5]"),
    "reciprocal": (np.reciprocal, "[4.0]", "[0.25]"),
    "rint": (np.rint, "[2.5]", "[2.0]"),
    "round": (np.rint, "[2.5]", "[2.0]"),
    "sigmoid": (special.expit, "[0.0]", "[0.5]"),
    "sin": (np.sin, "[0.0]", "[0.0]"),
    "sinh": (np.sinh, "[0.0]", "[0.0]"),
    "sqrt": (np.sqrt, "[4.0]", "[2.0]"),
    "square": (np.square, "[3.0]", "[9.0]"),
    "tan": (np.tan, "[0.0]", "[0.0]"),
    "tanh": (np.tanh, "[0.0]", "[0.0]"),
}
_WIDE = (special.erf, special.expit)
"""Those that NumPy has no half precision for."""
# The type of operation, the function, and an example.
_OF_TWO = {
    "add": ("AddV2", np.add, "[1.0], [2.0]", "[3.0]"),
    "atan2": ("Atan2", np.arctan2, "[0.0], [2.0]", "[0.0]"),
    "divide": ("RealDiv", np.true_divide, "[1.0], [2.0]", "[0.5]"),
    "equal": ("Equal", np.equal, "[1.0], [2.0]", "[False]"),
    "floordiv": ("FloorDiv", np.floor_divide, "[5.0], [2.0]", "[2.0]"),
    "floormod": ("FloorMod", np.remainder, "[5.0], [2.0]", "[1.0]"),
    "greater": ("Greater", np.greater, "[1.0], [2.0]", "[False]"),
    "greater_equal": ("GreaterEqual", np.greater_equal, "[1.0], [2.0]", "[False]"),
    "less": ("Less", np.less, "[1.0], [2.0]", "[True]"),
    "less_equal": ("LessEqual", np.less_equal, "[1.0], [2.0]", "[True]"),
    "logical_and": ("LogicalAnd", np.logical_and, "[True], [False]", "[False]"),
    "logical_or": ("LogicalOr", np.logical_or, "[True], [False]", "[True]"),
    "logical_xor": ("LogicalXor", np.logical_xor, "[True], [False]", "[True]"),
    "mod": ("FloorMod", np.remainder, "[5.0], [2.0]", "[1.0]"),
    "multiply": ("Mul", np.multiply, "[1.5], [2.0]", "[3.0]"),
    "not_equal": ("NotEqual", np.not_equal, "[1.0], [2.0]", "[True]"),
    "realdiv": ("RealDiv", np.true_divide, "[1.0], [2.0]", "[0.5]"),
    "subtract": ("Sub", np.subtract, "[1.0], [2.0]", "[-1.0]"),
    "truediv": ("RealDiv", np.true_divide, "[1.0], [2.0]", "[0.5]"),
    "truncatemod": ("TruncateMod", np.fmod, "[-5.0], [2.0]", "[-1.0]"),
}


def _unary(name: str, ufunc: Any, *example: str) -> Any:
    def function(x: Any, name: str | None = None) -> Any:
        given = convert_to_tensor(x)
        if ufunc is np.rint and given.dtype.kind in "iu":
            return +given
        if ufunc in _WIDE and given.dtype == np.float16:
            return ufunc(given.astype(np.float32)).astype(np.float16)
        return ufunc(given)

    type_ = "".join(part.capitalize() for part in name.split("_"))
    return _documented(function, name, type_, f"`{ufunc.__name__}` of `x`", *example)


def _binary(name: str, type_: str, ufunc: Any, *example: str) -> Any:
    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return ufunc(*operands(x, y))

    def of_quotient(x: Any, y: Any, name: str | None = None) -> Any:
        given = operands(x, y)
        kinds = {(one.dtype.kind, one.dtype.itemsize < 4) for one in given}
        if kinds <= {("i", True), ("u", True)}:
            given = tuple(one.astype(np.float32) for one in given)
        return ufunc(*given)

    def of_remainder(x: Any, y: Any, name: str | None = None) -> Any:
        given = operands(x, y)
        if all(one.dtype.kind in "iu" for one in given) and not given[1]._value.all():
            raise ValueError("an integer is divided by 0")
        return ufunc(*given)

    forms = {np.true_divide: of_quotient, np.floor_divide: of_remainder, np.remainder: of_remainder}
    return _documented(forms.get(ufunc, function), name, type_, f"`{ufunc.__name__}` of `x` and `y`", *example)


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


@operation("Abs")
def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute value of `x`, elementwise; the derivative at 0 is 0, and so is the second one everywhere.

    >>> import pullback.tf as tf
    >>> tf.abs([-1.5, 0.0])
    <Tensor [1.5 0. ], float32>
    """
    given = convert_to_tensor(x)
    return piecewise(given, np.absolute(given._value), np.sign(given._value))


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
    a, b = x._value, y._value
    return np.where((a >= b) | (a != a), x, y)


@operation("Minimum")
def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of `x` and `y`, elementwise; at a tie the gradient is that of `x`.

    >>> import pullback.tf as tf
    >>> tf.minimum([1.0, 5.0], 2.0)
    <Tensor [1. 2.], float32>
    """
    x, y = operands(x, y)
    a, b = x._value, y._value
    return np.where((a <= b) | (a != a), x, y)


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


@operation("TruncateDiv")
def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The integers `x` over `y`, elementwise, rounded towards zero.

    >>> import pullback.tf as tf
    >>> tf.truncatediv([-5], [2])
    <Tensor [-2], int32>
    """
    x, y = operands(x, y)
    return Tensor(np.trunc(x._value / y._value).astype(np.result_type(x.dtype, y.dtype)))


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x · y, elementwise, and 0 where y is 0, whatever x is.

    >>> import numpy as np, pullback.tf as tf
    >>> tf.math.multiply_no_nan([1.0, np.inf], [2.0, 0.0])
    <Tensor [2. 0.], float32>
    """
    x, y = operands(x, y)
    return _multiply_no_nan(x, y)


@custom_gradient
def _multiply_no_nan(x: Any, y: Any) -> Any:
    def gradient(dz: Any) -> Any:
        return sum_to(multiply_no_nan(dz, y), x.shape), sum_to(multiply_no_nan(x, dz), y.shape)

    return np.where(y == 0, 0, np.where(y == 0, 0, x) * y), gradient


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, elementwise, and 0 where x is 0.

    >>> import pullback.tf as tf
    >>> tf.math.reciprocal_no_nan([2.0, 0.0])
    <Tensor [0.5 0. ], float32>
    """
    return divide_no_nan(1, convert_to_tensor(x))


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(y), elementwise, and 0 where x is 0.

    >>> import pullback.tf as tf
    >>> tf.math.xlogy([2.0, 0.0], [1.0, 0.0])
    <Tensor [0. 0.], float32>
    """
    x, y = operands(x, y)
    return np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y)))


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(1 + y), elementwise, and 0 where x is 0.

    >>> import pullback.tf as tf
    >>> tf.math.xlog1py([2.0, 0.0], [0.0, -1.0])
    <Tensor [0. 0.], float32>
    """
    x, y = operands(x, y)
    return np.where(x == 0, 0, x * np.log1p(np.where(x == 0, 0, y)))


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, and 0 where x is 0.

    >>> import pullback.tf as tf
    >>> tf.math.xdivy([2.0, 0.0], [4.0, 0.0])
    <Tensor [0.5 0. ], float32>
    """
    x, y = operands(x, y)
    return np.where(x == 0, 0, x / np.where(x == 0, 1, y))


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The number next to `x1` in the direction of `x2`, elementwise, with the gradient 1 by `x1` and 0 by `x2`.

    >>> import pullback.tf as tf
    >>> bool(tf.math.nextafter(1.0, 2.0) > 1.0)
    True
    """
    return _nextafter(*operands(x1, x2))


@custom_gradient
def _nextafter(x: Any, y: Any) -> Any:
    def gradient(dz: Any) -> Any:
        return sum_to(dz, x.shape), np.zeros(y.shape, y.dtype)

    return np.nextafter(x._value, y._value), gradient


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of `input`.

    >>> import pullback.tf as tf
    >>> tf.math.real([1.0])
    <Tensor [1.], float32>
    """
    return np.real(convert_to_tensor(input))


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of `input`: zeros for real numbers.

    >>> import pullback.tf as tf
    >>> tf.math.imag([1.0])
    <Tensor [0.], float32>
    """
    return Tensor(np.zeros_like(convert_to_tensor(input)._value))


def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument of `input`: 0 for positive numbers, π for negative ones.

    >>> import pullback.tf as tf
    >>> tf.math.angle([1.0])
    <Tensor [0.], float32>
    """
    x = convert_to_tensor(input)
    return np.where(x < 0, np.pi, 0).astype(x.dtype)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """`x` times the number `scalar`.

    >>> import pullback.tf as tf
    >>> tf.scalar_mul(2.0, [1.0, 3.0])
    <Tensor [2. 6.], float32>
    """
    factor, given = operands(scalar, x)
    if factor.ndim:
        raise ValueError(f"a number is wanted, not a tensor of shape {factor.shape}")
    return factor * given


def add_n(inputs: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of the tensors `inputs`, of one shape. ValueError where there are none, or of several shapes.

    >>> import pullback.tf as tf
    >>> tf.add_n([[1.0, 2.0], [3.0, 4.0]])
    <Tensor [4. 6.], float32>
    """
    given = [convert_to_tensor(one) for one in (inputs if isinstance(inputs, list | tuple) else [inputs])]
    if not given or len({one.shape for one in given}) > 1:
        raise ValueError(f"tensors of one shape are wanted, not of the shapes {[one.shape for one in given]}")
    return sum(given[1:], +given[0])


ELEMENTWISE |= {
    "abs": abs,
    "add_n": add_n,
    "angle": angle,
    "divide_no_nan": divide_no_nan,
    "imag": imag,
    "maximum": maximum,
    "minimum": minimum,
    "multiply_no_nan": multiply_no_nan,
    "nextafter": nextafter,
    "pow": pow,
    "real": real,
    "reciprocal_no_nan": reciprocal_no_nan,
    "rsqrt": rsqrt,
    "scalar_mul": scalar_mul,
    "sign": sign,
    "squared_difference": squared_difference,
    "truncatediv": truncatediv,
    "xdivy": xdivy,
    "xlog1py": xlog1py,
    "xlogy": xlogy,
}
