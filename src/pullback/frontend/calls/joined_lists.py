"""Lists of which only the run knows how long they are, joined, and with items put in or taken out in the middle.

path.insert(0, k)     the buffer is made anew, of the new item and those that there were
path += [a, b]        of those that there were and the new ones

Lengths are sums of lengths, not sizes of buffers: a later `append` lets a buffer grow where it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.calling_back import called_text
from pullback.frontend.calls.indexing import normalised
from pullback.frontend.values.bindings import Binding, ListRef, Stack
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.frontend.values.item_forms import list_item
from pullback.frontend.values.stacks import cast_to, common_stack, items_between, to_stack
from pullback.functions import row_lists
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Operand, Slice


def joined(context: Context, target: ListRef, sources: tuple[ListRef, ...], node: Any) -> None:
    """Let a list hold what these lists hold, one after the other."""
    contents = tuple(context.version(source.cell, node) for source in sources)
    if all(isinstance(content, tuple) for content in contents):
        context.state.cells[target.cell] = sum(contents, ())
        return
    common = common_stack([(content, context.state) for content in contents])
    if common is None:
        context.refuse(node, "lists of different things are joined", "keep them in lists of their own, or in arrays")
    if common[0].ndim > 1:
        _take_over(context, target, called_text(context, row_lists.joined, sources, node))
        return
    stacks = [to_stack(context, content, node, *common) for content in contents]
    context.state.cells[target.cell] = _of_parts(context, stacks, common[0], node)


def insert(context: Context, ref: ListRef, index: Binding, item: Binding, node: Any) -> None:
    """`items.insert(index, item)`."""
    stack = context.state.cells[ref.cell] = _as_stack(context, context.version(ref.cell, node), node)
    place = _place(context, context.scalar(index, node), stack.length, node)
    if stack.has_rows:
        _take_over(context, ref, called_text(context, row_lists.inserted, (ref, place, item), node))
        return
    left = context.scalar(apply_operator(context, np.subtract, (stack.length, place), node), node)
    own = context.new_list((item,))
    common = common_stack([(stack, context.state), (context.version(own.cell, node), context.state)])
    if common is None:
        context.refuse(node, "something else is put into a list of numbers", "keep it in a list of its own")
    stacks = [
        Stack(items_between(context, stack, None, place, node), place),
        to_stack(context, context.version(own.cell, node), node, *common),
        Stack(items_between(context, stack, place, stack.length, node), left),
    ]
    context.state.cells[ref.cell] = _of_parts(context, stacks, common[0], node)


def pop(context: Context, ref: ListRef, stack: Stack, index: Binding, node: Any) -> Binding:
    """`items.pop(index)`."""
    place = normalised(context, context.scalar(index, node), stack.length, node, "pop index")
    value = context.let(node, primitives.load, stack.buffer, (Index((place,)),))
    item = list_item(context, value, stack.form, ref.cell, node)
    if stack.has_rows:
        _take_over(context, ref, called_text(context, row_lists.without, (ref, place), node))
        return item
    behind = _sum(context, place, constant(1), node)
    left = context.scalar(apply_operator(context, np.subtract, (stack.length, behind), node), node)
    stacks = [
        Stack(items_between(context, stack, None, place, node), place),
        Stack(items_between(context, stack, behind, stack.length, node), left),
    ]
    context.state.cells[ref.cell] = _of_parts(context, stacks, stack.buffer.type, node)
    return item


def reverse(context: Context, ref: ListRef, stack: Stack, node: Any) -> None:
    """`items.reverse()`."""
    if stack.has_rows:
        _take_over(context, ref, called_text(context, row_lists.backwards, (ref,), node))
        return
    part = items_between(context, stack, None, stack.length, node)
    turned = context.let(node, primitives.load, part, (Index((Slice(None, None, constant(-1)),)),))
    context.state.cells[ref.cell] = Stack(context.let(node, np.concatenate, (turned,)), stack.length)


def _take_over(context: Context, target: ListRef, made: Binding) -> None:
    """Let a list hold what another one holds, which nobody else has."""
    assert isinstance(made, ListRef), "the text makes a list"
    context.state.cells[target.cell] = context.state.cells[made.cell]
    context.state.copy_items(target.cell, made.cell)


def _of_parts(context: Context, stacks: list[Stack], type_: Any, node: Any) -> Stack:
    """A list of the numbers of several."""
    parts: list[Operand] = []
    length: Operand = constant(0)
    for stack in stacks:
        part = items_between(context, stack, None, stack.length, node)
        parts.append(cast_to(context, part, type_))
        length = _sum(context, length, stack.length, node)
    return Stack(context.let(node, np.concatenate, tuple(parts)), length)


def _as_stack(context: Context, content: Any, node: Any) -> Stack:
    common = common_stack([(content, context.state)])
    if common is None:
        reason = "an item is inserted at a place that only the run knows"
        context.refuse(node, reason, "keep things of one kind in a list")
    return to_stack(context, content, node, *common)


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
