"""`tf.TensorArray`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import bare, convert_to_tensor, number


class TensorArray:
    """A list of tensors of one dtype, written and read by position. Each write gives a new one.

    dtype: that of the tensors. size: how many places there are. dynamic_size: more may be written. clear_after_read,
    tensor_array_name, handle, flow, infer_shape, element_shape and colocate_with_first_write_call have no effect.

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
        self._parts: list[Tensor | None] = [None] * int(number(size))

    def _with(self, parts: list[Tensor | None]) -> TensorArray:
        made = TensorArray(self.dtype, 0, self.dynamic_size)
        made._parts = parts
        return made

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """With `value` at the position `index`. IndexError behind the end where the size is fixed."""
        k = int(number(index))
        parts = list(self._parts)
        if not 0 <= k < len(parts):
            if k < 0 or not self.dynamic_size:
                raise IndexError(f"the position {k} in an array of {len(parts)}")
            parts += [None] * (k + 1 - len(parts))
        parts[k] = convert_to_tensor(value, self.dtype)
        return self._with(parts)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The tensor at the position `index`."""
        return self._filled()[int(number(index))]

    def _filled(self) -> list[Tensor]:
        shape = next((one.shape for one in self._parts if one is not None), ())
        return [Tensor(np.zeros(shape, self.dtype)[()]) if one is None else one for one in self._parts]

    def stack(self, name: str | None = None) -> Tensor:
        """All tensors, stacked; zeros for those that were not written."""
        return np.stack(self._filled()) if self._parts else Tensor(np.zeros(0, self.dtype))

    def concat(self, name: str | None = None) -> Tensor:
        """All tensors, joined along their first axis."""
        return np.concatenate(self._filled())

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The tensors at the positions `indices`, stacked."""
        parts = self._filled()
        return np.stack([parts[k] for k in bare(indices).tolist()])

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """One with the parts of `value` along its first axis."""
        given = convert_to_tensor(value, self.dtype)
        return self._with([given[k] for k in np.arange(len(given)).tolist()])

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """One with the parts of `value` along its first axis at the positions `indices`."""
        made: TensorArray = self
        for k, part in zip(bare(indices).tolist(), convert_to_tensor(value, self.dtype), strict=True):
            made = made.write(k, part)
        return made

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """One with parts of these `lengths` of `value` along its first axis."""
        edges = np.cumsum([0, *bare(lengths).tolist()]).tolist()
        given = convert_to_tensor(value, self.dtype)
        return self._with([given[a:b] for a, b in itertools.pairwise(edges)])

    def size(self, name: str | None = None) -> Tensor:
        """How many places there are."""
        return Tensor(np.int32(len(self._parts)))

    def identity(self) -> TensorArray:
        """The same."""
        return self

    mark_used = close = identity
