"""TensorFlow's functions that move, repeat and join the elements of tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tape.tensor import apply
from pullback.tf.operation import operation
from pullback.tf.values import axes, axis_in, bare, convert_to_tensor, extents, joined, number

_ALL = slice(None)


@operation("Identity")
def identity(input: Any, name: str | None = None) -> Tensor:
    """A new tensor of the elements of `input`, with the gradient of each passed on.

    >>> import pullback.tf as tf
    >>> tf.identity([1.0, 2.0])
    <Tensor [1. 2.], float32>
    """
    given = convert_to_tensor(input)
    return Tensor(given._value) if given.dtype == bool else apply(np.positive, np.positive, given)


@operation("Cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements of `x` in another `dtype`; through integers there is no gradient.

    >>> import pullback.tf as tf
    >>> tf.cast([1.8, -1.8], tf.int32)
    <Tensor [ 1 -1], int32>
    """
    return convert_to_tensor(x).astype(dtype)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bytes of `input` read as another dtype, `type`: a last axis comes or goes where its size is another one.

    ValueError where the last axis does not make up one element. No gradient flows through.

    >>> import pullback.tf as tf
    >>> tf.bitcast(tf.constant(1.0), tf.uint32)
    <Tensor 1065353216, uint32>
    """
    elements, wanted = np.ascontiguousarray(bare(input)), np.dtype(type)
    shape, ratio = np.shape(bare(input)), wanted.itemsize / elements.itemsize
    if ratio > 1 and (not shape or shape[-1] != ratio):
        raise ValueError(f"elements of {elements.dtype} in the shape {shape} do not make up those of {wanted}")
    found = shape if ratio == 1 else shape[:-1] if ratio > 1 else (*shape, round(1 / ratio))
    return Tensor(np.reshape(elements.view(wanted), found).copy()[()])


def size(input: Any, out_type: Any = np.int32, name: str | None = None) -> Tensor:
    """The number of elements of `input`, an integer of `out_type`.

    >>> import pullback.tf as tf
    >>> tf.size([[1, 2, 3], [4, 5, 6]])
    <Tensor 6, int32>
    """
    return Tensor(np.dtype(out_type).type(convert_to_tensor(input).size))


def shape(input: Any, out_type: Any = np.int32, name: str | None = None) -> Tensor:
    """The shape of `input` as a vector of integers of `out_type`.

    >>> import pullback.tf as tf
    >>> tf.shape([[1, 2, 3], [4, 5, 6]])
    <Tensor [2 3], int32>
    """
    return Tensor(np.array(convert_to_tensor(input).shape, out_type))


def shape_n(input: Sequence[Any], out_type: Any = np.int32, name: str | None = None) -> list[Tensor]:
    """`tf.shape` of each tensor in the list `input`, of the integers `out_type`.

    >>> import pullback.tf as tf
    >>> tf.shape_n([[1.0, 2.0], [[3.0]]])
    [<Tensor [2], int32>, <Tensor [1 1], int32>]
    """
    return [shape(one, out_type) for one in input]


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes of `input`.

    >>> import pullback.tf as tf
    >>> tf.rank([[1, 2, 3], [4, 5, 6]])
    <Tensor 2, int32>
    """
    return Tensor(np.int32(convert_to_tensor(input).ndim))


@operation("Reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor` in another `shape`, in which one extent may be -1. ValueError where it does not fit.

    >>> import pullback.tf as tf
    >>> tf.reshape([1, 2, 3, 4], [2, -1])
    <View [[1 2]
     [3 4]], int32>
    """
    given, wanted = convert_to_tensor(tensor), extents(shape)
    if min(wanted, default=0) < -1:
        raise ValueError(f"the shape {wanted} has an extent below -1")
    if not given.size and -1 in wanted and 0 in wanted:  # what is left of the extents that are not 0
        rest = math.prod(n for n in given.shape if n) // math.prod(n for n in wanted if n > 0)
        wanted = tuple(rest if n == -1 else n for n in wanted)
    return np.reshape(given, wanted)


@operation("Transpose")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """Axis i of the result is axis perm[i] of `a`; without `perm`, the order is reversed. `conjugate` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.transpose([[1, 2, 3], [4, 5, 6]])
    <View [[1 4]
     [2 5]
     [3 6]], int32>
    """
    return np.transpose(convert_to_tensor(a), axes(perm))


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements of `input` with a new axis of length one at the place `axis`.

    >>> import pullback.tf as tf
    >>> tf.expand_dims([1, 2], -1)
    <View [[1]
     [2]], int32>
    """
    return np.expand_dims(convert_to_tensor(input), axes(axis))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The elements of `input` without its axes of length one, or without those given as `axis`.

    >>> import pullback.tf as tf
    >>> tf.squeeze([[1, 2]])
    <View [1 2], int32>
    """
    return np.squeeze(convert_to_tensor(input), axes(axis))


def concat(values: Sequence[Any], axis: int, name: str | None = None) -> Tensor:
    """The tensors `values` joined along an `axis`. ValueError where their other extents differ.

    >>> import pullback.tf as tf
    >>> tf.concat([[[1, 2]], [[3, 4]]], 0)
    <Tensor [[1 2]
     [3 4]], int32>
    """
    if not isinstance(values, list | tuple):
        return identity(values)
    return np.concatenate(joined(values), number(axis))


def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor:
    """The tensors `values`, of one shape, side by side along a new `axis`.

    >>> import pullback.tf as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1)
    <Tensor [[1 3]
     [2 4]], int32>
    """
    parts = joined(values)
    return np.stack(parts, axis) if parts else Tensor(np.zeros(0, np.float32))


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """A list of the parts of `value` along an `axis`, without it. ValueError where these are not `num`.

    >>> import pullback.tf as tf
    >>> tf.unstack([[1, 2], [3, 4]], axis=1)
    [<View [1 3], int32>, <View [2 4], int32>]
    """
    given = convert_to_tensor(value)
    k = axis_in(axis, given.ndim)
    if num is not None and num != given.shape[k]:
        raise ValueError(f"there are {given.shape[k]} parts along the axis {axis} of {given.shape}, not {num}")
    return [given[(*[_ALL] * k, j)] for j in np.arange(given.shape[k]).tolist()]


def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str | None = None
) -> list[Tensor]:
    """A list of the parts of `value` along an `axis`. `num` is TensorFlow's, and not needed here.

    num_or_size_splits: how many of one length, or their lengths, with -1 for the rest. ValueError where they do not
    fit.

    >>> import pullback.tf as tf
    >>> tf.split([1, 2, 3, 4], [1, -1])
    [<View [1], int32>, <View [2 3 4], int32>]
    """
    given = convert_to_tensor(value)
    parts = bare(num_or_size_splits)
    if parts.ndim == 0:
        return np.split(given, int(parts), axis)
    sizes = parts.tolist()
    rest = given.shape[axis] - sum(n for n in sizes if n >= 0)
    edges = np.cumsum([rest if n < 0 else n for n in sizes])
    if edges[-1] != given.shape[axis]:
        raise ValueError(f"parts of {sizes} do not make up an axis of {given.shape[axis]}")
    return np.array_split(given, edges[:-1], axis)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """The elements of `tensor` with margins.

    paddings: for each axis, how many places before and after. mode: 'CONSTANT' for `constant_values`, 'REFLECT' or
    'SYMMETRIC' for the elements in reverse order, without and with the outermost.

    >>> import pullback.tf as tf
    >>> tf.pad([1, 2, 3], [[2, 1]], "REFLECT")
    <Tensor [3 2 1 2 3 2], int32>
    """
    given = convert_to_tensor(tensor)
    margins = [(int(before), int(after)) for before, after in bare(paddings)]
    if len(margins) != given.ndim:
        raise ValueError(f"there are margins of {len(margins)} axes, and {given.ndim} axes")
    if mode.upper() == "CONSTANT":
        return np.pad(given, margins, constant_values=convert_to_tensor(constant_values, given.dtype))
    if mode.upper() not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"the mode is 'CONSTANT', 'REFLECT' or 'SYMMETRIC', not {mode!r}")
    for pair, extent in zip(margins, given.shape, strict=True):
        if max(pair) > extent - (mode.upper() == "REFLECT"):
            raise ValueError(f"margins of {pair} do not fit an axis of {extent} in the mode {mode!r}")
    return np.pad(given, margins, mode.lower())


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The elements of `input` repeated along each axis, as often as `multiples` says.

    >>> import pullback.tf as tf
    >>> tf.tile([1, 2], [3])
    <Tensor [1 2 1 2 1 2], int32>
    """
    given, counts = convert_to_tensor(input), extents(multiples)
    if len(counts) != given.ndim:
        raise ValueError(f"there are {len(counts)} multiples for {given.ndim} axes")
    return np.tile(given, counts)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `input` repeated to fill a `shape`. ValueError where they cannot be.

    >>> import pullback.tf as tf
    >>> tf.broadcast_to([1, 2], [2, 2])
    <View [[1 2]
     [1 2]], int32>
    """
    return np.broadcast_to(convert_to_tensor(input), extents(shape))


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements of `input` moved by `shift` places along `axis`; what leaves at the end comes in at the start.

    >>> import pullback.tf as tf
    >>> tf.roll([1, 2, 3, 4], 1, 0)
    <Tensor [4 1 2 3], int32>
    """
    return np.roll(convert_to_tensor(input), axes(shift), axes(axis))


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor` in reverse order along the axes in the list `axis`.

    >>> import pullback.tf as tf
    >>> tf.reverse([1, 2, 3], [0])
    <View [3 2 1], int32>
    """
    return np.flip(convert_to_tensor(tensor), axes(axis))


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each part of `input` along an `axis` so often as `repeats`, one number or one for each part, says.

    Without an axis, the elements are taken in a row.

    >>> import pullback.tf as tf
    >>> tf.repeat([3, 5], [2, 1])
    <Tensor [3 3 5], int32>
    """
    given = convert_to_tensor(input)
    if axis is None or not given.ndim:
        given, axis = np.reshape(given, (-1,)), 0
    counts = np.broadcast_to(bare(repeats), (given.shape[axis],))
    return given[(*[_ALL] * axis_in(axis, given.ndim), np.repeat(np.arange(given.shape[axis]), counts))]


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, if it has this `shape`, in which None fits any extent, or which is None. ValueError otherwise.

    >>> import pullback.tf as tf
    >>> tf.ensure_shape([1.0, 2.0], [None])
    <Tensor [1. 2.], float32>
    """
    given = convert_to_tensor(x)
    if shape is None:
        return given
    wanted = tuple(shape)
    fits = len(wanted) == given.ndim and all(w in (None, n) for w, n in zip(wanted, given.shape, strict=True))
    if not fits:
        raise ValueError(f"a tensor of shape {given.shape} does not have the shape {wanted}")
    return given


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None, name: str | None = None
) -> Tensor:
    """The first seq_lengths[i] places of `input` along `seq_axis` in reverse order, in each part i along `batch_axis`.

    `seq_lengths` has one number for each part; `batch_axis` is the first axis by default.

    >>> import pullback.tf as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)
    <Tensor [[2 1 3]
     [6 5 4]], int32>
    """
    given, lengths = convert_to_tensor(input), bare(seq_lengths).astype(np.int64)
    along, batch = axis_in(seq_axis or 0, given.ndim), axis_in(batch_axis or 0, given.ndim)
    places = np.arange(given.shape[along])
    turned = np.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    shape = [given.shape[k] if k in (along, batch) else 1 for k in np.arange(given.ndim).tolist()]
    turned = np.reshape(turned if batch < along else turned.T, shape)
    return np.take_along_axis(given, np.broadcast_to(turned, given.shape), along)


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """The places of `input` inside of blocks of `block_shape` become places of its first axis, before those it has.

    paddings: for each axis of the blocks, which follow the first, how many zeros are put before and after.

    >>> import pullback.tf as tf
    >>> tf.space_to_batch([[[1], [2], [3], [4]]], [2], [[0, 0]])[:, :, 0].numpy().tolist()
    [[1, 3], [2, 4]]
    """
    given, blocks = convert_to_tensor(input), extents(block_shape)
    margins = [(0, 0), *((int(a), int(b)) for a, b in bare(paddings)), *[(0, 0)] * (given.ndim - 1 - len(blocks))]
    padded, rest = np.pad(given, margins), given.shape[1 + len(blocks) :]
    inner = [n for extent, b in zip(padded.shape[1:], blocks, strict=False) for n in (extent // b, b)]
    k = len(blocks)
    apart = np.reshape(padded, (padded.shape[0], *inner, *rest))
    order = [*(2 + 2 * np.arange(k)).tolist(), 0, *(1 + 2 * np.arange(k)).tolist()]
    order += (1 + 2 * k + np.arange(len(rest))).tolist()
    return np.reshape(np.transpose(apart, order), (-1, *inner[::2], *rest))


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """What undoes `space_to_batch`: places of the first axis of `input` become places in blocks of `block_shape`.

    crops: for each axis of the blocks, how many places are cut off before and after.

    >>> import pullback.tf as tf
    >>> tf.batch_to_space([[[1], [3]], [[2], [4]]], [2], [[0, 0]])[0, :, 0]
    <View [1 2 3 4], int32>
    """
    given, blocks = convert_to_tensor(input), extents(block_shape)
    k, rest = len(blocks), given.shape[1 + len(blocks) :]
    apart = np.reshape(given, (*blocks, -1, *given.shape[1:]))
    order = [k] + [n for j in np.arange(k).tolist() for n in (k + 1 + j, j)]
    order += (2 * k + 1 + np.arange(len(rest))).tolist()
    whole = [n * b for n, b in zip(given.shape[1:], blocks, strict=False)]
    spread = np.reshape(np.transpose(apart, order), (-1, *whole, *rest))
    kept = [slice(int(a), n - int(b)) for (a, b), n in zip(bare(crops), whole, strict=True)]
    return spread[(_ALL, *kept)]
