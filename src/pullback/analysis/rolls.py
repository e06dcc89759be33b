"""Rolled arrays: which statements roll an array along one axis, by how many places.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import lets_in
>>> def f(u, places):
...     return np.roll(u, -1, axis=1) + np.roll(u, places, axis=0) + np.roll(u, 1)
>>> function = normal_form(f, np.ones((3, 4)), 2)
>>> for roll in filter(None, map(roll_of, lets_in(function.body).values())):
...     print(roll.array.name, roll.axis, roll.is_along_last)
u 1 True
u 0 False

A roll of all elements in a row, as the last one, is not along one axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pullback.analysis.must_write import rank_of
from pullback.ir.nodes import Constant, Let, Operand, Statement, Value
from pullback.ir.types import Array, Scalar


@dataclass(frozen=True, slots=True)
class Roll:
    """An array that is rolled along an axis by some places."""

    value: Value
    array: Value
    axis: int
    shift: Operand

    @property
    def is_along_last(self) -> bool:
        """Whether the axis is the last one, of elements side by side."""
        return self.axis == rank_of(self.array) - 1


def roll_of(statement: Statement) -> Roll | None:
    """What a statement rolls, if it rolls an array along one axis."""
    if not isinstance(statement, Let) or statement.function is not np.roll:
        return None
    array, shift, *given = statement.operands
    if type(array.type) is not Array or array.type != statement.value.type or not _is_integer(shift):
        return None
    axis = given[0] if given else Constant(None)
    if not isinstance(axis, Constant) or not isinstance(axis.value, int | None):
        return None
    if axis.value is None and array.type.ndim != 1:
        return None
    return Roll(statement.value, array, (axis.value or 0) % array.type.ndim, shift)


def _is_integer(operand: Operand) -> bool:
    type_ = getattr(operand, "type", None)
    return isinstance(type_, Scalar) and type_.dtype == "int64"
