"""Functions that choose element by element: by a condition, by bounds, or by a cotangent of zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pullback.runtime.codegen.compiled import compiled, element_type, is_array, is_scalar, kernel, result_dtype
from pullback.runtime.memory.strided import common_shape, flat, item
from pullback.runtime.numpy.elementwise import maximum, minimum
from pullback.runtime.numpy.elementwise_loops import define_binary, is_operand, shape_of, spread
from pullback.runtime.numpy.reductions import any_over
from pullback.runtime.protocol import dispatched
from pullback.runtime.vectormath.bits import is_finite


def where(c: Any, a: Any, b: Any) -> Any:
    """np.where(c, a, b)."""
    return np.where(c, a, b)[()]


@compiled(where)
def _where(c: Any, a: Any, b: Any) -> Any:
    if not (is_operand(c) and is_operand(a) and is_operand(b)):
        return None
    to = element_type(result_dtype(a, b))
    if is_scalar(c) and is_scalar(a) and is_scalar(b):
        return lambda c, a, b: to(a) if c else to(b)

    def choose(c: Any, a: Any, b: Any) -> Any:
        shape = common_shape(common_shape(shape_of(c), shape_of(a)), shape_of(b))
        cs, firsts, seconds = spread(c, shape), spread(a, shape), spread(b, shape)
        out = np.empty(shape, to)
        values = flat(out)
        for i in range(values.size):
            values[i] = to(item(firsts, i)) if item(cs, i) else to(item(seconds, i))
        return out

    return choose


@dispatched
def masked_product(y_bar: Any, partial: Any) -> Any:
    """y_bar * partial, but 0 where y_bar is 0, whatever the partial (as infinity or NaN) is there."""
    # A finite partial stays as it is: on a tape, it is the derivative of the product, which may be 0 by chance.
    lost = np.logical_and(np.equal(y_bar, 0), np.logical_not(np.isfinite(partial)))
    return np.multiply(y_bar, np.where(lost, np.zeros_like(partial), partial)[()])


@kernel
def masked(y_bar: Any, partial: Any) -> Any:
    return y_bar * (partial if y_bar != 0 else y_bar)


define_binary(masked_product, np.multiply, masked)


@dispatched
def masked_rows(x: Any, y_bar: Any) -> Any:
    """x, but 0 for what is not finite in a row in which y_bar has nothing but 0: for the product xᵀ y_bar.

    x: (..., m, k), y_bar: (..., m, n), broadcast against each other in front.
    """
    return finite_where_unused(x, y_bar, -1)


@compiled(masked_rows)
def _masked_rows(x: Any, y_bar: Any) -> Any:
    if not (is_matrix(x) and is_matrix(y_bar)):
        return lambda x, y_bar: where(any_over(y_bar != 0, -1, True) | np.isfinite(x), x, np.zeros_like(x))

    def choose(x: Any, y_bar: Any) -> Any:
        out = np.empty(x.shape, x.dtype)
        for i in range(out.shape[0]):
            used = False
            for j in range(y_bar.shape[1]):
                used |= y_bar[i, j] != 0
            for j in range(out.shape[1]):
                out[i, j] = x[i, j] if used or is_finite(x[i, j]) else 0
        return out

    return choose


@dispatched
def masked_columns(x: Any, y_bar: Any) -> Any:
    """x, but 0 for what is not finite in a column in which y_bar has nothing but 0: for the product y_bar xᵀ.

    x: (..., k, n), y_bar: (..., m, n), broadcast against each other in front.
    """
    return finite_where_unused(x, y_bar, -2)


@compiled(masked_columns)
def _masked_columns(x: Any, y_bar: Any) -> Any:
    if not (is_matrix(x) and is_matrix(y_bar)):
        return lambda x, y_bar: where(any_over(y_bar != 0, -2, True) | np.isfinite(x), x, np.zeros_like(x))

    def choose(x: Any, y_bar: Any) -> Any:
        used = np.zeros(y_bar.shape[1], np.bool_)
        for i in range(y_bar.shape[0]):
            for j in range(used.size):
                used[j] |= y_bar[i, j] != 0
        out = np.empty(x.shape, x.dtype)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = x[i, j] if used[j] or is_finite(x[i, j]) else 0
        return out

    return choose


def finite_where_unused(x: Any, y_bar: Any, axis: int) -> Any:
    """x, but 0 for what is not finite where y_bar has nothing but 0 along an axis."""
    used = np.any(np.not_equal(y_bar, 0), axis=axis, keepdims=True)
    return np.where(np.logical_or(used, np.isfinite(x)), x, np.zeros_like(x))


def is_matrix(t: Any) -> bool:
    return is_array(t) and t.ndim == 2


def clip(x: Any, lo: Any, hi: Any) -> Any:
    """np.clip(x, lo, hi); None is no bound."""
    return np.clip(x, lo, hi)


def not_below(x: Any, lo: Any) -> Any:
    """np.maximum(x, lo), but x where both are zeros: np.clip(x, lo, hi) leaves them their sign."""
    return np.where((x >= lo) | (x != x), x, lo)


def not_above(x: Any, hi: Any) -> Any:
    """np.minimum(x, hi), as `not_below`."""
    return np.where((x <= hi) | (x != x), x, hi)


define_binary(not_below, np.maximum, kernel(lambda a, b: a if a >= b or a != a else b))
define_binary(not_above, np.minimum, kernel(lambda a, b: a if a <= b or a != a else b))


@compiled(clip)
def _clip(x: Any, lo: Any, hi: Any) -> Any:
    no_lo, no_hi = (isinstance(t, (types.NoneType, types.Omitted)) or t is None for t in (lo, hi))
    if no_lo and no_hi:
        return lambda x, lo, hi: x
    if no_lo:
        return lambda x, lo, hi: minimum(x, hi)
    if no_hi:
        return lambda x, lo, hi: maximum(x, lo)
    return lambda x, lo, hi: not_above(not_below(x, lo), hi)
