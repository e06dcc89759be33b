"""Strip mining: a loop whose residuals grow runs in strips of iterations, with room for all of a strip before it.

>>> import pullback as pb
>>> def decayed(x, tolerance):
...     steps = 0
...     while abs(x) > tolerance:
...         for i in range(9):
...             x = 0.9 * np.sin(x)
...         steps += 1
...     return x * steps
>>> lines = pb.inspect_source(decayed, 1.0, 0.1, argnums=0).splitlines()
>>> first = next(k for k, line in enumerate(lines) if "while" in line and "#" not in line)
>>> for line in lines[first : first + 9]:
...     if "#" not in line:
...         print(line)
    while steps >= limit:
        limit = max(2 * steps, 16)
        x_saved = reserve(x_saved, count + (limit - steps) * 9)
        while abs(x) > tolerance and steps < limit:
            check_span(count, count + 8, x_saved.shape[0], 9)
            for i in range(9):
                x_saved[count + i] = x

This is strip mining (Loveman 1977) of a loop whose number of iterations is not known. A strip has as many iterations as
all before it, at least `SHORTEST`, so that what has grown is copied as seldom as before. Within a strip, the arrays do
not change places: their addresses are loop invariants, and nothing is asked for each of them in each iteration.

That is legal where an iteration fills at most a number of elements that all iterations have in common, as
`analysis/counters.py` finds, and where the condition of the loop has no effects: at the end of a strip it is asked
twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pullback import runtime
from pullback.analysis.counters import Counters, Moved
from pullback.analysis.extents import integer
from pullback.analysis.sizes import Form
from pullback.errors import Location
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    has_effects,
    results_of,
    walk,
)
from pullback.ir.rewrite import like, with_blocks, without
from pullback.ir.types import BOOL, INT

SHORTEST = 16
"""The iterations of the first strip."""


def run_in_strips(function: Function) -> Function:
    """The same function with such loops in strips."""
    definitions = {value: statement for statement in walk(function.body) for value in results_of(statement)}
    reserving = any(isinstance(s, Let) and s.function is runtime.reserve for s in definitions.values())
    return replace(function, body=_block(function.body, definitions)) if reserving else function


def _block(block: Block, definitions: Mapping[Value, Statement]) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, lambda inner: _block(inner, definitions))
        statements.append(_stripped(changed, definitions) if isinstance(changed, While) else changed)
    return Block(tuple(statements), block.yields)


@dataclass(frozen=True, slots=True)
class _Growing:
    """A buffer that a loop carries: where it grows, the counter of its elements, and what an iteration adds at most."""

    array: Value
    reserves: tuple[Let, ...]
    counter: Value
    added: Form


def _stripped(loop: While, definitions: Mapping[Value, Statement]) -> While:
    """The loop, in strips if it carries such buffers."""
    growing = [] if has_effects(loop.condition) else list(_growing_buffers(loop, definitions))
    if not growing:
        return loop
    loop = _with_exit_flag(_with_trip_count(loop))
    trips = next(k for k in range(len(loop.carried)) if _counts_iterations(loop, k))
    body = without(loop.body, {s.value: s.operands[0] for buffer in growing for s in buffer.reserves})
    around = [like(carried.parameter) for carried in loop.carried]
    limit = Value("limit", INT)
    starts = {carried.parameter: value for carried, value in zip(loop.carried, around, strict=True)}
    builder = Builder()
    builder.location = loop.location
    with builder.block() as statements:
        end = builder.let(max, builder.let(np.multiply, constant(2), around[trips]), constant(SHORTEST), name="limit")
        starts.update(_with_room(builder, growing, starts, builder.let(np.subtract, end, around[trips])))
        strip = replace(
            loop,
            condition=_before(loop.condition, loop.carried[trips].parameter, end, loop.location),
            carried=tuple(replace(carried, initial=starts[carried.parameter]) for carried in loop.carried),
            body=body,
            results=tuple(map(like, loop.results)),
        )
        builder.add(strip)
    with builder.block() as asked:
        goes_on = builder.let(np.greater_equal, around[trips], limit)
        if loop.exits:
            goes_on = builder.let(np.logical_and, goes_on, builder.let(np.logical_not, around[-1]))
    carried = [Carried(value, c.initial, c.private) for value, c in zip(around, loop.carried, strict=True)]
    return While(
        Block(tuple(asked), (goes_on,)),
        (*carried, Carried(limit, constant(0))),
        Block(tuple(statements), (*strip.results, end)),
        (*loop.results, Value(limit.name, INT)),
        location=loop.location,
    )


def _with_room(
    builder: Builder, growing: list[_Growing], starts: Mapping[Value, Operand], iterations: Operand
) -> dict[Value, Operand]:
    """The buffers with room for so many more iterations."""
    reserved: dict[Value, Operand] = {}
    for buffer in growing:
        added = builder.let(np.multiply, iterations, integer(buffer.added, builder))
        size = builder.let(np.add, starts[buffer.counter], added)
        array = buffer.array
        reserved[array] = builder.let(runtime.reserve, starts[array], size, name=array.name, type_=array.type)
    return reserved


def _before(condition: Block, trips: Value, end: Operand, location: Location) -> Block:
    """The condition of a loop that runs on up to a number of iterations."""
    builder = Builder()
    builder.location = location
    is_before = builder.let(np.less, trips, end)
    both = builder.let(np.logical_and, condition.yields[0], is_before)
    return Block((*condition.statements, *builder.statements), (both,))


def _growing_buffers(loop: While, definitions: Mapping[Value, Statement]) -> Iterator[_Growing]:
    """The buffers of a loop to which each iteration adds at most a number of elements that all have in common."""
    reserves = [s for s in walk(loop.body) if isinstance(s, Let) and s.function is runtime.reserve]
    if not reserves:
        return
    counters = Counters(loop, definitions)
    for carried, after in zip(loop.carried, loop.body.yields, strict=False):
        array = carried.parameter
        own = [s for s in reserves if counters.origin(s.value) is array]
        ends = [counters.moved(s.operands[1]) for s in own]
        if not own or counters.origin(after) is not array or None in ends:
            continue
        counter = next(end[0] for end in ends if end is not None)
        whole = counters.moved(counters.after[counter])
        if whole is not None and all(end is not None and _is_within(end, whole) for end in ends):
            yield _Growing(array, tuple(own), *whole)


def _is_within(end: Moved, whole: Moved) -> bool:
    """Whether a sum with a counter is at most another one with the same counter."""
    left = whole[1].plus(end[1], -1)
    return end[0] is whole[0] and left.constant >= 0 and all(coefficient >= 0 for _, coefficient in left.terms)


def _counts_iterations(loop: While, k: int) -> bool:
    """Whether a loop counts its iterations in what it carries."""
    carried, after = loop.carried[k], loop.body.yields[k]
    made = next((s for s in loop.body.statements if isinstance(s, Let) and s.value is after), None)
    is_step = made is not None and made.function is np.add and made.operands == (carried.parameter, constant(1))
    return is_step and carried.initial == constant(0)


def _with_trip_count(loop: While) -> While:
    """A loop that counts its iterations."""
    if any(_counts_iterations(loop, k) for k in range(len(loop.carried))):
        return loop
    builder = Builder()
    builder.location = loop.location
    count = Value("trips", INT)
    after = builder.let(np.add, count, constant(1), name="trips")
    body = Block((*loop.body.statements, *builder.statements), loop.body.yields)
    return _carrying(replace(loop, body=body), Carried(count, constant(0)), after)


def _with_exit_flag(loop: While) -> While:
    """A loop that hands on, as the last of what it carries, whether it has been left from inside, if it can be."""
    return _carrying(loop, Carried(Value("left", BOOL), constant(False)), loop.body.yields[-1]) if loop.exits else loop


def _carrying(loop: While, carried: Carried, after: Operand) -> While:
    """A loop that carries one value more; the flag that leaves it stays last."""
    count = len(loop.carried)
    yields = (*loop.body.yields[:count], after, *loop.body.yields[count:])
    return replace(
        loop,
        carried=(*loop.carried, carried),
        body=replace(loop.body, yields=yields),
        results=(*loop.results, like(carried.parameter)),
    )
