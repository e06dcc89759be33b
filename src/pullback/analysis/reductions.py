"""Reductions: which loops only add to what they carry, so that the order of their iterations does not matter.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     grad = np.zeros_like(x)
...     total, last = 0.0, 1.0
...     for i in range(x.shape[0]):
...         total = total + x[i]
...         grad[i] += 2.0 * x[i]
...         last = last * x[i]  # no sum
...     return total + last + grad[0]
>>> function = prepared(normal_form(f, np.ones(3)))
>>> loop = next(s for s in walk(function.body) if isinstance(s, For))
>>> for k, carried in enumerate(loop.carried):
...     print(carried.parameter.name, adds_to(loop, [k]))
grad True
last False
total True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from pullback import runtime
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
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.types import Scalar, is_float

_ADDING = {np.add, np.subtract, primitives.accumulate, primitives.add_at}
_EXTREMA = {runtime.greater_of, runtime.lesser_of}
Reductions = dict[Value, Value]  # each version of a reduction, and the carried parameter that it started from


def only_adds(loop: For | While) -> bool:
    """Whether every carried value is a reduction: what an iteration adds to it depends on none of them."""
    return adds_to(loop, range(len(loop.carried)))


def adds_to(loop: For | While, places: Iterable[int]) -> bool:
    """Whether the carried values at these places are reductions by addition."""
    return versions_of_reductions(loop, places) is not None


def versions_of_reductions(loop: For | While, places: Iterable[int]) -> Reductions | None:
    """The versions of these carried values within an iteration, if all of them are reductions; else None."""
    places = tuple(places)
    reductions: Reductions = {loop.carried[k].parameter: loop.carried[k].parameter for k in places}
    if not _adds(loop.body, reductions):
        return None
    return reductions if all(reductions.get(loop.body.yields[k]) is loop.carried[k].parameter for k in places) else None


def are_reductions(loop: For, places: Iterable[int]) -> bool:
    """Whether each of these carried values is a sum or an extremum of what the iterations compute."""
    return adds_to(loop, [k for k in places if not takes_extremum(loop, k)])


def takes_extremum(loop: For, k: int) -> bool:
    """Whether a carried value is the extremum of numbers, each of which an iteration compares with it and no more.

    >>> from pullback.frontend.build import normal_form
    >>> from pullback.passes.lowering import lower
    >>> function = lower(normal_form(lambda x: np.max(x), np.ones(3)), "all")
    >>> takes_extremum(next(s for s in function.body.statements if isinstance(s, For)), 0)
    True
    """
    parameter, last = loop.carried[k].parameter, loop.body.yields[k]
    reads = Counter(read_in(loop.body))
    if reads[parameter] != 1 or not isinstance(last, Value) or reads[last] != 1:
        return False
    made = next((s for s in loop.body.statements if isinstance(s, Let) and s.value is last), None)
    return made is not None and made.function in _EXTREMA and made.operands[0] is parameter


def reduction_steps(function: Function) -> frozenset[Value]:
    """The running values of float reductions: of sums that a loop reads for nothing but to add to them."""
    found: set[Value] = set()
    for statement in walk(function.body):
        if isinstance(statement, For | While):
            for k, carried in enumerate(statement.carried):
                if isinstance(carried.parameter.type, Scalar) and is_float(carried.parameter.type):
                    found |= _steps_of(statement, k)
    return frozenset(found)


def _steps_of(loop: For | While, k: int) -> set[Value]:
    parameter = loop.carried[k].parameter
    reductions: Reductions = {parameter: parameter}
    if isinstance(loop, While) and not _adds(loop.condition, reductions):
        return set()
    if not _adds(loop.body, reductions) or loop.body.yields[k] not in reductions:
        return set()
    others = [*loop.body.yields[:k], *loop.body.yields[k + 1 :]]
    return set() if any(value in reductions for value in values_in(tuple(others))) else set(reductions)


def summed_operand(statement: Statement, value: Value) -> Operand | None:
    """What a statement adds to in order to make `value`, of the same shape; None where it does something else."""
    match statement:
        case Let() if statement.function in (primitives.accumulate, primitives.add_at):
            return statement.operands[0]
        case Let() if statement.function in _ADDING and isinstance(value.type, Scalar):
            return statement.operands[0]
        case For() if only_adds(statement):
            return statement.carried[statement.results.index(value)].initial
        case If():
            return _summed_in_branches(statement, statement.results.index(value))
    return None


def _summed_in_branches(branches: If, k: int) -> Operand | None:
    """What both sides of a branch add to, and read for nothing else, in order to make a result."""
    before = first_summed(branches.then, branches.then.yields[k])
    if not isinstance(before, Value):
        return None
    reductions = {before: before}
    is_sum = _branches_add(branches, reductions) and reductions.get(branches.results[k]) is before
    return before if is_sum else None


def first_summed(block: Block, value: Operand) -> Operand:
    """What a block adds to, again and again, in order to make a value."""
    made = {result: s for s in block.statements for result in results_of(s)}
    while isinstance(value, Value) and value in made:
        before = summed_operand(made[value], value)
        if before is None:
            break
        value = before
    return value


def _adds(block: Block, reductions: Reductions) -> bool:
    """Whether a block reads the reductions only to add to them; `reductions` grows by the versions it makes."""
    return all(_statement_adds(statement, reductions) for statement in block.statements)


def _statement_adds(statement: Statement, reductions: Reductions) -> bool:
    read = [value for value in values_in(operands_of(statement)) if value in reductions]
    match statement:
        case Let():
            if not read:
                return True
            place = 1 if statement.function is np.add and statement.operands[1] is read[0] else 0
            if statement.function not in _ADDING or len(read) > 1 or statement.operands[place] is not read[0]:
                return False
            reductions[statement.value] = reductions[read[0]]
            return True
        case If():
            return not read and _branches_add(statement, reductions)
        case For() | While():
            return _loop_adds(statement, reductions)
    return not read


def _branches_add(statement: If, reductions: Reductions) -> bool:
    if not _adds(statement.then, reductions) or not _adds(statement.orelse, reductions):
        return False
    for result, a, b in zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True):
        starts = [_start(operand, reductions) for operand in (a, b)]
        if starts[0] is not starts[1]:
            return False
        if starts[0] is not None:
            reductions[result] = starts[0]
    return True


def _loop_adds(statement: For | While, reductions: Reductions) -> bool:
    bounds = (statement.start, statement.stop, statement.step) if isinstance(statement, For) else ()
    if any(value in reductions for value in values_in(bounds)):
        return False
    starts = [_start(carried.initial, reductions) for carried in statement.carried]
    inside = {c.parameter: start for c, start in zip(statement.carried, starts, strict=True) if start is not None}
    reductions.update(inside)
    if isinstance(statement, While) and not _adds(statement.condition, reductions):
        return False
    if not _adds(statement.body, reductions):
        return False
    for start, operand, result in zip(starts, statement.body.yields, statement.results, strict=False):
        if _start(operand, reductions) is not start:
            return False
        if start is not None:
            reductions[result] = start
    return True


def _start(operand: Operand, reductions: Reductions) -> Value | None:
    return reductions.get(operand) if isinstance(operand, Value) else None
