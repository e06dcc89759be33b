"""Shapes, specifications and lists of rows, as TensorFlow has classes for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.scattering import scatter_nd
from pullback.tf.values import convert_to_tensor


class TensorShape(tuple[Any, ...]):
    """A shape: a tuple of integers, with TensorFlow's methods. None stands for an extent that is not known.

    >>> import pullback.tf as tf
    >>> shape = tf.TensorShape([2, None])
    >>> shape.as_list(), shape.rank, shape.is_compatible_with([2, 3])
    ([2, None], 2, True)
    """

    __slots__ = ()

    def __new__(cls, dims: Any) -> TensorShape:
        given = (dims,) if isinstance(dims, int) else dims
        return super().__new__(cls, (None if n is None else int(n) for n in given))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[Any]:
        """The extents in a list."""
        return list(self)

    def as_list(self) -> list[Any]:
        """The extents in a list."""
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the extents, None where one is not known."""
        return int(np.prod(self)) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Whether all extents are known."""
        return None not in self

    def is_compatible_with(self, other: Any) -> bool:
        """Whether all extents that both know are the same."""
        theirs = tuple(other)
        return len(self) == len(theirs) and all(
            None in pair or pair[0] == pair[1] for pair in zip(self, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise a ValueError where extents differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"the shapes {tuple(self)} and {tuple(other)} differ")

    def assert_has_rank(self, rank: int) -> None:
        """Raise a ValueError where there is another number of axes."""
        if len(self) != rank:
            raise ValueError(f"the shape {tuple(self)} has not {rank} axes")

    def concatenate(self, other: Any) -> TensorShape:
        """The extents, then those of another shape."""
        return TensorShape((*self, *other))

    def merge_with(self, other: Any) -> TensorShape:
        """What both shapes know."""
        self.assert_is_compatible_with(other)
        return TensorShape(b if a is None else a for a, b in zip(self, other, strict=True))


class TensorSpec:
    """The `shape` and `dtype` of tensors, with a `name`.

    >>> import pullback.tf as tf
    >>> tf.TensorSpec([None, 3], tf.float32).shape
    (None, 3)
    """

    def __init__(self, shape: Any, dtype: Any = np.float32, name: str | None = None) -> None:
        self.shape = None if shape is None else TensorShape(shape)
        self.dtype, self.name = np.dtype(dtype), name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor, or one of another specification, may have this one."""
        shape, dtype = spec_or_value.shape, spec_or_value.dtype
        return dtype == self.dtype and (self.shape is None or self.shape.is_compatible_with(shape))


class IndexedSlices:
    """Some rows of a large tensor: `values` at the positions `indices`, of the shape `dense_shape`.

    `tf.convert_to_tensor` puts them into zeros. Gradients are dense here.

    >>> import pullback.tf as tf
    >>> tf.convert_to_tensor(tf.IndexedSlices([[1.0]], [1], [2, 1]))
    <Tensor [[0.]
     [1.]], float32>
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values, self.indices = convert_to_tensor(values), convert_to_tensor(indices)
        self.dense_shape = dense_shape

    def __pullback_tensor__(self) -> Tensor:
        """The dense tensor."""
        if self.dense_shape is None:
            raise ValueError("the shape of these rows' tensor is not known")
        return scatter_nd(self.indices[:, None], self.values, self.dense_shape)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape of what is computed elementwise from tensors of the shapes `shape_x` and `shape_y`.

    >>> import pullback.tf as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    (2, 3)
    """
    return TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y)))


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """`tf.broadcast_static_shape` of the vectors `shape_x` and `shape_y`, as a vector.

    >>> import pullback.tf as tf
    >>> tf.broadcast_dynamic_shape([2, 1], [3])
    <Tensor [2 3], int32>
    """
    x, y = (tuple(convert_to_tensor(one).numpy().tolist()) for one in (shape_x, shape_y))
    return Tensor(np.array(np.broadcast_shapes(x, y), np.int32))
