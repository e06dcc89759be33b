"""Two ways to go on: read both, join what they leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.values.bindings import Binding
from pullback.frontend.values.context import Context, Pending
from pullback.frontend.values.merge import Merge
from pullback.frontend.values.paths import Path
from pullback.ir.nodes import Operand, Statement

CHOSEN = "<value>"


def branch(
    context: Context, condition: Operand, then: Callable[[], None], orelse: Callable[[], None], node: Any
) -> None:
    """Read both branches of a condition that is known only at run time, and join their states."""
    paths = [_read(context, action) for action in (then, orelse)]
    Merge(context, condition, paths[0], paths[1], node).finish()


def choose(
    context: Context, condition: Operand, then: Callable[[], Binding], orelse: Callable[[], Binding], node: Any
) -> Binding:
    """The value of a conditional expression; only the side taken is evaluated."""
    key = (context.frame.number, CHOSEN)

    def keeping(action: Callable[[], Binding]) -> Callable[[], None]:
        def act() -> None:
            context.state.names[key] = action()

        return act

    outer = context.state.names.pop(key, None)
    branch(context, condition, keeping(then), keeping(orelse), node)
    chosen = context.state.names.pop(key)
    if outer is not None:
        context.state.names[key] = outer
    return context.settled_unless_none(chosen, node)


def _read(context: Context, action: Callable[[], None]) -> Path:
    outer = context.state
    context.state = outer.copy()
    statements: list[Statement]
    try:
        with context.builder.block() as statements:
            try:
                action()
            except Pending:
                context.state.dead = True
        return Path(statements, context.state, [])
    finally:
        context.state = outer
