"""Functions of one or two numbers that Numba has for numbers alone, or with other dtypes than NumPy 2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, constant, element_type, is_scalar, kernel
from pullback.runtime.memory.strided import common_shape, flat, item, shaped
from pullback.runtime.numpy.elementwise_loops import define_binary, define_unary, is_operand, shape_of, spread


def cast(x: Any, dtype: Any) -> Any:
    """`x` in the dtype of that name: a fresh array, or a NumPy scalar."""
    return np.array(x, dtype=dtype)[()]


@compiled(cast)
def _cast(x: Any, dtype: Any) -> Any:
    if not is_operand(x):
        return None
    to = element_type(constant(dtype))
    if is_scalar(x):
        return lambda x, dtype: to(x)

    def convert(x: Any, dtype: Any) -> Any:
        values = flat(x)
        out = np.empty(values.size, to)
        for i in range(values.size):
            out[i] = to(values[i])
        return shaped(out, x.shape)

    return convert


def maximum(x1: Any, x2: Any) -> Any:
    """np.maximum(x1, x2): the larger, the second of equals, NaN if either is."""
    return np.maximum(x1, x2)


define_binary(maximum, np.maximum, kernel(lambda a, b: a if a > b or a != a else b))


def minimum(x1: Any, x2: Any) -> Any:
    """np.minimum(x1, x2): the smaller, the second of equals, NaN if either is."""
    return np.minimum(x1, x2)


define_binary(minimum, np.minimum, kernel(lambda a, b: a if a < b or a != a else b))


def fmax(x1: Any, x2: Any) -> Any:
    """np.fmax(x1, x2): the larger, ignoring NaN."""
    return np.fmax(x1, x2)


define_binary(fmax, np.fmax, kernel(lambda a, b: np.fmax(a, b)))


def fmin(x1: Any, x2: Any) -> Any:
    """np.fmin(x1, x2): the smaller, ignoring NaN."""
    return np.fmin(x1, x2)


define_binary(fmin, np.fmin, kernel(lambda a, b: np.fmin(a, b)))


def hypot(x1: Any, x2: Any) -> Any:
    """np.hypot(x1, x2): the length of (x1, x2)."""
    return np.hypot(x1, x2)


define_binary(hypot, np.hypot, kernel(lambda a, b: np.hypot(a, b)))


def logaddexp(x1: Any, x2: Any) -> Any:
    """np.logaddexp(x1, x2): log(exp(x1) + exp(x2))."""
    return np.logaddexp(x1, x2)


define_binary(logaddexp, np.logaddexp, kernel(lambda a, b: np.logaddexp(a, b)))


def logaddexp2(x1: Any, x2: Any) -> Any:
    """np.logaddexp2(x1, x2): log2(2**x1 + 2**x2)."""
    return np.logaddexp2(x1, x2)


define_binary(logaddexp2, np.logaddexp2, kernel(lambda a, b: np.logaddexp2(a, b)))


def copysign(x1: Any, x2: Any) -> Any:
    """np.copysign(x1, x2): x1 with the sign of x2."""
    return np.copysign(x1, x2)


define_binary(copysign, np.copysign, kernel(lambda a, b: np.copysign(a, b)))


def cbrt(x: Any) -> Any:
    """np.cbrt(x): the cube root."""
    return np.cbrt(x)


define_unary(cbrt, np.cbrt, kernel(lambda v: np.cbrt(v)))


def exp2(x: Any) -> Any:
    """np.exp2(x): 2**x."""
    return np.exp2(x)


define_unary(exp2, np.exp2, kernel(lambda v: np.exp2(v)))


def sign(x: Any) -> Any:
    """np.sign(x): -1, 0, 1, or NaN; never -0."""
    return np.sign(x)


define_unary(sign, np.sign, kernel(lambda v: np.sign(v) + 0.0))


def deg2rad(x: Any) -> Any:
    """np.deg2rad(x): x * pi / 180."""
    return np.deg2rad(x)


define_unary(deg2rad, np.deg2rad, kernel(lambda v: np.deg2rad(v)))


def rad2deg(x: Any) -> Any:
    """np.rad2deg(x): x * 180 / pi."""
    return np.rad2deg(x)


define_unary(rad2deg, np.rad2deg, kernel(lambda v: np.rad2deg(v)))


def trunc(x: Any) -> Any:
    """np.trunc(x): rounded towards zero."""
    return np.trunc(x)


define_unary(trunc, np.trunc, kernel(lambda v: np.trunc(v)))


def rint(x: Any) -> Any:
    """np.rint(x): rounded to the nearest integer, halves to even."""
    return np.rint(x)


define_unary(rint, np.rint, kernel(lambda v: np.rint(v)))


def heaviside(x1: Any, x2: Any) -> Any:
    """np.heaviside(x1, x2): 0 below zero, x2 at zero, 1 above, NaN for NaN."""
    return np.heaviside(x1, x2)


define_binary(heaviside, np.heaviside, kernel(lambda x, h: x if x != x else (h if x == 0 else (1.0 if x > 0 else 0.0))))


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), 1 at 0; float32 stays float32."""
    return np.sinc(x)


define_unary(sinc, None, kernel(lambda v: 1.0 if v == 0 else math.sin(math.pi * v) / (math.pi * v)))


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    """np.isclose(a, b, rtol, atol, equal_nan)."""
    return np.isclose(a, b, rtol, atol, equal_nan)


@kernel
def is_near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> Any:
    if a != a or b != b:
        return equal_nan and a != a and b != b
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= atol + rtol * abs(b)


@compiled(isclose, prefer_literal=False)
def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    if not is_operand(a) or not is_operand(b):
        return None
    if is_scalar(a) and is_scalar(b):
        return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: is_near(
            float(a), float(b), rtol, atol, bool(equal_nan)
        )

    def compare(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
        shape = common_shape(shape_of(a), shape_of(b))
        xs, ys = spread(a, shape), spread(b, shape)
        out = np.empty(shape, np.bool_)
        values = flat(out)
        for i in range(values.size):
            values[i] = is_near(float(item(xs, i)), float(item(ys, i)), rtol, atol, bool(equal_nan))
        return out

    return compare
