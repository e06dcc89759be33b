"""Lists and tuples in a list whose length is a matter of the run: rows of its buffer, and what they are made of.

pairs = []                        the buffer of `pairs` has one row for each pair, and its items
for a in x:                       have the form (tuple, of 2 numbers)
    pairs.append((a, a * a))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.frontend.values.bindings import ArrayRef, Binding, Cell, ListRef, Stack, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.leaves import types_of_leaves
from pullback.frontend.values.state import State
from pullback.functions.objects import title_of
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Index, Operand, Value


@dataclass(frozen=True, slots=True)
class ItemForm:
    """What a list or tuple in a list is.

    count: how many items it has; None for a list that only the run knows. inner: their form, None for numbers and
    arrays. kind, fields: of a record. differs: its items are of different dtypes, and were given a common one.
    """

    is_list: bool
    count: int | None
    inner: ItemForm | None
    kind: type | None = None
    fields: tuple[str, ...] = ()
    differs: bool = False

    @property
    def is_of_objects(self) -> bool:
        """Whether Python takes no items from it."""
        return self.kind is not None and not issubclass(self.kind, tuple)


class Mixed:
    """What stands for the form of items of which no two are alike."""


MIXED = Mixed()


def form_of_item(binding: Binding, state: State) -> Any:
    """The form of an item of a list; None for a number or an array, MIXED for what has no common one."""
    match binding:
        case TupleValue(items=items):
            dtypes = {type_.dtype for type_ in types_of_leaves(binding, state) or ()}
            inner = form_of_items(items, state)
            differs = len(dtypes) > 1
            return (
                MIXED if inner is MIXED else ItemForm(False, len(items), inner, binding.kind, binding.fields, differs)
            )
        case ListRef(cell=cell) if cell in state.cells:
            content = state.cells[cell]
            if isinstance(content, Stack):
                return ItemForm(True, None, content.form)
            inner = form_of_items(content, state)
            leaves = [type_ for item in content for type_ in types_of_leaves(item, state) or ()]
            differs = len({type_.dtype for type_ in leaves}) > 1
            return MIXED if inner is MIXED else ItemForm(True, len(content), inner, differs=differs)
    return None


def form_of_items(items: tuple[Any, ...], state: State) -> Any:
    """The form that all items have; None where there is none, MIXED where they have different ones."""
    forms = {form_of_item(item, state) for item in items}
    ranks = {isinstance(item, ArrayRef) for item in items}
    return MIXED if len(forms) > 1 or len(ranks) > 1 else forms.pop() if forms else None


def form_of_content(content: Any, state: State) -> Any:
    """The form of the items of a list."""
    return content.form if isinstance(content, Stack) else form_of_items(content, state)


def row_of(context: Context, item: Binding, node: Any) -> Operand:
    """An item of a list as it is put into the buffer: a record as the tuple of its fields."""
    if not isinstance(item, TupleValue):
        return context.operand(item, node)
    try:
        return context.operand(_without_class(item), node)
    except TypingError:
        reason = "a list whose length is a matter of the run holds tuples or objects of parts of several kinds"
        context.refuse(node, reason, "keep each part in a list of its own")


def _without_class(item: Binding) -> Binding:
    if not isinstance(item, TupleValue) or item.kind is None or item.kind is slice or title_of(item.kind):
        return item
    return TupleValue(tuple(map(_without_class, item.items)))


def check_forms(context: Context, one: Any, other: Any, node: Any) -> None:
    """Refuse items of different forms in one list whose length is a matter of the run."""
    if one is MIXED or other is MIXED or one != other:
        context.refuse(
            node,
            "a list that changes in a loop holds different things",
            "keep them in lists of their own, or in arrays",
        )


def list_item(context: Context, value: Value, form: Any, source: Cell, node: Any) -> Binding:
    """An item of a list whose length is a matter of the run; an array or a list among them must not be written."""
    if form is None:
        binding = context.bind(value)
        if isinstance(binding, ArrayRef):
            binding.cell.outside = "an array from a list that changes in a loop cannot be written"
            context.state.copy_items(binding.cell, source)
        return binding
    if form.differs:
        reason = "numbers of different dtypes, in one list of lists or tuples, were given a common one"
        context.refuse(node, reason, "let all of them be floats, or keep them in lists of their own")
    if form.count is None:
        length = context.let(node, primitives.dim, value, constant(0))
        made = context.new_list(())
        buffer = context.let(node, np.concatenate, (value,))  # and no copy, whose cotangent would have its size
        context.state.cells[made.cell] = Stack(buffer, length, form.inner)
    else:
        rows = [context.let(node, primitives.load, value, (Index((constant(k),)),)) for k in range(form.count)]
        items = tuple(list_item(context, row, form.inner, source, node) for row in rows)
        if not form.is_list:
            return TupleValue(items, form.kind, form.fields)
        made = context.new_list(items)
    made.cell.outside = "a list in a list that changes in a loop cannot be changed"
    context.state.copy_items(made.cell, source)
    return made
