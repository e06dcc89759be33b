"""Shapes, specifications and lists of rows, as TensorFlow has classes for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tape.shapes import TensorShape as TensorShape
from pullback.tf.scattering import scatter_nd
from pullback.tf.values import convert_to_tensor


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
