"""Induction-variable substitution: what every iteration changes by a known amount is computed from the number of the
iteration.

>>> import numpy as np, pullback as pb
>>> def correlated(x, w, d):
...     p = d
...     s = 0.0
...     for j in range(w.shape[0]):
...         s += x[p] * w[j]
...         p = p + 1
...     return s
>>> print(pb.explain(correlated, np.ones(9), np.ones(3), 2, passes=["induction_variables"]))
preparation: induction_variables, a carried integer is computed from the number of the iteration
  ...
       t.0: int64* = dim(w, 0)
  -    p.2, s.2 = for j in range(0, t.0, 1) with (p: int64* = d, s: float64 = 0.0):
  +    s.2 = for j in range(0, t.0, 1) with (s: float64 = 0.0):
  +        p: int64* = add(d, j)
           t.1: float64 = load(x, ([p]))
  ...
           p.1: int64* = add(p, 1)
  -        yield p.1, s.1
  +        yield s.1
  +    t.4: int64* = max(t.0, 0)
  +    p.2: int64* = add(d, t.4)
       return s.2

Nothing is then carried, and a backward sweep has nothing to keep. In a nest the innermost loop comes first. Those
around it follow where its number of iterations depends on none of them, or grows or shrinks by the same number from one
iteration to the next, as in a triangle: then `runtime.counted` adds them up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    made_in_iterations,
    values_in,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.trip_counts import iteration_number, trip_count
from pullback.ir.types import INT, Scalar
from pullback.passes.loops.loop_invariants import hoist_invariants


@dataclass(frozen=True, slots=True)
class _Change:
    """np.add or np.subtract, and by how much; `grows` where that is an inner loop's trip count, which differs."""

    function: Callable[..., Any]
    by: Operand
    grows: _Growth | None = None


@dataclass(frozen=True, slots=True)
class _Growth:
    """A number of iterations max(length, 0), where the length changes by `step` from one iteration to the next."""

    length: Operand
    step: int


def substitute_induction_variables(function: Function) -> Function:
    """The same function with fewer carried integers."""
    function = replace(function, callees=tuple(map(substitute_induction_variables, function.callees)))
    while True:
        changed = replace(function, body=_block(function.body))
        if _count_carried(changed) == _count_carried(function):
            return function
        function = hoist_invariants(changed)


def _count_carried(function: Function) -> int:
    return sum(len(statement.carried) for statement in walk(function.body) if isinstance(statement, For))


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, _block)
        statements += _substituted(changed) if isinstance(changed, For) else [changed]
    return Block(tuple(statements), block.yields)


def _substituted(loop: For) -> list[Statement]:
    """The loop without such integers, then what they are after it; before it, what it then reads."""
    changes = {k: made for k in range(len(loop.carried)) if (made := _changes(loop, k))}
    if loop.exits or loop.reverse or not changes:
        return [loop]
    builder = Builder()
    builder.location = loop.location
    inside: list[Statement]
    with builder.block() as before:
        known = {k: [_at_start(builder, loop, change) for change in made] for k, made in changes.items()}
    with builder.block() as inside:
        number = iteration_number(builder, loop.index, loop.start, loop.step)
        for k, made in known.items():
            _define(builder, loop.carried[k].parameter, loop.carried[k].initial, made, number)
    with builder.block() as after:
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        for k, made in known.items():
            _define(builder, loop.results[k], loop.carried[k].initial, made, trips)
    others = [k for k in range(len(loop.carried)) if k not in changes]
    changed = replace(
        loop,
        carried=tuple(loop.carried[k] for k in others),
        body=Block((*inside, *loop.body.statements), tuple(loop.body.yields[k] for k in others)),
        results=tuple(loop.results[k] for k in others),
    )
    return [*before, changed, *after]


def _changes(loop: For, k: int) -> list[_Change]:
    """What an iteration adds to and takes from a carried integer, if that is known for every one; else nothing."""
    parameter, initial = loop.carried[k].parameter, loop.carried[k].initial
    if not _is_integer(parameter) or not _is_integer(initial):
        return []
    definitions = _definitions(loop)
    varying = made_in_iterations(loop)
    changes: list[_Change] = []
    value = loop.body.yields[k]
    while value is not parameter:
        made = definitions.get(value) if isinstance(value, Value) else None
        if made is None or made.function not in (np.add, np.subtract) or not _is_integer(made.value):
            return []
        value, by = made.operands
        if made.function is np.add and not _reaches(value, parameter, definitions):
            value, by = by, value
        if not _is_integer(by):
            return []
        growth = _growth(loop, by, definitions, varying) if varying & set(values_in(by)) else None
        if varying & set(values_in(by)) and growth is None:
            return []
        changes.append(_Change(made.function, by, growth))
    return changes


def _definitions(loop: For) -> dict[Value, Let]:
    return {s.value: s for s in loop.body.statements if isinstance(s, Let)}


def _reaches(operand: Operand, parameter: Value, definitions: dict[Value, Let]) -> bool:
    """Whether an operand is a carried integer, or was made of it by additions."""
    if operand is parameter:
        return True
    made = definitions.get(operand) if isinstance(operand, Value) else None
    if made is None or made.function not in (np.add, np.subtract):
        return False
    return any(_reaches(o, parameter, definitions) for o in made.operands)


def _growth(loop: For, by: Operand, definitions: dict[Value, Let], varying: set[Value]) -> _Growth | None:
    """How an integer max(length, 0) differs from iteration to iteration, if its length is so much more in each."""
    made = definitions.get(by) if isinstance(by, Value) else None
    if made is None or made.function is not max or made.operands[1] != constant(0):
        return None
    slope = _slope(loop, made.operands[0], definitions, varying)
    if not slope or not isinstance(loop.step, Constant):
        return None  # a length that stays the same moves before the loop
    return _Growth(made.operands[0], slope * loop.step.value)


def _slope(loop: For, operand: Operand, definitions: dict[Value, Let], varying: set[Value]) -> int | None:
    """By how much an integer differs where the loop's index is one more; None where it is no such sum."""
    if not _is_integer(operand):
        return None
    if operand is loop.index:
        return 1
    if not varying & set(values_in(operand)):
        return 0
    made = definitions.get(operand)
    if made is None or made.function not in (np.add, np.subtract):
        return None
    first, second = (_slope(loop, o, definitions, varying) for o in made.operands)
    if first is None or second is None:
        return None
    return first + second if made.function is np.add else first - second


def _at_start(builder: Builder, loop: For, change: _Change) -> _Change:
    """The change with its length as it is in the first iteration."""
    if change.grows is None:
        return change
    definitions, varying = _definitions(loop), made_in_iterations(loop)

    def first(operand: Operand) -> Operand:
        if operand is loop.index:
            return loop.start
        if not varying & set(values_in(operand)):
            return operand
        made = definitions[operand]
        return builder.let(made.function, *map(first, made.operands))

    return replace(change, grows=_Growth(first(change.grows.length), change.grows.step))


def _is_integer(operand: Operand) -> bool:
    if isinstance(operand, Constant) and not isinstance(operand.value, int):
        return False
    return isinstance(operand.type, Scalar) and operand.type.dtype == "int64"


def _define(builder: Builder, value: Value, initial: Operand, changes: list[_Change], iterations: Operand) -> None:
    """value = initial + changes * iterations"""
    for k, change in enumerate(changes):
        made = value if k == len(changes) - 1 else Value("", value.type)
        whole = _times(builder, change, iterations)
        builder.add(Let(made, change.function, (initial, whole), location=builder.location))
        initial = made


def _times(builder: Builder, change: _Change, iterations: Operand) -> Operand:
    """What so many iterations add together."""
    if change.grows is not None:
        return builder.let(runtime.counted, iterations, change.grows.length, constant(change.grows.step), type_=INT)
    return iterations if change.by == constant(1) else builder.let(np.multiply, change.by, iterations)
