"""`with insert_grad_of(x) as x_bar:` changes the cotangent of x in the backward sweep, and runs in no other.

with insert_grad_of(b) as g:           b.1 = inserted(b)
    g = g * 0.9                  →     … and backwards: b_bar = b.1_bar * 0.9
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import gast

from pullback.errors import PullbackError
from pullback.frontend.source.finding import Source
from pullback.frontend.source.names import assigned_names
from pullback.frontend.values.bindings import ArrayRef, Static
from pullback.frontend.values.context import Context, StaticNeeded
from pullback.frontend.values.frames import Frame
from pullback.ir.identities import Identity
from pullback.ir.nodes import Let, Operand, Value


@contextmanager
def insert_grad_of(value: Any) -> Iterator[float]:
    """Change the cotangent of the variable `value` where it is used after this block.

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
class Inserted(Identity):
    """The identity of its first argument; `body` makes the cotangent `gradient` anew from itself and from `names`."""

    function: weakref.ref[FunctionType]
    text: tuple[Any, ...]
    body: tuple[Any, ...]
    gradient: str
    names: tuple[str, ...]
    __name__ = "insert_grad_of"

    @staticmethod
    def of(source: Source, body: list[Any], gradient: str, names: tuple[str, ...]) -> Inserted:
        """The block; what is made of a function does not keep it alive."""
        text = (source.tree, source.file, source.lines)
        return Inserted(weakref.ref(source.function), text, tuple(body), gradient, names)

    def frame(self) -> Frame:
        """Where the block is read: its names are those that it is given, all others come from outside."""
        function = self.function()
        assert function is not None, "whoever calls a function keeps it"
        known = frozenset((self.gradient, *self.names))
        return Frame(0, Source(function, *self.text), None, list(self.body), known, None, function)


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
    inserted = Inserted.of(context.frame.source, node.body, target.id, names)
    value = Value(variable.id, operand.type)
    _depend_on_block(context, inserted, (operand, *given))
    context.builder.add(Let(value, inserted, (operand, *given), (), context.location(node)))
    if not isinstance(old, ArrayRef):
        context.state.names[key] = value
    elif old.path:
        context.refuse(node, "the cotangent of a view cannot be changed", "use the whole array")
    else:
        context.state.settle(
            old.cell, f"'{variable.id}', whose cotangent is changed, may be one of several arrays here"
        )
        context.state.cells[old.cell] = value


def _depend_on_block(context: Context, inserted: Inserted, operands: tuple[Operand, ...]) -> None:
    """Note what the block uses from outside, by reading it now; the backward sweep reads it again."""
    inner = context.inner()
    inner.frames.append(inserted.frame())
    with inner.builder.block():
        for name, operand in zip((inserted.gradient, *inserted.names), operands, strict=True):
            inner.state.names[(0, name)] = inner.bind(Value(name, operand.type))
        with suppress(PullbackError, StaticNeeded):  # raised again where somebody asks for the backward sweep
            inner.execute(list(inserted.body))
    context.dependencies |= inner.dependencies


def _names_read(context: Context, body: list[Any], gradient: str) -> tuple[str, ...]:
    """The variables that the block reads, besides the cotangent and what it assigns itself."""
    own = assigned_names(body) | {gradient}
    read = {n.id for statement in body for n in gast.walk(statement) if isinstance(n, gast.Name)}
    frame = context.frame
    return tuple(sorted(n for n in read - own if (frame.number, n) in context.state.names))
