"""The loop nests of reductions and scans over the middle axis of an array of rows × count × columns.

They take the elements in C order, 1-d, and a zero of the dtype of the result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.summation import sum_middle


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


@kernel
def prod_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = np.full(rows * columns, zero)
    out[:] = 1
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                out[i * columns + j] *= x[(i * count + r) * columns + j]
    return out


@kernel
def any_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = np.zeros(rows * columns, np.bool_)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                out[i * columns + j] |= x[(i * count + r) * columns + j] != 0
    return out


@kernel
def all_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = np.ones(rows * columns, np.bool_)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                out[i * columns + j] &= x[(i * count + r) * columns + j] != 0
    return out


@kernel
def argmax_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    if count == 0 and rows * columns > 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    out = np.zeros(rows * columns, np.intp)
    for i in range(rows):
        for j in range(columns):
            start = i * count * columns + j
            best = x[start]
            for r in range(1, count):
                v = x[start + r * columns]
                if v > best or (v != v and best == best):
                    best = v
                    out[i * columns + j] = r
    return out


@kernel
def argmin_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    if count == 0 and rows * columns > 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    out = np.zeros(rows * columns, np.intp)
    for i in range(rows):
        for j in range(columns):
            start = i * count * columns + j
            best = x[start]
            for r in range(1, count):
                v = x[start + r * columns]
                if v < best or (v != v and best == best):
                    best = v
                    out[i * columns + j] = r
    return out


@kernel
def max_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    if count == 0 and rows * columns > 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    out = np.empty(rows * columns, x.dtype)
    for i in range(rows):
        for j in range(columns):
            out[i * columns + j] = x[i * count * columns + j]
        for r in range(1, count):
            for j in range(columns):
                v = x[(i * count + r) * columns + j]
                if v > out[i * columns + j] or v != v:
                    out[i * columns + j] = v
    return out


@kernel
def min_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    if count == 0 and rows * columns > 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    out = np.empty(rows * columns, x.dtype)
    for i in range(rows):
        for j in range(columns):
            out[i * columns + j] = x[i * count * columns + j]
        for r in range(1, count):
            for j in range(columns):
                v = x[(i * count + r) * columns + j]
                if v < out[i * columns + j] or v != v:
                    out[i * columns + j] = v
    return out


@kernel
def cumsum_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = np.full(x.size, zero)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                place = (i * count + r) * columns + j
                out[place] = x[place] if r == 0 else out[place - columns] + x[place]
    return out


@kernel
def cumprod_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = np.full(x.size, zero)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                place = (i * count + r) * columns + j
                out[place] = x[place] if r == 0 else out[place - columns] * x[place]
    return out
