"""Methods of lists and dicts."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from pullback import runtime
from pullback.frontend.calls import joined_lists
from pullback.frontend.calls.indexing import raises_index_error
from pullback.frontend.calls.item_writing import widened
from pullback.frontend.calls.meaning import call_meaning
from pullback.frontend.calls.parameters import new_dict
from pullback.frontend.calls.sequences import SEQUENCES, entries_in, listed, sorted_items
from pullback.frontend.syntax.comparisons import compared
from pullback.frontend.syntax.operators import truth
from pullback.frontend.values.bindings import Binding, DictRef, ListRef, Snapshot, Stack, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.item_forms import check_forms, form_of_item, list_item, row_of
from pullback.frontend.values.known import known_binding, known_value
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index
from pullback.ir.types import Array


def list_method(
    context: Context,
    ref: ListRef,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`values.name(*arguments)`."""
    content = context.version(ref.cell, node)
    if name == "copy":
        return context.copied_list(ref, content)
    if name in ("index", "count") and isinstance(content, tuple) and len(arguments) == 1:
        return _searched(context, content, name, arguments[0], node)
    context.check_writable(ref.cell, node)
    if name == "extend" and len(arguments) == 1:
        joined_lists.joined(context, ref, (ref, listed(context, arguments[0], node)), node)
        return Static(None)
    if isinstance(content, Stack):
        return _stack_method(context, ref, content, name, arguments, keywords, node)
    items = list(content)
    result: Binding = Static(None)
    match name:
        case "append":
            items.append(arguments[0])
        case "insert" if len(arguments) == 2 and isinstance(arguments[0], Constant):
            items.insert(arguments[0].value, arguments[1])
        case "insert" if len(arguments) == 2:
            joined_lists.insert(context, ref, arguments[0], arguments[1], node)
            return result
        case "reverse":
            items.reverse()
        case "clear":
            items.clear()
        case "remove":
            place = _searched(context, content, "index", arguments[0], node)
            assert isinstance(place, Constant), "what is searched has been found"
            del items[place.value]
        case "sort":
            backwards = "reverse" in keywords and truth(context, keywords["reverse"], node) == constant(True)
            items = list(sorted_items(context, content, keywords.get("key"), backwards, node))
        case "pop":
            result = _popped(context, items, arguments, node)
        case _:
            context.refuse(node, f"the list method '{name}' cannot be followed", "use append, pop and indexing")
    context.state.cells[ref.cell] = tuple(items)
    return result


def _searched(context: Context, items: tuple[Binding, ...], name: str, sought: Binding, node: Any) -> Binding:
    """`index` and `count`, where what is equal is known before the run."""
    equal = [compared(context, gast.Eq(), item, sought, node) for item in items]
    if not all(isinstance(found, Constant) for found in equal):
        context.refuse(node, f"'{name}' looks for a value that only the run knows", "use np.argmax of a comparison")
    found = [bool(e.value) for e in equal if isinstance(e, Constant)]
    if name == "count":
        return constant(sum(found))
    if not any(found):
        context.mistyped(node, "ValueError: the value is not in the list")
    return constant(found.index(True))


def _popped(context: Context, items: list[Binding], arguments: tuple[Binding, ...], node: Any) -> Binding:
    position = arguments[0] if arguments else Constant(-1)
    if not isinstance(position, Constant):
        context.refuse(node, "pop at a position that only the run knows cannot be followed", "pop the last item")
    if not items and context.depth:
        return raises_index_error(context, node, "pop from empty list")
    if not items:
        context.mistyped(node, "pop from an empty list")
    return items.pop(position.value)


def _stack_method(
    context: Context,
    ref: ListRef,
    stack: Stack,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    assert isinstance(stack.buffer.type, Array), "the buffer of a list is an array"
    if name == "append":
        value = row_of(context, arguments[0], node)
        rank = value.type.ndim + 1 if isinstance(value.type, Array) else 1
        if rank != stack.buffer.type.ndim:
            context.mistyped(node, "the items of this list have different ranks", "keep numbers and arrays apart")
        check_forms(context, stack.form, form_of_item(arguments[0], context.state), node)
        stack = widened(context, stack, value, node)
        push = runtime.push if rank == 1 else runtime.push_row
        context.state.hold(ref.cell, (arguments[0],))
        with context.builder.at(context.location(node)):
            if value.type.dtype != stack.buffer.type.dtype:
                value = context.builder.cast(value, stack.buffer.type.dtype)
            buffer = context.builder.let(
                push, stack.buffer, stack.length, value, name=ref.cell.name, type_=stack.buffer.type
            )
            length = context.builder.let(np.add, stack.length, constant(1))
        context.state.cells[ref.cell] = Stack(buffer, length, stack.form)
        return Static(None)
    if name == "clear" and not arguments:
        context.state.cells[ref.cell] = Stack(stack.buffer, constant(0), stack.form)
        return Static(None)
    if name == "pop" and not arguments:
        with context.builder.at(context.location(node)):
            some = context.builder.let(np.greater, stack.length, constant(0))
            context.builder.effect(primitives.check, some, Constant(IndexError), Constant("pop from empty list"))
            length = context.builder.let(np.subtract, stack.length, constant(1))
            value = context.builder.load(stack.buffer, (Index((length,)),))
        context.state.cells[ref.cell] = Stack(stack.buffer, length, stack.form)
        return list_item(context, value, stack.form, ref.cell, node)
    if name == "sort" and not arguments:
        made = call_meaning(context, sorted, SEQUENCES[sorted], (ref,), keywords, node)
        assert isinstance(made, ListRef), "what is sorted is a list"
        context.state.cells[ref.cell] = context.version(made.cell, node)
        return Static(None)
    return _changed_stack(context, ref, stack, name, arguments, node)


def _changed_stack(
    context: Context, ref: ListRef, stack: Stack, name: str, arguments: tuple[Binding, ...], node: Any
) -> Binding:
    """What a method does that makes the buffer of a list anew."""
    result: Binding = Static(None)
    match name, len(arguments):
        case "insert", 2:
            joined_lists.insert(context, ref, arguments[0], arguments[1], node)
        case "reverse", 0:
            joined_lists.reverse(context, ref, stack, node)
        case "pop", 1:
            result = joined_lists.pop(context, ref, stack, arguments[0], node)
        case _:
            reason = f"'{name}' of a list that changes in a loop cannot be followed"
            context.refuse(node, reason, "use append, insert, extend, reverse, sort and pop")
    return result


def dict_method(
    context: Context,
    ref: DictRef,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`entries.name(*arguments)`."""
    entries = context.version(ref.cell, node)
    present, over = dict(entries), (Snapshot(ref.cell, entries),)
    match name:
        case "keys":
            return TupleValue(tuple(known_binding(key) for key in present))
        case "values":
            return TupleValue(tuple(present.values()), over=over)
        case "items":
            return TupleValue(tuple(TupleValue((known_binding(k), v)) for k, v in entries), over=over)
        case "copy":
            return new_dict(context, present)
        case "get":
            default = arguments[1] if len(arguments) > 1 else Static(None)
            found: Binding = present.get(_key(context, arguments[0], node), default)
            return found
    context.check_writable(ref.cell, node)
    result: Binding = Static(None)
    match name:
        case "update":
            given = {} if not arguments else entries_in(context, arguments[0], node)
            present |= {**given, **keywords}
        case "setdefault":
            key = _key(context, arguments[0], node)
            result = present.setdefault(key, arguments[1] if len(arguments) > 1 else Static(None))
        case "pop":
            key = _key(context, arguments[0], node)
            if key not in present and len(arguments) < 2:
                context.mistyped(node, f"KeyError: {key!r}")
            result = present.pop(key, *arguments[1:])
        case "clear":
            present.clear()
        case _:
            context.refuse(node, f"the dict method '{name}' cannot be followed", "use get, items, update and indexing")
    context.state.cells[ref.cell] = tuple(present.items())
    return result


def _key(context: Context, binding: Binding, node: Any) -> Any:
    known = known_value(binding)
    if known is None:
        context.refuse(node, "a dict key must be known before the run", "use a string or an int literal")
    return known[0]
