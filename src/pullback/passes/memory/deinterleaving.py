"""Deinterleaving: an array of which inner loops access every second element, again and again, is held in phases.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.transform.derivative import prepared
>>> def tree(n):
...     prices, values = np.zeros(2 * n + 1), np.zeros(n + 1)
...     for step in range(n):
...         for j in range(n - step):
...             values[j] = values[j + 1] - prices[2 * j + step]
...     return values
>>> function = prepared(normal_form(tree, 4))
>>> text = emit_module([remove_dead(deinterleave(function))], compiled=False, comments=False)
>>> print(text[text.index("    values = ") :], end="")
    values = np.zeros((n + 1,))
    prices_phases = deinterleaved(prices, 2)
    for step in range(n):
        phase = step % 2
        first = step // 2
        for j in range(n - step):
            values[j] = values[j + 1] - prices_phases[phase, first + j]
    return values

Neighbouring iterations then access neighbouring elements, of which a machine loads eight at a time; the elements of an
index with the same remainder by the stride are a row (data layout transformation, here a dimension-lifting transpose).
That is done with a copy of an array, which takes its place in the loops around; one that they write is copied back
behind them. It pays where a loop around the inner one comes back to the elements: the
copy costs one pass over an array of which the function makes one such as it anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes, find_aliases, shares_memory
from pullback.analysis.array_uses import uses_of
from pullback.analysis.extents import integer
from pullback.analysis.ranges import mentions
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import is_straight
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Call,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    While,
    lets_in,
    made_in_iterations,
    walk,
)
from pullback.ir.paths import only_item
from pullback.ir.rewrite import copied, with_blocks
from pullback.ir.types import INT, Array, Scalar
from pullback.passes.scalar.range_walk import RangeWalk

LARGEST_STRIDE = 4
"""Of so many neighbours one is accessed; those farther apart are on lines of memory of their own anyway."""


def deinterleave(function: Function) -> Function:
    """The same function with such arrays in phases."""
    callees = tuple(map(deinterleave, function.callees))
    return replace(function, body=_Phases(function).block(function.body), callees=callees)


@dataclass(frozen=True, slots=True, eq=False)
class _Access:
    """An access of an innermost loop to the element `stride` times its index, and `rest`, of an array."""

    statement: Let
    loop: For
    stride: int
    rest: Form


class _Survey(RangeWalk):
    """All such accesses of a function, by the values that they make."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.accesses: dict[Value, _Access] = {}
        self.block(function.body)

    def after(self, statement: Statement) -> None:
        if not isinstance(statement, For) or statement.step not in (constant(1), constant(-1)):
            return
        if is_straight(statement) and self.starts_inside(statement):
            made = made_in_iterations(statement)
            for access in walk(statement.body):
                if isinstance(access, Let) and _is_element(access):
                    self.note(access, statement, made)

    def starts_inside(self, loop: For) -> bool:
        return self.ranges.is_never_negative(self.ranges.reach(loop)[0])

    def note(self, statement: Let, loop: For, made: set[Value]) -> None:
        """Take in an access whose first element is proved to be there, counted from the start of the array."""
        form = self.ranges.sure(statement.operands[1][0].items[0])
        stride = form.of(loop.index)
        rest = form.plus(Form(0, ((loop.index, 1),)), -stride)
        if 1 < stride <= LARGEST_STRIDE and not mentions(rest, made) and self.ranges.is_never_negative(rest):
            self.accesses[statement.value] = _Access(statement, loop, stride, rest)

    def within(self, nest: For | While) -> list[_Access]:
        """The accesses of the innermost loops of a nest whose elements it comes back to."""
        made, inside = made_in_iterations(nest), list(walk(Block((nest,), ())))
        loops = {s.index: s for s in inside if isinstance(s, For)}

        def comes_back(access: _Access) -> bool:
            moves = [(loops.get(term), by) for term, by in access.rest.terms if mentions(Form(0, ((term, by),)), made)]
            is_inside = not isinstance(nest, For) or access.loop.index is not nest.index
            return is_inside and all(loop and abs(by) <= LARGEST_STRIDE for loop, by in moves)

        found = (self.accesses.get(s.value) for s in inside if isinstance(s, Let))
        return [access for access in found if access is not None and comes_back(access)]


class _Phases:
    """Rewrites the nests of a function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.survey = _Survey(function)
        self.shapes = self.survey.shapes
        self.root = find_aliases(function).root

    def block(self, block: Block) -> Block:
        return Block(tuple(s for each in block.statements for s in self.statement(each, block)), block.yields)

    def statement(self, statement: Statement, block: Block) -> list[Statement]:
        nested = self.nest(statement, block) if isinstance(statement, For | While) else [statement]
        return [with_blocks(each, self.block) for each in nested]

    def nest(self, nest: For | While, block: Block) -> list[Statement]:
        """A loop of a block, after copies in phases, and before what it has written is copied back."""
        found = self.survey.within(nest)
        if not found or any(isinstance(s, Call) for s in walk(nest.body)):
            return [nest]
        rewriting = _Rewriting(nest)
        for array, accesses in self.reads(nest, found, block).items():
            rewriting.read(array, accesses)
        for position, accesses in self.changes(nest, found, block).items():
            rewriting.change(position, accesses)
        for access in rewriting.accesses.values():
            del self.survey.accesses[access.statement.value]
        return rewriting.statements()

    def reads(self, nest: For | While, found: list[_Access], block: Block) -> dict[Value, list[_Access]]:
        """The accesses to arrays that a nest only reads."""
        made = made_in_iterations(nest)
        changed = {self.root(c.initial) for c in nest.carried if isinstance(c.initial, Value)}
        changed |= {self.root(s.operands[0]) for s in lets_in(nest.body).values() if consumes(s)}
        groups: dict[Value, list[_Access]] = {}
        for access in found:
            array = access.statement.operands[0]
            if access.statement.function is primitives.load and array not in made and self.root(array) not in changed:
                groups.setdefault(array, []).append(access)
        return {array: _of_one_stride(group) for array, group in groups.items() if self.is_passed_over(array, block)}

    def changes(self, nest: For | While, found: list[_Access], block: Block) -> dict[int, list[_Access]]:
        """The accesses to arrays that a nest changes, by their positions among the carried values.

        An argument is written where it is, since the caller sees what was written before an error.
        """
        groups: dict[int, list[_Access]] = {}
        for position, carried in enumerate(nest.carried):
            is_own = _is_row(carried.parameter) and not self.is_argument(carried.initial)
            if not is_own or not self.is_passed_over(carried.initial, block):
                continue
            uses = uses_of(carried.initial, Block((nest,)))
            group = _of_one_stride([a for a in found if uses and a.statement.operands[0] in uses.versions])
            if uses and len(uses.statements) == len(group) > 0:
                groups[position] = group
        return groups

    def is_passed_over(self, array: Operand, block: Block) -> bool:
        """Whether a function passes over an array where a nest stands anyway, or over one of its size."""
        if not isinstance(array, Value):
            return False
        made = [s for s in block.statements if isinstance(s, Let) and _is_new(s)]
        if self.is_argument(array):
            return any(self.shapes.of(s.value) == self.shapes.of(array) for s in made)
        return any(self.root(s.value) is self.root(array) for s in made)

    def is_argument(self, array: Operand) -> bool:
        """Whether an array may share memory with an argument."""
        if not isinstance(array, Value):
            return False
        return self.root(array) in {self.root(parameter) for parameter in self.function.parameters}


class _Rewriting:
    """A nest whose accesses are to arrays in phases.

    arrays: those that the nest only reads, in phases, by the values of the accesses. terms: the versions in phases of
    those that it changes. accesses: by the values that they make then.
    """

    def __init__(self, nest: For | While) -> None:
        self.nest = nest
        self.before, self.after = Builder(), Builder()
        self.before.location = self.after.location = nest.location
        self.arrays: dict[Value, Value] = {}
        self.terms: dict[Value, Operand] = {}
        self.accesses: dict[Value, _Access] = {}
        self.places: dict[_Access, tuple[Operand, Operand]] = {}

    def read(self, array: Value, accesses: list[_Access]) -> None:
        stride, name = constant(accesses[0].stride), f"{array.name}_phases"
        made = self.before.let(runtime.deinterleaved, array, stride, name=name, type_=_phases(array))
        self.accesses |= {access.statement.value: access for access in accesses}
        self.arrays |= {access.statement.value: made for access in accesses}

    def change(self, position: int, accesses: list[_Access]) -> None:
        row, result = self.nest.carried[position].initial, self.nest.results[position]
        stride, name = constant(accesses[0].stride), f"{row.name}_phases"
        made = self.before.let(runtime.deinterleaved, row, stride, name=name, type_=_phases(row))
        uses = uses_of(row, Block((self.nest,)))
        assert uses is not None, "an array that is changed is followed"
        self.terms |= {version: Value(name, made.type) for version in uses.versions} | {row: made}
        taken_back = self.after.let(runtime.interleaved, self.terms[result], self.before.dim(row, 0), type_=row.type)
        everything = (Index((Slice(None, None, None),)),)
        self.after.add(Let(result, primitives.store, (row, everything, taken_back), (), self.nest.location))
        for access in accesses:
            value = access.statement.value
            self.accesses[self.terms.get(value, value)] = access

    def statements(self) -> list[Statement]:
        nest = copied(self.nest, dict(self.terms), lambda value: self.terms.get(value, value))
        return [*self.before.statements, *self.statement(nest), *self.after.statements]

    def block(self, block: Block) -> Block:
        return Block(tuple(s for each in block.statements for s in self.statement(each)), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        if isinstance(statement, For):
            return self.loop(statement)
        if isinstance(statement, Let) and statement.value in self.accesses:
            array = self.arrays.get(statement.value, statement.operands[0])
            place = Index(self.places[self.accesses[statement.value]])
            return [replace(statement, operands=(array, (place,), *statement.operands[2:]))]
        return [with_blocks(statement, self.block)]

    def loop(self, loop: For) -> list[Statement]:
        """A loop; before it, the row of the phase of each of its accesses, and where in it the loop begins."""
        outside, inside = Builder(), Builder()
        outside.location = inside.location = loop.location
        made: dict[tuple[int, Form], tuple[Operand, Operand]] = {}
        for access in self.accesses.values():
            if access.loop.index is loop.index:
                key = access.stride, access.rest
                self.places[access] = made.get(key) or made.setdefault(key, _place(access, outside, inside))
        body = self.block(loop.body)
        return [*outside.statements, replace(loop, body=Block((*inside.statements, *body.statements), body.yields))]


def _place(access: _Access, outside: Builder, inside: Builder) -> tuple[Operand, Operand]:
    """The index of the row of an element, and its place in it."""
    if not access.rest.terms:
        first, phase = divmod(access.rest.constant, access.stride)
        return constant(phase), inside.let(np.add, access.loop.index, constant(first)) if first else access.loop.index
    rest, stride = integer(access.rest, outside), constant(access.stride)
    row = outside.let(np.remainder, rest, stride, name="phase", type_=INT)
    start = outside.let(np.floor_divide, rest, stride, name="first", type_=INT)
    return row, inside.let(np.add, start, access.loop.index, type_=INT)


def _of_one_stride(accesses: list[_Access]) -> list[_Access]:
    return [access for access in accesses if access.stride == accesses[0].stride]


def _is_element(statement: Let) -> bool:
    """Whether a statement reads or writes an element of a row."""
    if statement.function not in primitives.ACCESSES or not _is_row(statement.operands[0]):
        return False
    return getattr(only_item(statement.operands[1]), "type", None) in (INT, Scalar("int64"))


def _is_row(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array) and operand.type.ndim == 1


def _is_new(statement: Let) -> bool:
    """Whether a statement makes an array with memory of its own."""
    return _is_row(statement.value) and not consumes(statement) and not shares_memory(statement)


def _phases(row: Value) -> Array:
    return Array(row.type.dtype, 2)
