"""`tf.Variable`: a variable with TensorFlow's dtypes, whose parts can be changed by their positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback import tape
from pullback.tape import Tensor
from pullback.tf.errors import PositionError
from pullback.tf.selection import gather, gather_nd
from pullback.tf.values import bare, check_kept, default_dtype


class Variable(tape.Variable):
    """`pb.Variable` with TensorFlow's dtypes for Python's numbers.

    initial_value: a number, a nested list, an array or a tensor, or a function that returns one. trainable: False for
    one that tapes watch when they are told to. name: any text. dtype: that of the value by default. `shape` and other
    `options` of TensorFlow's, as is `validate_shape`, are taken and have no effect; `constraint` is a function of the
    elements that optimizers call after each step.

    The methods change elements and return the variable itself; their parameters `use_locking`, `name` and `read_value`
    have no effect. What is put in is a constant for tapes. TypeError for tensors of another dtype, and for floats of
    Python that a variable of integers would cut off.

    >>> import pullback.tf as tf
    >>> tf.Variable([1.0, 2.0], name="w")
    <Variable 'w' [1. 2.], float32>
    """

    __slots__ = ("constraint",)

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        shape: Any = None,
        **options: Any,
    ) -> None:
        value = initial_value() if callable(initial_value) else initial_value
        super().__init__(value, trainable, name, default_dtype(value, dtype))
        self.constraint = options.get("constraint")

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Take the elements of `value`, which has the variable's shape."""
        check_kept(value, self.dtype)
        super().assign(value)
        return self

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Add `delta`, which has the variable's shape."""
        super().assign_add(self._fitting(delta))
        return self

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Subtract `delta`, which has the variable's shape."""
        super().assign_sub(self._fitting(delta))
        return self

    def _fitting(self, change: Any) -> Any:
        """What the variable is changed by. TypeError for a tensor of another dtype."""
        check_kept(change, self.dtype)
        if isinstance(change, Tensor) and change.dtype != self.dtype:
            raise TypeError(f"a tensor of {change.dtype} cannot change the variable {self.name!r} of {self.dtype}")
        return change

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Put `updates` at the positions `indices`: see `tf.scatter_nd`."""
        return self._changed(_put, _coordinates(indices), updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Add `updates` at the positions `indices`: see `tf.scatter_nd`."""
        return self._changed(np.add.at, _coordinates(indices), updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Subtract `updates` at the positions `indices`: see `tf.scatter_nd`."""
        return self._changed(np.subtract.at, _coordinates(indices), updates)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Put the rows of the `tf.IndexedSlices` `sparse_delta` in their places."""
        return self._changed(_put, (bare(sparse_delta.indices),), sparse_delta.values)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Add the rows of the `tf.IndexedSlices` `sparse_delta`."""
        return self._changed(np.add.at, (bare(sparse_delta.indices),), sparse_delta.values)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Subtract the rows of the `tf.IndexedSlices` `sparse_delta`."""
        return self._changed(np.subtract.at, (bare(sparse_delta.indices),), sparse_delta.values)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Multiply by the rows of the `tf.IndexedSlices` `sparse_delta`."""
        return self._changed(np.multiply.at, (bare(sparse_delta.indices),), sparse_delta.values)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Divide by the rows of the `tf.IndexedSlices` `sparse_delta`."""
        return self._changed(np.divide.at, (bare(sparse_delta.indices),), sparse_delta.values)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Take the larger of what is there and of the rows of the `tf.IndexedSlices` `sparse_delta`."""
        return self._changed(np.maximum.at, (bare(sparse_delta.indices),), sparse_delta.values)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Take the smaller of what is there and of the rows of the `tf.IndexedSlices` `sparse_delta`."""
        return self._changed(np.minimum.at, (bare(sparse_delta.indices),), sparse_delta.values)

    def _changed(self, change: Any, places: tuple[np.ndarray, ...], updates: Any) -> Variable:
        """The variable after `change(elements, places, updates)`. ValueError for what does not fit."""
        self._note(self._fitting(updates))
        elements, parts = np.asarray(self.numpy()), bare(updates)
        for column, extent in zip(places, elements.shape, strict=False):
            if column.size and not 0 <= column.min() <= column.max() < extent:
                raise PositionError(f"positions {column.min()} to {column.max()} in an axis of {extent}")
        if parts.shape != elements[places].shape:
            raise ValueError(f"updates of shape {parts.shape} for places of shape {elements[places].shape}")
        change(elements, places, parts.astype(self.dtype))
        return self.assign(elements)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """`tf.gather` of the variable."""
        return gather(self, indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """`tf.gather_nd` of the variable."""
        return gather_nd(self, indices)


def _put(elements: np.ndarray, places: tuple[np.ndarray, ...], parts: np.ndarray) -> None:
    elements[places] = parts


def _coordinates(indices: Any) -> tuple[np.ndarray, ...]:
    """The coordinates of positions along each axis."""
    return tuple(np.moveaxis(bare(indices), -1, 0))
