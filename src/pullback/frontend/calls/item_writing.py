"""Subscripts that are written or deleted, of arrays, lists and dicts."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.indexing import index_of, normalised, stack_path, static_slice
from pullback.frontend.values.bindings import ArrayRef, Binding, DictRef, ListRef, Stack, TupleValue
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.frontend.values.item_forms import check_forms, form_of_item, row_of
from pullback.frontend.values.known import known_value
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Operand
from pullback.ir.types import Array, is_integer, join

MOST_CHOICES = 16


def write(context: Context, receiver: Binding, slice_node: Any, value: Binding, node: Any) -> None:
    """`receiver[slice] = value`."""
    match receiver:
        case ArrayRef():
            index = index_of(context, slice_node)
            operand = context.operand(value, node)
            context.store(receiver, (index,), operand, node)
        case ListRef():
            _write_list(context, receiver, slice_node, value, node)
        case DictRef():
            _write_entry(context, receiver, context.evaluate(slice_node), value, node)
        case TupleValue():
            context.mistyped(node, "a tuple cannot be changed", "use a list")
        case _:
            context.mistyped(node, "this cannot be written to")


def remove(context: Context, receiver: Binding, slice_node: Any, node: Any) -> None:
    """`del receiver[slice]`, of a list of known length or a dict."""
    if isinstance(receiver, ArrayRef):
        context.mistyped(node, "cannot delete array elements", "use np.delete")
    if not isinstance(receiver, ListRef | DictRef):
        context.mistyped(node, "this cannot be deleted from")
    content = context.version(receiver.cell, node)
    if isinstance(content, Stack):
        context.refuse(node, "an item of a list that changes in a loop is deleted", "use pop()")
    context.check_writable(receiver.cell, node)
    items: Any = dict(content) if isinstance(receiver, DictRef) else list(content)
    if isinstance(slice_node, gast.Slice):
        place: Any = static_slice(context, slice_node)
    else:
        index = context.evaluate(slice_node)
        known = known_value(index)
        if known is None:
            context.refuse(node, "an item that only the run knows is deleted", "use an index or key that is known")
        place = known[0]
    try:
        del items[place]
    except (LookupError, TypeError) as error:
        context.mistyped(node, f"{type(error).__name__}: {error}")
    context.state.cells[receiver.cell] = tuple(items.items()) if isinstance(items, dict) else tuple(items)


def _write_items(context: Context, receiver: ListRef, slice_node: Any, value: Binding, node: Any) -> None:
    """`items[start:stop] = others`, of a list of known length."""
    items = list(context.items(receiver, node))
    others = context.items(value, node)
    context.check_writable(receiver.cell, node)
    try:
        items[static_slice(context, slice_node)] = others
    except ValueError as error:
        context.mistyped(node, str(error))
    context.state.cells[receiver.cell] = tuple(items)


def widened(context: Context, stack: Stack, value: Any, node: Any) -> Stack:
    """The list with room for a value of a wider dtype."""
    assert isinstance(stack.buffer.type, Array), "the buffer of a list is an array"
    wider = join(Array(value.type.dtype, stack.buffer.type.ndim), stack.buffer.type)
    if wider is None or wider == stack.buffer.type:
        return stack
    with context.builder.at(context.location(node)):
        return Stack(context.builder.cast(stack.buffer, wider.dtype), stack.length, stack.form)


def _write_list(context: Context, receiver: ListRef, slice_node: Any, value: Binding, node: Any) -> None:
    content = context.version(receiver.cell, node)
    if isinstance(content, Stack):
        path = stack_path(context, content, slice_node, node)
        operand = row_of(context, value, node)
        context.check_writable(receiver.cell, node)
        check_forms(context, content.form, form_of_item(value, context.state), node)
        content = widened(context, content, operand, node)
        context.state.hold(receiver.cell, (value,))
        with context.builder.at(context.location(node)):
            if operand.type.dtype != content.buffer.type.dtype:
                operand = context.builder.cast(operand, content.buffer.type.dtype)
            buffer = context.builder.let(primitives.store, content.buffer, path, operand, name=receiver.cell.name)
        context.state.cells[receiver.cell] = Stack(buffer, content.length, content.form)
        return
    if isinstance(slice_node, gast.Slice):
        _write_items(context, receiver, slice_node, value, node)
        return
    index = context.evaluate(slice_node)
    items = list(content)
    if not isinstance(index, Constant):
        context.check_writable(receiver.cell, node)
        written = _written_at(context, items, context.scalar(index, slice_node), value, node)
        context.state.cells[receiver.cell] = written
        return
    try:
        items[index.value] = value
    except IndexError:
        context.mistyped(node, f"index {index.value} is out of range: the list has {len(items)} items")
    context.check_writable(receiver.cell, node)
    context.state.cells[receiver.cell] = tuple(items)


def _written_at(
    context: Context, items: list[Binding], index: Operand, value: Binding, node: Any
) -> tuple[Binding, ...]:
    """The items of a list after a write at a position that only the run knows: each is the value, or what it was."""
    kinds = {described(item, context.state) for item in (*items, value)}
    if not is_integer(index.type):
        context.mistyped(node, f"an index must be an integer, not {index.type.dtype}", "convert it with int(...)")
    if len(items) > MOST_CHOICES:
        reason = f"a list of {len(items)} items is written at an index that only the run knows"
        context.refuse(node, reason, "use an array: np.array(list)")
    if len(kinds) > 1:
        reason = "an item of another kind is written to a list at an index that only the run knows"
        context.refuse(node, reason, "let all items be numbers, or arrays of as many axes")
    with context.builder.at(context.location(node)):
        position = normalised(context, index, constant(len(items)), node, "list assignment index")

    def after(k: int) -> Binding:
        here = apply_operator(context, np.equal, (position, constant(k)), node)
        return choose(context, here, lambda: value, lambda: items[k], node)

    return tuple(after(k) for k in range(len(items)))


def _write_entry(context: Context, receiver: DictRef, key: Binding, value: Binding, node: Any) -> None:
    known = known_value(key)
    if known is None:
        context.refuse(node, "a dict key must be known before the run", "use a string or an int literal")
    context.check_writable(receiver.cell, node)
    entries = dict(context.version(receiver.cell, node))
    entries[known[0]] = value
    context.state.cells[receiver.cell] = tuple(entries.items())
