"""The checker: what every Function must satisfy after every pass.

Each value is defined once, before it is read and in a block around its reader; types of loops and branches agree;
and a version of an array that was consumed is not read again.
"""

from __future__ import annotations

from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    has_effects,
    is_undefined,
    operands_of,
    values_in,
)
from pullback.ir.types import Array, Type


def check(function: Function, *, linear: bool = False) -> Function:
    """The function itself; AssertionError with a sentence where it is not well formed.

    `linear` also demands that no consumed version of an array is read again.
    """
    checker = _Checker(linear)
    for parameter in function.parameters:
        checker.define(parameter)
    checker.block(function.body)
    for callee in function.callees:
        check(callee, linear=linear)
    return function


class _Checker:
    def __init__(self, linear: bool) -> None:
        self.linear = linear
        self.defined: set[Value] = set()
        self.ever: set[Value] = set()
        self.consumed: set[Value] = set()
        self.outside: set[Value] = set()

    def define(self, value: Value) -> None:
        assert value not in self.ever, f"{value!r} is assigned twice"
        self.ever.add(value)
        self.defined.add(value)

    def read(self, operand: Operand) -> None:
        for value in values_in(operand):
            assert value in self.defined, f"{value!r} is read where it is not defined"
            assert not (self.linear and value in self.consumed), f"{value!r} is read after it was consumed"

    def block(self, block: Block) -> None:
        outer = set(self.defined)
        for statement in block.statements:
            self.statement(statement)
        self.read(block.yields)
        self.defined = outer

    def statement(self, statement: Statement) -> None:
        if isinstance(statement, Let) and statement.function in (primitives.dim, primitives.zeros_like):
            assert set(values_in(statement.operands)) <= self.defined, "the shape of an undefined value is read"
            self.define(statement.value)
            return
        operands = operands_of(statement)
        if isinstance(statement, Effect) and statement.function is primitives.write_back:
            operands = operands[1:]
        for operand in operands:
            self.read(operand)
        match statement:
            case Let():
                self.let(statement)
            case If():
                self.branches(statement)
            case For() | While():
                self.loop(statement)
            case _:
                pass
        if not isinstance(statement, Let):
            for result in getattr(statement, "results", ()):
                self.define(result)

    def let(self, statement: Let) -> None:
        if statement.function in primitives.CONSUMING and isinstance(statement.value.type, Array):
            again = self.linear and statement.operands[0] in self.outside
            assert not again, f"{statement.operands[0]!r} is consumed in a loop that it is not carried by"
            self.consumed.add(statement.operands[0])
        self.define(statement.value)

    def branches(self, statement: If) -> None:
        before = set(self.consumed)
        self.block(statement.then)
        then, self.consumed = self.consumed, before
        self.block(statement.orelse)
        self.consumed |= then
        for block in (statement.then, statement.orelse):
            self.agree(block.yields, statement.results, "a branch")

    def loop(self, statement: For | While) -> None:
        outer, outside = set(self.defined), self.outside
        self.outside = set(self.defined)
        if isinstance(statement, For):
            self.define(statement.index)
            assert not statement.parallel or _is_independent(statement), "a parallel loop carries or raises something"
        for carried in statement.carried:
            self.define(carried.parameter)
        if isinstance(statement, While):
            inside = set(self.defined)
            self.block(statement.condition)
            self.defined = inside
        self.block(statement.body)
        self.defined, self.outside = outer, outside
        yields = statement.body.yields[: len(statement.carried)]
        parameters = tuple(carried.parameter for carried in statement.carried)
        self.agree(tuple(carried.initial for carried in statement.carried), parameters, "the start of a loop")
        self.agree(yields, parameters, "a loop's body")
        self.agree(parameters, statement.results, "a loop")
        assert len(statement.body.yields) == len(parameters) + statement.exits, "a loop yields what it carries"

    def agree(self, operands: tuple[Operand, ...], values: tuple[Value, ...], what: str) -> None:
        assert len(operands) == len(values), f"{what} yields {len(operands)} values where {len(values)} are due"
        for operand, value in zip(operands, values, strict=True):
            same = is_undefined(operand) or _kind(operand.type) == _kind(value.type)
            assert same, f"{what} yields {operand!r} where {value!r} is due"


def _is_independent(loop: For) -> bool:
    """Whether a loop carries nothing but arrays, runs all its iterations in order, and has no effects but errors."""
    arrays = all(isinstance(carried.parameter.type, Array) for carried in loop.carried)
    plain = not loop.exits and not loop.reverse
    return arrays and plain and (loop.catches_errors or not has_effects(loop.body))


def _kind(type_: Type) -> tuple[str, int]:
    """What must agree: weak and strong numbers of one dtype are the same to the emitted code."""
    return type_.dtype, type_.ndim if isinstance(type_, Array) else -1
