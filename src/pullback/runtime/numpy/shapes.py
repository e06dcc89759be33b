"""Views of the same elements under another shape, with axes in another order, or of a part along an axis."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.cpython.unsafe.tuple import tuple_setitem

from pullback.runtime.codegen.compiled import (
    axes_of,
    axis_of,
    compiled,
    constant,
    is_array,
    is_integer,
    is_scalar,
    kernel,
)
from pullback.runtime.memory.strided import (
    NEW_AXIS,
    NO_STRIDE,
    flat,
    integer_tuple,
    permuted,
    product,
    shaped,
    view,
)

OTHER_COUNT = "cannot reshape an array into a shape of another number of elements"


def reshape(a: Any, shape: Any) -> Any:
    """`a` with another shape, in C order: a view where `a` is C-contiguous. One entry of `shape` may be -1."""
    return np.reshape(np.asarray(a), shape)  # of a number NumPy would make no array without axes


@compiled(reshape)
def _reshape(a: Any, shape: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        return lambda a, shape: reshape(np.full(1, to(a)), shape)
    if not is_array(a):
        return None
    sizes = whole_sizes if not isinstance(shape, types.BaseTuple) or len(shape) else no_sizes

    def made(a: Any, shape: Any) -> Any:
        elements = flat(a)
        return shaped(elements, sizes(integer_tuple(shape), elements.size))

    return made


@kernel
def whole_sizes(sizes: Any, count: int) -> Any:
    """Sizes of an array of so many elements, with that of one axis found where it is negative. Raises ValueError."""
    known, unknown = 1, -1
    for axis in range(len(sizes)):
        if sizes[axis] >= 0:
            known *= sizes[axis]
        elif unknown >= 0:
            raise ValueError("can only specify one unknown dimension")
        else:
            unknown = axis
    if unknown >= 0 and known > 0:
        sizes = tuple_setitem(sizes, unknown, count // known)
        known *= count // known
        unknown = -1
    if unknown >= 0 or known != count:
        raise ValueError(OTHER_COUNT)
    return sizes


@kernel
def no_sizes(sizes: Any, count: int) -> Any:
    if count != 1:
        raise ValueError(OTHER_COUNT)
    return sizes


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
        return lambda a, axis: shaped(a, permuted(a.shape, ones))
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

    checked = kernel(check)
    if a.layout == "C":

        def drop(a: Any, axis: Any = None) -> Any:
            checked(a)
            return shaped(a, permuted(a.shape, kept))

        return drop

    def drop_from_view(a: Any, axis: Any = None) -> Any:
        checked(a)
        return view(a, 0, permuted(a.shape, kept), permuted(a.strides, kept))

    return drop_from_view


@functools.cache
def transposer(order: tuple[int, ...]) -> Any:
    """Kernel of an array: the view with its axes in `order`."""
    if order == tuple(range(len(order))):
        return kernel(lambda a: a)
    if order == tuple(range(len(order)))[::-1]:
        return kernel(lambda a: a.T)  # keeps the F and C layouts known to Numba
    return kernel(lambda a: view(a, 0, permuted(a.shape, order), permuted(a.strides, order)))


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
    transposed = transposer(order)
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
    transposed = transposer(tuple(order))
    return lambda a, i, j: transposed(a)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """View of `a` with the axis `source` (an integer or a tuple) moved to `destination`."""
    return np.moveaxis(a, source, destination)


@compiled(moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    if not is_array(a):
        return None
    order = tuple(np.moveaxis(np.empty(tuple(range(a.ndim))), constant(source), constant(destination)).shape)
    transposed = transposer(order)
    return lambda a, source, destination: transposed(a)


def mT(a: Any) -> Any:
    """View of `a` with its last two axes exchanged; a vector is returned as it is."""
    return np.swapaxes(a, -1, -2) if np.ndim(a) > 1 else a


@compiled(mT)
def _mT(a: Any) -> Any:
    if is_scalar(a) or a.ndim < 2:
        return lambda a: a
    transposed = transposer((*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))
    return lambda a: transposed(a)


def axis_first(a: Any, axis: int) -> tuple[Any, Any]:
    """Two jitable functions: the view of `a` with `axis` moved to the front, and its inverse."""
    rest = [i for i in range(a.ndim) if i != axis]
    back = (*range(1, axis + 1), 0, *range(axis + 1, a.ndim))
    return transposer((axis, *rest)), transposer(back)


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
