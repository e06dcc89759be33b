"""Methods of arrays, numbers, lists and dicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import apply, as_python_float, parameter_names
from pullback.frontend.calls.creation import as_type
from pullback.frontend.calls.indexing import widened
from pullback.frontend.calls.keywords import checked_keywords
from pullback.frontend.calls.meaning import call_meaning
from pullback.frontend.calls.special import SPECIAL
from pullback.frontend.tapes.methods import call_tape
from pullback.frontend.tapes.variables import ASSIGNMENTS, call_variable, is_of_variable
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    Method,
    Snapshot,
    Stack,
    Static,
    TapeRef,
    TupleValue,
    cells_in,
)
from pullback.frontend.values.context import Context, list_item
from pullback.functions import METHODS
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Value
from pullback.ir.types import Array


def call_method(
    context: Context, method: Method, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`receiver.name(*arguments)`."""
    if is_of_variable(context, method) and not keywords:
        return call_variable(context, method, arguments, node)
    match method.receiver:
        case ListRef():
            return _list_method(context, method.receiver, method.name, arguments, node)
        case DictRef():
            return _dict_method(context, method.receiver, method.name, arguments, node)
        case TapeRef():
            return call_tape(context, method.receiver, method.name, arguments, keywords, node)
        case TupleValue() if method.name in ("_replace", "_asdict"):
            context.refuse(node, f"'{method.name}' cannot be followed", "make a new tuple")
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
            return context.bind(context.let(node, primitives.copy, context.read(receiver, node)))
        case "flatten":
            flat = call_meaning(context, np.ravel, SPECIAL[np.ravel], (receiver, *arguments), keywords, node)
            return context.bind(context.let(node, primitives.copy, context.operand(flat, node)))
        case "astype":
            return _as_type(context, receiver, arguments, keywords, node)
        case "item":
            return _element(context, receiver, arguments, node)
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
        context.refuse(node, f"the method '{name}' cannot be followed", f"use the function np.{name} if there is one")
    if function in SPECIAL:
        return call_meaning(context, function, SPECIAL[function], (receiver, *arguments), keywords, node)
    return apply(context, function, (receiver, *arguments), keywords, node)


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
        return as_python_float(context, context.let(node, primitives.load, operand, (index,)), node)
    if len(places) > 1:
        context.mistyped(node, "incorrect number of indices for array")
    flat = context.let(node, np.reshape, operand, (constant(-1 if places else 1),))
    place = context.scalar(places[0], node) if places else constant(0)
    return as_python_float(context, context.let(node, primitives.load, flat, (Index((place,)),)), node)


def _list_method(context: Context, ref: ListRef, name: str, arguments: tuple[Binding, ...], node: Any) -> Binding:
    context.check_writable(ref.cell, node)
    content = context.version(ref.cell, node)
    if isinstance(content, Stack):
        return _stack_method(context, ref, content, name, arguments, node)
    items = list(content)
    result: Binding = Static(None)
    match name:
        case "append":
            items.append(arguments[0])
        case "extend":
            items.extend(context.items(arguments[0], node))
        case "insert" if isinstance(arguments[0], Constant):
            items.insert(arguments[0].value, arguments[1])
        case "reverse":
            items.reverse()
        case "copy":
            return context.new_list(content)
        case "pop":
            result = _popped(context, items, arguments, node)
        case _:
            context.refuse(node, f"the list method '{name}' cannot be followed", "use append, pop and indexing")
    context.state.cells[ref.cell] = tuple(items)
    return result


def _popped(context: Context, items: list[Binding], arguments: tuple[Binding, ...], node: Any) -> Binding:
    position = arguments[0] if arguments else Constant(-1)
    if not isinstance(position, Constant):
        context.refuse(node, "pop at a position that only the run knows cannot be followed", "pop the last item")
    if not items:
        context.mistyped(node, "pop from an empty list")
    return items.pop(position.value)


def _stack_method(
    context: Context, ref: ListRef, stack: Stack, name: str, arguments: tuple[Binding, ...], node: Any
) -> Binding:
    assert isinstance(stack.buffer.type, Array), "the buffer of a list is an array"
    if name == "append":
        value = context.operand(arguments[0], node)
        rank = value.type.ndim + 1 if isinstance(value.type, Array) else 1
        if rank != stack.buffer.type.ndim:
            context.mistyped(node, "the items of this list have different ranks", "keep numbers and arrays apart")
        stack = widened(context, stack, value, node)
        push = runtime.push if rank == 1 else runtime.push_row
        for cell in cells_in(arguments[0]):
            context.state.descend(ref.cell, cell)
        with context.builder.at(context.location(node)):
            if value.type.dtype != stack.buffer.type.dtype:
                value = context.builder.cast(value, stack.buffer.type.dtype)
            buffer = context.builder.let(
                push, stack.buffer, stack.length, value, name=ref.cell.name, type_=stack.buffer.type
            )
            length = context.builder.let(np.add, stack.length, constant(1))
        context.state.cells[ref.cell] = Stack(buffer, length)
        return Static(None)
    if name == "pop" and not arguments:
        with context.builder.at(context.location(node)):
            some = context.builder.let(np.greater, stack.length, constant(0))
            context.builder.effect(primitives.check, some, Constant(IndexError), Constant("pop from empty list"))
            length = context.builder.let(np.subtract, stack.length, constant(1))
            value = context.builder.load(stack.buffer, (Index((length,)),))
        context.state.cells[ref.cell] = Stack(stack.buffer, length)
        return list_item(context, value)
    context.refuse(node, f"'{name}' of a list that changes in a loop cannot be followed", "use append and pop()")


def _dict_method(context: Context, ref: DictRef, name: str, arguments: tuple[Binding, ...], node: Any) -> Binding:
    entries = context.version(ref.cell, node)
    keys = tuple(constant(k) if isinstance(k, int) else Static(k) for k, _ in entries)
    match name:
        case "keys":
            return TupleValue(keys)
        case "values":
            return TupleValue(tuple(value for _, value in entries), over=(Snapshot(ref.cell, entries),))
        case "items":
            pairs = zip(keys, entries, strict=True)
            items = tuple(TupleValue((key, value)) for key, (_, value) in pairs)
            return TupleValue(items, over=(Snapshot(ref.cell, entries),))
        case "get" if isinstance(arguments[0], Static | Constant):
            default: Binding = arguments[1] if len(arguments) > 1 else Static(None)
            found: Binding = dict(entries).get(arguments[0].value, default)
            return found
    context.refuse(node, f"the dict method '{name}' cannot be followed", "use keys that are known before the run")
