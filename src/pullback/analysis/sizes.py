"""Sizes of axes: numbers, integers of the program, axes of arrays, and slices of them.

>>> from pullback.ir.builder import constant
>>> first = SliceSize(7, Slice(constant(2), None, None))
>>> first.leaves_off, sliced(first, Slice(constant(1), None, None)).leaves_off
(2, 3)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

from pullback import runtime
from pullback.ir.nodes import Constant, Effect, Slice, Statement, Value
from pullback.ir.types import INT

Size = Any  # int | Value | tuple[Value, int] | SliceSize


@dataclass(frozen=True, slots=True)
class SliceSize:
    """The size of a slice of an axis."""

    size: Size
    part: Slice

    @property
    def leaves_off(self) -> int:
        """How many elements a slice of the form `[k:]` leaves off, k > 0; 0 for another one."""
        start = self.part.start if self.part.stop is None and self.part.step is None else None
        return start.value if isinstance(start, Constant) and start.value > 0 else 0


Shape = tuple[Size, ...]


def is_guard(statement: Statement) -> TypeGuard[Effect]:
    """Whether a statement leaves the function for its general form where sizes are not as this one assumes."""
    return isinstance(statement, Effect) and statement.operands[1:] == (Constant(runtime.SizesDiffer),)


def sliced(size: Size, part: Slice) -> Size:
    """The size of a slice of an axis; one that leaves off ends is written as one that leaves off the beginning.

    >>> from pullback.ir.builder import constant
    >>> sliced(7, Slice(constant(1), constant(-1), None))
    5
    """
    items = (part.start, part.stop, part.step)
    if any(isinstance(item, Value) for item in items):
        return SliceSize(size, part)
    numbers = tuple(None if item is None else item.value for item in items)
    if isinstance(size, int):
        return len(range(size)[slice(*numbers)])
    start, stop, step = numbers[0] or 0, numbers[1], numbers[2] or 1
    if step == -1 and numbers[:2] == (None, None):
        return size
    if step != 1 or start < 0 or (stop is not None and stop >= 0):
        return SliceSize(size, part)
    left = start - (stop or 0)
    if isinstance(size, SliceSize) and size.leaves_off:
        size, left = size.size, left + size.leaves_off
    return SliceSize(size, Slice(Constant(left, INT), None, None)) if left else size
