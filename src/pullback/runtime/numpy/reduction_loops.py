"""The loop nests of reductions and scans over the middle axis of an array of rows × count × columns.

They take the elements in C order, 1-d, and a zero of the dtype of the result.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.summation import sum_middle

Function = Callable[..., Any]


@kernel
def nansum_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    kept = np.empty(x.size, x.dtype)
    for k in range(x.size):
        kept[k] = x[k] if x[k] == x[k] else 0
    return sum_middle(kept, rows, count, columns, zero)


@kernel
def mean_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = sum_middle(x, rows, count, columns, zero)
    for i in range(out.size):
        out[i] /= count
    return out


@kernel
def var_middle(x: Any, rows: int, count: int, columns: int, zero: Any, ddof: Any) -> Any:
    means = mean_middle(x, rows, count, columns, zero)
    squares = np.empty(rows * count * columns, means.dtype)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                place = (i * count + r) * columns + j
                d = x[place] - means[i * columns + j]
                squares[place] = d * d
    out = sum_middle(squares, rows, count, columns, zero)
    for i in range(out.size):
        out[i] /= max(count - ddof, 0)
    return out


@kernel
def std_middle(x: Any, rows: int, count: int, columns: int, zero: Any, ddof: Any) -> Any:
    out = var_middle(x, rows, count, columns, zero, ddof)
    for i in range(out.size):
        out[i] = math.sqrt(out[i])
    return out


def _fold(combined: Function, start: int) -> Any:
    """The loop nest that combines what there is so far with each element."""

    @kernel
    def fold(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
        out = np.full(rows * columns, zero)
        out[:] = start
        for i in range(rows):
            for r in range(count):
                for j in range(columns):
                    place = i * columns + j
                    out[place] = combined(out[place], x[(i * count + r) * columns + j])
        return out

    return fold


prod_middle = _fold(operator.mul, 1)
any_middle = _fold(kernel(lambda so_far, v: so_far | (v != 0)), 0)
all_middle = _fold(kernel(lambda so_far, v: so_far & (v != 0)), 1)


def _position(is_better: Function) -> Any:
    """The loop nest that finds the first of the best elements, or of those that are NaN."""

    @kernel
    def position(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
        if count == 0:
            raise ValueError("zero-size array to reduction operation which has no identity")
        out = np.zeros(rows * columns, np.intp)
        for i in range(rows):
            for j in range(columns):
                start = i * count * columns + j
                best = x[start]
                for r in range(1, count):
                    v = x[start + r * columns]
                    if is_better(v, best) or (v != v and best == best):
                        best = v
                        out[i * columns + j] = r
        return out

    return position


argmax_middle, argmin_middle = _position(operator.gt), _position(operator.lt)


def _extreme(is_better: Function, name: str) -> Any:
    """The loop nest that takes the best element, or NaN where there is one."""
    message = f"zero-size array to reduction operation {name} which has no identity"

    @kernel
    def better(v: Any, best: Any) -> Any:
        return v if is_better(v, best) or v != v else best

    @kernel
    def run(x: Any) -> Any:
        """The best element of an array of one or more, NaN if there is one; eight run side by side."""
        m0 = m1 = m2 = m3 = m4 = m5 = m6 = m7 = x[0]
        unordered = 0
        eights = x.size // 8
        for k in range(eights):
            v0, v1, v2, v3 = x[8 * k], x[8 * k + 1], x[8 * k + 2], x[8 * k + 3]
            v4, v5, v6, v7 = x[8 * k + 4], x[8 * k + 5], x[8 * k + 6], x[8 * k + 7]
            m0 = v0 if is_better(v0, m0) else m0
            m1 = v1 if is_better(v1, m1) else m1
            m2 = v2 if is_better(v2, m2) else m2
            m3 = v3 if is_better(v3, m3) else m3
            m4 = v4 if is_better(v4, m4) else m4
            m5 = v5 if is_better(v5, m5) else m5
            m6 = v6 if is_better(v6, m6) else m6
            m7 = v7 if is_better(v7, m7) else m7
        for k in range(8 * eights, x.size):
            m0 = x[k] if is_better(x[k], m0) else m0
        for m in (m1, m2, m3, m4, m5, m6, m7):
            m0 = m if is_better(m, m0) else m0
        for k in range(x.size):
            unordered += x[k] != x[k]
        if unordered > 0:
            for k in range(x.size):
                if x[k] != x[k]:
                    return x[k]
        return m0

    @kernel
    def extreme(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
        if count == 0:
            raise ValueError(message)
        out = np.empty(rows * columns, x.dtype)
        for i in range(rows):
            if columns == 1:
                out[i] = run(x[i * count : (i + 1) * count])
                continue
            for j in range(columns):
                out[i * columns + j] = x[i * count * columns + j]
            for r in range(1, count):
                for j in range(columns):
                    out[i * columns + j] = better(x[(i * count + r) * columns + j], out[i * columns + j])
        return out

    return extreme


max_middle, min_middle = _extreme(operator.gt, "maximum"), _extreme(operator.lt, "minimum")


def _scan(combined: Function) -> Any:
    """The loop nest that combines each element with what stands before it."""

    @kernel
    def scan(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
        out = np.empty(x.size, type(zero))
        for i in range(rows):
            if columns == 1:
                total = zero
                for k in range(i * count, (i + 1) * count):
                    total = combined(total, x[k]) if k > i * count else type(zero)(x[k])
                    out[k] = total
            else:
                for r in range(count):
                    for j in range(columns):
                        place = (i * count + r) * columns + j
                        out[place] = x[place] if r == 0 else combined(out[place - columns], x[place])
        return out

    return scan


cumsum_middle, cumprod_middle = _scan(operator.add), _scan(operator.mul)
