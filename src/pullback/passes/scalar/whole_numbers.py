"""Whole numbers: an integer that is made of a float, and read by arithmetic of floats alone, stays a float.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def nearest(x, box):
...     total = 0.0
...     for i in range(x.shape[0]):
...         total += box * round(x[i] / box)
...     return total
>>> function = prepared(normal_form(nearest, np.ones(3), 2.0))
>>> text = emit_module([keep_as_floats(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :].replace(" (line 4)", ""), end="")
def nearest(x, box):
    total = 0.0
    is_nan = False
    is_infinite = False
    for i in range(x.shape[0]):
        total_rounded = np.round(x[i] / box)
        total += box * (total_rounded + 0.0)
        is_nan = is_nan or np.isnan(total_rounded)
        is_infinite = is_infinite or np.isinf(total_rounded)
    if is_nan:
        raise ValueError('cannot convert float NaN to integer')
    if is_infinite:
        raise OverflowError('cannot convert float infinity to integer')
    return total

No integer is -0.0, nor is the sum. What is no number raises, as in Python: behind an innermost loop which writes to no
memory of the caller and in which nothing else may raise, so that its iterations can be vectorised; else where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.analysis.straight_loops import is_straight
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    blocks_of,
    operands_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import BOOL, INT, Scalar

_ARITHMETIC = {np.add, np.subtract, np.multiply, np.divide}
_WHOLE = {np.round, np.rint, np.floor, np.ceil, np.trunc}
_NO_INTEGERS: tuple[tuple[str, Callable[..., Any], type[Exception], str], ...] = (
    ("is_nan", np.isnan, ValueError, "cannot convert float NaN to integer"),
    ("is_infinite", np.isinf, OverflowError, "cannot convert float infinity to integer"),
)

_Raised = tuple[Value, Value, type[Exception], str]
"""The flag that a loop carries, the flag after an iteration, and what it raises."""


def keep_as_floats(function: Function) -> Function:
    """The same function with such integers as floats."""
    body = _Floats(function).block(function.body, None)
    return replace(function, body=body, callees=tuple(map(keep_as_floats, function.callees)))


class _Floats:
    def __init__(self, function: Function) -> None:
        self.writes_for_the_caller = bool(function.mutated)
        self.rounded: set[Value] = set()
        floats: set[Value] = set()
        others = set(values_in(function.body.yields))
        for statement in walk(function.body):
            if isinstance(statement, Let) and statement.function in _WHOLE:
                self.rounded.add(statement.value)
            as_floats, rest = _readings(statement)
            floats.update(as_floats)
            others.update(rest)
            others.update(value for block in blocks_of(statement) for value in values_in(block.yields))
        self.floats = floats - others

    def block(self, block: Block, raised: list[_Raised] | None) -> Block:
        """A block; raised: takes in what is to raise behind the loop that has this body, None to raise in place."""
        builder = Builder()
        terms: dict[Value, Operand] = {}
        for statement in block.statements:
            builder.location = statement.location
            match statement:
                case For():
                    self.loop(builder, statement)
                case Let() if self.is_whole(statement):
                    terms[statement.value] = self.whole(builder, statement, raised)
                case Effect() if _is_evaluated(statement) and statement.operands[0] in terms:
                    pass  # the checks of the number stand for it
                case _:
                    builder.add(with_blocks(statement, lambda inner: self.block(inner, None)))
        return substituted(Block(tuple(builder.statements), block.yields), terms)

    def is_whole(self, statement: Let) -> bool:
        """Whether a statement makes such an integer."""
        if statement.function is not primitives.cast or statement.value.type != INT:
            return False
        of = statement.operands[0].type
        return isinstance(of, Scalar) and of.dtype == "float64" and statement.value in self.floats

    def whole(self, builder: Builder, statement: Let, raised: list[_Raised] | None) -> Value:
        """The number as a float, with its checks."""
        number: Operand = statement.operands[0]
        if number not in self.rounded:
            number = builder.let(np.trunc, number)
        for name, test, error, message in _NO_INTEGERS:
            found = builder.let(test, number)
            text = f"{message} (line {statement.location.line})"
            if raised is None:
                builder.effect(primitives.check, builder.let(np.logical_not, found), Constant(error), Constant(text))
            else:
                flag = Value(name, BOOL)
                raised.append((flag, builder.let(np.logical_or, flag, found), error, text))
        return builder.let(np.add, number, Constant(0.0))

    def loop(self, builder: Builder, loop: For) -> None:
        """Add a loop, with what raises behind it."""
        raised: list[_Raised] | None = None if self.writes_for_the_caller or not is_straight(loop) else []
        body = self.block(loop.body, raised)
        flags = raised or []
        results = [Value(flag.name, BOOL) for flag, *_ in flags]
        builder.add(
            replace(
                loop,
                carried=(*loop.carried, *(Carried(flag, Constant(False)) for flag, *_ in flags)),
                body=Block(body.statements, (*body.yields, *(new for _, new, *_ in flags))),
                results=(*loop.results, *results),
            )
        )
        for result, (_, _, error, text) in zip(results, flags, strict=True):
            builder.effect(primitives.check, builder.let(np.logical_not, result), Constant(error), Constant(text))


def _is_evaluated(statement: Statement) -> bool:
    """Whether a statement only asks for a number to be computed, as that may raise."""
    return isinstance(statement, Effect) and statement.function is primitives.evaluated


def _readings(statement: Statement) -> tuple[set[Value], set[Value]]:
    """What a statement reads as a float, even if it is an integer, and what it reads otherwise."""
    read = set(values_in(operands_of(statement)))
    if _is_evaluated(statement):
        return read, set()
    if not isinstance(statement, Let) or getattr(statement.value.type, "dtype", "") != "float64":
        return set(), read
    if statement.function in primitives.WRITES:
        rest = set(values_in(statement.operands[:2]))
        return set(values_in(statement.operands[2])) - rest, rest
    types = [getattr(operand, "type", None) for operand in statement.operands]
    has_float = any(getattr(of, "dtype", "") == "float64" for of in types)
    is_arithmetic = statement.function in _ARITHMETIC and has_float and all(isinstance(of, Scalar) for of in types)
    return (read, set()) if is_arithmetic or statement.function is primitives.cast else (set(), read)
