"""Each statement is followed by that of its tangent: branches yield tangents too, and loops carry them.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.passes.running import finished
>>> from pullback.transform.forward.pushforward import pushed
>>> def f(x):
...     for i in range(3):
...         if x > 0.0:
...             x = x * x
...     return x
>>> print(show(finished(pushed(normal_form(f, 1.0), (0,), 0, ALL), ALL)))
f_jvp(x: float64*, x_dot: float64*):
    x.4, x_dot.4 = for i in range(0, 3, 1) with (x.1: float64* = x, x_dot.1: float64* = x_dot):
        t.0: bool* = greater(x.1, 0.0)
        x.3, x_dot.3 = if t.0:
            x.2: float64* = multiply(x.1, x.1)
            t.1: float64* = multiply(2, x.1)
            x_dot.2: float64* = multiply(t.1, x_dot.1)
            yield x.2, x_dot.2
        else:
            yield x.1, x_dot.1
        yield x.3, x_dot.3
    return x.4, x_dot.4
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.functions import is_constant
from pullback.ir import primitives
from pullback.ir.identities import Identity
from pullback.ir.nodes import Block, Call, Carried, For, If, Let, Operand, Statement, While
from pullback.ir.rewrite import copied
from pullback.ir.ruled import LinearMap
from pullback.ir.types import is_float
from pullback.transform.forward import elements
from pullback.transform.forward.rules import push_by_rule
from pullback.transform.forward.tangents import Tangents
from pullback.transform.forward.transposition import push_by_vjp
from pullback.transform.inlining import rule_for

SUFFIX = "_jvp"
"""What is added to the name of a function that pushes tangents forward."""


def push_block(tangents: Tangents, block: Block, more: Callable[[], tuple[Operand, ...]], at_end: int = 0) -> Block:
    """A block with the statements of the tangents; `more` gives what it yields besides, before the last `at_end`."""
    with tangents.builder.block() as statements:
        for statement in block.statements:
            with tangents.builder.at(statement.location):
                push_statement(tangents, statement)
        yields = block.yields[: len(block.yields) - at_end], more(), block.yields[len(block.yields) - at_end :]
    return Block(tuple(statements), tuple(operand for part in yields for operand in part))


def push_statement(tangents: Tangents, statement: Statement) -> None:
    """Append a statement, and what computes the tangents of its results."""
    match statement:
        case If():
            _push_branches(tangents, statement)
        case For() | While():
            _push_loop(tangents, statement)
        case Call(function=str()):
            _push_call(tangents, statement)
        case Call(function=LinearMap()):
            _push_linear(tangents, statement)
        case _:
            tangents.builder.add(statement)
            with tangents.builder.at(statement.location.along_tangents()):
                if isinstance(statement, Let) and statement.value in tangents.active:
                    _push_let(tangents, statement)
                if isinstance(statement, Call) and any(result in tangents.active for result in statement.results):
                    push_by_vjp(tangents, statement, rule_for(statement).body)


def _push_branches(tangents: Tangents, statement: If) -> None:
    places = [k for k, result in enumerate(statement.results) if result in tangents.active]

    def side(block: Block) -> Block:
        return push_block(tangents, block, lambda: tuple(tangents.whole(block.yields[k]) for k in places))

    then, orelse = side(statement.then), side(statement.orelse)
    made = tuple(tangents.begin(statement.results[k]) for k in places)
    tangents.builder.add(replace(statement, then=then, orelse=orelse, results=(*statement.results, *made)))


def _push_loop(tangents: Tangents, statement: For | While) -> None:
    pairs = list(zip(statement.carried, statement.results, strict=True))
    places = [k for k, (c, y) in enumerate(pairs) if c.parameter in tangents.active or y in tangents.active]
    initials = [tangents.whole(statement.carried[k].initial) for k in places]
    parameters = tuple(tangents.begin(statement.carried[k].parameter) for k in places)
    carried = tuple(
        Carried(p, initial, statement.carried[k].private)
        for k, p, initial in zip(places, parameters, initials, strict=True)
    )
    body = push_block(
        tangents,
        statement.body,
        lambda: tuple(tangents.whole(statement.body.yields[k]) for k in places),
        at_end=int(statement.exits),
    )
    made = tuple(tangents.begin(statement.results[k]) for k in places)
    tangents.builder.add(
        replace(statement, carried=(*statement.carried, *carried), body=body, results=(*statement.results, *made))
    )


def _push_call(tangents: Tangents, statement: Call) -> None:
    """A call of a recursive function: the one that pushes tangents takes those of all floats, and returns as many."""
    if not any(result in tangents.active for result in statement.results):
        tangents.builder.add(statement)
        return
    given = tuple(tangents.whole(operand) for operand in statement.operands if is_float(operand.type))
    made = tuple(tangents.begin(result) for result in statement.results if is_float(result.type))
    tangents.builder.add(
        replace(
            statement,
            function=f"{statement.function}{SUFFIX}",
            operands=(*statement.operands, *given),
            results=(*statement.results, *made),
        )
    )


def _push_linear(tangents: Tangents, statement: Call) -> None:
    """A call of a function with a rule of its user's, whose forward statements stand before it."""
    assert isinstance(statement.function, LinearMap)
    ys, xs, read = statement.operands
    tangents.builder.add(statement)
    results = [result for result in statement.results if is_float(result.type)]
    if any(result in tangents.active for result in results):
        push = statement.function.push()
        shapes = (y for y, result in zip(ys, statement.results, strict=True) if is_float(result.type))
        operands = (*map(tangents.whole, xs), *shapes, *read)
        pushed = copied(push.body, dict(zip(push.parameters, operands, strict=True)))
        for made in pushed.statements:
            tangents.builder.add(made)
        for result, tangent in zip(results, pushed.yields, strict=True):
            tangents.set(result, tangent)


def _push_let(tangents: Tangents, statement: Let) -> None:
    special = _PRIMITIVES.get(statement.function)
    if isinstance(statement.function, Identity):
        elements.hand_on(tangents, statement)
    elif special is not None:
        special(tangents, statement)
    elif not is_constant(statement.function):
        push_by_rule(tangents, statement)


_PRIMITIVES: dict[Callable[..., Any], Callable[[Tangents, Let], None]] = {
    primitives.load: elements.push_read,
    primitives.load_last: elements.push_read,
    primitives.store: elements.push_written,
    primitives.add_at: elements.push_added,
    primitives.accumulate: elements.push_accumulate,
    primitives.cast: elements.hand_on,
    primitives.copy: elements.push_copy,
    primitives.watched: elements.hand_on,
    primitives.select: elements.push_select,
    np.array: elements.push_array,
    runtime.push: elements.push_written,
    runtime.push_row: elements.push_written,
    runtime.keep: elements.push_written,
    runtime.push_block: elements.push_written,
    runtime.block_of: elements.push_read,
    runtime.contents: elements.push_read,
    runtime.reserve: elements.push_read,
}
