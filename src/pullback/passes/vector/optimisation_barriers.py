"""Optimisation barriers: an inner loop does not show how the iterations of the loop around it move downwards through
its arrays.

>>> import pullback as pb
>>> def settled(x, n):
...     y = x.copy()
...     for k in range(n):
...         for i in range(x.shape[0]):
...             y[i] = np.sin(y[i])
...     return np.sum(y)
>>> print(pb.explain(settled, np.ones(3), 2, passes=["optimisation_barriers"]))
text: optimisation_barriers, LLVM does not see that the iterations of a loop move downwards through arrays
  ...
       y_bar.8 = for k.1 in range(0, n, 1) reversed with (y_bar.4: float64[:] = y_bar.3):
  +        t.12: int64* = opaque(k.1)
           y_bar.7 = for i.2 in range(0, t.0, 1) with (y_bar.5: float64[:] = y_bar.4):
  -            t.8: float64 = load(t_saved.5, ([k.1, i.2]))
  +            t.8: float64 = load(t_saved.5, ([t.12, i.2]))
               t.9: float64 = load(y_bar.5, ([i.2]))

Before an inner loop that reads one array and writes another, LLVM compares their places. It does so once for all
iterations of the loop around, where it can tell how the places move with them, and refuses what moves downwards: the
inner loop is then never vectorised. `runtime.opaque` is the number itself, from a source that LLVM does not look
behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    read_in,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Array

SHORT = 32
"""A loop that is known to have no more iterations may be unrolled, and its numbers then be known."""


def insert_optimisation_barriers(function: Function) -> Function:
    """The same function with such indices behind optimisation barriers."""
    callees = tuple(map(insert_optimisation_barriers, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    changed = with_blocks(statement, _block)
    if isinstance(changed, For) and counts_down(changed) and not is_short(changed):
        return replace(changed, body=_Barrier(changed).block(changed.body))
    return changed


def counts_down(loop: For) -> bool:
    """Whether a loop counts downwards."""
    step = loop.step.value if isinstance(loop.step, Constant) else 0
    return bool(step > 0) if loop.reverse else bool(step < 0)


def is_short(loop: For) -> bool:
    start, stop = loop.start, loop.stop
    return isinstance(start, Constant) and isinstance(stop, Constant) and abs(stop.value - start.value) <= SHORT


class _Barrier:
    """Makes the index of a loop opaque, and what is computed from it, for the loops inside."""

    def __init__(self, loop: For) -> None:
        self.index = loop.index
        self.moved: dict[Value, Let] = {}
        for statement in loop.body.statements:
            if isinstance(statement, Let) and self.is_moved(statement):
                self.moved[statement.value] = statement

    def is_moved(self, statement: Let) -> bool:
        """Whether a statement makes an integer that is so much more or less than the index."""
        if statement.function not in (np.add, np.subtract) or statement.value.type != self.index.type:
            return False
        other = [o for o in statement.operands if o is not self.index and o not in self.moved]
        return len(other) == 1 and isinstance(other[0], Constant)

    def block(self, block: Block) -> Block:
        """A block of an iteration, whose innermost loops, and the rows that these read, have the opaque index."""
        builder = Builder()
        terms: dict[Value, Operand] = {}
        innermost = {id(s): s for s in block.statements if _may_be_vectorised(s)}
        read = {value for loop in innermost.values() for value in read_in(loop.body)}
        for statement in block.statements:
            loop = innermost.get(id(statement))
            if loop is not None:
                self.make_opaque(builder, loop, read_in(loop.body), terms)
                builder.add(replace(loop, body=substituted(loop.body, terms)))
            elif _is_row(statement) and statement.value in read:
                self.make_opaque(builder, statement, values_in(statement.operands), terms)
                builder.add(substituted(statement, terms))
            elif isinstance(statement, For | While):
                builder.add(statement)
            else:
                builder.add(with_blocks(statement, self.block))
        return Block(tuple(builder.statements), block.yields)

    def make_opaque(
        self, builder: Builder, statement: Statement, read: Iterable[Value], terms: dict[Value, Operand]
    ) -> None:
        """Have opaque numbers for what a statement reads of the index."""
        builder.location = statement.location
        for value in dict.fromkeys(read):
            if value is self.index or value in self.moved:
                self.opaque(builder, value, terms)

    def opaque(self, builder: Builder, value: Value, terms: dict[Value, Operand]) -> Operand:
        """The number that stands for a value, made where none does yet."""
        if value not in terms:
            if value is self.index:
                terms[value] = builder.let(runtime.opaque, value, type_=value.type)
            else:
                made = self.moved[value]
                operands = [self.opaque(builder, o, terms) if isinstance(o, Value) else o for o in made.operands]
                terms[value] = builder.let(made.function, *operands, type_=value.type)
        return terms[value]


def _is_row(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement takes a part of an array, an array itself."""
    if not isinstance(statement, Let) or statement.function is not primitives.load:
        return False
    return isinstance(statement.value.type, Array)


def _may_be_vectorised(loop: Statement) -> TypeGuard[For]:
    """Whether a statement is an innermost loop that reads an array and writes another."""
    if (
        not isinstance(loop, For)
        or is_short(loop)
        or any(isinstance(statement, For | While) for statement in walk(loop.body))
    ):
        return False
    arrays: set[Value] = set()
    first = {c.parameter: c.parameter for c in loop.carried}
    for statement in walk(loop.body):
        if isinstance(statement, Let) and statement.function in primitives.ACCESSES:
            array = statement.operands[0]
            first.setdefault(array, array)
            arrays.add(first[array])
            if statement.function is not primitives.load:
                first[statement.value] = first[array]
    return len(arrays) > 1 and any(c.parameter in arrays for c in loop.carried)
