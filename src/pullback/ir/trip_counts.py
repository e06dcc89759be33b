"""Trip counts: how many iterations a loop has, and which is the present one, as operands of the program."""

from __future__ import annotations

import numpy as np

from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Constant, For, Operand
from pullback.ir.types import INT


def trip_count(builder: Builder, start: Operand, stop: Operand, step: Operand) -> Operand:
    """How many iterations `range(start, stop, step)` has."""
    are_known = isinstance(start, Constant) and isinstance(stop, Constant) and isinstance(step, Constant)
    if are_known and step.value:
        return constant(len(range(start.value, stop.value, step.value)))
    return at_least_zero(builder, signed_trip_count(builder, start, stop, step))


def signed_trip_count(builder: Builder, start: Operand, stop: Operand, step: Operand) -> Operand:
    """The same where there are any, else 0 or a negative number."""
    if step == constant(-1):
        return builder.let(np.subtract, start, stop)
    length = stop if start == constant(0) else builder.let(np.subtract, stop, start)
    if step != constant(1):
        iterations = builder.let(np.floor_divide, builder.let(np.negative, length), step)
        length = builder.let(np.negative, iterations)
    return length


def at_least_zero(builder: Builder, size: Operand) -> Operand:
    if isinstance(size, Constant):
        return constant(max(0, size.value))
    return builder.let(max, size, constant(0), type_=INT)


def iteration_number(builder: Builder, index: Operand, start: Operand, step: Operand) -> Operand:
    """The number of the iteration of `range(start, stop, step)` that has this index, from 0."""
    if step == constant(-1):
        return builder.let(np.subtract, start, index)
    offset = index if start == constant(0) else builder.let(np.subtract, index, start)
    return offset if step == constant(1) else builder.let(np.floor_divide, offset, step)


def least_index(loop: For) -> int | None:
    """A number that no index of a loop is below; None where none is known."""
    if not isinstance(loop.step, Constant):
        return None
    bound = loop.start if loop.step.value > 0 else loop.stop
    if not isinstance(bound, Constant):
        return None
    least: int = bound.value + (loop.step.value < 0)
    return least


def counts_from_start(loop: For) -> bool:
    """Whether no index of a loop is negative: as that of an element, it would be that of another iteration, too."""
    least = least_index(loop)
    return least is not None and least >= 0
