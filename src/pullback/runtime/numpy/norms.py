"""Norms of vectors that lie along axes of an array, and arrays that are rolled along an axis, as NumPy has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import axis_of, compiled, constant, is_array, kernel
from pullback.runtime.memory.strided import flat, product, shaped
from pullback.runtime.numpy.reduction_loops import max_middle, min_middle
from pullback.runtime.numpy.reductions import mean_dtype, parts_of
from pullback.runtime.numpy.summation import sum_middle

__all__ = ["norm_over", "rolled"]


def norm_over(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """np.linalg.norm(a, ord, axis, keepdims) of vectors, and the Frobenius norm of matrices. `ord` may be a text."""
    order: Any = float(ord) if isinstance(ord, str) and ord != "fro" else ord
    return np.linalg.norm(a, order, axis, keepdims)


def rolled(a: Any, shift: Any, axis: Any = None) -> Any:
    """np.roll(a, shift, axis): a fresh array; for None, of the flattened elements in the shape of `a`."""
    return np.roll(a, shift, axis)


@kernel
def two_middle(x: Any, rows: int, count: int, columns: int, zero: Any, order: Any) -> Any:
    out = sum_middle(x * x, rows, count, columns, zero)
    for i in range(out.size):
        out[i] = math.sqrt(out[i])
    return out


@kernel
def one_middle(x: Any, rows: int, count: int, columns: int, zero: Any, order: Any) -> Any:
    return sum_middle(np.abs(x), rows, count, columns, zero)


@kernel
def largest_middle(x: Any, rows: int, count: int, columns: int, zero: Any, order: Any) -> Any:
    return max_middle(np.abs(x), rows, count, columns, zero)


@kernel
def smallest_middle(x: Any, rows: int, count: int, columns: int, zero: Any, order: Any) -> Any:
    return min_middle(np.abs(x), rows, count, columns, zero)


@kernel
def power_middle(x: Any, rows: int, count: int, columns: int, zero: Any, order: Any) -> Any:
    powers = np.empty(x.size, x.dtype)
    for i in range(x.size):
        powers[i] = abs(x[i]) ** order
    out = sum_middle(powers, rows, count, columns, zero)
    for i in range(out.size):
        out[i] = out[i] ** (1 / order)
    return out


@kernel
def count_middle(x: Any, rows: int, count: int, columns: int, zero: Any, order: Any) -> Any:
    return sum_middle((x != 0).astype(x.dtype), rows, count, columns, zero)


_MIDDLES: dict[float, Any] = {
    2.0: two_middle,
    1.0: one_middle,
    0.0: count_middle,
    math.inf: largest_middle,
    -math.inf: smallest_middle,
}


@compiled(norm_over)
def _norm_over(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if not is_array(a):
        return None
    order = constant(ord)
    number = 2.0 if order in (None, "fro") else float(order)
    middle = _MIDDLES.get(number, power_middle)
    is_complex = mean_dtype(a).kind == "c"
    zero = mean_dtype(a).type(0).real
    dtype = np.dtype(type(zero))
    in_order, sizes, shaped = parts_of(a, axis, keepdims)
    if is_complex:

        def measure_complex(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
            rows, count, columns = sizes(a)
            return shaped(middle(np.abs(in_order(a)), rows, count, columns, zero, number), a)

        return measure_complex

    def measure(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
        rows, count, columns = sizes(a)
        return shaped(middle(in_order(a).astype(dtype), rows, count, columns, zero, number), a)

    return measure


@kernel
def copy_all(to: Any, x: Any) -> None:
    for j in range(x.size):
        to[j] = x[j]


@kernel
def roll_middle(x: Any, rows: int, count: int, columns: int, shift: int) -> Any:
    out = np.empty_like(x)
    if count == 0:
        return out
    size, moved = count * columns, (shift % count) * columns
    for i in range(rows):
        start, end = i * size, (i + 1) * size
        copy_all(out[start + moved : end], x[start : end - moved])
        copy_all(out[start : start + moved], x[end - moved : end])
    return out


@compiled(rolled)
def _rolled(a: Any, shift: Any, axis: Any = None) -> Any:
    if not is_array(a):
        return None
    if constant(axis) is None:
        return lambda a, shift, axis=None: shaped(roll_middle(flat(a), 1, a.size, 1, shift), a.shape)
    ndim, position = a.ndim, axis_of(axis, a.ndim)

    def roll(a: Any, shift: Any, axis: Any = None) -> Any:
        rows, columns = product(a.shape, 0, position), product(a.shape, position + 1, ndim)
        return shaped(roll_middle(flat(a), rows, a.shape[position], columns, shift), a.shape)

    return roll
