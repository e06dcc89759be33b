"""`tf.TensorArray`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import bare, convert_to_tensor, number


class TensorArray:
    """A list of tensors of one dtype and shape, written and read by position. What writes returns the list itself.

    dtype: that of the tensors. size: how many places there are. dynamic_size: more may be written. clear_after_read:
    False where tensors are read more than once. infer_shape: False where the tensors are of several shapes.
    element_shape: that of the tensors. tensor_array_name, handle, flow and colocate_with_first_write_call have no
    effect.

    >>> import pullback.tf as tf
    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 1.0).write(1, 2.0)
    >>> array.stack()
    <Tensor [1. 2.], float32>
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = 0,
        dynamic_size: bool = False,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self._shape = None if element_shape is None or None in element_shape else tuple(element_shape)
        self._one_shape, self._keeps = bool(infer_shape), clear_after_read is False
        self._parts: list[Tensor | None] = [None] * int(number(size))
        self._read: set[int] = set()

    def _filled_with(self, parts: Any) -> TensorArray:
        self._parts, self._read = [], set()
        self._parts = [self._fitting(one) for one in parts]
        return self

    def _fitting(self, value: Any) -> Tensor:
        """A value as a tensor. ValueError where it is not of the dtype or shape."""
        made = convert_to_tensor(value, self.dtype)
        if self._one_shape and self._shape not in (None, made.shape):
            raise ValueError(f"a tensor of shape {made.shape} among tensors of shape {self._shape}")
        self._shape = tuple(made.shape)
        return made

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Put `value` at the position `index`. IndexError behind the end where the size is fixed."""
        k, parts = int(number(index)), self._parts
        if not 0 <= k < len(parts):
            if k < 0 or not self.dynamic_size:
                raise IndexError(f"the position {k} in an array of {len(parts)}")
            parts += [None] * (k + 1 - len(parts))
        parts[k] = self._fitting(value)
        self._read.discard(k)
        return self

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The tensor at the position `index`. ValueError the second time, unless clear_after_read=False was given."""
        k = int(number(index))
        if not 0 <= k < len(self._parts):
            raise IndexError(f"the position {k} in an array of {len(self._parts)}")
        found = self._at(k)
        if not self._keeps:
            self._parts[k] = None
            self._read.add(k)
        return found

    def _at(self, k: int) -> Tensor:
        """The tensor there, zeros if none was written. ValueError for one that was read, and for an unknown shape."""
        found = self._parts[k]
        if found is not None:
            return found
        if k in self._read:
            raise ValueError(f"the tensor at {k} was cleared when it was read: use clear_after_read=False")
        if self._shape is None:
            raise ValueError(f"nothing was written at {k} or elsewhere, and no shape is known")
        return Tensor(np.zeros(self._shape, self.dtype)[()])

    def _all(self) -> list[Tensor]:
        return [self._at(k) for k in np.arange(len(self._parts)).tolist()]

    def stack(self, name: str | None = None) -> Tensor:
        """All tensors, stacked; zeros for those that were not written."""
        return np.stack(self._all()) if self._parts else Tensor(np.zeros(0, self.dtype))

    def concat(self, name: str | None = None) -> Tensor:
        """All tensors, joined along their first axis."""
        return np.concatenate(self._all())

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The tensors at the positions `indices`, stacked."""
        return np.stack([self._at(k) for k in bare(indices).tolist()])

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Take the parts of `value` along its first axis."""
        given = convert_to_tensor(value, self.dtype)
        return self._filled_with([given[k] for k in np.arange(len(given)).tolist()])

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Put the parts of `value` along its first axis at the positions `indices`."""
        for k, part in zip(bare(indices).tolist(), convert_to_tensor(value, self.dtype), strict=True):
            self.write(k, part)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Take parts of these `lengths` of `value` along its first axis."""
        edges = np.cumsum([0, *bare(lengths).tolist()]).tolist()
        given = convert_to_tensor(value, self.dtype)
        return self._filled_with([given[a:b] for a, b in itertools.pairwise(edges)])

    def size(self, name: str | None = None) -> Tensor:
        """How many places there are."""
        return Tensor(np.int32(len(self._parts)))

    def identity(self) -> TensorArray:
        """The same."""
        return self

    mark_used = close = identity
