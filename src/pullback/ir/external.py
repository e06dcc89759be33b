"""Calls of functions that are not read: statements that stay, in their order, as what they do besides is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeGuard

from pullback import runtime
from pullback.ir.nodes import Block, Call, Statement, blocks_of, has_effects, walk
from pullback.ir.ruled import Ruled


def is_call_outside(statement: Statement) -> TypeGuard[Call]:
    """Whether a statement calls a function that is not read, of which nobody knows what it does besides."""
    return isinstance(statement, Call) and statement.function in (runtime.call_external, runtime.call_address)


def has_to_stay(call: Call) -> bool:
    """Whether a call does more than compute its results, as far as anybody knows."""
    return is_call_outside(call) or (isinstance(call.function, Ruled) and has_effects(call.function.primal.body))


def calls_outside(block: Block) -> bool:
    """Whether a block, or one inside, calls functions that are not read."""
    return any(map(is_call_outside, walk(block)))


def repeated_calls_outside(statements: Iterable[Statement]) -> Iterator[Call]:
    """The calls in loops and branches: those run again where what they compute is needed once more."""
    inner = (block for statement in statements for block in blocks_of(statement))
    return (statement for block in inner for statement in walk(block) if is_call_outside(statement))
