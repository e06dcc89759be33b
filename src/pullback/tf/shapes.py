"""TensorFlow's functions that make tensors, and that move, repeat, join and select their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tape.tensor import apply
from pullback.tf.operation import operation
from pullback.tf.values import axes, convert_to_tensor, extents

_ALL = slice(None)


def zeros(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """Zeros of a `shape` and a `dtype`.

    >>> import pullback.tf as tf
    >>> tf.zeros([2, 3])
    <Tensor [[0. 0. 0.]
     [0. 0. 0.]], float32>
    """
    return Tensor(np.zeros(extents(shape), dtype)[()])


def ones(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """Ones of a `shape` and a `dtype`.

    >>> import pullback.tf as tf
    >>> tf.ones(2, tf.int32)
    <Tensor [1 1], int32>
    """
    return Tensor(np.ones(extents(shape), dtype)[()])


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of the tensor `input`, and in its dtype where no `dtype` is given.

    >>> import pullback.tf as tf
    >>> tf.zeros_like([1.0, 2.0])
    <Tensor [0. 0.], float32>
    """
    return Tensor(np.zeros_like(convert_to_tensor(input)._value, dtype)[()])


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones in the shape of the tensor `input`, and in its dtype where no `dtype` is given.

    >>> import pullback.tf as tf
    >>> tf.ones_like([1.0, 2.0], dtype=tf.int32)
    <Tensor [1 1], int32>
    """
    return Tensor(np.ones_like(convert_to_tensor(input)._value, dtype)[()])


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """The number `value` in each place of the shape `dims`.

    >>> import pullback.tf as tf
    >>> tf.fill([2, 2], 7)
    <Tensor [[7 7]
     [7 7]], int32>
    """
    return broadcast_to(value, dims)


def eye(num_rows: int, num_columns: int | None = None, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """A matrix with ones on its diagonal: `num_rows` × `num_columns` (square by default), of a `dtype`.

    >>> import pullback.tf as tf
    >>> tf.eye(2, 3)
    <Tensor [[1. 0. 0.]
     [0. 1. 0.]], float32>
    """
    return Tensor(np.eye(num_rows, num_columns, dtype=dtype))


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None) -> Tensor:
    """Numbers from `start` (0 with one argument) in steps of `delta`, before `limit`, of a `dtype`.

    >>> import pullback.tf as tf
    >>> tf.range(3), tf.range(1.0, 2.0, 0.25)
    (<Tensor [0 1 2], int32>, <Tensor [1.   1.25 1.5  1.75], float32>)
    """
    start, limit = (0, start) if limit is None else (start, limit)
    numbers = [one.item() if isinstance(one, Tensor) else one for one in (start, limit, delta)]
    return convert_to_tensor(np.arange(*numbers).tolist(), dtype)


def linspace(start: Any, stop: Any, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` points from `start` to `stop`, both included, along a new `axis`; the bounds are of floats.

    >>> import pullback.tf as tf
    >>> tf.linspace(0.0, 1.0, 5)
    <Tensor [0.   0.25 0.5  0.75 1.  ], float32>
    """
    first, last = convert_to_tensor(start), convert_to_tensor(stop)
    return np.linspace(first, last, num, axis=axis).astype(first.dtype)


def one_hot(
    indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1, dtype: Any = np.float32
) -> Tensor:
    """For each of `indices`, `depth` numbers of a `dtype` along `axis`: `on_value` at its place, else `off_value`.

    >>> import pullback.tf as tf
    >>> tf.one_hot([2, 0], 3)
    <Tensor [[0. 0. 1.]
     [1. 0. 0.]], float32>
    """
    positions = np.asarray(convert_to_tensor(indices)._value)
    chosen = positions[..., None] == np.arange(depth)
    return Tensor(np.moveaxis(np.where(chosen, on_value, off_value).astype(dtype), -1, axis))


@operation("Identity")
def identity(input: Any, name: str | None = None) -> Tensor:
    """A new tensor of the elements of `input`, with the gradient of each passed on.

    >>> import pullback.tf as tf
    >>> tf.identity([1.0, 2.0])
    <Tensor [1. 2.], float32>
    """
    return apply(np.positive, np.positive, convert_to_tensor(input))


@operation("Cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements of `x` in another `dtype`; through integers there is no gradient.

    >>> import pullback.tf as tf
    >>> tf.cast([1.8, -1.8], tf.int32)
    <Tensor [ 1 -1], int32>
    """
    return convert_to_tensor(x).astype(dtype)


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
    return np.reshape(convert_to_tensor(tensor), extents(shape))


@operation("Transpose")
def transpose(a: Any, perm: Any = None, name: str | None = None) -> Tensor:
    """Axis i of the result is axis perm[i] of `a`; without `perm`, their order is reversed.

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
    return np.concatenate([convert_to_tensor(one) for one in values], axis)


def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor:
    """The tensors `values`, of one shape, side by side along a new `axis`.

    >>> import pullback.tf as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1)
    <Tensor [[1 3]
     [2 4]], int32>
    """
    return np.stack([convert_to_tensor(one) for one in values], axis)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """A list of the parts of `value` along an `axis`, without it. `num` is TensorFlow's, and not needed here.

    >>> import pullback.tf as tf
    >>> tf.unstack([[1, 2], [3, 4]], axis=1)
    [<View [1 3], int32>, <View [2 4], int32>]
    """
    given = convert_to_tensor(value)
    k = axis % given.ndim
    return [given[(*[_ALL] * k, j)] for j in np.arange(given.shape[k]).tolist()]


def split(value: Any, num_or_size_splits: Any, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """A list of the parts of `value` along an `axis`.

    num_or_size_splits: how many of one length, or their lengths, with -1 for the rest. ValueError where they do not
    fit.

    >>> import pullback.tf as tf
    >>> tf.split([1, 2, 3, 4], [1, -1])
    [<View [1], int32>, <View [2 3 4], int32>]
    """
    given = convert_to_tensor(value)
    if np.ndim(num_or_size_splits) == 0:
        return np.split(given, int(num_or_size_splits), axis)
    sizes = [int(n) for n in num_or_size_splits]
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
    margins = [(int(before), int(after)) for before, after in paddings]
    if mode.upper() == "CONSTANT":
        return np.pad(given, margins, constant_values=constant_values)
    return np.pad(given, margins, mode.lower())


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The elements of `input` repeated along each axis, as often as `multiples` says.

    >>> import pullback.tf as tf
    >>> tf.tile([1, 2], [3])
    <Tensor [1 2 1 2 1 2], int32>
    """
    return np.tile(convert_to_tensor(input), extents(multiples))


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


@operation("GatherV2")
def gather(params: Any, indices: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The parts of `params` at the positions `indices` of an `axis`. IndexError for a position that is not there.

    >>> import pullback.tf as tf
    >>> tf.gather([10, 20, 30], [2, 0, 2])
    <Tensor [30 10 30], int32>
    """
    given, positions = convert_to_tensor(params), np.asarray(convert_to_tensor(indices)._value)
    k = axis % given.ndim
    if positions.size and (positions.min() < 0 or positions.max() >= given.shape[k]):
        raise IndexError(f"positions {positions.min()} to {positions.max()} in an axis of {given.shape[k]}")
    return given[(*[_ALL] * k, positions)]


def gather_nd(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """The parts of `params` at positions, each of which is a row along the last axis of `indices`.

    >>> import pullback.tf as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 1]])
    <Tensor [2 4], int32>
    """
    positions = np.asarray(convert_to_tensor(indices)._value)
    return convert_to_tensor(params)[tuple(np.moveaxis(positions, -1, 0))]


def boolean_mask(tensor: Any, mask: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The parts of `tensor` where `mask`, whose axes are those of the tensor from `axis` on, is True.

    >>> import pullback.tf as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True])
    <Tensor [1 3], int32>
    """
    chosen = np.asarray(convert_to_tensor(mask)._value)
    return convert_to_tensor(tensor)[(*[_ALL] * axis, chosen)]


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The elements of `t`, scaled so that their Euclidean norm over `axes` (all by default) is at most `clip_norm`.

    >>> import pullback.tf as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0)
    <Tensor [0.6 0.8], float32>
    """
    given = convert_to_tensor(t)
    squares = np.sum(given * given, axis=axes, keepdims=True)
    some = squares > 0
    norm = np.where(some, np.sqrt(np.where(some, squares, 1)), 0)
    return given * clip_norm / np.where(norm >= clip_norm, norm, clip_norm)
