"""Calls of functions that are not read: statements that stay, in their order, as what they do besides is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

from pullback import runtime
from pullback.ir.nodes import Block, Call, Constant, Statement, blocks_of, has_effects, walk
from pullback.ir.ruled import Ruled
from pullback.runtime.python.external import OF_STATE


def is_call_outside(statement: Statement) -> TypeGuard[Call]:
    """Whether a statement calls a function that is not read, of which nobody knows what it does besides."""
    return isinstance(statement, Call) and statement.function in (runtime.call_external, runtime.call_address)


def method_of(call: Call) -> str:
    """What an object is asked for by name, as a random generator is; "" for a function that is called."""
    _, signature, *_ = call.operands
    assert isinstance(signature, Constant), "a signature is known"
    return str(signature.value).partition("(")[0].partition("[")[0] if call.function is runtime.call_external else ""


def draws(statement: Statement) -> bool:
    """Whether a statement takes numbers from a random generator, which gives others the next time."""
    return is_call_outside(statement) and method_of(statement) != "" and not method_of(statement).startswith(OF_STATE)


def title_of(call: Call) -> str:
    """How a message names what a call outside calls."""
    method = method_of(call).removeprefix(OF_STATE)
    return (
        f"'{method}' of a random generator" if method else f"'{call.operands[0].name}', which is called and not read,"
    )


def has_to_stay(call: Call) -> bool:
    """Whether a call does more than compute its results, as far as anybody knows."""
    return is_call_outside(call) or (isinstance(call.function, Ruled) and has_effects(call.function.primal.body))


def calls_outside(block: Block) -> bool:
    """Whether a block, or one inside, calls functions that are not read."""
    return any(map(is_call_outside, walk(block)))


def statements_run_by(statements: Iterable[Statement], callees: Mapping[str, Block]) -> Iterator[Statement]:
    """All statements that run, also within the functions that are called; callees: the bodies of those by name."""
    waiting, reached = [Block(tuple(statements))], set[str]()
    while waiting:
        for statement in walk(waiting.pop()):
            yield statement
            called = statement.function if isinstance(statement, Call) else None
            if isinstance(called, Ruled):
                waiting.append(called.primal.body)
            elif isinstance(called, str) and called in callees and called not in reached:
                reached.add(called)
                waiting.append(callees[called])


def repeated_calls_outside(statements: Iterable[Statement]) -> Iterator[Call]:
    """The calls in loops and branches: those run again where what they compute is needed once more.

    A draw from the state of a random generator, which gives the same each time, is none of them.
    """
    inner = (block for statement in statements for block in blocks_of(statement))
    calls = (statement for block in inner for statement in walk(block) if is_call_outside(statement))
    return (call for call in calls if not method_of(call).startswith(OF_STATE))
