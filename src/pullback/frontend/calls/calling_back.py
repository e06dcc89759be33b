"""Calls that the meaning of a function makes: of what it was given as an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gast

from pullback.frontend.values.bindings import Binding, Static
from pullback.frontend.values.context import Context


def called(context: Context, function: Binding, arguments: tuple[Binding, ...], node: Any) -> Binding:
    """`function(*arguments)`, as if it were written at `node`."""
    given = {"<function>": function} | {f"<argument {k}>": argument for k, argument in enumerate(arguments)}
    first, *others = (name_of(name, node) for name in given)
    return with_names(context, given, gast.copy_location(gast.Call(first, others, []), node))


def called_text(context: Context, text: Callable[..., Any], arguments: tuple[Binding, ...], node: Any) -> Binding:
    """A call of a function of ours, whose statements have the place of the node, and no names."""
    with text_of_ours(context, node):
        return called(context, Static(text), arguments, node)


@contextmanager
def text_of_ours(context: Context, node: Any) -> Iterator[None]:
    """For a block, what is read is a text of ours, in the place of a call."""
    before = context.fixed_location, context.in_text_of_ours
    context.fixed_location, context.in_text_of_ours = context.location(node), True
    try:
        yield
    finally:
        context.fixed_location, context.in_text_of_ours = before


def with_names(context: Context, given: dict[str, Binding], expression: Any, *statements: Any) -> Binding:
    """What an expression stands for, while these names are bound, behind statements."""
    number = context.frame.number
    before = {name: context.state.names.get((number, name)) for name in given}
    context.state.names |= {(number, name): binding for name, binding in given.items()}
    try:
        if statements:
            context.execute(list(statements))
        return context.evaluate(expression)
    finally:
        for name, binding in before.items():
            context.state.names.pop((number, name), None)
            if binding is not None:
                context.state.names[number, name] = binding


def name_of(name: str, node: Any, context: Any = None) -> Any:
    """A name in the text, at the place of a node."""
    return gast.copy_location(gast.Name(name, context or gast.Load(), None, None), node)
