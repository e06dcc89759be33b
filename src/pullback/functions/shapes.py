"""Functions that move, repeat or select elements: the cotangent moves back, and repeated elements add up."""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.declare import helper, known, linear, vjp
from pullback.functions.operands import has_two_axes, is_matrix_at

known(runtime.mT, runtime.contents, runtime.block_of, is_view=True)


@linear(np.reshape, is_method=True, is_view=True, compiled=helper(runtime.reshape))
def reshape(a, shape, *, y_bar):
    return np.reshape(y_bar, np.shape(a))


@linear(np.ravel)
def ravel(a, *, y_bar):
    return np.reshape(y_bar, np.shape(a))


known(np.ravel, is_method=True, is_view=True, compiled=helper(runtime.ravel))


@linear(np.expand_dims, np.squeeze)
def expand_dims(a, axis=None, *, y_bar):
    return np.reshape(y_bar, np.shape(a))


known(np.expand_dims, compiled=helper(runtime.expand_dims))
known(np.squeeze, is_method=True, compiled=helper(runtime.squeeze))


@linear(np.transpose, is_method=True, is_view=True, compiled=helper(runtime.transpose))
def transpose(a, axes=None, *, y_bar):
    """Axis i of the result is axis axes[i] of the argument, and moves back there."""
    if axes is None:
        return np.transpose(y_bar)
    return np.moveaxis(y_bar, tuple([i for i, _ in enumerate(axes)]), axes)


@linear(np.matrix_transpose, parameters=("x",), is_view=True, compiled=helper(runtime.mT, when=has_two_axes))
def matrix_transpose(x, *, y_bar):
    return y_bar.mT


@linear(np.swapaxes, is_method=True, compiled=helper(runtime.swapaxes))
def swapaxes(a, axis1, axis2, *, y_bar):
    return np.swapaxes(y_bar, axis1, axis2)


@linear(np.moveaxis, compiled=helper(runtime.moveaxis))
def moveaxis(a, source, destination, *, y_bar):
    return np.moveaxis(y_bar, destination, source)


@linear(np.flip, compiled=helper(runtime.flip))
def flip(m, axis=None, *, y_bar):
    return np.flip(y_bar, axis)


@linear(np.roll, compiled=helper(runtime.rolled, axis=None))
def roll(a, shift, axis=None, *, y_bar):
    if isinstance(shift, tuple):
        return np.roll(y_bar, tuple([-places for places in shift]), axis)
    return np.roll(y_bar, -shift, axis)


@linear(np.copy, np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
def copy(a, *, y_bar):
    return y_bar


@linear(np.broadcast_to, is_view=True, compiled=helper(runtime.broadcast_to))
def broadcast_to(array, shape, *, y_bar):
    return runtime.sum_to(y_bar, np.shape(array))


@linear(np.full, linear_in=(1,))
def full(shape, fill_value, *, y_bar):
    return None, runtime.sum_to(y_bar, np.shape(fill_value))


@linear(np.full_like, linear_in=(1,))
def full_like(a, fill_value, *, y_bar):
    return None, runtime.sum_to(y_bar, np.shape(fill_value))


@linear(np.repeat, is_method=True, compiled=helper(runtime.repeat))
def repeat(a, repeats, axis=None, *, y_bar):
    """Sums over the copies of each element; `repeats` is a number."""
    if axis is None:
        return np.reshape(np.sum(np.reshape(y_bar, (np.size(a), repeats)), axis=1), np.shape(a))
    k = axis % a.ndim
    copies = np.reshape(y_bar, a.shape[: k + 1] + (repeats,) + a.shape[k + 1 :])
    return np.sum(copies, axis=k + 1)


@linear(np.tile, compiled=helper(runtime.tile))
def tile(A, reps, *, y_bar):
    """Sums over the copies: each axis of the result is an axis of copies beside one of elements."""
    counts = reps if isinstance(reps, tuple) else (reps,)
    extents = np.shape(A)
    counts = (1,) * (len(extents) - len(counts)) + counts
    extents = (1,) * (len(counts) - len(extents)) + extents
    pairs = []
    for count, extent in zip(counts, extents, strict=True):
        pairs.append(count)
        pairs.append(extent)
    axes_of_copies = tuple([2 * k for k, _ in enumerate(counts)])
    return np.reshape(np.sum(np.reshape(y_bar, tuple(pairs)), axis=axes_of_copies), np.shape(A))


@linear(np.tril, compiled=helper(runtime.tril, k=0))
def tril(m, k=0, *, y_bar):
    return np.tril(y_bar, k)


@linear(np.triu, compiled=helper(runtime.triu, k=0))
def triu(m, k=0, *, y_bar):
    return np.triu(y_bar, k)


@linear(np.diag)
def diag(v, k=0, *, y_bar):
    """The diagonal for a vector, for a matrix zeros beside the diagonal."""
    if v.ndim == 1:
        return np.diag(y_bar, k).copy()
    return on_diagonal(v, k, y_bar)


@linear(np.diagonal, is_method=True, is_view=True, compiled=helper(runtime.diagonal, when=is_matrix_at, offset=0))
def diagonal(a, offset=0, *, y_bar):
    """Raises NotImplementedError for a stack of matrices."""
    if a.ndim != 2:
        raise NotImplementedError("the derivative of np.diagonal is known for 2-dimensional arrays")
    return on_diagonal(a, offset, y_bar)


def on_diagonal(a, k, y_bar):
    """Zeros of the shape of `a` with `y_bar` on diagonal `k`."""
    rows, columns = a.shape
    first = min(max(-k, 0), rows)
    above = np.zeros(first, y_bar.dtype)
    below = np.zeros(rows - first - y_bar.shape[0], y_bar.dtype)
    column = np.concatenate((above, y_bar, below))
    return np.where(np.eye(rows, columns, k) > 0, column[:, None], 0)


@linear(np.concatenate, parameters=("arrays", "axis"), compiled=helper(runtime.concatenate, axis=0))
def concatenate(arrays, axis=0, *, y_bar):
    """Each array gets its part back; `axis=None` joins flattened arrays."""
    if axis is None:
        return (parts_of_vector(y_bar, arrays),)
    if axis == 0:
        return (parts_of(y_bar, arrays, axis),)
    parts = []
    for part in parts_of(np.moveaxis(y_bar, axis, 0), arrays, axis):
        parts.append(np.moveaxis(part, 0, axis))
    return (tuple(parts),)


@linear(np.hstack, compiled=helper(runtime.hstack))
def hstack(tup, *, y_bar):
    if y_bar.ndim == 1:
        return (parts_of_vector(y_bar, tup),)
    return concatenate(tup, 1, y_bar=y_bar)


@linear(np.vstack, compiled=helper(runtime.vstack))
def vstack(tup, *, y_bar):
    """A vector is one row, a matrix as many as it has."""
    parts = []
    start = 0
    for array in tup:
        stop = start + (array.shape[0] if np.ndim(array) > 1 else 1)
        parts.append(np.reshape(y_bar[start:stop], np.shape(array)))
        start = stop
    return (tuple(parts),)


@linear(np.stack, compiled=helper(runtime.stack, axis=0))
def stack(arrays, axis=0, *, y_bar):
    layers = y_bar if axis == 0 else np.moveaxis(y_bar, axis, 0)
    parts = []
    for k, _ in enumerate(arrays):
        parts.append(layers[k])
    return (tuple(parts),)


def parts_of(y_bar, arrays, axis):
    """The parts of `y_bar` along its first axis, as long as the arrays are along `axis`."""
    parts = []
    start = 0
    for array in arrays:
        stop = start + array.shape[axis]
        parts.append(y_bar[start:stop])
        start = stop
    return tuple(parts)


def parts_of_vector(y_bar, arrays):
    """The parts of a vector, in the shapes of the arrays that were flattened and joined."""
    parts = []
    start = 0
    for array in arrays:
        stop = start + np.size(array)
        parts.append(np.reshape(y_bar[start:stop], np.shape(array)))
        start = stop
    return tuple(parts)


@linear(runtime.permuted_along, keeps_type=True)
def permuted_along(a, positions, axis=-1, *, y_bar):
    return runtime.unpermuted_along(y_bar, positions, axis)


@linear(runtime.unpermuted_along, keeps_type=True)
def unpermuted_along(y, positions, axis=-1, *, y_bar):
    return runtime.permuted_along(y_bar, positions, axis)


@vjp(np.linspace, mixed=slice(0, 2), compiled=helper(runtime.linspace))
def linspace(start, stop, num=50, endpoint=True, *, y_bar):
    """From y[k] = start + (stop - start) k / n."""
    along = (np.arange(num) / max(num - 1 if endpoint else num, 1)).astype(y_bar.dtype)
    if y_bar.ndim == 1:
        return np.sum(y_bar * (1 - along)), np.sum(y_bar * along)
    along = np.reshape(along, (-1,) + (1,) * (y_bar.ndim - 1))
    from_start, from_stop = np.sum(y_bar * (1 - along), axis=0), np.sum(y_bar * along, axis=0)
    return runtime.sum_to(from_start, np.shape(start)), runtime.sum_to(from_stop, np.shape(stop))


known(
    np.reshape,
    np.ravel,
    np.expand_dims,
    np.squeeze,
    np.transpose,
    np.matrix_transpose,
    np.swapaxes,
    np.moveaxis,
    np.flip,
    np.roll,
    np.copy,
    np.array,
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.asfortranarray,
    np.broadcast_to,
    np.full,
    np.full_like,
    np.tile,
    np.tril,
    np.triu,
    np.diag,
    np.concatenate,
    np.hstack,
    np.vstack,
    np.stack,
    np.diagonal,
    np.repeat,
    np.linspace,
    runtime.permuted_along,
    runtime.unpermuted_along,
    of_complex=True,
)
