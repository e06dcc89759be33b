"""Which values are needed at the same time: two of those must not have one name."""

from __future__ import annotations

from collections.abc import Iterable

from pullback.ir.nodes import (
    Block,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    operands_of,
    results_of,
    values_in,
)

Mask = int  # a set of values: one bit for each


class Interference:
    """For each value, those that are live where it is made."""

    def __init__(self, function: Function, inlined: dict[Value, Let]) -> None:
        self.live_at: dict[Value, Mask] = {}
        self.bits: dict[Value, Mask] = {}
        self.inlined = inlined
        self.inside: dict[int, Mask] = {}
        live = self.block(function.body, self.read(function.body.yields))
        self.together(function.parameters, live)

    def between(self, some: Iterable[Value], others: Iterable[Value]) -> bool:
        """Whether one of the first values is needed at the same time as one of the second."""
        some, others = list(some), list(others)
        first, second = self.mask(some), self.mask(others)
        sides = ((some, second), (others, first))
        return any(self.live_at.get(value, 0) & mask for values, mask in sides for value in values)

    def mask(self, values: Iterable[Value]) -> Mask:
        found = 0
        for value in values:
            if value not in self.bits:
                self.bits[value] = 1 << len(self.bits)
            found |= self.bits[value]
        return found

    def read(self, operand: Operand) -> Mask:
        """The values that must be at hand to write an operand: those inside the expressions it stands for."""
        found = 0
        for value in values_in(operand):
            inner = self.inlined.get(value)
            found |= self.mask([value]) if inner is None else self.read(inner.operands)
        return found

    def define(self, values: Iterable[Value], live: Mask) -> Mask:
        """These values are made here, while `live` are needed afterwards; what of that is needed before."""
        values = list(values)
        others = live & ~self.mask(values)
        for value in values:
            self.live_at[value] = self.live_at.get(value, 0) | others
        return others

    def together(self, values: Iterable[Value], live: Mask) -> Mask:
        """The same for values that are made at one moment."""
        values = list(values)
        for value in values:
            self.live_at[value] = self.live_at.get(value, 0) | (self.mask(values) & ~self.mask([value]))
        return self.define(values, live)

    def block(self, block: Block, live: Mask) -> Mask:
        """What is needed before a block, given what is needed after it."""
        for statement in reversed(block.statements):
            live = self.statement(statement, live)
        return live

    def statement(self, statement: Statement, live: Mask) -> Mask:
        match statement:
            case If():
                return self.branches(statement, live)
            case For() | While():
                return self.loop(statement, live)
            case Let() if statement.value in self.inlined:
                return live
        return self.together(results_of(statement), live) | self.read(operands_of(statement))

    def branches(self, statement: If, live: Mask) -> Mask:
        live = self.together(statement.results, live)
        before = self.read(statement.condition)
        for block in (statement.then, statement.orelse):
            before |= self.block(block, live | self.read(block.yields))
        return before

    def loop(self, statement: For | While, live: Mask) -> Mask:
        parameters = [carried.parameter for carried in statement.carried]
        index = [statement.index] if isinstance(statement, For) else []
        through = self.together(statement.results, live) | self.read_inside(statement)
        inside = self.block(statement.body, through | self.read(statement.body.yields))
        if isinstance(statement, While):
            inside |= through | self.read(statement.condition.yields) | self.mask(parameters)
            inside = self.block(statement.condition, inside)
        self.together([*parameters, *index], inside | through)
        self.bounds(statement)
        return through & ~self.mask([*parameters, *index]) | self.read(operands_of(statement))

    def bounds(self, statement: For | While) -> None:
        """The range of a `for` is read after what it carries has been set: none of that may have a bound's name."""
        if not isinstance(statement, For):
            return
        bounds = self.read((statement.start, statement.stop, statement.step))
        for carried in statement.carried:
            initial = self.mask(values_in(carried.initial))
            self.live_at[carried.parameter] = self.live_at.get(carried.parameter, 0) | (bounds & ~initial)

    def read_inside(self, statement: For | While) -> Mask:
        """What a loop reads from outside: needed until its last iteration ends."""
        if id(statement) not in self.inside:
            self.inside[id(statement)] = self._read_inside(statement)
        return self.inside[id(statement)]

    def _read_inside(self, statement: For | While) -> Mask:
        read = self._bare().block(statement.body, self.read(statement.body.yields))
        if isinstance(statement, While):
            read |= self.read(statement.condition.yields)
            read = self._bare().block(statement.condition, read)
        own = [carried.parameter for carried in statement.carried]
        return read & ~self.mask([*own, statement.index] if isinstance(statement, For) else own)

    def _bare(self) -> Interference:
        other = object.__new__(Interference)
        other.live_at, other.bits, other.inlined, other.inside = {}, self.bits, self.inlined, self.inside
        return other
