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
    """Zeros of a shape."""
    return Tensor(np.zeros(extents(shape), dtype)[()])


def ones(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """Ones of a shape."""
    return Tensor(np.ones(extents(shape), dtype)[()])


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of a tensor."""
    return Tensor(np.zeros_like(convert_to_tensor(input)._value, dtype)[()])


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones in the shape of a tensor."""
    return Tensor(np.ones_like(convert_to_tensor(input)._value, dtype)[()])


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A number in each place of a shape."""
    return broadcast_to(value, dims)


def eye(num_rows: int, num_columns: int | None = None, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """Ones on the diagonal of zeros."""
    return Tensor(np.eye(num_rows, num_columns, dtype=dtype))


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None) -> Tensor:
    """Numbers from `start` in steps of `delta`, before `limit`."""
    start, limit = (0, start) if limit is None else (start, limit)
    numbers = [one.item() if isinstance(one, Tensor) else one for one in (start, limit, delta)]
    return convert_to_tensor(np.arange(*numbers).tolist(), dtype)


def linspace(start: Any, stop: Any, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` points from `start` to `stop`, both included."""
    first, last = convert_to_tensor(start), convert_to_tensor(stop)
    return np.linspace(first, last, num, axis=axis).astype(first.dtype)


def one_hot(
    indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1, dtype: Any = np.float32
) -> Tensor:
    """Rows with `on_value` at the given positions and `off_value` elsewhere."""
    positions = np.asarray(convert_to_tensor(indices)._value)
    chosen = positions[..., None] == np.arange(depth)
    return Tensor(np.moveaxis(np.where(chosen, on_value, off_value).astype(dtype), -1, axis))


@operation("Identity")
def identity(input: Any, name: str | None = None) -> Tensor:
    """A new tensor of the same elements."""
    return apply(np.positive, np.positive, convert_to_tensor(input))


@operation("Cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements in another dtype; through integers there is no gradient."""
    return convert_to_tensor(x).astype(dtype)


def size(input: Any, out_type: Any = np.int32, name: str | None = None) -> Tensor:
    """The number of elements."""
    return Tensor(np.dtype(out_type).type(convert_to_tensor(input).size))


def shape(input: Any, out_type: Any = np.int32, name: str | None = None) -> Tensor:
    """The shape as a vector."""
    return Tensor(np.array(convert_to_tensor(input).shape, out_type))


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes."""
    return Tensor(np.int32(convert_to_tensor(input).ndim))


@operation("Reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements in another shape."""
    return np.reshape(convert_to_tensor(tensor), extents(shape))


@operation("Transpose")
def transpose(a: Any, perm: Any = None, name: str | None = None) -> Tensor:
    """Axis i of the result is axis perm[i]; without `perm` their order is reversed."""
    return np.transpose(convert_to_tensor(a), axes(perm))


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """With a new axis of length one."""
    return np.expand_dims(convert_to_tensor(input), axes(axis))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without axes of length one."""
    return np.squeeze(convert_to_tensor(input), axes(axis))


def concat(values: Sequence[Any], axis: int, name: str | None = None) -> Tensor:
    """Joined along an axis."""
    return np.concatenate([convert_to_tensor(one) for one in values], axis)


def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor:
    """Side by side along a new axis."""
    return np.stack([convert_to_tensor(one) for one in values], axis)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """The parts along an axis, without it."""
    given = convert_to_tensor(value)
    k = axis % given.ndim
    return [given[(*[_ALL] * k, j)] for j in np.arange(given.shape[k]).tolist()]


def split(value: Any, num_or_size_splits: Any, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """Parts along an axis: so many, or of these lengths (-1 for the rest)."""
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
    """With margins: of a constant, or of the elements in reverse order (REFLECT, SYMMETRIC)."""
    given = convert_to_tensor(tensor)
    margins = [(int(before), int(after)) for before, after in paddings]
    if mode.upper() == "CONSTANT":
        return np.pad(given, margins, constant_values=constant_values)
    return np.pad(given, margins, mode.lower())


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeated along each axis."""
    return np.tile(convert_to_tensor(input), extents(multiples))


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Spread over a shape."""
    return np.broadcast_to(convert_to_tensor(input), extents(shape))


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Moved along axes, what leaves at the end coming in at the start."""
    return np.roll(convert_to_tensor(input), axes(shift), axes(axis))


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Reversed along axes."""
    return np.flip(convert_to_tensor(tensor), axes(axis))


@operation("GatherV2")
def gather(params: Any, indices: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The parts at these positions of an axis. Raises IndexError beyond it."""
    given, positions = convert_to_tensor(params), np.asarray(convert_to_tensor(indices)._value)
    k = axis % given.ndim
    if positions.size and (positions.min() < 0 or positions.max() >= given.shape[k]):
        raise IndexError(f"positions {positions.min()} to {positions.max()} in an axis of {given.shape[k]}")
    return given[(*[_ALL] * k, positions)]


def gather_nd(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """The parts at positions that are given by the last axis of `indices`."""
    positions = np.asarray(convert_to_tensor(indices)._value)
    return convert_to_tensor(params)[tuple(np.moveaxis(positions, -1, 0))]


def boolean_mask(tensor: Any, mask: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The parts where a mask holds."""
    chosen = np.asarray(convert_to_tensor(mask)._value)
    return convert_to_tensor(tensor)[(*[_ALL] * axis, chosen)]


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scaled so that its norm is at most `clip_norm`."""
    given = convert_to_tensor(t)
    squares = np.sum(given * given, axis=axes, keepdims=True)
    some = squares > 0
    norm = np.where(some, np.sqrt(np.where(some, squares, 1)), 0)
    return given * clip_norm / np.where(norm >= clip_norm, norm, clip_norm)
