"""Repeated arrays: which arrays that a block makes its loops go over again and again.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def f(x, n):
...     y, z = np.zeros(n), np.zeros(n)
...     for i in range(n):
...         z[i] = x * i
...         for j in range(n):
...             y[j] += x
...     return y, z
>>> [array.name for array in repeated_arrays(normal_form(f, 0.5, 3).body)]
['y']

What such an array takes of the nearest cache, it takes all the time; the elements of others come and go.
"""

from __future__ import annotations

from pullback.ir import primitives
from pullback.ir.nodes import Block, For, If, Let, Operand, Value, While, blocks_of
from pullback.ir.types import Array

REPEATED = 16
"""An element of such an array counts as so many of one that loops go over once."""


def repeated_arrays(block: Block) -> dict[Value, None]:
    """The arrays that are accessed in more loops, one in another, than they have axes, as they are made."""
    arrays = _Arrays()
    arrays.block(block, 0)
    return arrays.repeated


class _Arrays:
    """origins: for each version of an array the first one."""

    def __init__(self) -> None:
        self.origins: dict[Value, Value] = {}
        self.repeated: dict[Value, None] = {}

    def block(self, block: Block, depth: int) -> None:
        for statement in block.statements:
            match statement:
                case Let():
                    self.let(statement, depth)
                case If():
                    for inner in blocks_of(statement):
                        self.block(inner, depth)
                    self.join(statement.results, statement.then.yields)
                case For() | While():
                    initials = tuple(carried.initial for carried in statement.carried)
                    self.join(tuple(carried.parameter for carried in statement.carried), initials)
                    self.join(statement.results, initials)
                    for inner in blocks_of(statement):
                        self.block(inner, depth + 1)

    def let(self, statement: Let, depth: int) -> None:
        if statement.function in primitives.CREATING:
            self.origins[statement.value] = statement.value
        elif statement.function in primitives.ACCESSES:
            origin = self.origins.get(statement.operands[0])
            if origin is not None and isinstance(origin.type, Array) and depth > origin.type.ndim:
                self.repeated[origin] = None
            if statement.function in primitives.WRITES:
                self.join((statement.value,), statement.operands[:1])

    def join(self, versions: tuple[Value, ...], before: tuple[Operand, ...]) -> None:
        for version, operand in zip(versions, before, strict=True):
            if isinstance(operand, Value) and operand in self.origins:
                self.origins[version] = self.origins[operand]
