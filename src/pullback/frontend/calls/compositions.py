"""Functions that are declared by a text in others: that text is read in the place of their calls."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from pullback.frontend.calls.apply import needs_static, parameter_names
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.source.addresses import name_of
from pullback.frontend.values.bindings import ArrayRef, Binding, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.stacks import element_type
from pullback.functions import record_of
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import is_complex


def check_known(context: Context, function: Any, text: Any, keywords: dict[str, Binding], node: Any) -> None:
    """Refuse keywords of a function that its text does not know."""
    parameters = inspect.signature(text).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    for name in keywords:
        if name not in parameters and not takes_any:
            context.refuse(node, f"'{name}' of {name_of(function)} is not supported", "leave it out")


def check_complex(context: Context, function: Any, given: Iterable[Binding], node: Any) -> None:
    """Refuse complex numbers for a function whose text is for real ones alone."""
    if not record_of(function).of_complex and any(_is_complex(context, binding, node) for binding in given):
        reason = f"{name_of(function)} is known of real numbers alone, and is given complex ones"
        context.refuse(node, reason, "write it in functions that are known of complex numbers, or take the two parts")


def _is_complex(context: Context, binding: Binding, node: Any) -> bool:
    """Whether there are complex numbers in a number, an array or a structure."""
    match binding:
        case TupleValue():
            return any(_is_complex(context, item, node) for item in binding.items)
        case ListRef():
            content = context.version(binding.cell, node)
            if isinstance(content, tuple):
                return any(_is_complex(context, item, node) for item in content)
            return is_complex(element_type(content, context.state))
        case ArrayRef():
            return is_complex(type_of_ref(context, binding, node))
        case Value() | Constant():
            return binding.type is not None and is_complex(binding.type)
    return False


def ranks_of(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> dict[str, int]:
    """The ranks of what a call gives, by parameter: 0 for numbers, -1 for what is no array and no number."""
    names = parameter_names(function)
    names = (*names, *("" for _ in arguments[len(names) :]))
    given = dict(zip(names, arguments, strict=False)) | keywords
    return {name: _rank_of(context, binding, node) for name, binding in given.items() if name}


def _rank_of(context: Context, binding: Binding, node: Any) -> int:
    match binding:
        case ArrayRef():
            return type_of_ref(context, binding, node).ndim
        case Value() | Constant():
            return 0
        case TupleValue(items=items):
            return 1 + max(_rank_of(context, items[0], node), 0) if items else 1
        case ListRef():
            content = context.version(binding.cell, node)
            return 1 + max(_rank_of(context, content[0], node), 0) if isinstance(content, tuple) and content else 1
    return -1


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
    return constant(value) if isinstance(value, bool | int | float | complex) else Static(value)
