"""`with insert_grad_of(x) as x_bar:` changes the cotangent of x on the way back; going forward the block is not run.

with insert_grad_of(b) as g:           b.1 = inserted(b)
    g = g * 0.9                  →     … and backwards: b_bar = b.1_bar * 0.9
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gast

from pullback.frontend.bindings import ArrayRef, Static
from pullback.frontend.context import Context
from pullback.frontend.names import assigned_names
from pullback.frontend.source import Source
from pullback.ir.nodes import Let, Value


@contextmanager
def insert_grad_of(value: Any) -> Iterator[float]:
    """Change the cotangent of a variable where it is used after this block.

    The block reads the cotangent under the name behind `as` and assigns a new one to it. It runs in the backward pass
    only; in plain Python the cotangent is 1.0 and what the block assigns has no effect.

    >>> import pullback as pb
    >>> def f(a):
    ...     b = a
    ...     with pb.insert_grad_of(b) as b_bar:
    ...         b_bar = 0.5 * b_bar
    ...     return b * b
    >>> pb.grad(f)(3.0)
    3.0
    """
    yield 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Inserted:
    """The identity of its first argument; `body` makes the cotangent `gradient` anew from itself and from `names`."""

    source: Source
    body: tuple[Any, ...]
    gradient: str
    names: tuple[str, ...]
    __name__ = "insert_grad_of"

    def __call__(self, value: Any, *names: Any) -> Any:
        return value


def insert(context: Context, node: Any) -> None:
    """A with-statement that changes a cotangent: the variable becomes a new value with a derivative of its own."""
    item = node.items[0]
    call, target = item.context_expr, item.optional_vars
    if context.evaluate(call.func) != Static(insert_grad_of) or len(call.args) != 1 or call.keywords:
        context.refuse(node, "'with' is supported for insert_grad_of(variable) alone", "remove it")
    variable = call.args[0]
    if not isinstance(variable, gast.Name) or not isinstance(target, gast.Name):
        context.refuse(node, "insert_grad_of takes a variable, and `as` a name for its cotangent")
    key = (context.frame.number, variable.id)
    old = context.evaluate(variable)
    operand = context.operand(old, node)
    names = _names_read(context, node.body, target.id)
    given = tuple(context.operand(context.evaluate(gast.Name(name, gast.Load(), None, None)), node) for name in names)
    inserted = Inserted(context.frame.source, tuple(node.body), target.id, names)
    value = Value(variable.id, operand.type)
    context.builder.add(Let(value, inserted, (operand, *given), (), context.location(node)))
    if not isinstance(old, ArrayRef):
        context.state.names[key] = value
    elif old.path:
        context.refuse(node, "the cotangent of a view cannot be changed", "use the whole array")
    else:
        context.state.cells[old.cell] = value


def _names_read(context: Context, body: list[Any], gradient: str) -> tuple[str, ...]:
    """The variables that the block reads, besides the cotangent and what it assigns itself."""
    own = assigned_names(body) | {gradient}
    read = {n.id for statement in body for n in gast.walk(statement) if isinstance(n, gast.Name)}
    frame = context.frame
    return tuple(sorted(n for n in read - own if (frame.number, n) in context.state.names))
