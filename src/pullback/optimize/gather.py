"""Gathering: the adjoint of a stencil is added to each element of a row once, from a row of contributions.

for j in range(n):                          for j in range(n):
    t = f(j)                                    row[j + 1] = f(j)
    x_bar[i, j] += t              →         for j in range(n + 1):
    x_bar[i, j + 1] += t                        x_bar[i, j] += row[j + 1] + row[j]

Additions to neighbours in memory follow one another, which bars a compiler from doing several rounds at once; neither
loop on the right does that. The row has zeros at both ends, and is made before the loops around.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, Array
from pullback.optimize.hoist import hoist_everything
from pullback.optimize.lift import lift_buffers
from pullback.optimize.rolling import roll
from pullback.optimize.stencil import MOST_ROWS, Addition, added_to, moved_by, place_in_row, without_additions

WIDEST = 16


def gather_stencils(function: Function) -> Function:
    """The same function with such loops in two."""
    callees = tuple(map(gather_stencils, function.callees))
    changed = replace(function, body=_block(function.body, inside=False), callees=callees)
    return lift_buffers(hoist_everything(changed)) if changed.body != function.body else function


def _block(block: Block, inside: bool) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        if isinstance(statement, For):
            statements += _nest(statement, inside)
        else:
            statements.append(with_blocks(statement, lambda inner: _block(inner, inside)))
    return Block(tuple(statements), block.yields)


def _nest(loop: For, inside: bool) -> list[Statement]:
    """A loop, and those in it, with what stands in their place; `inside` another one."""
    rolled = roll(loop)
    if rolled is not None:
        return rolled
    changed = replace(loop, body=_block(loop.body, inside=True))
    return (_gathered(changed) if inside else None) or [changed]


def _gathered(loop: For) -> list[Statement] | None:
    """The statements in place of a loop that adds to neighbours; None for another loop."""
    if loop.exits or loop.step != constant(1):
        return None
    for k in range(len(loop.carried)):
        groups = _groups(loop, k)
        additions = [a for group in groups for a in group]
        rows = dict.fromkeys(a.addend for a in additions)
        if additions and len(rows) <= MOST_ROWS:
            return _Gatherer(loop, k, groups).statements()
    return None


def _groups(loop: For, k: int) -> list[list[Addition]]:
    """The additions to a carried array by row, if some meet in one."""
    found: dict[tuple[Operand, ...], list[Addition]] = {}
    for addition in added_to(loop, k):
        if addition is not None:
            found.setdefault(addition.rest, []).append(addition)
    meet = any(_span(group) for group in found.values())
    return list(found.values()) if meet and all(_span(group) <= WIDEST for group in found.values()) else []


def _span(group: list[Addition]) -> int:
    offsets = [a.offset for a in group]
    return max(offsets) - min(offsets)


class _Gatherer:
    """Makes the two loops."""

    def __init__(self, loop: For, k: int, groups: list[list[Addition]]) -> None:
        self.loop, self.k, self.groups = loop, k, groups
        self.span = max(map(_span, groups))
        self.builder = Builder()
        self.builder.location = loop.location
        self.additions = [a for group in groups for a in group]
        array = loop.carried[k].parameter
        self.rows = {a.addend: Value("row", Array(array.type.dtype, 1)) for a in self.additions}
        self.filled = {addend: Value("row", row.type) for addend, row in self.rows.items()}

    def statements(self) -> list[Statement]:
        builder, loop = self.builder, self.loop
        rounds = loop.stop if loop.start == constant(0) else builder.let(np.subtract, loop.stop, loop.start)
        trips = builder.let(max, rounds, constant(0))
        length = builder.let(np.add, trips, constant(2 * self.span))
        for row in self.rows.values():
            dtype = Constant(row.type.dtype)
            builder.add(Let(row, np.empty, ((length,), dtype), ("dtype",), loop.location))
        result = loop.results[self.k]
        array = Value(result.name, result.type)
        builder.add(self.first(self.with_zero_ends(trips), array))
        has_rounds = builder.let(np.less, loop.start, loop.stop)
        with builder.block() as inside:
            last = self.second(array)
        then, orelse = Block(tuple(inside), (last,)), Block((), (array,))
        builder.add(If(has_rounds, then, orelse, (result,), loop.location))
        return builder.statements

    def with_zero_ends(self, trips: Operand) -> dict[Value, Value]:
        """The rows after zeros were written before and behind the places of the rounds."""
        ends: dict[Value, Value] = {}
        for addend, row in self.rows.items():
            for place in range(self.span):
                behind = self.builder.let(np.add, trips, constant(self.span + place))
                for index in (constant(place), behind):
                    zero = Constant(0.0, addend.type)
                    row = self.builder.let(primitives.store, row, (Index((index,)),), zero, name="row")
            ends[addend] = row
        return ends

    def first(self, ends: dict[Value, Value], array: Value) -> For:
        """The loop as it was, which stores what it added."""
        loop = self.loop
        parameters = {addend: Value("row", row.type) for addend, row in self.rows.items()}
        body = without_additions(loop.body, self.additions)
        statements = list(body.statements)
        yields: list[Operand] = []
        with self.builder.into(statements):
            place = place_in_row(self.builder, loop, loop.index, 0, self.span)
            for addend, row in parameters.items():
                yields.append(self.builder.let(primitives.store, row, (Index((place,)),), addend, name="row"))
        carried = [Carried(parameters[a], ends[a]) for a in self.rows]
        return replace(
            loop,
            carried=(*loop.carried, *carried),
            body=Block(tuple(statements), (*body.yields, *yields)),
            results=(*loop.results[: self.k], array, *loop.results[self.k + 1 :], *self.filled.values()),
        )

    def second(self, array: Value) -> Value:
        """Add the loops that gather; returns the last version of the array."""
        for group in self.groups:
            array = self.gathering(array, group)
        return array

    def gathering(self, array: Value, group: list[Addition]) -> Value:
        offsets = [a.offset for a in group]
        start = moved_by(self.builder, self.loop.start, min(offsets))
        stop = moved_by(self.builder, self.loop.stop, max(offsets))
        index = Value(self.loop.index.name, INT)
        parameter, result = Value(array.name, array.type), Value(array.name, array.type)
        with self.builder.block() as statements:
            total: Operand | None = None
            for a in sorted(group, key=lambda a: -a.offset):
                place = Index((place_in_row(self.builder, self.loop, index, a.offset, self.span),))
                part = self.builder.let(primitives.load, self.filled[a.addend], (place,))
                total = part if total is None else self.builder.let(np.add, total, part)
            path = (Index((*group[0].rest, index)),)
            last = self.builder.let(primitives.add_at, parameter, path, total, name=array.name)
        body = Block(tuple(statements), (last,))
        carried = (Carried(parameter, array),)
        self.builder.add(For(index, start, stop, constant(1), carried, body, (result,), location=self.loop.location))
        return result
