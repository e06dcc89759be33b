"""Helpers that change shapes: each has a NumPy body and a Numba overload with NumPy's values, dtypes and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import register_jitable

from pullback.runtime.codegen.compiled import (
    axes_of,
    axis_of,
    compiled,
    constant,
    dtype_of,
    element_type,
    is_array,
    is_integer,
    is_scalar,
    kernel,
    result_dtype,
)
from pullback.runtime.memory.strided import (
    NEW_AXIS,
    NO_STRIDE,
    broadcast_strides,
    collect,
    flat,
    integer_tuple,
    item,
    permuted,
    product,
    store_at,
    view,
)


def sum_to(a: Any, shape: Any) -> Any:
    """`a` summed down to `shape`, which broadcasts to a.shape; `a` itself if the shapes agree.

    The result has the dtype of `a` and is a scalar for shape (). Raises ValueError if `shape` cannot grow to a.shape.
    """
    if np.shape(a) == tuple(shape):
        return a
    extents = np.shape(a)
    lead = len(extents) - len(shape)
    fits = lead >= 0 and all(n in (1, m) for n, m in zip(shape, extents[max(lead, 0) :], strict=True))
    if not fits:
        raise ValueError(f"shape {tuple(shape)} does not broadcast to {extents}")
    added = tuple(i for i in range(len(extents)) if i < lead or shape[i - lead] != extents[i])
    total = np.sum(a, axis=added, dtype=a.dtype)
    return np.reshape(total, shape) if len(shape) else total


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
            return sum_flat_to(flat(a), a.shape, target, zero).reshape(target)

        return reduce_if_needed

    def reduce(a: Any, shape: Any) -> Any:
        target = integer_tuple(shape)
        return sum_flat_to(flat(a), a.shape, target, zero).reshape(target)

    return reduce


def broadcast_along(y_bar: Any, shape: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Array of `shape` with `y_bar`, the cotangent of a reduction over `axis`, repeated along the reduced axes.

    Under NumPy a read-only view, compiled a fresh C-contiguous array.
    """
    if axis is not None and not keepdims:
        y_bar = np.expand_dims(y_bar, tuple(i % len(shape) for i in (axis if isinstance(axis, tuple) else (axis,))))
    return np.broadcast_to(y_bar, shape)


@compiled(broadcast_along)
def _broadcast_along(y_bar: Any, shape: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not isinstance(shape, types.BaseTuple):
        return None
    ndim = len(shape)
    axes = axes_of(axis, ndim)
    if is_scalar(y_bar):
        to = types.unliteral(y_bar)
        return lambda y_bar, shape, axis=None, keepdims=False: np.full(integer_tuple(shape), to(y_bar))
    if not is_array(y_bar):
        return None
    if y_bar.ndim == 0:
        return lambda y_bar, shape, axis=None, keepdims=False: np.full(integer_tuple(shape), y_bar[()])
    kept = [i for i in range(ndim) if i not in axes]
    if not constant(keepdims) and y_bar.ndim == len(kept):
        ones = tuple(kept.index(i) if i in kept else NEW_AXIS for i in range(ndim))
        zeros = tuple(kept.index(i) if i in kept else NO_STRIDE for i in range(ndim))

        def insert(y_bar: Any, shape: Any, axis: Any = None, keepdims: Any = False) -> Any:
            target = integer_tuple(shape)
            y = view(y_bar, 0, permuted(y_bar.shape, ones), permuted(y_bar.strides, zeros))
            return collect(y, 0, target, broadcast_strides(y.shape, y.strides, target)).reshape(target)

        return insert
    return lambda y_bar, shape, axis=None, keepdims=False: broadcast_to(y_bar, shape)


def broadcast_to(a: Any, shape: Any) -> Any:
    """Fresh array of `shape` filled with `a`, a scalar or an array that broadcasts to it."""
    return np.broadcast_to(a, shape).copy()


@compiled(broadcast_to)
def _broadcast_to(a: Any, shape: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        return lambda a, shape: np.full(integer_tuple(shape), to(a))
    if not is_array(a):
        return None
    if a.ndim == 0:
        return lambda a, shape: np.full(integer_tuple(shape), a[()])

    def repeat_elements(a: Any, shape: Any) -> Any:
        target = integer_tuple(shape)
        return collect(a, 0, target, broadcast_strides(a.shape, a.strides, target)).reshape(target)

    return repeat_elements


def full_like_shape(value: Any, shape: Any) -> Any:
    """np.full(shape, value) with the dtype of the scalar `value`."""
    return np.full(shape, value)


@compiled(full_like_shape)
def _full_like_shape(value: Any, shape: Any) -> Any:
    if not is_scalar(value):
        return None
    to = types.unliteral(value)
    return lambda value, shape: np.full(integer_tuple(shape), to(value))


def reshape(a: Any, shape: Any) -> Any:
    """`a` with another shape, in C order: a view where `a` is C-contiguous. One entry of `shape` may be -1."""
    return np.reshape(a, shape)


@compiled(reshape)
def _reshape(a: Any, shape: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        return lambda a, shape: np.full(1, to(a)).reshape(integer_tuple(shape))
    if not is_array(a):
        return None
    return lambda a, shape: flat(a).reshape(integer_tuple(shape))


def ravel(a: Any) -> Any:
    """The elements of `a` in C order, 1-d: a view where `a` is C-contiguous."""
    return np.ravel(a)


@compiled(ravel)
def _ravel(a: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        return lambda a: np.full(1, to(a))
    return (lambda a: flat(a)) if is_array(a) else None


def expand_dims(a: Any, axis: Any) -> Any:
    """`a` with an axis of length 1 inserted at `axis` (an integer or a tuple) of the result."""
    return np.expand_dims(a, axis)


@compiled(expand_dims)
def _expand_dims(a: Any, axis: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        shape = (1,) * max(1, len(constant(axis)) if isinstance(constant(axis), tuple) else 1)
        return lambda a, axis: np.full(shape, to(a))
    if not is_array(a):
        return None
    axes = constant(axis) if isinstance(constant(axis), tuple) else (constant(axis),)
    ndim = a.ndim + len(axes)
    axes = axes_of(axes, ndim)
    kept = [i for i in range(ndim) if i not in axes]
    ones = tuple(kept.index(i) if i in kept else NEW_AXIS for i in range(ndim))
    zeros = tuple(kept.index(i) if i in kept else NO_STRIDE for i in range(ndim))
    if a.layout == "C":
        return lambda a, axis: a.reshape(permuted(a.shape, ones))
    return lambda a, axis: view(a, 0, permuted(a.shape, ones), permuted(a.strides, zeros))


def squeeze(a: Any, axis: Any = None) -> Any:
    """`a` without the axes `axis`, all of length 1; ValueError if one is longer. Compiled, `axis` must be given."""
    return np.squeeze(a, axis)


@compiled(squeeze)
def _squeeze(a: Any, axis: Any = None) -> Any:
    if not is_array(a):
        return None
    if constant(axis) is None:
        raise TypingError("squeeze without an axis has no type that Numba can infer: give the axes")
    axes = axes_of(axis, a.ndim)
    kept = tuple(i for i in range(a.ndim) if i not in axes)

    def check(a: Any) -> Any:
        if product(permuted(a.shape, axes), 0, len(axes)) != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")

    checked = register_jitable(check)
    if a.layout == "C":

        def drop(a: Any, axis: Any = None) -> Any:
            checked(a)
            return a.reshape(permuted(a.shape, kept))

        return drop

    def drop_from_view(a: Any, axis: Any = None) -> Any:
        checked(a)
        return view(a, 0, permuted(a.shape, kept), permuted(a.strides, kept))

    return drop_from_view


def transposer(a: Any, order: tuple[int, ...]) -> Any:
    """Jitable function of an array: the view with its axes in `order`."""
    if order == tuple(range(a.ndim)):
        return register_jitable(lambda a: a)
    if order == tuple(range(a.ndim))[::-1]:
        return register_jitable(lambda a: a.T)  # keeps the F and C layouts known to Numba
    return register_jitable(lambda a: view(a, 0, permuted(a.shape, order), permuted(a.strides, order)))


def transpose(a: Any, axes: Any = None) -> Any:
    """View of `a` with its axes in the order `axes`, reversed for None."""
    return np.transpose(a, axes)


@compiled(transpose)
def _transpose(a: Any, axes: Any = None) -> Any:
    if is_scalar(a):
        return lambda a, axes=None: a
    if not is_array(a):
        return None
    order = constant(axes)
    order = tuple(range(a.ndim))[::-1] if order is None else tuple(axis_of(i, a.ndim) for i in order)
    if sorted(order) != list(range(a.ndim)):
        raise TypingError("axes do not match the array")
    transposed = transposer(a, order)
    return lambda a, axes=None: transposed(a)


def swapaxes(a: Any, i: Any, j: Any) -> Any:
    """View of `a` with the axes `i` and `j` exchanged."""
    return np.swapaxes(a, i, j)


@compiled(swapaxes)
def _swapaxes(a: Any, i: Any, j: Any) -> Any:
    if not is_array(a):
        return None
    order = list(range(a.ndim))
    first, second = axis_of(i, a.ndim), axis_of(j, a.ndim)
    order[first], order[second] = second, first
    transposed = transposer(a, tuple(order))
    return lambda a, i, j: transposed(a)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """View of `a` with the axis `source` (an integer or a tuple) moved to `destination`."""
    return np.moveaxis(a, source, destination)


@compiled(moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    if not is_array(a):
        return None
    order = tuple(np.moveaxis(np.empty(tuple(range(a.ndim))), constant(source), constant(destination)).shape)
    transposed = transposer(a, order)
    return lambda a, source, destination: transposed(a)


def mT(a: Any) -> Any:
    """View of `a` with its last two axes exchanged; a vector is returned as it is."""
    return np.swapaxes(a, -1, -2) if np.ndim(a) > 1 else a


@compiled(mT)
def _mT(a: Any) -> Any:
    if is_scalar(a) or a.ndim < 2:
        return lambda a: a
    transposed = transposer(a, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))
    return lambda a: transposed(a)


def axis_first(a: Any, axis: int) -> tuple[Any, Any]:
    """Two jitable functions: the view of `a` with `axis` moved to the front, and the way back."""
    rest = [i for i in range(a.ndim) if i != axis]
    back = (*range(1, axis + 1), 0, *range(axis + 1, a.ndim))
    return transposer(a, (axis, *rest)), transposer(a, back)


def slice_along(a: Any, axis: Any, start: Any, stop: Any) -> Any:
    """View a[..., start:stop, ...] of the elements start to stop - 1 along `axis`."""
    index = [slice(None)] * a.ndim
    index[axis] = slice(start, stop)
    return a[tuple(index)]


@compiled(slice_along)
def _slice_along(a: Any, axis: Any, start: Any, stop: Any) -> Any:
    if not is_array(a):
        return None
    to_front, back = axis_first(a, axis_of(axis, a.ndim))
    return lambda a, axis, start, stop: back(to_front(a)[start:stop])


def take_along(a: Any, axis: Any, k: Any) -> Any:
    """View a[..., k, ...] at the integer `k` of `axis`, which is dropped. IndexError outside."""
    index: list[Any] = [slice(None)] * a.ndim
    index[axis] = k
    return a[tuple(index)]


@compiled(take_along)
def _take_along(a: Any, axis: Any, k: Any) -> Any:
    if not is_array(a) or not is_integer(k):
        return None
    position = axis_of(axis, a.ndim)
    to_front, _ = axis_first(a, position)

    def take(a: Any, axis: Any, k: Any) -> Any:
        n = a.shape[position]
        if k < -n or k >= n:
            raise IndexError("index is out of bounds for the axis")
        return to_front(a)[k]

    return take


def flip(a: Any, axis: Any = None) -> Any:
    """View of `a` with the order of elements along `axis` (an integer, a tuple, or None for all) reversed."""
    return np.flip(a, axis)


@compiled(flip)
def _flip(a: Any, axis: Any = None) -> Any:
    if not is_array(a):
        return None
    axes = axes_of(axis, a.ndim)
    zero = (0,) * a.ndim

    def reverse(a: Any, axis: Any = None) -> Any:
        offset = 0
        strides = a.strides
        for i in integer_tuple(axes):
            offset += max(a.shape[i] - 1, 0) * a.strides[i]
            strides = tuple_setitem(strides, i, -a.strides[i])
        return view(a, offset, a.shape, strides)

    if not axes or not zero:
        return lambda a, axis=None: a
    return reverse


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """The arrays of a tuple joined along `axis`, in their common dtype. ValueError if the other lengths differ."""
    return np.concatenate(arrays, axis)


@kernel
def store_part(out: Any, offset: int, strides: Any, part: Any) -> None:
    """Stores the elements of `part` in the memory of `out` from byte `offset`, under `strides`."""
    values = flat(part)
    shape = part.shape
    axes = len(shape)
    columns = shape[axes - 1]
    step = strides[axes - 1]
    for row in range(product(shape, 0, axes - 1)):
        place = offset
        rest = row
        for axis in range(axes - 2, -1, -1):
            place += (rest % shape[axis]) * strides[axis]
            rest //= shape[axis]
        for j in range(columns):
            store_at(out, place + j * step, values[row * columns + j])


def store_parts(out: Any, parts: Any, axis: int, start: int) -> None:
    """Stores the parts one after the other along `axis` of `out`, from position `start` on."""
    raise NotImplementedError


@compiled(store_parts, prefer_literal=False)
def _store_parts(out: Any, parts: Any, axis: int, start: int) -> Any:
    if len(parts) == 0:
        return lambda out, parts, axis, start: None

    def store(out: Any, parts: Any, axis: Any, start: Any) -> Any:
        part = parts[0]
        for i in range(part.ndim):
            if i != axis and part.shape[i] != out.shape[i]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        store_part(out, start * out.strides[axis], out.strides, part)
        store_parts(out, parts[1:], axis, start + part.shape[axis])

    return store


def lengths_along(parts: Any, axis: int) -> int:
    """Sum of the lengths of the parts along `axis`."""
    raise NotImplementedError


@compiled(lengths_along, prefer_literal=False)
def _lengths_along(parts: Any, axis: int) -> Any:
    if len(parts) == 1:
        return lambda parts, axis: parts[0].shape[axis]
    return lambda parts, axis: parts[0].shape[axis] + lengths_along(parts[1:], axis)


@compiled(concatenate)
def _concatenate(arrays: Any, axis: Any = 0) -> Any:
    if not isinstance(arrays, types.BaseTuple) or not all(is_array(part) for part in arrays):
        return None
    ndim = arrays[0].ndim
    if ndim == 0 or any(part.ndim != ndim for part in arrays):
        raise TypingError("all the input arrays must have the same number of dimensions, at least one")
    position = axis_of(axis, ndim)
    dtype = element_type(result_dtype(*arrays))

    def join(arrays: Any, axis: Any = 0) -> Any:
        shape = tuple_setitem(arrays[0].shape, position, lengths_along(arrays, position))
        out = np.empty(shape, dtype)
        store_parts(out, arrays, position, 0)
        return out

    return join


def stack(arrays: Any, axis: Any = 0) -> Any:
    """The arrays (or scalars) of a tuple joined along a new axis, in their common dtype. ValueError if they differ."""
    return np.stack(arrays, axis)


def store_layers(out: Any, shape: Any, strides: Any, step: int, parts: Any, k: int) -> None:
    """Stores the parts in `out` at byte k * step, (k + 1) * step, …, each of `shape`, under `strides`."""
    raise NotImplementedError


@compiled(store_layers, prefer_literal=False)
def _store_layers(out: Any, shape: Any, strides: Any, step: int, parts: Any, k: int) -> Any:
    if len(parts) == 0:
        return lambda out, shape, strides, step, parts, k: None

    if len(strides) == 0:

        def store_scalar(out: Any, shape: Any, strides: Any, step: Any, parts: Any, k: Any) -> Any:
            out[k] = item(parts[0], 0)
            store_layers(out, shape, strides, step, parts[1:], k + 1)

        return store_scalar

    def store(out: Any, shape: Any, strides: Any, step: Any, parts: Any, k: Any) -> Any:
        if parts[0].shape != shape:
            raise ValueError("all input arrays must have the same shape")
        store_part(out, k * step, strides, parts[0])
        store_layers(out, shape, strides, step, parts[1:], k + 1)

    return store


@compiled(stack)
def _stack(arrays: Any, axis: Any = 0) -> Any:
    if not isinstance(arrays, types.BaseTuple) or not all(is_array(part) or is_scalar(part) for part in arrays):
        return None
    ndims = {part.ndim if is_array(part) else 0 for part in arrays}
    if len(ndims) != 1:
        raise TypingError("all input arrays must have the same shape")
    ndim = ndims.pop() + 1
    position = axis_of(axis, ndim)
    dtype = element_type(np.result_type(*(dtype_of(part) for part in arrays)))
    count = len(arrays)
    if ndim == 1:

        def stack_scalars(arrays: Any, axis: Any = 0) -> Any:
            out = np.empty(count, dtype)
            store_layers(out, (), (), 0, arrays, 0)
            return out

        return stack_scalars
    ones = (*range(position), -count - 1, *range(position, ndim - 1))
    rest = tuple(i for i in range(ndim) if i != position)

    def stack_arrays(arrays: Any, axis: Any = 0) -> Any:
        out = np.empty(permuted(arrays[0].shape, ones), dtype)
        store_layers(out, arrays[0].shape, permuted(out.strides, rest), out.strides[position], arrays, 0)
        return out

    return stack_arrays


@kernel
def keep_triangle(x: Any, rows: int, columns: int, k: int, is_lower: bool) -> Any:
    """Copy of `x`, matrices of rows × columns in a row, with the elements above (below) diagonal `k` set to zero."""
    out = np.zeros_like(x)
    if rows * columns == 0:
        return out
    for start in range(0, x.size, rows * columns):
        for i in range(rows):
            for j in range(columns):
                if (j - i <= k) if is_lower else (j - i >= k):
                    out[start + i * columns + j] = x[start + i * columns + j]
    return out


def tril(a: Any, k: Any = 0) -> Any:
    """Copy of `a` with the elements above the `k`-th diagonal of its last two axes set to zero. `a`: rank 2 or more."""
    return np.tril(a, k)


@compiled(tril, prefer_literal=False)
def _tril(a: Any, k: Any = 0) -> Any:
    if not is_array(a) or a.ndim < 2:
        return None
    m, n = a.ndim - 2, a.ndim - 1
    return lambda a, k=0: keep_triangle(flat(a), a.shape[m], a.shape[n], k, True).reshape(a.shape)


def triu(a: Any, k: Any = 0) -> Any:
    """Copy of `a` with the elements below the `k`-th diagonal of its last two axes set to zero. `a`: rank 2 or more."""
    return np.triu(a, k)


@compiled(triu, prefer_literal=False)
def _triu(a: Any, k: Any = 0) -> Any:
    if not is_array(a) or a.ndim < 2:
        return None
    m, n = a.ndim - 2, a.ndim - 1
    return lambda a, k=0: keep_triangle(flat(a), a.shape[m], a.shape[n], k, False).reshape(a.shape)


@kernel
def repeat_middle(x: Any, rows: int, count: int, columns: int, n: int) -> Any:
    """1-d array of `x`, of shape (rows, count, columns), with each element of the middle axis taken n times."""
    out = np.empty(rows * count * n * columns, x.dtype)
    place = 0
    for i in range(rows * count):
        for _ in range(n):
            for j in range(columns):
                out[place] = x[i * columns + j]
                place += 1
    return out


def repeat(a: Any, n: Any, axis: Any = None) -> Any:
    """`a` with each element taken `n` (an integer) times along `axis`; flattened first for None."""
    return np.repeat(a, n, axis)


@compiled(repeat)
def _repeat(a: Any, n: Any, axis: Any = None) -> Any:
    if not is_array(a) or not is_integer(n):
        return None
    if constant(axis) is None:

        def repeat_all(a: Any, n: Any, axis: Any = None) -> Any:
            if n < 0:
                raise ValueError("repeats may not contain negative values.")
            return repeat_middle(flat(a), 1, a.size, 1, n)

        return repeat_all
    ndim, position = a.ndim, axis_of(axis, a.ndim)

    def repeat_axis(a: Any, n: Any, axis: Any = None) -> Any:
        if n < 0:
            raise ValueError("repeats may not contain negative values.")
        rows, count = product(a.shape, 0, position), a.shape[position]
        out = repeat_middle(flat(a), rows, count, product(a.shape, position + 1, ndim), n)
        return out.reshape(tuple_setitem(a.shape, position, count * n))

    return repeat_axis
