"""Must-write analysis: which statements write each element of an array before any other reads it.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     t = np.zeros(x.shape[0])
...     u = np.zeros(x.shape[0])
...     for i in range(x.shape[0]):
...         t[i] = x[i]
...         u[i] = x[i] * u[i]  # reads it first
...     return t + u
>>> function = prepared(normal_form(f, np.ones(3)))
>>> loop = next(s for s in function.body.statements if isinstance(s, For))
>>> writes = MustWrites(function)
>>> for k, carried in enumerate(loop.carried):
...     found = writes.first_writes(loop, k)
...     print(carried.parameter.name, writes.covers(loop, k), [write.location.text.strip() for write in found])
t True ['t[i] = x[i]']
u True []
"""

from __future__ import annotations

from collections import Counter

from pullback.analysis.iteration_order import own_axes_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    operands_of,
    read_in,
    values_in,
    walk,
)
from pullback.ir.types import Array


class MustWrites:
    """Which elements of arrays the loops of a function write before they read them."""

    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.uses = Counter(read_in(function.body))
        sizes = (s for s in walk(function.body) if isinstance(s, Let) and s.function is primitives.dim)
        self.uses.subtract(statement.operands[0] for statement in sizes)

    def covers(self, loop: For, k: int, axis: int = 0) -> bool:
        """Whether a loop has as many iterations as a carried array has elements along an axis."""
        return bool(self.shapes.made_size(loop.stop) == self.shapes.of(loop.carried[k].parameter)[axis])

    def first_writes(self, loop: For, k: int, indices: tuple[Value, ...] = ()) -> tuple[Let, ...]:
        """The writes that are the first access to each element of a carried array; none if there are no such ones.

        The loop goes over the elements from 0, along the first axis until it stops, and over all elements of each row;
        each iteration accesses elements of its own. A write is a store, or the addition to an element of an array of
        zeros. `indices` are those of the loops around this one, along the axes before.
        """
        axis, version = len(indices), loop.carried[k].parameter
        if loop.start != constant(0) or loop.step != constant(1) or loop.exits or axis == rank_of(version):
            return ()
        if own_axes_of(loop, k).get(axis) != (loop.index,):
            return ()
        return self.writes(loop.body.statements, version, (*indices, loop.index))

    def writes(self, statements: tuple[Statement, ...], version: Value, indices: tuple[Value, ...]) -> tuple[Let, ...]:
        """The writes of numbers at these indices by statements, one of which may be a loop over the next axis."""
        first = next((s for s in statements if version in values_in(operands_of(s))), None)
        if first is None or self.uses[version] != 1:
            return ()
        if isinstance(first, For):
            inner = next((k for k, carried in enumerate(first.carried) if carried.initial is version), None)
            if inner is None or len(indices) == rank_of(version) or not self.covers(first, inner, len(indices)):
                return ()
            return self.first_writes(first, inner, indices)
        if len(indices) == rank_of(version):
            return (first,) if isinstance(first, Let) and _writes_number(first, version, indices) else ()
        return self.columns(statements, version, indices)

    def columns(self, statements: tuple[Statement, ...], version: Value, indices: tuple[Value, ...]) -> tuple[Let, ...]:
        """The writes to all elements of a row, one after the other, where their number is a constant."""
        row = self.shapes.of(version)[len(indices)]
        found: dict[int, Let] = {}
        for statement in statements:
            if version not in values_in(operands_of(statement)):
                continue
            if not isinstance(statement, Let) or self.uses[version] != 1 or statement.function not in primitives.WRITES:
                return ()
            column = _last_index(statement)
            if column is None or column.value in found:
                return ()
            if not _writes_number(statement, version, (*indices, column)):
                return ()
            found[column.value] = statement
            if row == self.shapes.made_size(constant(len(found))):
                return tuple(found.values()) if sorted(found) == [*range(len(found))] else ()
            version = statement.value
        return ()


def _last_index(write: Let) -> Constant | None:
    """The last one of the indices of a write, where it is a constant."""
    path = write.operands[1]
    last = path[0].items[-1] if len(path) == 1 and isinstance(path[0], Index) else None
    return last if isinstance(last, Constant) else None


def _writes_number(statement: Let, version: Value, indices: tuple[Operand, ...]) -> bool:
    """Whether a statement writes one element of an array, at these indices."""
    if statement.function not in primitives.WRITES or statement.operands[:2] != (version, (Index(indices),)):
        return False
    return len(indices) == rank_of(version) and bool(statement.operands[2].type.dtype == version.type.dtype)


def rank_of(value: Value) -> int:
    return value.type.ndim if isinstance(value.type, Array) else 0
