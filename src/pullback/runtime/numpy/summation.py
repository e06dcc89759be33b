"""Arrays summed down to a shape that broadcasts to theirs, and the kernels that sum along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError

from pullback.runtime.codegen.compiled import compiled, dtype_of, is_array, is_scalar, kernel
from pullback.runtime.memory.strided import flat, integer_tuple, product, shaped


def sum_to(a: Any, shape: Any) -> Any:
    """`a` summed down to `shape`, which broadcasts to a.shape; `a` itself if the shapes agree.

    The result has the dtype of `a` and is a scalar for shape (). Raises ValueError if `shape` cannot grow to a.shape.
    """
    extents, shape = np.shape(a), tuple(shape)
    if extents == shape:
        return a
    lead = len(extents) - len(shape)
    if lead >= 0 and extents[lead:] == shape:
        return np.add.reduce(a, axis=tuple(range(lead)), dtype=a.dtype)
    if lead < 0 or any(n not in (1, m) for n, m in zip(shape, extents[lead:], strict=True)):
        raise ValueError(f"shape {shape} does not broadcast to {extents}")
    added = tuple([i for i in range(len(extents)) if i < lead or shape[i - lead] != extents[i]])
    return np.reshape(np.add.reduce(a, axis=added, dtype=a.dtype), shape)


@kernel
def sum_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    """1-d array out[i * columns + j] = sum over r of x[(i * count + r) * columns + j], in the dtype of `zero`."""
    out = np.full(rows * columns, zero)
    if columns == 1:
        for i in range(rows):
            out[i] = sum_run(x, i * count, count, zero)
        return out
    for i in range(rows):
        for r in range(count):
            start = (i * count + r) * columns
            for j in range(columns):
                out[i * columns + j] += x[start + j]
    return out


@kernel
def sum_run(x: Any, start: int, count: int, zero: Any) -> Any:
    """Sum of x[start : start + count], in the dtype of `zero`."""
    total = zero
    stop = start + count
    # Blocks with eight running sums: fast and accurate, as NumPy's pairwise summation is.
    while stop - start >= 8:
        end = start + min(stop - start, 128) // 8 * 8
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
        i = start
        while i < end:
            s0 += x[i]
            s1 += x[i + 1]
            s2 += x[i + 2]
            s3 += x[i + 3]
            s4 += x[i + 4]
            s5 += x[i + 5]
            s6 += x[i + 6]
            s7 += x[i + 7]
            i += 8
        total += ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
        start = end
    for i in range(start, stop):
        total += x[i]
    return total


@kernel
def sum_flat_to(x: Any, from_shape: Any, to_shape: Any, zero: Any) -> Any:
    """1-d array of `x`, of shape `from_shape`, summed down to `to_shape`, of the same length or shorter."""
    lead = len(from_shape) - len(to_shape)
    if lead > 0:
        x = sum_middle(x, 1, product(from_shape, 0, lead), product(from_shape, lead, len(from_shape)), zero)
    rows = 1
    for i in range(len(to_shape)):
        n = from_shape[lead + i]
        if to_shape[i] == 1 and n != 1:
            x = sum_middle(x, rows, n, product(from_shape, lead + i + 1, len(from_shape)), zero)
        elif to_shape[i] == n:
            rows *= n
        else:
            raise ValueError("the shape does not broadcast to that of the array")
    return x


@compiled(sum_to)
def _sum_to(a: Any, shape: Any) -> Any:
    if is_scalar(a):
        if not isinstance(shape, types.BaseTuple) or len(shape):
            raise TypingError("a scalar can only be summed to shape ()")
        return lambda a, shape: a
    if not is_array(a) or not isinstance(shape, types.BaseTuple):
        return None
    zero, to = dtype_of(a).type(0), a.dtype
    if a.ndim == 0:
        if len(shape):
            raise TypingError("a 0-d array can only be summed to shape ()")
        return lambda a, shape: a[()]
    if len(shape) == 0:

        def total(a: Any, shape: Any) -> Any:
            x = flat(a)
            return to(sum_run(x, 0, x.size, zero))

        return total
    if len(shape) > a.ndim:
        raise TypingError("cannot sum an array to more dimensions than it has")
    if len(shape) == a.ndim:

        def reduce_if_needed(a: Any, shape: Any) -> Any:
            target = integer_tuple(shape)
            if a.shape == target:
                return a
            return shaped(sum_flat_to(flat(a), a.shape, target, zero), target)

        return reduce_if_needed

    def reduce(a: Any, shape: Any) -> Any:
        target = integer_tuple(shape)
        return shaped(sum_flat_to(flat(a), a.shape, target, zero), target)

    return reduce
