"""Cost of an iteration, about, in additions of numbers: an operand of the program, where it depends on sizes.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def exponentials(y, x):
...     for i in range(x.shape[0]):
...         for j in range(3):
...             y[i] += np.exp(x[i, j])
>>> function = prepared(normal_form(exponentials, np.ones(2), np.ones((2, 3))))
>>> (loop,) = (s for s in function.body.statements if isinstance(s, For))
>>> cost_of_iteration(loop, Builder()).value
40
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Call,
    Constant,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    lets_in,
    made_in_iterations,
)
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT

LEAST_WORK = 500_000
"""What a loop has to do, in additions, to be worth the microseconds in which threads start and meet."""

FUNCTION = 10
"""What an exponential or a division takes."""

CALL = 500
"""What a function takes that calls itself: others are inlined."""

UNKNOWN_ITERATIONS = 4
"""How many iterations an inner loop is taken to have where that differs from iteration to iteration."""

_SIMPLE: set[Callable[..., Any]] = {
    np.add,
    np.subtract,
    np.multiply,
    np.negative,
    np.absolute,
    np.square,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.equal,
    np.not_equal,
    np.logical_not,
    np.logical_and,
    np.logical_or,
    np.maximum,
    np.minimum,
    max,
    min,
    abs,
    primitives.load,
    primitives.store,
    primitives.add_at,
    primitives.cast,
    primitives.select,
    primitives.accumulate,
    runtime.greater_of,
    runtime.lesser_of,
}


def is_simple(statement: Let) -> bool:
    """Whether a statement takes a machine a cycle or two, as an addition does."""
    return statement.function in _SIMPLE or statement.function is primitives.dim


def cost_of_iteration(loop: For, builder: Builder) -> Operand:
    """What an iteration of a loop does; the statements for it are added before the loop.

    Where inner loops are longer in some iterations than in others, that is the iteration in the middle.
    """
    return _Estimate(builder, loop).within(loop)


class _Estimate:
    def __init__(self, builder: Builder, loop: For) -> None:
        self.builder, self.changing = builder, made_in_iterations(loop)
        self.made = lets_in(loop.body)
        self.loops: dict[Value, For] = {}

    def within(self, loop: For) -> Operand:
        """What an iteration in the middle of a loop does."""
        self.loops[loop.index] = loop
        return self.block(loop.body)

    def block(self, block: Block) -> Operand:
        costs = [self.statement(statement) for statement in block.statements]
        known = constant(1 + sum(cost.value for cost in costs if isinstance(cost, Constant)))
        unknown = [cost for cost in costs if not isinstance(cost, Constant)]
        return self.plus(reduce(self.plus, unknown), known) if unknown else known

    def statement(self, statement: Statement) -> Operand:
        match statement:
            case Let() if statement.function is primitives.dim:
                return constant(0)
            case Let():
                return constant(1 if is_simple(statement) else FUNCTION)
            case If():
                return self.plus(self.block(statement.then), self.block(statement.orelse))
            case For():
                return self.times(self.iterations(statement), self.within(statement))
            case While():
                return self.times(constant(UNKNOWN_ITERATIONS), self.block(statement.body))
            case Call():
                return constant(CALL)
        return constant(1)

    def iterations(self, loop: For) -> Operand:
        """How many iterations an inner loop has, in the iteration in the middle of each loop around it."""
        bounds = self.known((loop.start, loop.stop, loop.step))
        return constant(UNKNOWN_ITERATIONS) if bounds is None else trip_count(self.builder, *bounds)

    def in_the_middle(self, operand: Operand) -> Operand | None:
        """What an integer is in the iteration in the middle; None where that is not known before the loop."""
        if isinstance(operand, Constant) or operand not in self.changing:
            return operand
        if operand in self.loops:
            ends = self.known((self.loops[operand].start, self.loops[operand].stop))
            return None if ends is None else self.halved(self.plus(*ends))
        made = self.made.get(operand)
        full = full_width(made)
        if full is not None:
            return full
        operands = self.known(made.operands) if made is not None and made.function in _OF_INTEGERS else None
        return None if made is None or operands is None else self.builder.let(made.function, *operands, type_=INT)

    def known(self, operands: Iterable[Operand]) -> list[Operand] | None:
        """All of several in the iteration in the middle; None where one is not known."""
        found = [self.in_the_middle(operand) for operand in operands]
        return None if any(one is None for one in found) else [one for one in found if one is not None]

    def halved(self, operand: Operand) -> Operand:
        if isinstance(operand, Constant):
            return constant(operand.value // 2)
        return self.builder.let(np.floor_divide, operand, constant(2))

    def plus(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, Constant) and isinstance(b, Constant):
            return constant(a.value + b.value)
        return self.builder.let(np.add, *((b, a) if isinstance(a, Constant) else (a, b)))

    def times(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, Constant) and isinstance(b, Constant):
            return constant(a.value * b.value)
        return self.builder.let(np.multiply, a, b)


def full_width(made: Let | None) -> Operand | None:
    """How many iterations the loop over a strip has, but in the last one: of a minimum, the constant."""
    if made is None or made.function is not min:
        return None
    return next((operand for operand in made.operands if isinstance(operand, Constant)), None)


_OF_INTEGERS = {np.add, np.subtract, np.multiply, max, min}
