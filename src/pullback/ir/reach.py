"""Reach: which values depend on some others through floats, so that they may have a derivative by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pullback.ir import primitives
from pullback.ir.nodes import Block, Call, Effect, For, If, Let, Operand, Statement, Value, While, values_in
from pullback.ir.ruled import read_by_derivative
from pullback.ir.types import is_float

WITHOUT_DERIVATIVE = {primitives.dim, primitives.zeros_like}


def reached(block: Block, sources: Iterable[Value], is_constant: Callable[[Any], bool]) -> set[Value]:
    """The sources, and what a block computes of them.

    `is_constant` says of a function that its derivative is 0 wherever it exists.
    """
    reach = _Reach(set(sources), is_constant)
    reach.block(block)
    return reach.found


class _Reach:
    def __init__(self, found: set[Value], is_constant: Callable[[Any], bool]) -> None:
        self.found, self.is_constant = found, is_constant

    def block(self, block: Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def varies(self, operand: Operand) -> bool:
        return any(value in self.found for value in values_in(operand))

    def note(self, value: Value, source: Operand) -> None:
        if is_float(value.type) and self.varies(source):
            self.found.add(value)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                if statement.function not in WITHOUT_DERIVATIVE and not self.is_constant(statement.function):
                    self.note(statement.value, statement.operands)
            case If():
                self.block(statement.then)
                self.block(statement.orelse)
                for k, result in enumerate(statement.results):
                    self.note(result, (statement.then.yields[k], statement.orelse.yields[k]))
            case For() | While():
                self.loop(statement)
            case Call():
                for result in statement.results:
                    self.note(result, read_by_derivative(statement))
            case Effect():
                pass

    def loop(self, statement: For | While) -> None:
        for carried in statement.carried:
            self.note(carried.parameter, carried.initial)
        while True:
            before = len(self.found)
            self.block(statement.body)
            for k, carried in enumerate(statement.carried):
                self.note(carried.parameter, statement.body.yields[k])
            if len(self.found) == before:
                break
        for carried, result in zip(statement.carried, statement.results, strict=True):
            self.note(result, carried.parameter)
