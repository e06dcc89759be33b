"""TensorFlow's functions that select elements by their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.errors import PositionError
from pullback.tf.operation import operation
from pullback.tf.values import axis_in, bare, convert_to_tensor, extents, operands

_ALL = slice(None)
_slice = slice


@operation("GatherV2")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The parts of `params` at the positions `indices` of an `axis`. IndexError for a position that is not there.

    axis: the first after the `batch_dims` axes that both have in common by default. `validate_indices` has no effect.

    >>> import pullback.tf as tf
    >>> tf.gather([10, 20, 30], [2, 0, 2])
    <Tensor [30 10 30], int32>
    """
    given, positions = convert_to_tensor(params), bare(indices)
    common = batch_dims % positions.ndim if batch_dims < 0 else batch_dims
    k = axis_in(common if axis is None else axis, given.ndim)
    _check(positions, given.shape[k])
    if not common:
        return given[(*[_ALL] * k, positions)]
    shape = (*given.shape[:k], *positions.shape[common:])
    places = np.reshape(positions, (*positions.shape[:common], *[1] * (k - common), *positions.shape[common:]))
    rows = np.indices(shape[:k], sparse=True)
    rows = [np.reshape(row, (*row.shape, *[1] * (len(shape) - k))) for row in rows]
    return given[(*rows, np.broadcast_to(places, shape))]


@operation("GatherNd")
def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The parts of `params` at positions, each of which is a row along the last axis of `indices`.

    batch_dims: how many first axes both have in common. `bad_indices_policy` has no effect: a position that is not
    there is an IndexError.

    >>> import pullback.tf as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 1]])
    <Tensor [2 4], int32>
    """
    given, positions = convert_to_tensor(params), bare(indices)
    if not positions.shape[-1] and not batch_dims:
        return np.broadcast_to(given, (*positions.shape[:-1], *given.shape))
    rows = np.indices(positions.shape[:batch_dims], sparse=True)
    rows = [np.reshape(row, (*row.shape, *[1] * (positions.ndim - 1 - batch_dims))) for row in rows]
    columns = tuple(np.moveaxis(positions, -1, 0))
    for column, extent in zip(columns, given.shape[batch_dims:], strict=False):
        _check(column, extent)
    return given[(*rows, *columns)]


def _check(positions: np.ndarray, extent: int) -> None:
    if positions.size and (positions.min() < 0 or positions.max() >= extent):
        raise PositionError(f"positions {positions.min()} to {positions.max()} in an axis of {extent}")


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The parts of `tensor` where `mask`, whose axes are those of the tensor from `axis` (0) on, is True.

    >>> import pullback.tf as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True])
    <Tensor [1 3], int32>
    """
    given, chosen = convert_to_tensor(tensor), bare(mask)
    k = axis_in(0 if axis is None else axis, given.ndim)
    if chosen.ndim == 0:
        raise ValueError("a mask has at least one axis")
    if given.shape[k : k + chosen.ndim] != chosen.shape:
        raise ValueError(f"a mask of shape {chosen.shape} does not fit {given.shape} from axis {k} on")
    return given[(*[_ALL] * k, chosen.astype(bool))]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The part of `input_` that starts at the position `begin` and has this `size`; -1 for all that follows.

    ValueError where it is not within the tensor.

    >>> import pullback.tf as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2])
    <View [[2 3]
     [5 6]], int32>
    """
    given, starts, sizes = convert_to_tensor(input_), extents(begin), extents(size)
    if not len(starts) == len(sizes) == given.ndim:
        raise ValueError(f"begin {starts} and size {sizes} do not have a number for each axis of {given.shape}")
    parts = []
    for start, count, extent in zip(starts, sizes, given.shape, strict=True):
        stop = extent if count == -1 else start + count
        if not 0 <= start <= stop <= extent:
            raise ValueError(f"a part of {count} from {start} on does not lie in an axis of {extent}")
        parts.append(_slice(start, stop))
    return given[tuple(parts)]


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]`, with a number for each of the first axes.

    The masks have a bit for each of these, by its place: of begin_mask and end_mask where the bound is left out, of
    ellipsis_mask where `...` stands, of new_axis_mask where a new axis does, and of shrink_axis_mask where only the
    element at `begin` is taken, and its axis goes. `var` has no effect.

    >>> import pullback.tf as tf
    >>> tf.strided_slice([[1, 2, 3], [4, 5, 6]], [0, 0], [2, 3], [1, 2])
    <View [[1 3]
     [4 6]], int32>
    """
    starts, stops = extents(begin), extents(end)
    steps = extents(strides) if strides is not None else (1,) * len(starts)
    index: list[Any] = []
    for k, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        if ellipsis_mask >> k & 1:
            index.append(...)
        elif new_axis_mask >> k & 1:
            index.append(None)
        elif shrink_axis_mask >> k & 1:
            index.append(start)
        else:
            first, last = None if begin_mask >> k & 1 else start, None if end_mask >> k & 1 else stop
            index.append(_slice(first, last, step))
    return convert_to_tensor(input_)[tuple(index)]


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where `condition` holds, else y; without them the positions where it holds, one in a row.

    >>> import pullback.tf as tf
    >>> tf.where([True, False], [1.0, 2.0], 0.0)
    <Tensor [1. 0.], float32>
    >>> tf.where([True, False])
    <Tensor [[0]], int64>
    """
    chosen = convert_to_tensor(condition)
    if (x is None) != (y is None):
        raise ValueError("x and y are both given, or none of them")
    if x is None and not chosen.ndim:
        raise ValueError("a number has no positions")
    if x is None:
        return Tensor(np.argwhere(chosen.numpy()))
    if chosen.dtype != bool:
        raise TypeError(f"a condition is of bool, not of {chosen.dtype}")
    return np.where(chosen, *operands(x, y))


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """For each number below `num_partitions`, the parts of `data` for which `partitions` has it.

    ValueError for numbers of `partitions` that are none of these.

    >>> import pullback.tf as tf
    >>> tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)
    [<Tensor [1 3], int32>, <Tensor [2], int32>]
    """
    given, numbers = convert_to_tensor(data), bare(partitions)
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < num_partitions:
        raise ValueError(f"partitions {numbers.min()} to {numbers.max()} of {num_partitions}")
    return [given[numbers == k] for k in np.arange(num_partitions).tolist()]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """The parts of the tensors `data` at the positions `indices` of the result; of several for one, the last.

    >>> import pullback.tf as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[1, 3], [2]])
    <Tensor [1 2 3], int32>
    """
    places = [bare(one) for one in indices]
    rest = [convert_to_tensor(one) for one in data]
    rows = [np.reshape(d, (-1, *d.shape[p.ndim :])) for p, d in zip(places, rest, strict=True)]
    targets = np.concatenate([p.ravel() for p in places])
    source = np.zeros(int(targets.max(initial=-1)) + 1, int)
    source[targets] = np.arange(targets.size)
    return np.concatenate(rows)[source]


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The positions in a tensor of the shape `dims` of elements that `indices` counts, a row for each axis.

    >>> import pullback.tf as tf
    >>> tf.unravel_index([2, 5], [2, 3])
    <Tensor [[0 1]
     [2 2]], int32>
    """
    counts = bare(indices)
    return Tensor(np.stack(np.unravel_index(counts, extents(dims))).astype(counts.dtype))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The elements of `tensor` as an array of NumPy's. `partial` has no effect.

    >>> import pullback.tf as tf
    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    return convert_to_tensor(tensor).numpy()
