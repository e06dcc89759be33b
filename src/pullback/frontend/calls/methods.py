"""Methods of arrays, numbers, lists and dicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply, as_python_float, parameter_names
from pullback.frontend.calls.complex_numbers import holds_complex
from pullback.frontend.calls.containers import dict_method, list_method
from pullback.frontend.calls.creation import as_type
from pullback.frontend.calls.keywords import checked_keywords
from pullback.frontend.calls.layout import in_c_order
from pullback.frontend.calls.meaning import call_meaning
from pullback.frontend.calls.records import call_of_namedtuple, is_method_of_namedtuple
from pullback.frontend.calls.special import SPECIAL
from pullback.frontend.calls.texts import text_method
from pullback.frontend.tapes.methods import call_tape
from pullback.frontend.tapes.variables import ASSIGNMENTS, call_variable, is_of_variable
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    Method,
    Static,
    TapeRef,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.functions import METHODS
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Value
from pullback.ir.types import Array, is_complex


def call_method(
    context: Context, method: Method, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`receiver.name(*arguments)`."""
    if is_of_variable(context, method) and not keywords:
        return call_variable(context, method, arguments, node)
    match method.receiver:
        case ListRef():
            return list_method(context, method.receiver, method.name, arguments, keywords, node)
        case DictRef():
            return dict_method(context, method.receiver, method.name, arguments, keywords, node)
        case Static(value=str() as text):
            return text_method(context, text, method.name, arguments, keywords, node)
        case TapeRef():
            return call_tape(context, method.receiver, method.name, arguments, keywords, node)
        case TupleValue() as record if is_method_of_namedtuple(record, method.name):
            return call_of_namedtuple(context, record, method.name, arguments, keywords, node)
        case ArrayRef() | Value() | Constant():
            return _array_method(context, method.receiver, method.name, arguments, keywords, node)
    context.refuse(node, f"the method '{method.name}' cannot be followed here")


def _array_method(
    context: Context,
    receiver: Binding,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    match name:
        case "copy":
            if not isinstance(receiver, ArrayRef):
                return receiver
            copy = context.bind(context.let(node, primitives.copy, context.read(receiver, node)))
            orders = {*arguments, *keywords.values()}
            return in_c_order(copy) if orders <= {Static("C")} else copy
        case "flatten":
            flat = call_meaning(context, np.ravel, SPECIAL[np.ravel], (receiver, *arguments), keywords, node)
            return context.bind(context.let(node, primitives.copy, context.operand(flat, node)))
        case "astype":
            return _as_type(context, receiver, arguments, keywords, node)
        case "item":
            return _element(context, receiver, arguments, node)
        case "conj" | "conjugate" if not arguments and not keywords and _is_real(context, receiver, node):
            return receiver
        case "clip" if len(arguments) == 1 and not keywords:
            arguments = (*arguments, Static(None))
        case _ if name in ASSIGNMENTS:
            remedy = "write to it, as in w[...] = value, or use the variable itself, from outside"
            context.refuse(node, f"'{name}' is for variables from outside: this is an array here", remedy)
        case "tolist" | "resize" | "itemset":
            context.refuse(node, f"the method '{name}' cannot be followed", "use a function that returns a new array")
        case "reshape" | "transpose" if len(arguments) != 1 and not keywords.keys() - {"order"}:
            arguments = (TupleValue(arguments) if arguments else Static(None),)
    function = METHODS.get(name)
    if function is None:
        remedy = "use a function of NumPy"
        if name == "numpy":
            remedy = "use the tensor as it is, or pb.stop_gradient(x) for what is to be a constant"
        elif hasattr(np, name):
            remedy = f"use np.{name}"
        context.refuse(node, f"the method '{name}' cannot be followed", remedy)
    if function in SPECIAL:
        return call_meaning(context, function, SPECIAL[function], (receiver, *arguments), keywords, node)
    return apply(context, function, (receiver, *arguments), keywords, node)


def _is_real(context: Context, receiver: Binding, node: Any) -> bool:
    """Whether an array or a number is not complex; its conjugate is then the same object."""
    return not is_complex(context.operand(receiver, node).type)


def _as_type(
    context: Context, receiver: Binding, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`x.astype(dtype)`, which is a copy."""
    checked_keywords(context, np.array, parameter_names(np.array), (receiver,), keywords, node)
    given = [*arguments, *(value for key, value in keywords.items() if key == "dtype")]
    if len(given) != 1 or not keywords.keys() <= {"dtype", "copy"}:
        context.refuse(node, "astype has a dtype here, and nothing else", "write y.astype(dtype)")
    return as_type(context, receiver, given[0], node)


def _element(context: Context, receiver: Binding, arguments: tuple[Binding, ...], node: Any) -> Binding:
    """`x.item()`: the only element of an array, as Python's number."""
    operand: Value | Constant = context.operand(receiver, node)
    if not isinstance(operand.type, Array):
        return operand
    places = context.items(arguments[0], node) if arguments and isinstance(arguments[0], TupleValue) else arguments
    if places and len(places) == operand.type.ndim:
        index = Index(tuple(context.scalar(place, node) for place in places))
        return _as_python_number(context, context.let(node, primitives.load, operand, (index,)), node)
    if len(places) > 1:
        context.mistyped(node, "incorrect number of indices for array")
    flat = context.let(node, np.reshape, operand, (constant(-1 if places else 1),))
    place = context.scalar(places[0], node) if places else constant(0)
    return _as_python_number(context, context.let(node, primitives.load, flat, (Index((place,)),)), node)


def _as_python_number(context: Context, number: Binding, node: Any) -> Binding:
    """A number of NumPy's as one of Python's."""
    if not holds_complex(context, number, node):
        found: Binding = as_python_float(context, number, node)
        return found
    with context.builder.at(context.location(node)):
        return context.bind(context.builder.cast(context.operand(number, node), "complex128*"))
