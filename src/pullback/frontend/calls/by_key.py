"""`max`, `min`, `sorted` and `sort` by a key, or with a default, where the order or the number of items is the run's.

max(range(n), key=lambda i: x[i])     a loop that keeps the best item so far, and its key
sorted(rows, key=np.sum)              the rows at the places that a stable `argsort` of their keys gives
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply
from pullback.frontend.calls.calling_back import called_text
from pullback.frontend.values.bindings import Binding, ListRef, Stack, Static
from pullback.frontend.values.context import Context
from pullback.frontend.values.item_forms import list_item
from pullback.frontend.values.stacks import common_stack, items_between, to_stack
from pullback.functions import by_key
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Index


def best_of(
    context: Context, iterable: Binding, key: Binding | None, default: Binding | None, greatest: bool, node: Any
) -> Binding:
    """The first of the greatest or least items, as Python finds it."""
    by = Static(by_key.itself) if key is None else key
    asked = (iterable, by, Static(by_key.is_greater if greatest else by_key.is_less))
    if default is not None:
        return called_text(context, by_key.best_or, (*asked, default), node)
    message = f"{'max' if greatest else 'min'}() iterable argument is empty"
    return called_text(context, by_key.best_of, (*asked, Static(message)), node)


def keyed(context: Context, items: ListRef, key: Binding, node: Any) -> Binding:
    """The keys of the items of a list, in an array."""
    return called_text(context, by_key.keys_of, (items, key), node)


def in_order(context: Context, items: ListRef, keys: Binding, backwards: bool, node: Any) -> ListRef:
    """A new list of items in the order of their keys, which are numbers; those of equal keys stay as they are."""
    content = context.version(items.cell, node)
    common = common_stack([(content, context.state)])
    if common is None:
        context.refuse(node, "the order of what is sorted is not known before the run", "use np.argsort")
    stack = to_stack(context, content, node, *common)
    given = apply(context, np.negative, (keys,), {}, node) if backwards else keys
    order = context.operand(apply(context, np.argsort, (given,), {"kind": Static("stable")}, node), node)
    whole = items_between(context, stack, None, stack.length, node)
    buffer = context.let(node, primitives.load, whole, (Index((order,)),))
    made = context.new_list(())
    if isinstance(content, Stack):
        context.state.copy_items(made.cell, items.cell)
        context.state.cells[made.cell] = Stack(buffer, stack.length, stack.form)
        return made
    context.state.hold(made.cell, content)
    rows = [context.let(node, primitives.load, buffer, (Index((constant(k),)),)) for k in range(len(content))]
    context.state.cells[made.cell] = tuple(list_item(context, row, stack.form, made.cell, node) for row in rows)
    return made
