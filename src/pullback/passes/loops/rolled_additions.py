"""Rolled arrays that are added to others, as in a backward sweep, are added by loops: these read them where they are.

>>> import numpy as np
>>> import pullback as pb
>>> def neighbours(u, w):
...     return np.sum(w * (np.roll(u, 1) + np.roll(u, -1)) + u * u)
>>> text = pb.inspect_source(neighbours, np.ones(9), np.ones(9), argnums=0)
>>> print(text[text.rindex("    u_bar[0] = ") : text.rindex("    return")], end="")
    u_bar[0] = u_bar[0] + elements[t1] + elements[1]
    for i in range(1, i_end):
        u_bar[np.uint64(i)] = u_bar[np.uint64(i)] + elements[np.uint64(i - 1)] + elements[np.uint64(i + 1)]
    u_bar[i_end] = u_bar[i_end] + elements[i_end_minus_one] + elements[0]

One loop adds several rolls to one array. A loop is made where it can be split as `rolled_reads.py` does, and where the
array has the shape of what is rolled, and other memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pullback.analysis.made_arrays import MadeArrays
from pullback.analysis.rolls import Roll, roll_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, Constant, For, Function, Index, Let, Operand, Statement, Value, read_in
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT
from pullback.passes.loops.loop_peeling import MOST_ITERATIONS

MOST_ADDED = 8
"""So many rolls one loop adds to an array."""


def add_rolls_by_loops(function: Function) -> Function:
    """The same function with loops in place of such additions."""
    return replace(function, body=_Adder(function).block(function.body))


class _Adder:
    """Adds rolls to arrays by loops."""

    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.arrays = MadeArrays(function)
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        rolls: dict[Value, Roll] = {}
        added: list[Let] = []
        for statement in block.statements:
            roll = roll_of(statement)
            if roll is not None and self.can_be_read(roll):
                rolls[roll.value] = roll
            addition = self.addition(statement, rolls)
            if added and not (self.continues(addition, added) if addition else _rolls_another(roll, added)):
                statements += self.nest(added)
                added = []
            if addition is None:
                statements.append(with_blocks(statement, self.block))
            else:
                added.append(addition)
        return Block((*statements, *self.nest(added)), block.yields)

    def addition(self, statement: Statement, rolls: dict[Value, Roll]) -> Let | None:
        """The statement, if it adds one of these rolls to an array of its shape in other memory."""
        if not isinstance(statement, Let) or statement.function is not primitives.accumulate:
            return None
        total, addend = statement.operands
        return statement if addend in rolls and self.fits(total, rolls[addend]) else None

    def continues(self, addition: Let, added: list[Let]) -> bool:
        """Whether an addition goes on with the sum of others, which nothing else reads."""
        total = added[-1].value
        return addition.operands[0] is total and self.uses[total] == 1 and len(added) < MOST_ADDED

    def can_be_read(self, roll: Roll) -> bool:
        """Whether only one statement reads the rolled array, and a loop over it can be split where it has to be."""
        is_near = isinstance(roll.shift, Constant) and abs(roll.shift.value) <= MOST_ITERATIONS
        return self.uses[roll.value] == 1 and (is_near or not roll.is_along_last)

    def fits(self, total: Value, roll: Roll) -> bool:
        """Whether an array that a roll is added to has its shape, and other memory."""
        is_alike = total.type == roll.array.type and self.shapes.of(total) == self.shapes.of(roll.array)
        return is_alike and not self.arrays.may_share(total, roll.array)

    def nest(self, added: list[Let]) -> list[Statement]:
        """The loops that make the last of these sums; each adds a rolled array to the one before."""
        if not added:
            return []
        builder = Builder()
        builder.location = added[0].location
        total = added[0].operands[0]
        sizes = builder.dims(total)
        _add_nest(builder, added, total, sizes, (), added[-1].value)
        return builder.statements


def _rolls_another(roll: Roll | None, added: list[Let]) -> bool:
    """Whether a statement rolls an array that is there before some sums are made."""
    return roll is not None and roll.array is not added[-1].value


def _add_nest(
    builder: Builder,
    added: list[Let],
    total: Value,
    sizes: tuple[Operand, ...],
    indices: tuple[Value, ...],
    result: Value,
) -> None:
    """Add the loops over the axes from the next one on, whose last version of the sum is `result`."""
    index, parameter = Value("ijkl"[len(indices)], INT), Value(total.name, total.type)
    places = (*indices, index)
    inside = Value(total.name, total.type)
    with builder.block() as statements:
        if len(places) < len(sizes):
            _add_nest(builder, added, parameter, sizes, places, inside)
        else:
            element = builder.load(parameter, (Index(places),))
            for statement in added:
                element = builder.let(np.add, element, builder.load(statement.operands[1], (Index(places),)))
            path = (Index(places),)
            builder.add(Let(inside, primitives.store, (parameter, path, element), location=builder.location))
    carried, body = (Carried(parameter, total),), Block(tuple(statements), (inside,))
    loop = For(index, constant(0), sizes[len(indices)], constant(1), carried, body, (result,))
    builder.add(replace(loop, location=builder.location))
