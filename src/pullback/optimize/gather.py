"""Gathering: the adjoint of a stencil is added to each element of a row once, from a row of contributions.

for j in range(n):                          for j in range(n):
    t = f(j)                                    row[j + 1] = f(j)
    x_bar[i, j] += t              →         for j in range(n + 1):
    x_bar[i, j + 1] += t                        x_bar[i, j] += row[j + 1] + row[j]

Additions to neighbours in memory follow one another, which bars a compiler from doing several rounds at once; neither
loop on the right does that. The row has zeros at both ends, and is made before the loops around.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.infer import is_advanced
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
    is_scalar,
    made_in_rounds,
    read_in,
    values_in,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import INT, Array
from pullback.optimize.hoist import hoist_everything
from pullback.optimize.lift import lift_buffers

MOST_ROWS = 4
WIDEST = 16


@dataclass(frozen=True, slots=True)
class _Addition:
    """An addition to an element of a row: the statement, the rest of its index, and the offset in the row."""

    statement: Let
    rest: tuple[Operand, ...]
    offset: int

    @property
    def addend(self) -> Value:
        value: Value = self.statement.operands[2]
        return value


def gather_stencils(function: Function) -> Function:
    """The same function with such loops in two."""
    callees = tuple(map(gather_stencils, function.callees))
    changed = replace(function, body=_block(function.body, inside=False), callees=callees)
    return lift_buffers(hoist_everything(changed)) if changed.body != function.body else function


def _block(block: Block, inside: bool) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        within = inside or isinstance(statement, For)
        changed = with_blocks(statement, lambda inner: _block(inner, within))  # noqa: B023  (called at once)
        gathered = _gathered(changed) if inside and isinstance(changed, For) else None
        statements += gathered or [changed]
    return Block(tuple(statements), block.yields)


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


def _groups(loop: For, k: int) -> list[list[_Addition]]:
    """The additions to a carried array by row, if some meet in one; empty if a round does anything else with it."""
    version: Value = loop.carried[k].parameter
    if not isinstance(version.type, Array) or not isinstance(loop.carried[k].initial, Value):
        return []
    uses = Counter(read_in(loop.body))
    definitions = {s.value: s for s in loop.body.statements if isinstance(s, Let)}
    made = made_in_rounds(loop)
    found: dict[tuple[Operand, ...], list[_Addition]] = {}
    for statement in loop.body.statements:
        if not isinstance(statement, Let) or not statement.operands or statement.operands[0] is not version:
            continue
        if statement.function is not primitives.add_at or uses[version] != 1:
            return []
        addition = _addition(statement, loop.index, definitions, made)
        if addition is not None:
            found.setdefault(addition.rest, []).append(addition)
        version = statement.value
    if loop.body.yields[k] is not version or uses[version] != 1:
        return []
    meet = any(_span(group) for group in found.values())
    return list(found.values()) if meet and all(_span(group) <= WIDEST for group in found.values()) else []


def _span(group: list[_Addition]) -> int:
    offsets = [a.offset for a in group]
    return max(offsets) - min(offsets)


def _addition(statement: Let, index: Value, definitions: dict[Value, Let], made: set[Value]) -> _Addition | None:
    array, path, addend = statement.operands
    items: tuple[Operand, ...] = getattr(path[0], "items", ()) if len(path) == 1 and not is_advanced(path) else ()
    if len(items) != array.type.ndim or not all(map(is_scalar, items)) or not isinstance(addend, Value):
        return None
    rest, last = items[:-1], items[-1]
    offset = _offset(last, index, definitions)
    if offset is None or addend.type.dtype != array.type.dtype or made.intersection(values_in(rest)):
        return None
    return _Addition(statement, rest, offset)


def _offset(item: Operand, index: Value, definitions: dict[Value, Let]) -> int | None:
    """By how much an index is ahead of the loop's own; None if that is not a number known beforehand."""
    if item is index:
        return 0
    made = definitions.get(item) if isinstance(item, Value) else None
    if made is None or made.function not in (np.add, np.subtract) or made.operands[0] is not index:
        return None
    step = made.operands[1]
    if not isinstance(step, Constant) or not isinstance(step.value, int):
        return None
    return step.value if made.function is np.add else -step.value


class _Gatherer:
    """Makes the two loops."""

    def __init__(self, loop: For, k: int, groups: list[list[_Addition]]) -> None:
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
        moved = {a.statement.value: a.statement.operands[0] for a in self.additions}
        parameters = {addend: Value("row", row.type) for addend, row in self.rows.items()}
        statements: list[Statement] = []
        yields: list[Operand] = []
        with self.builder.into(statements):
            place = self.shifted(loop.index, 0)
            versions: dict[Value, Operand] = dict(parameters)
            for statement in loop.body.statements:
                if not (isinstance(statement, Let) and statement.value in moved):
                    statements.append(_without(statement, moved))
            for addend, row in versions.items():
                yields.append(self.builder.let(primitives.store, row, (Index((place,)),), addend, name="row"))
        carried = [Carried(parameters[a], ends[a]) for a in self.rows]
        body = _without_yields(loop.body.yields, moved)
        return replace(
            loop,
            carried=(*loop.carried, *carried),
            body=Block(tuple(statements), (*body, *yields)),
            results=(*loop.results[: self.k], array, *loop.results[self.k + 1 :], *self.filled.values()),
        )

    def shifted(self, index: Operand, offset: int) -> Operand:
        """The place in a row of what the round `index - offset` stored."""
        start, by = self.loop.start, self.span - offset
        if isinstance(start, Constant):
            by -= start.value
        else:
            index = self.builder.let(np.subtract, index, start)
        if by:
            index = self.builder.let(np.add if by > 0 else np.subtract, index, constant(abs(by)))
        return index

    def second(self, array: Value) -> Value:
        """Add the loops that gather; returns the last version of the array."""
        for group in self.groups:
            array = self.gathering(array, group)
        return array

    def gathering(self, array: Value, group: list[_Addition]) -> Value:
        offsets = [a.offset for a in group]
        start = self.moved_by(self.loop.start, min(offsets))
        stop = self.moved_by(self.loop.stop, max(offsets))
        index = Value(self.loop.index.name, INT)
        parameter, result = Value(array.name, array.type), Value(array.name, array.type)
        with self.builder.block() as statements:
            total: Operand | None = None
            for a in sorted(group, key=lambda a: -a.offset):
                place = Index((self.shifted(index, a.offset),))
                part = self.builder.let(primitives.load, self.filled[a.addend], (place,))
                total = part if total is None else self.builder.let(np.add, total, part)
            path = (Index((*group[0].rest, index)),)
            last = self.builder.let(primitives.add_at, parameter, path, total, name=array.name)
        body = Block(tuple(statements), (last,))
        carried = (Carried(parameter, array),)
        self.builder.add(For(index, start, stop, constant(1), carried, body, (result,), location=self.loop.location))
        return result

    def moved_by(self, operand: Operand, by: int) -> Operand:
        if not by:
            return operand
        if isinstance(operand, Constant):
            return constant(operand.value + by)
        return self.builder.let(np.add if by > 0 else np.subtract, operand, constant(abs(by)))


def _without(statement: Statement, moved: dict[Value, Value]) -> Statement:
    """A statement that reads the version before an addition that has moved."""
    return substituted(statement, {v: _before(v, moved) for v in moved})


def _without_yields(yields: tuple[Operand, ...], moved: dict[Value, Value]) -> tuple[Operand, ...]:
    return tuple(_before(y, moved) if isinstance(y, Value) else y for y in yields)


def _before(value: Value, moved: dict[Value, Value]) -> Value:
    while value in moved:
        value = moved[value]
    return value
