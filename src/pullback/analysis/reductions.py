"""Sums: which loops only add to what they carry, in whatever order their iterations run.

for i in range(n):
    total = total + x[i]          # adds
    grad[i] += 2.0 * x[i]         # adds
    last = last * x[i]            # does not
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pullback.ir import primitives
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
    values_in,
    walk,
)
from pullback.ir.types import Scalar, is_float

_ADDING = {np.add, np.subtract, primitives.accumulate, primitives.add_at}
Sums = dict[Value, Value]  # each version of a sum, and the carried parameter that it started from


def only_adds(loop: For | While) -> bool:
    """Whether every carried value is a sum: what an iteration adds to it depends on none of the sums."""
    return adds_to(loop, range(len(loop.carried)))


def adds_to(loop: For | While, places: Iterable[int]) -> bool:
    """Whether the carried values at these places are sums."""
    return versions_of_sums(loop, places) is not None


def versions_of_sums(loop: For | While, places: Iterable[int]) -> Sums | None:
    """The versions, within an iteration, of the sums that are carried at these places; None if not all are sums."""
    places = tuple(places)
    sums: Sums = {loop.carried[k].parameter: loop.carried[k].parameter for k in places}
    if not _adds(loop.body, sums):
        return None
    return sums if all(sums.get(loop.body.yields[k]) is loop.carried[k].parameter for k in places) else None


def sum_steps(function: Function) -> frozenset[Value]:
    """The running values of float sums that a loop reads for nothing but to add to them."""
    found: set[Value] = set()
    for statement in walk(function.body):
        if isinstance(statement, For | While):
            for k, carried in enumerate(statement.carried):
                if isinstance(carried.parameter.type, Scalar) and is_float(carried.parameter.type):
                    found |= _steps_of(statement, k)
    return frozenset(found)


def _steps_of(loop: For | While, k: int) -> set[Value]:
    parameter = loop.carried[k].parameter
    sums: Sums = {parameter: parameter}
    if isinstance(loop, While) and not _adds(loop.condition, sums):
        return set()
    if not _adds(loop.body, sums) or loop.body.yields[k] not in sums:
        return set()
    others = [*loop.body.yields[:k], *loop.body.yields[k + 1 :]]
    return set() if any(value in sums for value in values_in(tuple(others))) else set(sums)


def summed_operand(statement: Statement, value: Value) -> Operand | None:
    """What a statement adds to in order to make `value`, of the same shape; None where it does something else."""
    match statement:
        case Let() if statement.function in (primitives.accumulate, primitives.add_at):
            return statement.operands[0]
        case Let() if statement.function in _ADDING and isinstance(value.type, Scalar):
            return statement.operands[0]
        case For() if only_adds(statement):
            return statement.carried[statement.results.index(value)].initial
    return None


def _adds(block: Block, sums: Sums) -> bool:
    """Whether a block reads the sums only to add to them; `sums` grows by the versions it makes."""
    return all(_statement_adds(statement, sums) for statement in block.statements)


def _statement_adds(statement: Statement, sums: Sums) -> bool:
    read = [value for value in values_in(operands_of(statement)) if value in sums]
    match statement:
        case Let():
            if not read:
                return True
            place = 1 if statement.function is np.add and statement.operands[1] is read[0] else 0
            if statement.function not in _ADDING or len(read) > 1 or statement.operands[place] is not read[0]:
                return False
            sums[statement.value] = sums[read[0]]
            return True
        case If():
            return not read and _branches_add(statement, sums)
        case For() | While():
            return _loop_adds(statement, sums)
    return not read


def _branches_add(statement: If, sums: Sums) -> bool:
    if not _adds(statement.then, sums) or not _adds(statement.orelse, sums):
        return False
    for result, a, b in zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True):
        starts = [_start(operand, sums) for operand in (a, b)]
        if starts[0] is not starts[1]:
            return False
        if starts[0] is not None:
            sums[result] = starts[0]
    return True


def _loop_adds(statement: For | While, sums: Sums) -> bool:
    bounds = (statement.start, statement.stop, statement.step) if isinstance(statement, For) else ()
    if any(value in sums for value in values_in(bounds)):
        return False
    starts = [_start(carried.initial, sums) for carried in statement.carried]
    inside = {c.parameter: start for c, start in zip(statement.carried, starts, strict=True) if start is not None}
    sums.update(inside)
    if isinstance(statement, While) and not _adds(statement.condition, sums):
        return False
    if not _adds(statement.body, sums):
        return False
    for start, operand, result in zip(starts, statement.body.yields, statement.results, strict=False):
        if _start(operand, sums) is not start:
            return False
        if start is not None:
            sums[result] = start
    return True


def _start(operand: Operand, sums: Sums) -> Value | None:
    return sums.get(operand) if isinstance(operand, Value) else None
