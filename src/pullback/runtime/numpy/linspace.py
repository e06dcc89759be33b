"""Evenly spaced numbers, computed as NumPy computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, is_scalar, kernel, result_dtype
from pullback.runtime.memory.strided import common_shape, item, product, shaped
from pullback.runtime.numpy.elementwise_loops import is_operand, shape_of, spread


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    """np.linspace(start, stop, num, endpoint) between numbers or arrays; the new axis is the first."""
    return np.linspace(start, stop, num, endpoint)


@kernel
def fill_evenly(out: Any, start: Any, delta: Any, intervals: int) -> Any:
    """start + k delta / intervals; numbers go through `out`, so that all are of its dtype."""
    for k in range(out.size):
        out[k] = max(intervals, 1)
        step, divisor = delta / out[k], out[k]
        out[k] = k
        if intervals > 0 and step == 0:
            out[k] = out[k] / divisor * delta + start
        else:
            out[k] = out[k] * step + start


@kernel
def fill_columns(out: Any, firsts: Any, lasts: Any, columns: int, intervals: int) -> Any:
    """As `fill_evenly` for each column. As in NumPy, one step of 0 decides how all are computed."""
    numbers = np.empty(2, out.dtype)
    numbers[0] = max(intervals, 1)
    divisor, by_quotients = numbers[0], False
    for j in range(columns):
        numbers[0] = item(firsts, j)
        numbers[1] = item(lasts, j)
        by_quotients |= intervals > 0 and (numbers[1] - numbers[0]) / divisor == 0
    for i in range(out.size):
        k, j = i // columns, i % columns
        numbers[0] = item(firsts, j)
        numbers[1] = item(lasts, j)
        first, delta = numbers[0], numbers[1] - numbers[0]
        numbers[0] = k
        if by_quotients:
            out[i] = numbers[0] / divisor * delta + first
        else:
            out[i] = numbers[0] * (delta / divisor) + first


@compiled(linspace)
def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
    if not is_operand(start) or not is_operand(stop):
        return None
    common = result_dtype(start, stop)
    dtype = common if common.kind == "f" else np.dtype(np.float64)
    one = dtype.type(1)

    def spaced_arrays(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
        if num < 0:
            raise ValueError("Number of samples must be non-negative.")
        shape = common_shape(shape_of(start), shape_of(stop))
        firsts, lasts, columns = spread(start, shape), spread(stop, shape), product(shape, 0, len(shape))
        out = np.empty(num * columns, dtype)
        fill_columns(out, firsts, lasts, columns, num - 1 if endpoint else num)
        if endpoint and num > 1:
            for j in range(columns):
                out[(num - 1) * columns + j] = item(lasts, j)
        return shaped(out, (num, *shape))

    if not is_scalar(start) or not is_scalar(stop):
        return spaced_arrays

    def spaced(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
        if num < 0:
            raise ValueError("Number of samples must be non-negative.")
        out = np.empty(num, dtype)
        intervals = num - 1 if endpoint else num
        fill_evenly(out, one * start, one * stop - one * start, intervals)
        if endpoint and num > 1:
            out[num - 1] = stop
        return out

    return spaced
