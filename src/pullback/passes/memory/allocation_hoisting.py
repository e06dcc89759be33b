"""Buffers that every iteration of a loop makes anew are made once, before the loop.

for i in range(n):                      buffer = np.empty(m)
    buffer = np.empty(m)         →      for i in range(n):
    …                                       …

Only for stacks, and for `np.empty` of a size that is the same in every iteration: nothing of an earlier iteration is
read, or it would be undefined in the program as it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes
from pullback.ir.nodes import (
    Block,
    Carried,
    For,
    Function,
    If,
    Let,
    Statement,
    Value,
    While,
    made_in_iterations,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks


def hoist_allocations(function: Function) -> Function:
    """The same function with such buffers made outside of all loops that allow it."""
    return replace(function, body=_block(function.body))


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, _block)
        statements += _lifted(changed) if isinstance(changed, For | While) else [changed]
    return Block(tuple(statements), block.yields)


def _lifted(loop: For | While) -> list[Statement]:
    """The buffers that a loop's body makes, then the loop that carries them."""
    own = made_in_iterations(loop)
    before: list[Statement] = []
    for statement in loop.body.statements:
        if not isinstance(statement, Let) or statement.function not in (np.empty, runtime.growing):
            continue
        last = _last_version(statement.value, loop.body)
        if last is not None and last not in loop.body.yields and not own & set(values_in(statement.operands)):
            before.append(statement)
            loop = _carrying(loop, statement, last)
    return [*before, loop]


def _carrying(loop: For | While, made: Let, last: Value) -> For | While:
    """The loop with a buffer handed from iteration to iteration."""
    value = made.value
    parameter = Value(value.name, value.type)
    others = tuple(s for s in loop.body.statements if not isinstance(s, Let) or s.value is not value)
    body = substituted(Block(others, loop.body.yields), {value: parameter})
    last = parameter if last is value else last
    count = len(loop.carried)
    yields = (*body.yields[:count], last, *body.yields[count:])
    return replace(
        loop,
        carried=(*loop.carried, Carried(parameter, value, private=True)),
        body=Block(body.statements, yields),
        results=(*loop.results, Value(value.name, value.type)),
    )


def _last_version(value: Value, block: Block) -> Value | None:
    """The version of a buffer at the end of a block; None where a branch takes it over, which is not followed."""
    for statement in block.statements:
        match statement:
            case Let() if consumes(statement) and statement.operands[0] is value:
                value = statement.value
            case For() | While():
                for carried, result in zip(statement.carried, statement.results, strict=True):
                    if carried.initial is value:
                        value = result
                        break
            case If() if _is_consumed(value, statement):
                return None
    return value


def _is_consumed(value: Value, statement: If) -> bool:
    """Whether a branch writes a buffer, or hands it on."""
    for side in (statement.then, statement.orelse):
        if value in side.yields:
            return True
        for inner in walk(side):
            if isinstance(inner, Let) and consumes(inner) and inner.operands[0] is value:
                return True
            if isinstance(inner, For | While) and any(c.initial is value for c in inner.carried):
                return True
    return False
