"""The For or While that a loop becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from pullback.errors import Location
from pullback.frontend.syntax.loops import Loop, Reading
from pullback.frontend.values.bindings import Range
from pullback.ir.nodes import Block, Carried, Constant, For, Value, While


def read_for(loop: Loop, index: Value, range_: Range) -> None:
    """Append the For that the loop is, and leave its state in the context."""
    loop.index = index
    reading, carried, body, results, location = _read(loop)
    start, stop, step, most = range_.start, range_.stop, range_.step, range_.checkpoints
    made = For(index, start, stop, step, carried, body, results, reading.exit is not None, location=location)
    if made.exits and most not in (None, Constant(None)):
        loop.context.refuse(
            loop.node, "memory= is for loops without 'break' or 'return'", "leave it out: checkpointed(...)"
        )
    loop.context.builder.add(replace(made, checkpoints=most))
    loop.leave(results, reading)


def read_while(loop: Loop) -> None:
    """Append the While that the loop is, and leave its state in the context."""
    reading, carried, body, results, location = _read(loop)
    assert reading.condition is not None, "the reading of a while has a condition"
    exits = reading.exit is not None
    loop.context.builder.add(While(reading.condition, carried, body, results, exits, location))
    loop.leave(results, reading)


def _read(loop: Loop) -> tuple[Reading, tuple[Carried, ...], Block, tuple[Value, ...], Location]:
    reading, carried, yields = loop.read()
    body = Block(tuple(reading.statements), (*yields, *([reading.exit] if reading.exit is not None else [])))
    results = tuple(Value(c.parameter.name, c.parameter.type) for c in carried)
    return reading, tuple(carried), body, results, loop.context.location(loop.node)


def exit_of(body: list[Any]) -> tuple[list[Any], str]:
    """The statements of a desugared body without the closing `if stopped: break`, and the flag's name."""
    if body and isinstance(body[-1], gast.If) and body[-1].body and isinstance(body[-1].body[0], gast.Break):
        return body[:-1], body[-1].test.id
    return body, ""
