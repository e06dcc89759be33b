"""Strong zeros: which values stand behind a choice, so that a cotangent of exactly 0 stays 0 on its way through them.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(x):
...     y = np.log(x)  # where x is 0, the cotangent of y is 0, and 0 times the infinite derivative is 0 too
...     z = np.sin(x)  # all its elements are used
...     return np.where(x > 0.0, y, 0.0) + z
>>> function = normal_form(f, np.ones(3))
>>> found = find_strong_zeros(function)
>>> [name for name, value in values_by_name(function).items() if value in found]
['x', 'y']

Choices are `np.where`, masks and index arrays. Two values that a condition exchanges are both used, whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from pullback import runtime
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    operands_of,
    results_of,
    values_in,
    walk,
)
from pullback.ir.types import is_float

_READS_AND_WRITES = {primitives.load, primitives.load_last, primitives.store}


def find_strong_zeros(function: Function) -> frozenset[Value]:
    """The floats that a choice is computed from, directly or not: a cotangent of exactly 0 stays 0 there."""
    sources = dict(_flow(function.body))
    exchanged = _exchanged(function.body, _behind(values_in(function.body.yields), sources))
    return frozenset(_behind((v for s in walk(function.body) for v in _chosen_from(s, exchanged)), sources))


def _behind(values: Iterable[Value], sources: Mapping[Value, tuple[Operand, ...]]) -> set[Value]:
    """The floats among some values, and all that these are computed from."""
    found: set[Value] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value not in found and is_float(value.type):
            found.add(value)
            waiting += values_in(sources.get(value, ()))
    return found


def _exchanged(body: Block, used: set[Value]) -> set[tuple[Value, Operand]]:
    """Conditions with the values that are chosen either way, where they hold and where not, as rows of a pivot.

    used: what the results are computed from; another choice drops its values.
    """
    sides: tuple[set[tuple[Value, Operand]], ...] = (set(), set())
    for statement in walk(body):
        if isinstance(statement, Let) and statement.function is primitives.select and statement.value in used:
            condition, *chosen = statement.operands
            for side, operand in zip(sides, chosen, strict=True):
                side.add((condition, operand))
    return sides[0] & sides[1]


def _chosen_from(statement: Statement, exchanged: set[tuple[Value, Operand]]) -> Iterator[Value]:
    if not isinstance(statement, Let):
        return
    operands = statement.operands
    if statement.function is primitives.select:
        yield from (v for v in values_in(operands[1:]) if (operands[0], v) not in exchanged)
        return
    chosen = record_of(statement.function).chosen
    if chosen is not None:
        yield from values_in(operands[chosen])
    elif statement.function in _READS_AND_WRITES and is_advanced(operands[1]):
        yield from values_in(operands[0])


def _flow(block: Block) -> Iterator[tuple[Value, tuple[Operand, ...]]]:
    """Each value that is made in a block, and what it is made from."""
    for statement in walk(block):
        match statement:
            case If():
                branches = zip(statement.then.yields, statement.orelse.yields, strict=True)
                yield from zip(statement.results, branches, strict=True)
            case For() | While():
                for carried, result, next_ in zip(
                    statement.carried, statement.results, statement.body.yields, strict=False
                ):
                    yield carried.parameter, (carried.initial, next_)
                    yield result, (carried.initial, next_)
            case _:
                for result in results_of(statement):
                    yield result, operands_of(statement)


_FINITE_OF_FINITE = {
    np.where: slice(1, None),
    runtime.where: slice(1, None),
    primitives.select: slice(1, None),
    primitives.cast: slice(0, 1),
    primitives.copy: slice(0, 1),
    np.negative: slice(0, 1),
    np.copysign: slice(0, 1),
}
_FINITE = {np.ones, np.zeros, np.eye, np.ones_like, np.zeros_like, primitives.zeros_like}


def is_finite(operand: Operand, made: dict[Value, Let]) -> bool:
    """Whether a number, or each element of an array, is neither infinite nor NaN, whatever the inputs are."""
    if isinstance(operand, Constant):
        return bool(np.isfinite(operand.value))
    if not is_float(operand.type):
        return True
    statement = made.get(operand)
    if statement is None:
        return False
    if statement.function in _FINITE_OF_FINITE:
        return all(is_finite(o, made) for o in statement.operands[_FINITE_OF_FINITE[statement.function]])
    return statement.function in _FINITE
