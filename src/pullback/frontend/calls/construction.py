"""Calls of classes: NumPy's scalar types, records, which are their fields alone, and classes written in Python."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from pullback.frontend.calls.objects import (
    CallMethod,
    as_record,
    bound_to_class,
    changes_itself,
    default_named,
    fields_of,
    new_namespace,
    new_object,
    why_opaque,
)
from pullback.frontend.source.outside import Dependency, parts_of
from pullback.frontend.values.bindings import ArrayRef, Binding, Bound, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.stored_integers import as_item
from pullback.functions import record_in_place_of
from pullback.functions.along import element_by_element
from pullback.functions.objects import MAKERS
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import COMPLEX, Array

_KNOWN_OBJECTS = (np.dtype, np.finfo, np.iinfo)
"""Classes of objects that are made before the run, of what is known then."""


def text_of_class(context: Context, kind: type, node: Any) -> Any:
    """The text that makes an object which is followed as a record of ours; None for other classes."""
    if record_in_place_of(kind) is not None and kind not in MAKERS:
        reason = f"a {kind.__name__} is made here, which cannot be followed"
        context.refuse(node, reason, "make it outside, and pass it")
    return MAKERS.get(kind)


def construct(
    context: Context,
    call_method: CallMethod,
    kind: type,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a class."""
    if issubclass(kind, np.generic) and len(arguments) == 1:
        operand = context.operand(arguments[0], node)
        if (
            isinstance(operand.type, Array)
            and isinstance(arguments[0], ArrayRef)
            and operand.type.dtype == kind.__name__
        ):
            return arguments[0]
        if operand.type == COMPLEX and not issubclass(kind, np.complexfloating | np.bool_):
            context.mistyped(node, f"np.{kind.__name__}() takes no complex number of Python's", "take its real part")
        with context.builder.at(context.location(node)):
            if issubclass(kind, np.integer) and getattr(operand.type, "weak", False):
                operand = _integer_of_python(context, operand, kind, node)
            return context.bind(context.builder.cast(operand, np.dtype(kind).name))
    if kind in _KNOWN_OBJECTS and not keywords and all(isinstance(given, Static | Constant) for given in arguments):
        return Static(kind(*(given.value for given in arguments)))
    if kind is np.vectorize and len(arguments) == 1 and not keywords:
        return Bound(element_by_element, arguments[0])
    if kind is types.SimpleNamespace and not arguments:
        return new_namespace(context, keywords)
    fields = fields_of(kind)
    if fields is not None and kind not in context.kinds.assigned:
        return _record(context, kind, fields, arguments, keywords, node)
    if inspect.isabstract(kind):
        context.mistyped(node, f"'{kind.__name__}' is an abstract class, of which no object can be made")
    reason = why_opaque(kind)
    if reason is not None:
        context.refuse(
            node, f"an object of class '{kind.__name__}' is made: {reason}", "use a tuple, a dict or a namedtuple"
        )
    made = new_object(context, call_method, kind, arguments, keywords, node)
    return made if changes_itself(kind) else as_record(context, made)


def _integer_of_python(context: Context, number: Operand, kind: type, node: Any) -> Operand:
    """One of Python's numbers, which must fit into a class of NumPy's integers."""
    if isinstance(number, Value):
        return as_item(context.builder, number, np.dtype(kind).name)
    try:
        kind(number.value)
    except (OverflowError, ValueError) as error:
        context.mistyped(node, str(error))
    return number


def _record(
    context: Context,
    kind: Any,
    fields: tuple[str, ...],
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A namedtuple, or a dataclass as it was generated."""
    given = bound_to_class(context, kind, arguments, keywords, node)
    maker = getattr(kind, "__new__" if hasattr(kind, "_fields") else "__init__")
    context.depend(Dependency(kind, maker.__name__, maker), *parts_of(maker))
    items = tuple(given.get(name) or default_named(context, maker, name, node) for name in fields)
    return TupleValue(items, kind, fields)
