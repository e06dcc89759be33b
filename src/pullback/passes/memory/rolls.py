"""Rolls as loops: what iterations roll along an axis is copied element by element, or added where it goes.

That is left of rolls which loops do not read in place (`rolled_reads.py`).

>>> import pullback as pb
>>> def advected(u, k, n):
...     for step in range(n):
...         u = u * np.roll(u, k)
...     return u[0]
>>> text = pb.inspect_source(advected, np.ones(9), 1, 2, argnums=())
>>> for line in text[text.index("    for step") :].splitlines():
...     if "#" not in line:
...         print(line)
    for step in range(n):
        trips = max(remainder(k, largest), 0)
        i_end2 = u_size - trips
        for i in range(i_end2):
            elements[np.uint64(i + trips)] = u2[i]
        check_span(u.shape[0] - trips, u.shape[0] - 1, u.shape[0], trips)
        check_span(0, trips - 1, u.shape[0], trips)
        for i in range(i_end2, u_size):
            elements[np.uint64(i - i_end2)] = u2[i]
        for i in range(i_end):
            u3 = u2[i] * elements[i]
            u2[i] = u3
    check_index(0, u.shape[0])
    return u2[0]

The array for the copy is made before the loop (`allocation_hoisting.py`). None is made where the roll is only added to
another array, as in the backward sweep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pullback.analysis.aliases import find_aliases
from pullback.analysis.rolls import Roll, roll_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    made_in_iterations,
    read_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT
from pullback.passes.memory.products import extent_from_outside, is_from_outside, written_by


def write_rolls(function: Function) -> Function:
    """The same function with loops in place of such rolls in loops."""
    return replace(function, body=_Writer(function).block(function.body))


class _Writer:
    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.root = find_aliases(function).root
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block, loop: For | While | None = None) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            inner = statement if isinstance(statement, For | While) else None
            statements.append(with_blocks(statement, partial(self.block, loop=inner)))
        block = Block(tuple(statements), block.yields)
        return self.written(block, made_in_iterations(loop)) if loop is not None else block

    def written(self, block: Block, varying: set[Value]) -> Block:
        """The block of a loop, whose iterations make these values, with loops for rolls."""
        added = self.added(block)
        left_out = {addend for addend, _ in added.values()}
        builder = Builder()
        for statement in block.statements:
            roll = roll_of(statement)
            if isinstance(statement, Let) and statement.value in added:
                _Loops(builder, statement, added[statement.value][1]).add(statement.operands[0], primitives.add_at)
            elif not isinstance(statement, Let) or roll is None or not self.has_place(roll, varying):
                builder.add(statement)
            elif statement.value not in left_out:
                with builder.at(statement.location):
                    sizes = tuple(extent_from_outside(size, builder) for size in self.shapes.of(roll.array))
                    made = builder.empty(sizes, statement.value.type, statement.value.name)
                _Loops(builder, statement, roll).add(made, primitives.store)
        return Block(tuple(builder.statements), block.yields)

    def has_place(self, roll: Roll, varying: set[Value]) -> bool:
        """Whether an array for a roll can be made before the loop."""
        return all(is_from_outside(size, varying) for size in self.shapes.of(roll.array))

    def added(self, block: Block) -> dict[Value, tuple[Value, Roll]]:
        """The rolls that are only added to other arrays, by the sums, and with what they make."""
        places = {statement.value: k for k, statement in enumerate(block.statements) if isinstance(statement, Let)}
        found: dict[Value, tuple[Value, Roll]] = {}
        for k, statement in enumerate(block.statements):
            if not isinstance(statement, Let) or statement.function is not primitives.accumulate:
                continue
            total, addend = statement.operands
            roll = roll_of(block.statements[places[addend]]) if addend in places and self.uses[addend] == 1 else None
            if roll is not None and self.fits(roll, total, block.statements[places[addend] : k]):
                found[statement.value] = addend, roll
        return found

    def fits(self, roll: Roll, total: Value, between: tuple[Statement, ...]) -> bool:
        """Whether an array is the same after some statements, and of the shape of a sum, but not the sum."""
        changed = {self.root(value) for value in (total, *written_by(between))}
        is_alike = total.type == roll.array.type and self.shapes.of(total) == self.shapes.of(roll.array)
        return is_alike and self.root(roll.array) not in changed


@dataclass(frozen=True, slots=True)
class _Span:
    """Elements of an axis, and by how much they move."""

    start: Operand
    stop: Operand
    move: Callable[..., Any]
    by: Operand


class _Loops:
    """The loops that take the elements of a roll to where they go: those that move on, and those that go round."""

    def __init__(self, builder: Builder, statement: Let, roll: Roll) -> None:
        self.builder, self.statement, self.roll = builder, statement, roll

    def add(self, target: Value, function: Callable[..., Any]) -> None:
        with self.builder.at(self.statement.location):
            sizes = self.builder.dims(self.roll.array)
            others, rounds = self.spans(sizes[self.roll.axis])
            middle = self.nest(sizes, others, target, function, Value(target.name, target.type))
            self.nest(sizes, rounds, middle, function, self.statement.value)

    def spans(self, size: Operand) -> tuple[_Span, _Span]:
        """The elements of an axis that move on, and those that go round."""
        let, none, one = self.builder.let, constant(0), constant(1)
        last = let(np.subtract, size, one)
        if self.roll.shift == one:
            return _Span(none, last, np.add, one), _Span(let(max, last, none, type_=INT), size, np.subtract, last)
        if self.roll.shift == constant(-1):
            return _Span(one, size, np.subtract, one), _Span(none, let(min, size, one, type_=INT), np.add, last)
        places = let(np.remainder, self.roll.shift, let(max, size, one, type_=INT), type_=INT)
        places = let(max, places, none, type_=INT)  # which passes see not to be negative
        first = let(np.subtract, size, places)
        return _Span(none, first, np.add, places), _Span(first, size, np.subtract, first)

    def nest(
        self,
        sizes: tuple[Operand, ...],
        span: _Span,
        target: Value,
        function: Callable[..., Any],
        result: Value,
        indices: tuple[Value, ...] = (),
    ) -> Value:
        """Add the loops over the axes from the next one on, for a span of the rolled one; returns the last version."""
        builder, axis = self.builder, len(indices)
        if axis == len(sizes):
            places = list[Operand](indices)
            places[self.roll.axis] = builder.let(span.move, indices[self.roll.axis], span.by)
            element = builder.load(self.roll.array, (Index(indices),))
            return builder.let(function, target, (Index(tuple(places)),), element, name=target.name)
        index, parameter = Value("ijkl"[axis], INT), Value(target.name, target.type)
        with builder.block() as statements:
            inside = Value(target.name, target.type)
            last = self.nest(sizes, span, parameter, function, inside, (*indices, index))
        start, stop = (span.start, span.stop) if axis == self.roll.axis else (constant(0), sizes[axis])
        carried, body = (Carried(parameter, target),), Block(tuple(statements), (last,))
        builder.add(For(index, start, stop, constant(1), carried, body, (result,), location=builder.location))
        return result
