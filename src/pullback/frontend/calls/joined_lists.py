"""Lists of which only the run knows how long they are, joined, and with items put in or taken out in the middle.

path.insert(0, k)     the buffer is made anew, of the new item and those that there were
path += [a, b]        of those that there were and the new ones

Lengths are sums of lengths, not sizes of buffers: a later `append` lets a buffer grow where it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.indexing import normalised
from pullback.frontend.values.bindings import Binding, ListRef, Stack
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.frontend.values.item_forms import list_item
from pullback.frontend.values.stacks import cast_to, common_stack, to_stack
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Operand, Slice


def joined(context: Context, contents: tuple[Any, ...], node: Any) -> Any:
    """What a list holds that has all items of these contents, one after the other."""
    if all(isinstance(content, tuple) for content in contents):
        return sum(contents, ())
    common = common_stack([(content, context.state) for content in contents])
    if common is None:
        context.refuse(node, "lists of different things are joined", "keep them in lists of their own, or in arrays")
    type_, form = common
    parts: list[Operand] = []
    length: Operand = constant(0)
    for content in contents:
        stack = to_stack(context, content, node, type_, form)
        part = _between(context, stack, None, stack.length, node)
        parts.append(cast_to(context, part, type_))
        length = _sum(context, length, stack.length, node)
    return Stack(context.let(node, np.concatenate, tuple(parts)), length, form)


def join(context: Context, target: ListRef, sources: tuple[ListRef, ...], node: Any) -> None:
    """Let a list hold what these lists hold."""
    contents = tuple(context.version(source.cell, node) for source in sources)
    made = joined(context, contents, node)
    for source, content in zip(sources, contents, strict=True):
        if source.cell is not target.cell:
            _note(context, target, source, content, made)
    context.state.cells[target.cell] = made


def _as_stack(context: Context, content: Any, node: Any) -> Stack:
    common = common_stack([(content, context.state)])
    if common is None:
        context.refuse(
            node, "an item is inserted at a place that only the run knows", "keep things of one kind in a list"
        )
    return to_stack(context, content, node, *common)


def _note(context: Context, target: ListRef, source: ListRef, content: Any, made: Any) -> None:
    """Note whose arrays and lists are in a list now."""
    if isinstance(content, Stack):
        context.state.copy_items(target.cell, source.cell)
    elif isinstance(made, Stack):
        context.state.hold(target.cell, content)


def insert(context: Context, ref: ListRef, content: Any, index: Binding, item: Binding, node: Any) -> None:
    """`items.insert(index, item)`."""
    stack = _as_stack(context, content, node)
    place = _place(context, context.scalar(index, node), stack.length, node)
    before = Stack(_between(context, stack, None, place, node), place, stack.form)
    left = context.scalar(apply_operator(context, np.subtract, (stack.length, place), node), node)
    after = Stack(_between(context, stack, place, stack.length, node), left, stack.form)
    context.state.hold(ref.cell, (item,))
    context.state.cells[ref.cell] = joined(context, (before, (item,), after), node)


def pop(context: Context, ref: ListRef, stack: Stack, index: Binding, node: Any) -> Binding:
    """`items.pop(index)`."""
    place = normalised(context, context.scalar(index, node), stack.length, node, "pop index")
    value = context.let(node, primitives.load, stack.buffer, (Index((place,)),))
    behind = _sum(context, place, constant(1), node)
    parts = (_between(context, stack, None, place, node), _between(context, stack, behind, stack.length, node))
    length = context.scalar(apply_operator(context, np.subtract, (stack.length, constant(1)), node), node)
    context.state.cells[ref.cell] = Stack(context.let(node, np.concatenate, parts), length, stack.form)
    return list_item(context, value, stack.form, ref.cell, node)


def reverse(context: Context, ref: ListRef, stack: Stack, node: Any) -> None:
    """`items.reverse()`."""
    part = _between(context, stack, None, stack.length, node)
    turned = context.let(node, primitives.load, part, (Index((Slice(None, None, constant(-1)),)),))
    buffer = context.let(node, np.concatenate, (turned,))
    context.state.cells[ref.cell] = Stack(buffer, stack.length, stack.form)


def _between(context: Context, stack: Stack, start: Operand | None, stop: Operand, node: Any) -> Any:
    """The items from one place to another."""
    return context.let(node, primitives.load, stack.buffer, (Index((Slice(start, stop, None),)),))


def _place(context: Context, index: Operand, length: Operand, node: Any) -> Operand:
    """Where Python inserts an item: an index that is too small or too large stands for the begin or the end."""
    if index == constant(0):
        return index

    def from_end() -> Binding:
        return context.let(node, max, constant(0), _sum(context, index, length, node))

    if isinstance(index, Constant):
        return context.scalar(from_end(), node) if index.value < 0 else context.let(node, min, index, length)
    negative = apply_operator(context, np.less, (index, constant(0)), node)
    place = choose(context, negative, from_end, lambda: context.let(node, min, index, length), node)
    return context.scalar(place, node)


def _sum(context: Context, a: Operand, b: Operand, node: Any) -> Operand:
    return context.scalar(apply_operator(context, np.add, (a, b), node), node)
