"""Which parameter of a Python function gets which argument of a call."""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import Binding, Cell, DictRef, TupleValue
from pullback.frontend.values.context import Context


def bind_arguments(
    context: Context,
    parameters: Any,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    defaults: tuple[Binding, ...],
    keyword_defaults: dict[str, Binding],
    node: Any,
    name: str,
) -> dict[str, Binding]:
    """Which parameter gets what, as Python would bind them; `*args` is a tuple, `**options` a new dict."""
    positional = [p.id for p in (*parameters.posonlyargs, *parameters.args)]
    keyword_only = [p.id for p in parameters.kwonlyargs]
    if len(arguments) > len(positional) and parameters.vararg is None:
        context.mistyped(node, f"{name}() takes {len(positional)} positional arguments but {len(arguments)} were given")
    bound = dict(zip(positional, arguments, strict=False))
    by_keyword = {*(p.id for p in parameters.args), *keyword_only}
    others: dict[Any, Binding] = {}
    for keyword, value in keywords.items():
        if keyword in by_keyword and keyword in bound:
            context.mistyped(node, f"{name}() got multiple values for argument '{keyword}'")
        if keyword in by_keyword:
            bound[keyword] = value
        elif parameters.kwarg is not None:
            others[keyword] = value
        else:
            context.mistyped(node, f"{name}() got an unexpected keyword argument '{keyword}'")
    later = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    for parameter, value in {**later, **keyword_defaults}.items():
        bound.setdefault(parameter, value)
    missing = [p for p in positional + keyword_only if p not in bound]
    if missing:
        context.mistyped(node, f"{name}() is missing the argument '{missing[0]}'")
    if parameters.vararg is not None:
        bound[parameters.vararg.id] = TupleValue(arguments[len(positional) :])
    if parameters.kwarg is not None:
        bound[parameters.kwarg.id] = new_dict(context, others)
    return bound


def new_dict(context: Context, entries: dict[Any, Binding], name: str = "") -> DictRef:
    """A dict of its own with these entries."""
    cell = Cell(name)
    context.state.cells[cell] = tuple(entries.items())
    return DictRef(cell)
