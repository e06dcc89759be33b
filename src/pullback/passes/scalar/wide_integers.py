"""Integers beyond 64 bits, as Python has them: those that only floats are computed from become floats.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def scaled(x, n):
...     return x * 10**20 + x * 10**n
>>> print(show(normal_form(scaled, 1.0, 3)))
scaled(x: float64*, n: int64*):
    t.0: float64* = multiply(x, 100000000000000000000)
    t.1: int64* = power(10, n)
    t.2: float64* = multiply(x, t.1)
    t.3: float64* = add(t.0, t.2)
    return t.3
>>> print(show(without_wide(normal_form(scaled, 1.0, 3))))
scaled(x: float64*, n: int64*):
    t.0: float64* = multiply(x, 1e+20)
    t.1: float64* = power_of_integers(10, n)
    t.2: float64* = multiply(x, t.1)
    t.3: float64* = add(t.0, t.2)
    return t.3

Others are refused with a TypingError: machine code would wrap them around.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.intervals import WORD
from pullback.errors import Location, TypingError
from pullback.functions import is_elementwise, record_of
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Call,
    Constant,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    operands_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import FLOAT, INT, Type, is_float


def is_wide(number: int) -> bool:
    """Whether an integer takes more than 64 bits."""
    return not WORD.low <= number <= WORD.high


def without_wide(function: Function) -> Function:
    """The function without integers that take more than 64 bits, as far as that is known beforehand.

    Raises TypingError with the place where such a number is computed with as an integer.
    """
    body = _Powers(function).block(function.body)
    results = tuple(_fitting(y, None, function.location) for y in body.yields)
    return replace(function, body=replace(_block(body), yields=results))


class _Powers:
    """Powers of integers that only floats are computed from: they are floats, so that an exponent may be negative."""

    def __init__(self, function: Function) -> None:
        self.terms: dict[Value, Operand] = {}
        readers: dict[Value, list[Statement]] = {}
        for statement in walk(function.body):
            for value in values_in((*operands_of(statement), *(b.yields for b in blocks_of(statement)))):
                readers.setdefault(value, []).append(statement)
        self.floats = {value for value, found in readers.items() if all(map(_computes_floats, found))}
        self.floats -= set(values_in(function.body.yields))

    def block(self, block: Block) -> Block:
        return Block(tuple(map(self.statement, block.statements)), block.yields)

    def statement(self, statement: Statement) -> Statement:
        if not isinstance(statement, Let):
            return with_blocks(statement, self.block)
        is_power = statement.function is np.power and statement.value.type == INT
        if is_power and statement.value in self.floats and not isinstance(statement.operands[1], Constant):
            made = self.terms[statement.value] = Value(statement.value.name, FLOAT)
            return replace(statement, value=made, function=runtime.power_of_integers)
        return substituted(statement, self.terms)


def _computes_floats(statement: Statement) -> bool:
    """Whether a statement takes all numbers that it reads as floats."""
    if not isinstance(statement, Let) or not is_float(statement.value.type):
        return False
    return is_elementwise(statement.function) or statement.function is primitives.cast


def _block(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    here = statement.location
    match statement:
        case Let():
            type_ = statement.value.type if is_elementwise(statement.function) else None
            operands = statement.operands
            if record_of(statement.function).is_comparison and any(is_float(o.type) for o in operands):
                operands = tuple(map(_exact, operands))
            return replace(statement, operands=tuple(_fitting(o, type_, here) for o in operands))
        case If():
            types = [result.type for result in statement.results]
            return replace(
                statement, then=_yielding(statement.then, types, here), orelse=_yielding(statement.orelse, types, here)
            )
        case For() | While():
            types = [carried.parameter.type for carried in statement.carried]
            carried = tuple(replace(c, initial=_fitting(c.initial, c.parameter.type, here)) for c in statement.carried)
            made = replace(statement, carried=carried, body=_yielding(statement.body, types, here))
            return replace(made, condition=_block(made.condition)) if isinstance(made, While) else made
        case Effect() | Call():
            return statement


def _yielding(block: Block, types: list[Type], here: Location) -> Block:
    count = len(types)
    yields = tuple(_fitting(y, t, here) for y, t in zip(block.yields, types, strict=False))
    return Block(_block(block).statements, (*yields, *block.yields[count:]))


def _fitting(operand: Operand, type_: Type | None, here: Location) -> Any:
    """An operand for a value of a type: a large number as a float, where it is to be one."""
    if not _is_wide(operand):
        return operand
    if type_ is not None and is_float(type_):
        try:
            return Constant(float(operand.value), FLOAT)
        except OverflowError:
            pass
    digits = len(str(abs(operand.value))) if abs(operand.value) < 10**100 else 100
    reason = f"an integer of {digits} digits or more does not fit into 64 bits"
    raise TypingError(reason, here, "write it as a float, or use pb.differentiable(jit=False)")


def _exact(operand: Operand) -> Operand:
    """A large number as the float that it is, if it is one."""
    is_one = _is_wide(operand) and abs(operand.value) < 2**1000 and int(float(operand.value)) == operand.value
    return Constant(float(operand.value), FLOAT) if is_one else operand


def _is_wide(operand: Operand) -> bool:
    return isinstance(operand, Constant) and type(operand.value) is int and is_wide(operand.value)
