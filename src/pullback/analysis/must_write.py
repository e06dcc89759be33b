"""Must-write analysis: which statement writes each element of an array before any other reads it.

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
...     write = writes.first_write(loop, k)
...     print(carried.parameter.name, writes.covers(loop, k), write and write.location.text.strip())
t True t[i] = x[i]
u True None
"""

from __future__ import annotations

from collections import Counter

from pullback.analysis.iteration_order import own_axes_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import For, Function, Index, Let, Statement, Value, operands_of, read_in, values_in
from pullback.ir.types import Array

_WRITES = {primitives.store, primitives.add_at}


class MustWrites:
    """Which elements of arrays the loops of a function write before they read them."""

    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.uses = Counter(read_in(function.body))

    def covers(self, loop: For, k: int, axis: int = 0) -> bool:
        """Whether a loop has as many iterations as a carried array has elements along an axis."""
        return bool(self.shapes.made_size(loop.stop) == self.shapes.of(loop.carried[k].parameter)[axis])

    def first_write(self, loop: For, k: int, indices: tuple[Value, ...] = ()) -> Let | None:
        """The write that is the first access to each element of a carried array; None if there is no such statement.

        The loop goes over the elements from 0, along the first axis until it stops, and over all elements of each row;
        each iteration accesses elements of its own. A write is a store, or the addition to an element of an array of
        zeros. `indices` are those of the loops around this one, along the axes before.
        """
        axis, version = len(indices), loop.carried[k].parameter
        if loop.start != constant(0) or loop.step != constant(1) or loop.exits or axis == rank_of(version):
            return None
        if self.uses[version] != 1 or own_axes_of(loop, k).get(axis) != (loop.index,):
            return None
        first = next((s for s in loop.body.statements if version in values_in(operands_of(s))), None)
        return None if first is None else self.write(first, version, (*indices, loop.index))

    def write(self, statement: Statement, version: Value, indices: tuple[Value, ...]) -> Let | None:
        """The write of a number at these indices by a statement, which may be a loop over the next axis."""
        match statement:
            case Let() if statement.function in _WRITES and statement.operands[:2] == (version, (Index(indices),)):
                complete = len(indices) == rank_of(version)
                return statement if complete and statement.operands[2].type.dtype == version.type.dtype else None
            case For():
                inner = next((k for k, carried in enumerate(statement.carried) if carried.initial is version), None)
                if inner is None or len(indices) == rank_of(version) or not self.covers(statement, inner, len(indices)):
                    return None
                return self.first_write(statement, inner, indices)
        return None


def rank_of(value: Value) -> int:
    return value.type.ndim if isinstance(value.type, Array) else 0
