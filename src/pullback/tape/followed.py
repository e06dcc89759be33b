"""What recorders follow: elements with a number, without operations on them, and the ways by which they escape."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.tape.escapes import check_escape
from pullback.tape.recorders import active, is_connected, note_escape, note_reading
from pullback.tape.shapes import TensorShape

new_key: Callable[[], int] = itertools.count(2, 2).__next__
"""Numbers tensors in the order in which they are made. Odd numbers stand for the results of one call together."""


class Followed:
    """The elements of a tensor, and the number that it is known by: see `Tensor`."""

    __slots__ = ("_key", "_value")
    _watch: bool | None = None
    """For variables: whether tapes watch it when it is read."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._key = new_key()

    # What it is

    @property
    def shape(self) -> TensorShape:
        """The extents of its axes: a tuple."""
        return tuple.__new__(TensorShape, self._value.shape)

    def get_shape(self) -> TensorShape:
        """`shape`, as TensorFlow's programs ask for it."""
        return self.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its elements."""
        dtype: np.dtype[Any] = self._value.dtype
        return dtype

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return len(self._value.shape)

    @property
    def size(self) -> int:
        """The number of its elements."""
        return int(self._value.size)

    def __len__(self) -> int:
        if not self._value.shape:
            raise TypeError("a tensor without axes has no length")
        return int(self._value.shape[0])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._value!s}, {self.dtype}>"

    def __format__(self, spec: str) -> str:
        return format(self._value.item() if not self._value.shape else self._value, spec)

    @property
    def __pullback_elements__(self) -> Any:
        """What compiled functions that use it from outside are given."""
        return self._value

    # Escapes

    def _read(self) -> Any:
        """Its elements, which the recorders know to be read."""
        note_reading(self)
        return self._value

    def numpy(self) -> Any:
        """A private copy of its elements: an array, or a NumPy number where it has no axes. No tape follows it."""
        note_escape(self, "numpy()")
        return self._read().copy()

    def item(self, *places: Any) -> Any:
        """Its only element, or the one at a place, as a number of Python."""
        note_escape(self, "item()")
        return self._read().item(*places)

    def tolist(self) -> Any:
        """Its elements as numbers of Python in nested lists. TypingError where a gradient would be lost by that."""
        if is_connected(self):
            raise TypingError(
                "tolist() would take a tensor out of the tape, and its gradient would be lost",
                None,
                "write list(x) for tensors that stay on the tape, or x.numpy().tolist() where constants are meant",
            )
        return self._read().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if is_connected(self):
            raise TypingError(
                "this would take a tensor out of the tape, and its gradient would be lost",
                None,
                "use NumPy's functions and operators on it as it is (np.stack for several), or x.numpy() as a constant",
            )
        return np.array(self._read(), dtype=dtype)

    def __bool__(self) -> bool:
        return bool(self._read())

    def __float__(self) -> float:
        if active():
            check_escape(self, "float()")
        return float(self._read())

    def __int__(self) -> int:
        if active():
            check_escape(self, "int()")
        return int(self._read())

    def __index__(self) -> int:
        return operator.index(self._read()[()])
