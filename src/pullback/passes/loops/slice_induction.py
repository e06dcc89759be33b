"""Slice induction: an array that iterations only cut at its ends is a part of the array before the loop.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     y = np.exp(x)
...     s = 0.0
...     for i in range(5):
...         s += y[0] * y[-1]
...         y = y[1:-1]
...     return s
>>> print(show(substitute_slices(prepared(normal_form(f, np.ones(20))))))
f(x: float64[:]):
    y: float64[:] = exp(x)
    t.0: int64* = dim(y, 0)
    s.2, y_size.1 = for i in range(0, 5, 1) with (s: float64 = 0.0, y_size: int64* = t.0):
        y.1: float64[:] = block_of(y, i, (y_size))
        t.1: float64 = load(y.1, ([0]))
        t.2: float64 = load(y.1, ([-1]))
        t.3: float64 = multiply(t.1, t.2)
        s.1: float64 = add(s, t.3)
        t.4: int64* = subtract(y_size, 2)
        t.5: int64* = max(t.4, 0)
        t.6: int64* = add(i, 1)
        t.7: float64[:] = block_of(y, t.6, (t.5))
        yield s.1, t.5
    y.2: float64[:] = block_of(y, 5, (y_size.1))
    return s.2

Where a part begins follows from the number of the iteration, as an induction variable does (Allen & Kennedy 2001, 4.5);
how long it is, is carried. The backward sweep finds the parts again, so that none is kept; their adjoints are added to
that of the whole array. The array must have been made by the function, so that its elements lie one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumed_in, root_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    is_undefined,
    results_of,
    walk,
)
from pullback.ir.rewrite import like, with_blocks
from pullback.ir.trip_counts import iteration_number, trip_count
from pullback.ir.types import INT, Array

_MAKING: set[Callable[..., Any]] = {*primitives.CREATING, primitives.copy, np.arange, np.linspace}
"""What makes arrays whose elements lie one after the other, besides the universal functions of NumPy."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """The slice by which an iteration replaces a carried array: how many elements it takes off at each end."""

    slice: Let
    front: int
    back: int


def substitute_slices(function: Function) -> Function:
    """The same function without carried arrays that are parts of one before the loop."""
    callees = tuple(map(substitute_slices, function.callees))
    made = {value: statement for statement in walk(function.body) for value in results_of(statement)}
    return replace(function, body=_block(function.body, made), callees=callees)


def _block(block: Block, made: Mapping[Value, Statement]) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, partial(_block, made=made))
        statements += _substituted(changed, made) if isinstance(changed, For) else [changed]
    return Block(tuple(statements), block.yields)


def _substituted(loop: For, made: Mapping[Value, Statement]) -> list[Statement]:
    """The loop without such arrays, between statements that measure them and give what they are after it."""
    cuts = {k: cut for k in range(len(loop.carried)) if (cut := _cut(loop, k)) and _is_whole(loop, k, made)}
    if loop.exits or loop.reverse or loop.checkpoints is not None or not cuts:
        return [loop]
    builder = Builder()
    builder.location = loop.location
    lengths = {k: _length_of(loop.carried[k].parameter) for k in cuts}
    with builder.block() as before:
        carried = {k: Carried(lengths[k], builder.dim(loop.carried[k].initial, 0)) for k in cuts}
    with builder.block() as inside:
        number = iteration_number(builder, loop.index, loop.start, loop.step)
        for k, cut in cuts.items():
            first = _scaled(builder, number, cut.front)
            _part(builder, loop.carried[k].initial, loop.carried[k].parameter, first, lengths[k])
    ends: dict[int, Operand] = {}
    places = {id(cut.slice): k for k, cut in cuts.items()}
    for statement in loop.body.statements:
        place = places.get(id(statement))
        if place is None:
            inside.append(statement)
            continue
        with builder.into(inside):
            ends[place] = _next_part(builder, loop.carried[place].initial, cuts[place], number, lengths[place])
    results = {k: like(lengths[k]) for k in cuts}
    with builder.block() as after:
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        for k, cut in cuts.items():
            _part(builder, loop.carried[k].initial, loop.results[k], _scaled(builder, trips, cut.front), results[k])
    changed = replace(
        loop,
        carried=tuple(carried.get(k, c) for k, c in enumerate(loop.carried)),
        body=Block(tuple(inside), tuple(ends.get(k, y) for k, y in enumerate(loop.body.yields))),
        results=tuple(results.get(k, r) for k, r in enumerate(loop.results)),
    )
    return [*before, changed, *after]


def _cut(loop: For, k: int) -> _Cut | None:
    """How an iteration cuts a carried array, if it does no more with it than to read it."""
    parameter, after = loop.carried[k].parameter, loop.body.yields[k]
    if not isinstance(parameter.type, Array) or parameter.type.ndim != 1:
        return None
    made = next((s for s in loop.body.statements if isinstance(s, Let) and s.value is after), None)
    if made is None or made.function is not primitives.load or made.operands[0] is not parameter:
        return None
    match made.operands[1]:
        case (Index((Slice(start, stop, step),)),) if step is None or step == constant(1):
            front, back = _whole_number(start, 1), _whole_number(stop, -1)
            is_read = {parameter, after}.isdisjoint(consumed_in(loop.body))
            return _Cut(made, front, back) if is_read and front is not None and back is not None else None
    return None


def _whole_number(end: Operand | None, sign: int) -> int | None:
    """How many elements a slice leaves out at this end, if that does not depend on the length."""
    if end is None:
        return 0
    if not isinstance(end, Constant) or type(end.value) is not int or end.value * sign < 0:
        return None
    return None if end.value == 0 and sign < 0 else end.value * sign


def _is_whole(loop: For, k: int, made: Mapping[Value, Statement]) -> bool:
    """Whether the elements of a carried array lie one after the other before the loop."""
    initial = loop.carried[k].initial
    root = None if is_undefined(initial) else root_of(initial, made)
    maker = None if root is None else made.get(root)
    return isinstance(maker, Let) and (maker.function in _MAKING or isinstance(maker.function, np.ufunc))


def _length_of(array: Value) -> Value:
    """What says how long an array is, and is named after it."""
    name, of = array.of_it("_size")
    return Value(name, INT, of)


def _part(builder: Builder, array: Operand, value: Value, first: Operand, length: Operand) -> None:
    """Define a value as a part of an array."""
    builder.add(Let(value, runtime.block_of, (array, first, (length,)), location=builder.location))


def _next_part(builder: Builder, array: Operand, cut: _Cut, number: Operand, length: Value) -> Operand:
    """Define what an iteration leaves of its part; how long that is."""
    with builder.at(cut.slice.location):
        left = builder.let(max, builder.let(np.subtract, length, constant(cut.front + cut.back)), constant(0))
        following = builder.let(np.add, number, constant(1))
        _part(builder, array, cut.slice.value, _scaled(builder, following, cut.front), left)
    return left


def _scaled(builder: Builder, number: Operand, factor: int) -> Operand:
    if factor in (0, 1):
        return number if factor else constant(0)
    return builder.let(np.multiply, number, constant(factor))
