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

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    made_in_iterations,
    values_in,
)
from pullback.ir.trip_counts import trip_count

FUNCTION = 10
"""What an exponential or a division takes."""

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
}


def is_simple(statement: Let) -> bool:
    """Whether a statement takes a machine a cycle or two, as an addition does."""
    return statement.function in _SIMPLE or statement.function is primitives.dim


def cost_of_iteration(loop: For, builder: Builder) -> Operand:
    """What an iteration of a loop does; the statements for it are added before the loop."""
    return _Estimate(builder, made_in_iterations(loop)).block(loop.body)


class _Estimate:
    def __init__(self, builder: Builder, changing: set[Value]) -> None:
        self.builder, self.changing = builder, changing

    def block(self, block: Block) -> Operand:
        total: Operand = constant(1)
        for statement in block.statements:
            total = self.plus(total, self.statement(statement))
        return total

    def statement(self, statement: Statement) -> Operand:
        match statement:
            case Let() if statement.function is primitives.dim:
                return constant(0)
            case Let():
                return constant(1 if is_simple(statement) else FUNCTION)
            case If():
                return self.plus(self.block(statement.then), self.block(statement.orelse))
            case For():
                return self.times(self.iterations(statement), self.block(statement.body))
            case While():
                return self.times(constant(UNKNOWN_ITERATIONS), self.block(statement.body))
        return constant(1)

    def iterations(self, loop: For) -> Operand:
        """How many iterations an inner loop has, where that is the same for all iterations of the outer one."""
        bounds = (loop.start, loop.stop, loop.step)
        if self.changing.intersection(values_in(bounds)):
            return constant(UNKNOWN_ITERATIONS)
        return trip_count(self.builder, *bounds)

    def plus(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, Constant) and isinstance(b, Constant):
            return constant(a.value + b.value)
        return self.builder.let(np.add, *((b, a) if isinstance(a, Constant) else (a, b)))

    def times(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, Constant) and isinstance(b, Constant):
            return constant(a.value * b.value)
        return self.builder.let(np.multiply, a, b)
