"""Functions that are declared by a text in others: that text is read in the place of their calls."""

from __future__ import annotations

import inspect
from typing import Any

from pullback.frontend.calls.apply import needs_static
from pullback.frontend.source.addresses import name_of
from pullback.frontend.values.bindings import Binding, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value


def check_known(context: Context, function: Any, text: Any, keywords: dict[str, Binding], node: Any) -> None:
    """Refuse keywords of a function that its text does not know."""
    for name in keywords:
        if name not in inspect.signature(text).parameters:
            context.refuse(node, f"'{name}' of {name_of(function)} is not supported", "leave it out")


def planned(context: Context, function: Any, arguments: tuple[Binding, ...], node: Any) -> Binding:
    """What a function gives for arguments that are known before the run. An error with a place for others."""
    given = [_known(context, argument, function, node) for argument in arguments]
    try:
        return _binding_of(function(*given))
    except (TypeError, ValueError, IndexError) as error:
        context.mistyped(node, str(error))
    except NotImplementedError as error:
        context.refuse(node, str(error))


def _known(context: Context, binding: Binding, function: Any, node: Any) -> Any:
    match binding:
        case Static(value=value) | Constant(value=value):
            return value
        case TupleValue() | ListRef():
            return tuple(_known(context, item, function, node) for item in context.items(binding, node))
        case Value():
            return needs_static(context, binding, f"an argument of {name_of(function)}", node)
    context.mistyped(node, f"an argument of {name_of(function)} must be known before the run")


def _binding_of(value: Any) -> Binding:
    if isinstance(value, tuple):
        return TupleValue(tuple(map(_binding_of, value)))
    return constant(value) if isinstance(value, bool | int | float) else Static(value)
