"""TensorFlow's functions that make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor, custom_gradient
from pullback.tf.shapes import broadcast_to
from pullback.tf.values import bare, convert_to_tensor, extents, number, operands


def zeros(shape: Any, dtype: Any = np.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros of a `shape` and a `dtype`. `layout` has no effect.

    >>> import pullback.tf as tf
    >>> tf.zeros([2, 3])
    <Tensor [[0. 0. 0.]
     [0. 0. 0.]], float32>
    """
    return Tensor(np.zeros(extents(shape), dtype)[()])


def ones(shape: Any, dtype: Any = np.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones of a `shape` and a `dtype`. `layout` has no effect.

    >>> import pullback.tf as tf
    >>> tf.ones(2, tf.int32)
    <Tensor [1 1], int32>
    """
    return Tensor(np.ones(extents(shape), dtype)[()])


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros in the shape of the tensor `input`, and in its dtype where no `dtype` is given. `layout` has no effect.

    >>> import pullback.tf as tf
    >>> tf.zeros_like([1.0, 2.0])
    <Tensor [0. 0.], float32>
    """
    return Tensor(np.zeros_like(convert_to_tensor(input)._value, dtype)[()])


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones in the shape of the tensor `input`, and in its dtype where no `dtype` is given. `layout` has no effect.

    >>> import pullback.tf as tf
    >>> tf.ones_like([1.0, 2.0], dtype=tf.int32)
    <Tensor [1 1], int32>
    """
    return Tensor(np.ones_like(convert_to_tensor(input)._value, dtype)[()])


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """The number `value` in each place of the shape `dims`. `layout` has no effect.

    >>> import pullback.tf as tf
    >>> tf.fill([2, 2], 7)
    <Tensor [[7 7]
     [7 7]], int32>
    """
    given = convert_to_tensor(value)
    if given.ndim:
        raise ValueError(f"a number is wanted, not a tensor of shape {given.shape}")
    return broadcast_to(given, dims)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = np.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix with ones on its diagonal: `num_rows` × `num_columns` (square by default), of a `dtype`.

    batch_shape: the shape of a stack of such matrices.

    >>> import pullback.tf as tf
    >>> tf.eye(2, 3)
    <Tensor [[1. 0. 0.]
     [0. 1. 0.]], float32>
    """
    one = np.eye(number(num_rows), number(num_columns), dtype=dtype)
    return Tensor(one if batch_shape is None else np.broadcast_to(one, (*extents(batch_shape), *one.shape)).copy())


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None) -> Tensor:
    """Numbers from `start` (0 with one argument) in steps of `delta`, before `limit`, of a `dtype`.

    ValueError for steps that lead away from `limit`.

    >>> import pullback.tf as tf
    >>> tf.range(3), tf.range(1.0, 2.0, 0.25)
    (<Tensor [0 1 2], int32>, <Tensor [1.   1.25 1.5  1.75], float32>)
    """
    given = (0, start, delta) if limit is None else (start, limit, delta)
    if dtype is None:
        dtype = max((convert_to_tensor(one).dtype for one in given), key=lambda one: (one.kind == "f", one.itemsize))
    first, last, step = map(number, given)
    if not step or (last - first) * step < 0:
        raise ValueError(f"steps of {step} do not lead from {first} to {last}")
    return Tensor(np.arange(first, last, step).astype(dtype))


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` points from `start` to `stop`, both included, along a new `axis`; those between integers are of float64.

    Between integers of less than 4 bytes they are of float32.

    >>> import pullback.tf as tf
    >>> tf.linspace(0.0, 1.0, 5)
    <Tensor [0.   0.25 0.5  0.75 1.  ], float32>
    """
    first, last = operands(start, stop)
    if first.dtype.kind in "iu":
        wide = np.float32 if first.dtype.itemsize < 4 else np.float64
        first, last = first.astype(wide), last.astype(wide)
    return np.linspace(first, last, number(num), axis=axis).astype(first.dtype)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """For each of `indices`, `depth` numbers along `axis`: `on_value` at its place, else `off_value`.

    axis: the last by default. on_value, off_value: 1 and 0 by default. dtype: that of these two, float32 where they are
    not given; TypeError where they differ. An index that is not there gives `off_value` everywhere.

    >>> import pullback.tf as tf
    >>> tf.one_hot([2, 0], 3)
    <Tensor [[0. 0. 1.]
     [1. 0. 0.]], float32>
    """
    found = {convert_to_tensor(one).dtype for one in (on_value, off_value) if one is not None}
    found |= set() if dtype is None else {np.dtype(dtype)}
    if len(found) > 1 or bare(indices).dtype.kind not in "iu":
        raise TypeError(f"one dtype and integers are wanted, not {found} and indices of {bare(indices).dtype}")
    dtype = found.pop() if found else np.float32
    on, off = (number(d if one is None else one) for one, d in ((on_value, 1), (off_value, 0)))
    chosen = bare(indices)[..., None] == np.arange(number(depth))
    return Tensor(np.moveaxis(np.where(chosen, on, off).astype(dtype), -1, -1 if axis is None else axis))


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """For each of the vectors `args`, its elements repeated over a grid of all of them.

    indexing: 'xy' where the first vector runs along the second axis, 'ij' where it runs along the first.

    >>> import pullback.tf as tf
    >>> [x.numpy().tolist() for x in tf.meshgrid([1, 2], [3, 4, 5])]
    [[[1, 2], [1, 2], [1, 2]], [[3, 3], [4, 4], [5, 5]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    vectors = [np.reshape(convert_to_tensor(one), (-1,)) for one in args]
    places = [*np.arange(len(vectors)).tolist()]
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    shape = [0] * len(vectors)
    for vector, place in zip(vectors, places, strict=True):
        shape[place] = vector.shape[0]
    grids = []
    for vector, place in zip(vectors, places, strict=True):
        along = [1] * len(vectors)
        along[place] = vector.shape[0]
        grids.append(np.broadcast_to(np.reshape(vector, tuple(along)), tuple(shape)))
    return grids


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = np.bool_, name: str | None = None) -> Tensor:
    """For each of `lengths`, True at so many first places of `maxlen` (the largest length by default), as a `dtype`.

    >>> import pullback.tf as tf
    >>> tf.sequence_mask([1, 2], 3, dtype=tf.int32)
    <Tensor [[1 0 0]
     [1 1 0]], int32>
    """
    counts = bare(lengths).astype(np.int64)
    most = int(counts.max(initial=0)) if maxlen is None else number(maxlen)
    return Tensor((np.arange(most) < counts[..., None]).astype(dtype))


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """New tensors of the elements of each tensor in the list `input`. The gradient of one that is not used is zeros.

    >>> import pullback.tf as tf
    >>> tf.identity_n([1.0, 2.0])
    [<Tensor 1.0, float32>, <Tensor 2.0, float32>]
    """
    made: list[Tensor] = _identities(*map(convert_to_tensor, input))
    return made


@custom_gradient
def _identities(*tensors: Tensor) -> Any:
    return list(tensors), lambda *cotangents: cotangents
