"""Which values differ between the columns of a Jacobian: tangents, and arrays that hold them. All else is the same.

>>> import numpy as np
>>> from pullback.ir.types import FLOAT
>>> x, x_dot, c, y_dot = (Value(name, FLOAT) for name in ("x", "x_dot", "c", "y_dot"))
>>> statements = Let(c, np.cos, (x,)), Let(y_dot, np.multiply, (c, x_dot))
>>> sorted(value.name for value in Varying(statements, x_dot).values)
['x_dot', 'y_dot']
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.analysis.aliases import consumes
from pullback.ir.nodes import Block, Effect, For, If, Let, Operand, Statement, Value, results_of, values_in, walk
from pullback.ir.types import Array


class NotSideBySideError(Exception):
    """Raised for statements that are not made of numbers and elements, or whose loops go their own ways."""


class Varying:
    """What depends on the column, among the values that statements make of the tangent of a source.

    values: all that does. Where a version of an array holds any of it, all versions do.
    """

    def __init__(self, statements: tuple[Statement, ...], tangent: Value) -> None:
        self.values = {tangent}
        self.classes: dict[Value, Value] = {}
        self.spread(Block(statements))

    def root(self, value: Value) -> Value:
        while (parent := self.classes.get(value, value)) is not value:
            value = parent
        return value

    def union(self, a: Operand, b: Operand) -> None:
        """Two versions of an array: where one varies, all do."""
        are_arrays = isinstance(a, Value) and isinstance(b, Value) and isinstance(a.type, Array)
        if are_arrays and self.root(a) is not self.root(b):
            self.classes[self.root(a)] = self.root(b)

    def spread(self, block: Block) -> None:
        """Find all that depends on the column, and the versions of arrays that hold any of it."""
        for statement in walk(block):
            if isinstance(statement, Let) and consumes(statement):
                self.union(statement.value, statement.operands[0])
            elif isinstance(statement, For):
                for k, carried in enumerate(statement.carried):
                    for other in (carried.initial, statement.body.yields[k], statement.results[k]):
                        self.union(carried.parameter, other)
            elif isinstance(statement, If):
                for k, result in enumerate(statement.results):
                    self.union(result, statement.then.yields[k])
                    self.union(result, statement.orelse.yields[k])
        before = -1
        while before != len(self.values):
            before = len(self.values)
            for statement in walk(block):
                self.mark(statement)
            roots = {self.root(v) for v in self.values if isinstance(v.type, Array)}
            self.values |= {v for v in mentioned(block) if isinstance(v.type, Array) and self.root(v) in roots}

    def mark(self, statement: Statement) -> None:
        match statement:
            case Let():
                self.note(statement.value, statement.operands)
            case If():
                if self.varies(statement.condition):
                    raise NotSideBySideError
                for k, result in enumerate(statement.results):
                    self.note(result, (statement.then.yields[k], statement.orelse.yields[k]))
            case For():
                if self.varies((statement.start, statement.stop, statement.step)) or statement.exits:
                    raise NotSideBySideError
                for k, carried in enumerate(statement.carried):
                    self.note(carried.parameter, (carried.initial, statement.body.yields[k]))
                    self.note(statement.results[k], (carried.parameter,))
            case Effect():
                pass
            case _:
                raise NotSideBySideError

    def varies(self, operand: Operand) -> bool:
        return any(value in self.values for value in values_in(operand))

    def note(self, value: Value, sources: Operand) -> None:
        if self.varies(sources):
            self.values.add(value)


def mentioned(block: Block) -> Iterator[Value]:
    """What the statements of a block, and those inside, read, define and yield."""
    for statement in walk(block):
        yield from values_in(operands(statement))
        yield from made_by(statement)


def operands(statement: Statement) -> Operand:
    """What a statement itself mentions, yields of its blocks included."""
    match statement:
        case Let() | Effect():
            return statement.operands
        case If():
            return (*statement.then.yields, *statement.orelse.yields)
        case For():
            return (*(c.initial for c in statement.carried), *statement.body.yields)
    raise NotSideBySideError


def made_by(statement: Statement) -> tuple[Value, ...]:
    """What a statement defines, with what a loop carries."""
    carried = tuple(c.parameter for c in statement.carried) if isinstance(statement, For) else ()
    return (*results_of(statement), *carried)
