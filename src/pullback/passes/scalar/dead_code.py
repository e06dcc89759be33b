"""Dead-code elimination: a Function without the statements, branch results and carried values that nobody reads.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def halved(x, n):
...     for _ in range(n):
...         y = x * x
...         x = 0.5 * x
...     return x
>>> print(show(normal_form(halved, 1.0, 3)))
halved(x: float64*, n: int64*):
    x.3 = for _ in range(0, n, 1) with (x.1: float64* = x):
        y: float64* = multiply(x.1, x.1)
        x.2: float64* = multiply(0.5, x.1)
        yield x.2
    return x.3
>>> print(show(remove_dead(normal_form(halved, 1.0, 3))))
halved(x: float64*, n: int64*):
    x.3 = for _ in range(0, n, 1) with (x.1: float64* = x):
        x.2: float64* = multiply(0.5, x.1)
        yield x.2
    return x.3

What may raise is not dead: `passes/scalar/preserved_exceptions.py` has put a check of that in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pullback.ir.external import has_to_stay
from pullback.ir.nodes import (
    Block,
    Call,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    operands_of,
    values_in,
)


def remove_dead(function: Function) -> Function:
    """The function without statements, branch results and carried values that do not reach a result or an effect."""
    body = _block(function.body, set(values_in(function.body.yields)))
    return replace(function, body=body, callees=tuple(remove_dead(callee) for callee in function.callees))


def _block(block: Block, live: set[Value]) -> Block:
    """The live statements of a block; `live` grows by what they read."""
    kept: list[Statement] = []
    for statement in reversed(block.statements):
        alive = _statement(statement, live)
        if alive is not None:
            kept.append(alive)
            live.update(values_in(operands_of(alive)))
    return Block(tuple(reversed(kept)), block.yields)


def _statement(statement: Statement, live: set[Value]) -> Statement | None:
    match statement:
        case Let():
            return statement if statement.value in live else None
        case Effect():
            return statement
        case Call():
            return statement if live & set(statement.results) or has_to_stay(statement) else None
        case If():
            return _branches(statement, live)
        case For() | While():
            return _loop(statement, live)


def _branches(statement: If, live: set[Value]) -> If | None:
    keep = [k for k, result in enumerate(statement.results) if result in live]
    blocks = []
    for block in (statement.then, statement.orelse):
        yields = tuple(block.yields[k] for k in keep)
        live.update(values_in(yields))
        blocks.append(_block(Block(block.statements, yields), live))
    if not keep and not any(block.statements for block in blocks):
        return None
    return replace(statement, then=blocks[0], orelse=blocks[1], results=tuple(statement.results[k] for k in keep))


def _loop(statement: For | While, live: set[Value]) -> For | While | None:
    count = len(statement.carried)
    keep = {k for k in range(count) if statement.results[k] in live}
    while True:
        inside, body, condition = _body(statement, keep)
        needed = {k for k in range(count) if statement.carried[k].parameter in inside}
        if needed <= keep:
            break
        keep |= needed
    if not keep and not _has_effects(body) and isinstance(statement, For):
        return None
    live.update(inside)
    order = sorted(keep)
    carried = tuple(statement.carried[k] for k in order)
    results = tuple(statement.results[k] for k in order)
    if isinstance(statement, While):
        assert condition is not None, "a while has a condition"
        return replace(statement, condition=condition, carried=carried, body=body, results=results)
    return replace(statement, carried=carried, body=body, results=results)


def _body(statement: For | While, keep: Iterable[int]) -> tuple[set[Value], Block, Block | None]:
    """The body that yields only the kept values, and everything that it and the condition read."""
    yields: tuple[Operand, ...] = tuple(statement.body.yields[k] for k in sorted(keep))
    if statement.exits:
        yields = (*yields, statement.body.yields[-1])
    inside = set(values_in(yields))
    body = _block(Block(statement.body.statements, yields), inside)
    condition = None
    if isinstance(statement, While):
        inside |= set(values_in(statement.condition.yields))
        condition = _block(statement.condition, inside)
    return inside, body, condition


def _has_effects(block: Block) -> bool:
    return any(isinstance(statement, Effect | Call) or _nested(statement) for statement in block.statements)


def _nested(statement: Statement) -> bool:
    match statement:
        case If():
            return _has_effects(statement.then) or _has_effects(statement.orelse)
        case For():
            return _has_effects(statement.body)
        case While():
            return True
    return False
