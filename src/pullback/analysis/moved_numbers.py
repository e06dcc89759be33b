"""Which statements hand numbers on as they are, and which values may be constants that are not finite.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def nearest(x):
...     best = np.inf
...     for i in range(len(x)):
...         best = min(best, x[i])
...     return best, 2.0 * best
>>> function = normal_form(nearest, np.ones(3))
>>> [may_be_infinite_constant(result, function) for result in function.results]
[True, False]
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pullback import runtime
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Slice,
    Step,
    Value,
    While,
    operands_of,
    results_of,
    walk,
)
from pullback.ir.types import is_float


def moves(statement: Let) -> bool:
    """Whether the elements of a result are elements of the operands, or are not there yet."""
    function = statement.function
    if isinstance(function, Identity) or function in _MOVING:
        return True
    record = record_of(function)
    return record.is_view or record.chosen is not None


def chooses(statement: Let) -> bool:
    """Whether a result takes elements of some operands and leaves others, as that of `np.where`."""
    return statement.function is primitives.select or statement.function is np.where


def is_not_finite(operand: Operand) -> bool:
    """Whether an operand is a constant that is NaN or infinite."""
    value = operand.value if isinstance(operand, Constant) else None
    return isinstance(value, float | np.floating) and not math.isfinite(value)


def floats_in(operand: Operand) -> Iterator[Operand]:
    """The values of floats, and constants that are not finite, that an operand mentions outside of indices."""
    match operand:
        case Value() if is_float(operand.type):
            yield operand
        case Constant() if is_not_finite(operand):
            yield operand
        case tuple():
            for item in operand:
                if not isinstance(item, Step | Slice):
                    yield from floats_in(item)


def may_be_infinite_constant(operand: Operand, function: Function) -> bool:
    """Whether a result may be a constant that is not finite, moved and selected, but not computed with."""
    sources: dict[Value, list[Operand]] = {}
    for statement in walk(function.body):
        for value, more in _sources(statement):
            sources.setdefault(value, []).extend(more)
    seen: set[Operand] = set()
    waiting = [operand]
    while waiting:
        operand = waiting.pop()
        if is_not_finite(operand):
            return True
        if operand not in seen:
            seen.add(operand)
            waiting += sources.get(operand, ())
    return False


def _sources(statement: object) -> Iterator[tuple[Value, list[Operand]]]:
    """What the values that a statement defines may be, where it does not compute them."""
    match statement:
        case Let() if moves(statement):
            yield statement.value, list(floats_in(operands_of(statement)))
        case If():
            pairs = zip(statement.then.yields, statement.orelse.yields, strict=True)
            yield from ((r, list(pair)) for r, pair in zip(results_of(statement), pairs, strict=True))
        case For() | While():
            for carried, result, following in zip(
                statement.carried, statement.results, statement.body.yields, strict=False
            ):
                yield carried.parameter, [carried.initial, following]
                yield result, [carried.parameter, following]


_MOVING = {
    primitives.load,
    primitives.store,
    primitives.copy,
    primitives.select,
    primitives.watched,
    primitives.zeros_like,
    primitives.load_last,
    primitives.shaped_like,
    runtime.block_of,
    runtime.contents,
    runtime.greater_of,
    runtime.growing,
    runtime.keep,
    runtime.lesser_of,
    runtime.push,
    runtime.push_block,
    runtime.push_row,
    runtime.reserve,
    runtime.stop_gradient,
    max,
    min,
    np.where,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
    np.max,
    np.min,
    np.clip,
    np.sort,
    np.copy,
    np.positive,
    np.negative,
    np.abs,
    np.full,
    np.full_like,
    np.zeros,
    np.ones,
    np.empty,
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    np.concatenate,
    np.stack,
    np.repeat,
    np.tile,
    np.roll,
    np.flip,
    np.take,
}
"""Functions whose results are elements of their operands, with either sign."""
