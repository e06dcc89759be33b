"""Closed forms: an integer that every round of a loop changes by the same amount is computed from the round.

for j in range(n) with (p = d):               for j in range(n):
    x[p] += w[j]                      →           p = d + j
    p = p + 1                                     x[p] += w[j]
                                              p = d + max(n, 0)

Nothing is then carried, and a backward sweep has nothing to keep. In a nest the innermost loop comes first; those
around it follow where its number of rounds depends on none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

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
    made_in_rounds,
    values_in,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.rounds import round_number, trip_count
from pullback.ir.types import Scalar
from pullback.optimize.hoist import hoist

Change = tuple[Callable[..., Any], Operand]  # np.add or np.subtract, and by how much


def close_counters(function: Function) -> Function:
    """The same function with fewer carried integers."""
    function = replace(function, callees=tuple(map(close_counters, function.callees)))
    while True:
        closed = replace(function, body=_block(function.body))
        if _count_carried(closed) == _count_carried(function):
            return function
        function = hoist(closed)


def _count_carried(function: Function) -> int:
    return sum(len(statement.carried) for statement in walk(function.body) if isinstance(statement, For))


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, _block)
        statements += _closed(changed) if isinstance(changed, For) else [changed]
    return Block(tuple(statements), block.yields)


def _closed(loop: For) -> list[Statement]:
    """The loop without such integers, then what they are after it."""
    changes = {k: made for k in range(len(loop.carried)) if (made := _changes(loop, k))}
    if loop.exits or loop.reverse or not changes:
        return [loop]
    builder = Builder()
    builder.location = loop.location
    inside: list[Statement]
    with builder.block() as inside:
        number = round_number(builder, loop)
        for k, made in changes.items():
            _define(builder, loop.carried[k].parameter, loop.carried[k].initial, made, number)
    with builder.block() as after:
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        for k, made in changes.items():
            _define(builder, loop.results[k], loop.carried[k].initial, made, trips)
    others = [k for k in range(len(loop.carried)) if k not in changes]
    changed = replace(
        loop,
        carried=tuple(loop.carried[k] for k in others),
        body=Block((*inside, *loop.body.statements), tuple(loop.body.yields[k] for k in others)),
        results=tuple(loop.results[k] for k in others),
    )
    return [changed, *after]


def _changes(loop: For, k: int) -> list[Change]:
    """What a round adds to and takes from a carried integer, if that is the same in every round; else nothing."""
    parameter, initial = loop.carried[k].parameter, loop.carried[k].initial
    if not _is_integer(parameter) or not _is_integer(initial):
        return []
    definitions = {s.value: s for s in loop.body.statements if isinstance(s, Let)}
    own = made_in_rounds(loop)
    changes: list[Change] = []
    value = loop.body.yields[k]
    while value is not parameter:
        made = definitions.get(value) if isinstance(value, Value) else None
        if made is None or made.function not in (np.add, np.subtract) or not _is_integer(made.value):
            return []
        value, by = made.operands
        if made.function is np.add and not own & set(values_in(value)):
            value, by = by, value
        if own & set(values_in(by)) or not _is_integer(by):
            return []
        changes.append((made.function, by))
    return changes


def _is_integer(operand: Operand) -> bool:
    if isinstance(operand, Constant) and not isinstance(operand.value, int):
        return False
    return isinstance(operand.type, Scalar) and operand.type.dtype == "int64"


def _define(builder: Builder, value: Value, initial: Operand, changes: list[Change], rounds: Operand) -> None:
    """value = initial + changes * rounds"""
    for k, (function, by) in enumerate(changes):
        product = rounds if by == constant(1) else builder.let(np.multiply, by, rounds)
        made = value if k == len(changes) - 1 else Value("", value.type)
        builder.add(Let(made, function, (initial, product), location=builder.location))
        initial = made
