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


class Interference:
    """For each value, the values that are live where it is made."""

    def __init__(self, function: Function, inlined: dict[Value, Let]) -> None:
        self.edges: dict[Value, set[Value]] = {}
        self.inlined = inlined
        live = self.read(function.body.yields)
        self.block(function.body, live)
        self.together(function.parameters, live)

    def read(self, operand: Operand) -> set[Value]:
        """The values that must be at hand to write an operand: those inside the expressions it stands for."""
        found: set[Value] = set()
        for value in values_in(operand):
            if value in self.inlined:
                found |= self.read(self.inlined[value].operands)
            else:
                found.add(value)
        return found

    def define(self, values: Iterable[Value], live: set[Value]) -> None:
        """These values are made here, while `live` are needed afterwards."""
        values = list(values)
        live.difference_update(values)
        for value in values:
            for other in live:
                self.edges.setdefault(value, set()).add(other)
                self.edges.setdefault(other, set()).add(value)

    def together(self, values: Iterable[Value], live: set[Value]) -> None:
        """The same for values that are made at one moment."""
        values = list(values)
        self.define(values, live)
        for value in values:
            others = {other for other in values if other is not value}
            self.edges.setdefault(value, set()).update(others)

    def block(self, block: Block, live: set[Value]) -> None:
        """Go through a block backwards; `live` holds what is needed after it, then before it."""
        for statement in reversed(block.statements):
            self.statement(statement, live)

    def statement(self, statement: Statement, live: set[Value]) -> None:
        match statement:
            case If():
                self.branches(statement, live)
            case For() | While():
                self.loop(statement, live)
            case Let() if statement.value in self.inlined:
                pass
            case _:
                self.together(results_of(statement), live)
                live |= self.read(operands_of(statement))

    def branches(self, statement: If, live: set[Value]) -> None:
        self.together(statement.results, live)
        before: set[Value] = self.read(statement.condition)
        for block in (statement.then, statement.orelse):
            inside = live | self.read(block.yields)
            self.block(block, inside)
            before |= inside
        live.clear()
        live.update(before)

    def loop(self, statement: For | While, live: set[Value]) -> None:
        parameters = [carried.parameter for carried in statement.carried]
        self.together(statement.results, live)
        through = live | self.read_inside(statement)
        inside = through | self.read(statement.body.yields)
        self.block(statement.body, inside)
        if isinstance(statement, While):
            inside |= through | self.read(statement.condition.yields) | set(parameters)
            self.block(statement.condition, inside)
        index = [statement.index] if isinstance(statement, For) else []
        inside |= through
        self.together([*parameters, *index], inside)
        self.bounds(statement)
        live.clear()
        live.update(through - set(parameters) - set(index))
        live |= self.read(operands_of(statement))

    def bounds(self, statement: For | While) -> None:
        """The range of a `for` is read after what it carries has been set: none of that may have a bound's name."""
        bounds = self.read((statement.start, statement.stop, statement.step)) if isinstance(statement, For) else set()
        for carried in statement.carried:
            for bound in bounds - {carried.initial}:
                self.edges.setdefault(carried.parameter, set()).add(bound)
                self.edges.setdefault(bound, set()).add(carried.parameter)

    def read_inside(self, statement: For | While) -> set[Value]:
        """What a loop reads from outside: needed until its last round ends."""
        read: set[Value] = self.read(statement.body.yields)
        self._bare().block(statement.body, read)
        if isinstance(statement, While):
            read |= self.read(statement.condition.yields)
            self._bare().block(statement.condition, read)
        own = {carried.parameter for carried in statement.carried}
        if isinstance(statement, For):
            own.add(statement.index)
        return read - own

    def _bare(self) -> Interference:
        other = object.__new__(Interference)
        other.edges, other.inlined = {}, self.inlined
        return other
