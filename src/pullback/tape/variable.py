"""`Variable`: a named place for an array, which tapes watch when it is read; `constant`: a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.errors import ShapeError, TypingError
from pullback.ir.classes import obstacle_of_class, obstacles_in
from pullback.tape.recorders import note_escape, note_reading
from pullback.tape.tensor import PLAIN, Tensor


def constant(value: Any, dtype: Any = None) -> Tensor:
    """A tensor of a copy of `value`: a number, a nested list, an array or a tensor.

    Without a dtype, arrays keep theirs, and numbers are float64 or int64 as in NumPy.

    >>> import pullback as pb
    >>> pb.constant([1, 2.5])
    <Tensor [1.  2.5], float64>
    """
    return Tensor(elements(value, dtype))


def elements(value: Any, dtype: Any = None) -> Any:
    """A private copy of numbers as NumPy has them. TypingError where they are not real numbers."""
    if isinstance(value, Tensor):
        value = value._value
    for path, found in obstacles_in(value, "value", obstacle_of_class):
        raise TypingError(f"'{path}' {found.reason}", None, found.remedy.format(path))
    array = np.array(value, dtype=dtype)
    if array.dtype.kind not in "fiub":
        raise TypingError(f"a tensor is made of real numbers, not of {array.dtype}", None, "pass numbers or an array")
    return array if array.shape else array[()]


class Variable(Tensor):
    """A tensor whose elements can be assigned. Tapes watch a trainable one when it is read.

    value: a number, a nested list, an array or a tensor, which is copied. name: any text, not necessarily its own.
    trainable: False for one that tapes watch when they are told to. dtype: that of `value` by default.

    A gradient is by the values that were read: an assignment does not change what was recorded before it.

    >>> import pullback as pb
    >>> x = pb.Variable(3.0)
    >>> with pb.GradientTape() as tape:
    ...     y = x * x
    >>> x.assign(100.0)
    <Variable 'Variable' 100.0, float64>
    >>> tape.gradient(y, x)
    <Tensor 6.0, float64>
    """

    __slots__ = ("_name", "_watch")

    def __init__(
        self, value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None, **_keywords: Any
    ) -> None:
        super().__init__(elements(value, dtype))
        self._name = name or "Variable"
        self._watch = bool(trainable)

    def __copy__(self) -> Variable:
        return type(self)(self.numpy(), self.trainable, self._name)

    def __deepcopy__(self, memo: Any) -> Variable:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.numpy(), self.trainable, self._name)

    @property
    def name(self) -> str:
        """The name it was given, 'Variable' by default."""
        return self._name

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it when it is read."""
        return bool(self._watch)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r} {self._value!s}, {self.dtype}>"

    def assign(self, value: Any) -> Variable:
        """Take new elements, of the same shape; numbers and arrays are cast to its dtype.

        Returns the variable itself. Raises ShapeError (a ValueError) for another shape, and TypingError (a TypeError)
        for a tensor of another dtype. What is assigned is a constant: no gradient flows through a variable to what its
        value was computed from.
        """
        if isinstance(value, Tensor) and value.dtype != self.dtype:
            raise TypingError(
                f"a tensor of {value.dtype} cannot be assigned to the variable '{self._name}' of {self.dtype}",
                None,
                f"cast it, as in x.astype('{self.dtype}')",
            )
        self._note(value)
        new = elements(value, self.dtype)
        if new.shape != self.shape:
            raise ShapeError(f"the variable '{self._name}' has shape {self.shape}, the value {new.shape}")
        self._value = new
        return self

    def assign_add(self, delta: Any) -> Variable:
        """Add `delta`, which has the variable's shape."""
        self._value = (self._value + self._change(delta)).astype(self.dtype)
        return self

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract `delta`, which has the variable's shape."""
        self._value = (self._value - self._change(delta)).astype(self.dtype)
        return self

    def _change(self, delta: Any) -> Any:
        self._note(delta)
        change = delta._value if isinstance(delta, Tensor) else elements(delta)
        if change.shape != self.shape:
            raise ShapeError(f"the variable '{self._name}' has shape {self.shape}, the change {change.shape}")
        return change

    def _note(self, value: Any) -> None:
        """Tell the recorders of a change, and the tapes where they lose sight of what is assigned."""
        note_reading(self)
        if isinstance(value, Tensor):
            note_escape(value, f"the assignment to the variable '{self._name}'")

    def value(self) -> Tensor:
        """A tensor of what it is now, in which tapes follow it."""
        return +self

    read_value = value

    def _in_place(self, other: Any) -> Variable:
        raise TypingError(
            f"'+=' and its like do not change the variable '{self._name}': they would make the name a tensor",
            None,
            "use x.assign_add(...) to change it, or x = x + ... for a new tensor",
        )

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = __imatmul__ = __ifloordiv__ = __imod__ = _in_place


PLAIN.add(Variable)
