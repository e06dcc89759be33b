"""Recurrence distribution: a loop with a recurrence is strip-mined, and each strip is distributed into a loop of what
comes before the recurrence, one of the recurrence itself, and one of what comes behind it.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     h, total = 1.0, 0.0
...     for t in range(x.shape[0]):
...         shock = np.exp(x[t]) * x[t]
...         h = shock + 0.9 * h
...         total += np.log(h)
...     return total
>>> function = prepared(normal_form(f, np.ones(3)))
>>> text = emit_module([distribute_recurrences(function)], compiled=False, comments=False)
>>> print(text[text.index("        width") : text.index("    return")], end="")
        width = min(64, trips - scaled_k)
        shock = np.empty((64,), dtype=np.float64)
        for k2 in range(width):
            shock_element = x[scaled_k + k2]
            shock2 = np.exp(shock_element) * shock_element
            shock[k2] = shock2
        h2 = np.empty((64,), dtype=np.float64)
        for k3 in range(width):
            shock2 = shock[k3]
            h = shock2 + 0.9 * h
            h2[k3] = h
        for k4 in range(width):
            h3 = h2[k4]
            total += np.log(h3)

A machine takes several iterations of the first and of the last loop at once. The numbers that one hands to the next are
in arrays of 64, which stay in the nearest cache (scalar expansion; Allen & Kennedy 2001, 5.3 and 5.5).
`recurrence_parts.py` says which statement belongs where. Iterations whose recurrence takes so long that a processor
does all the rest while it waits are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import replace

import numpy as np

from pullback.analysis.outer_vectorisation import is_wide
from pullback.analysis.recurrences import longest_path
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    is_undefined,
    walk,
)
from pullback.ir.rewrite import like
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT
from pullback.passes.vector.recurrence_parts import BEFORE, BEHIND, RECURRENCE, Parts, parts_of
from pullback.passes.vector.stages import LaneLoops
from pullback.passes.vector.strips import WIDTH, distributed, may_be_short, strips_of_all, width_of_strip

MOST_BUFFERS = 96
_ISSUED = 3
"""So many operations a processor starts in a cycle."""
_FUNCTION = 20
"""So many cycles a function of the vector math library takes for one number."""
_DIVISION = 5
_LANES = 5
"""So many times as fast is a loop whose iterations run side by side: less than a vector has lanes."""
LEAST_GAIN = 1.2


def distribute_recurrences(function: Function, in_order: bool = False) -> Function:
    """The same function with such loops distributed.

    in_order: not those with a sum, which is then added up in another order.
    """

    def parts(loop: For, unset: Callable[[], set[Value]], around: Set[Value]) -> Parts | None:
        found = _parts(loop, unset, around)
        return None if found is not None and in_order and found.places[BEHIND] else found

    callees = tuple(distribute_recurrences(callee, in_order) for callee in function.callees)
    return replace(distributed(function, parts, _distributed), callees=callees)


def _parts(loop: For, unset: Callable[[], set[Value]], around: Set[Value]) -> Parts | None:
    """The parts of a loop, where it may be distributed and gains from it.

    unset: what may be undefined. around: what the iterations of loops around it make.
    """
    if loop.exits or loop.parallel or loop.step not in (constant(1), constant(-1)) or may_be_short(loop, around):
        return None
    if any(is_undefined(c.initial) for c in loop.carried) or not is_wide(loop.body):
        return None
    parts = parts_of(loop)
    if parts is None or not _gains(parts):
        return None
    passed = [v for values in parts.passed for v in values]
    return None if any(v in unset() or not is_scalar(v) for v in passed) else parts


def _gains(parts: Parts) -> bool:
    """Whether the parts take less time than the iterations do, as far as cycles can be counted."""
    loop, buffers = parts.loop, len(parts.passed[0]) + len(parts.passed[1])
    numbers = [k for k in parts.places[RECURRENCE] if is_scalar(loop.carried[k].parameter)]
    starts, ends = [loop.carried[k].parameter for k in numbers], [loop.body.yields[k] for k in numbers]
    latency = longest_path(parts.statements[RECURRENCE], starts, ends)
    before, recurrence, behind = map(_cycles, parts.statements)
    whole = max(latency, before + recurrence + behind)
    divided = max(latency, recurrence + buffers / 2) + (before + behind) / _LANES + buffers / 4
    return buffers <= MOST_BUFFERS and whole >= LEAST_GAIN * divided


def _cycles(statements: Iterable[Statement]) -> float:
    """How many cycles the statements take, one after the other, if none waits for another one."""
    lets = [s for s in walk(Block(tuple(statements))) if isinstance(s, Let)]
    functions = sum(record_of(s.function).vector is True for s in lets if isinstance(s.function, np.ufunc))
    divisions = sum(s.function in (np.divide, np.sqrt) for s in lets)
    return _FUNCTION * functions + _DIVISION * divisions + (len(lets) - functions - divisions) / _ISSUED


def _distributed(parts: Parts) -> list[Statement]:
    """The loop over strips. Where indices become less, the last strip comes first, and so does its last lane."""
    loop, builder = parts.loop, Builder()
    builder.location = loop.location
    trips = trip_count(builder, loop.start, loop.stop, loop.step)
    strips = strips_of_all(trips, WIDTH, builder)
    is_upwards = loop.step == constant(1)
    least = loop.start if is_upwards else builder.let(np.add, loop.stop, constant(1), type_=INT)
    number = Value("", INT)
    carried = tuple(Carried(like(c.parameter), c.initial, c.private) for c in loop.carried)
    with builder.block() as body:
        done = builder.let(np.multiply, number, constant(WIDTH), type_=INT)
        width = width_of_strip(trips, done, constant(WIDTH), builder)
        offset = done if parts.grows else _rest(trips, done, builder)
        first = offset if least == constant(0) else builder.let(np.add, least, offset, type_=INT)
        lanes = LaneLoops(loop, parts.cheap, parts.versions, builder, first, width)
        yields = _part_loops(parts, lanes, [c.parameter for c in carried])
    block = Block(tuple(body), tuple(yields))
    bounds = constant(0), strips, constant(1)
    builder.add(For(number, *bounds, carried, block, loop.results, location=loop.location))
    return builder.statements


def _rest(trips: Operand, done: Operand, builder: Builder) -> Operand:
    """How many iterations are left after the next strip."""
    left = builder.let(np.subtract, trips, done, type_=INT)
    return builder.let(max, builder.let(np.subtract, left, constant(WIDTH), type_=INT), constant(0), type_=INT)


def _part_loops(parts: Parts, lanes: LaneLoops, versions: list[Value]) -> list[Value]:
    """The loops over the lanes of a strip; the next versions of what the loop carries."""
    codes = [Value("", INT)] if parts.checks else []
    passed = (*parts.passed, codes)
    behind = parts.statements[BEHIND]
    statements = [parts.statements[BEFORE], parts.statements[RECURRENCE], [*behind, *_codes(parts, *codes)]]
    for part, (values, places) in enumerate(zip(passed, parts.places, strict=True)):
        lanes.make_room(values)
        is_reversed = part == RECURRENCE and not parts.grows
        for k, result in zip(places, lanes.lanes(statements[part], values, places, versions, is_reversed), strict=True):
            versions[k] = result
    for code in codes:
        _add_checks(parts, lanes, lanes.buffers[code])
    return versions


def _codes(parts: Parts, *codes: Value) -> list[Let]:
    """Statements that compute the number of the first check that fails in an iteration, from 1; 0 where none does."""
    operand: Operand = constant(0)
    made: list[Let] = []
    for number, check in reversed([*enumerate(parts.checks, 1)]):
        value = codes[0] if number == 1 else Value("", INT)
        made.append(
            Let(value, primitives.select, (check.operands[0], operand, constant(number)), location=check.location)
        )
        operand = value
    return made


def _add_checks(parts: Parts, lanes: LaneLoops, codes: Value) -> None:
    """A loop over the lanes that raises what the first check that fails does, in the order of the iterations."""
    builder, lane = lanes.builder, Value("", INT)
    with builder.block() as body:
        code = builder.let(primitives.load, codes, (Index((lane,)),))
        fails = builder.let(np.not_equal, code, constant(0))
        with builder.block() as then:
            for number, check in enumerate(parts.checks, 1):
                with builder.at(check.location):
                    passes = builder.let(np.not_equal, code, constant(number))
                    builder.effect(primitives.check, passes, *check.operands[1:])
        builder.add(If(fails, Block(tuple(then)), Block(()), (), builder.location))
    block = Block(tuple(body))
    bounds = constant(0), lanes.width, constant(1)
    builder.add(For(lane, *bounds, (), block, (), reverse=not parts.grows, location=builder.location))
