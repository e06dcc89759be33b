"""Subscripts: what an index means for arrays, tuples, lists and dicts, and what is read there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.apply import apply_operator, needs_static
from pullback.frontend.calls.calling_back import called_text
from pullback.frontend.values.bindings import ArrayRef, Binding, DictRef, ListRef, Stack, Static, TupleValue
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.frontend.values.item_forms import list_item
from pullback.frontend.values.known import known_value
from pullback.frontend.values.views import merged
from pullback.functions import row_lists
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import is_advanced, type_of_part
from pullback.ir.nodes import Constant, Index, Operand, Slice, Value, is_scalar
from pullback.ir.types import Array, Scalar, Type, is_integer


def type_of_ref(context: Context, ref: ArrayRef, node: Any) -> Array:
    """The type of what a reference views."""
    whole = context.type_of(ref.cell, node)
    type_ = type_of_part(whole, ref.path) if ref.path else whole
    assert isinstance(type_, Array), "a reference views an array"
    return type_


def subscript(context: Context, receiver: Binding, slice_node: Any, node: Any) -> Binding:
    """`receiver[slice]`, read."""
    match receiver:
        case ArrayRef():
            return read_part(context, receiver, index_of(context, slice_node), node)
        case TupleValue() | ListRef():
            return _item(context, receiver, slice_node, node)
        case DictRef():
            return entry(context, receiver, context.evaluate(slice_node), node)
        case Value(type=Scalar(weak=False)) if isinstance(slice_node, gast.Tuple) and not slice_node.elts:
            return receiver  # x[()] of a number of NumPy's
        case Value() | Constant():
            context.mistyped(node, "a number cannot be indexed")
        case Static(value=str() as text):
            return _letters(context, text, slice_node, node)
        case Static(value=dict()):
            context.refuse(node, "this object cannot be indexed here", "use a dict of numbers and arrays")
    context.mistyped(node, "this cannot be indexed")


def read_part(context: Context, ref: ArrayRef, index: Index, node: Any) -> Binding:
    """A view where the index makes one, a number or a fresh array otherwise."""
    path = merged((*ref.path, index))
    try:
        type_: Type = type_of_part(context.type_of(ref.cell, node), path)
    except IndexError as error:
        context.mistyped(node, str(error))
    if isinstance(type_, Array) and not is_advanced(path):
        if any(is_scalar(item) for item in index.items):
            context.read(ArrayRef(ref.cell, path), node)  # an index out of range is an error here, not where it is used
        return ArrayRef(ref.cell, path)
    return context.bind(context.read(ArrayRef(ref.cell, path), node))


def index_of(context: Context, node: Any) -> Index:
    """The items of a subscript."""
    if not isinstance(node, gast.Tuple | gast.Slice):
        index = context.evaluate(node)
        is_tuple = isinstance(index, TupleValue) and index.is_sequence
        several = index.items if isinstance(index, TupleValue) and is_tuple else (index,)
        return Index(tuple(_item_for(context, binding, node) for binding in several))
    items: list[Operand | Slice] = []
    for element in node.elts if isinstance(node, gast.Tuple) else [node]:
        items += _index_items(context, element)
    return Index(tuple(items))


def _index_items(context: Context, node: Any) -> list[Operand | Slice]:
    if isinstance(node, gast.Slice):
        return [Slice(*(_bound(context, part) for part in (node.lower, node.upper, node.step)))]
    if isinstance(node, gast.Starred):
        items = context.items(context.evaluate(node.value), node)
        return [_item_for(context, binding, node) for binding in items]
    return [_item_for(context, context.evaluate(node), node)]


def _item_for(context: Context, binding: Binding, node: Any) -> Operand | Slice:
    match binding:
        case Static(value=None):
            return Constant(None)
        case Static(value=value) if value is Ellipsis:
            return Constant(Ellipsis)
        case Static(value=slice(start=start, stop=stop, step=step)):
            return Slice(*(None if bound is None else constant(bound) for bound in (start, stop, step)))
        case TupleValue(items=bounds, kind=kind) if kind is slice:
            return Slice(*(_bound_of(context, bound, node) for bound in bounds))
    if isinstance(binding, TupleValue) and not binding.is_sequence:
        context.mistyped(node, f"{described(binding)} is no index")
    return _index_number(context, binding, node)


def _index_number(context: Context, binding: Binding, node: Any) -> Operand:
    operand = context.operand(binding, node)
    if operand.type.dtype == "bool":
        if isinstance(operand.type, Scalar):
            context.refuse(node, "an array is indexed by a single truth value", "use an if")
        return operand
    if not is_integer(operand.type):
        context.mistyped(node, f"an index must be an integer, not {operand.type.dtype}", "convert it with int(...)")
    return operand


def _bound(context: Context, node: Any) -> Operand | None:
    return None if node is None else _bound_of(context, context.evaluate(node), node)


def _bound_of(context: Context, binding: Binding, node: Any) -> Operand | None:
    if isinstance(binding, Static) and binding.value is None:
        return None
    return _index_number(context, binding, node)


def slice_of(bounds: tuple[Binding, ...]) -> TupleValue:
    """An object of Python's class `slice`."""
    return TupleValue(bounds, slice, ("start", "stop", "step"))


def _item(context: Context, receiver: Binding, slice_node: Any, node: Any) -> Binding:
    if isinstance(receiver, ListRef):
        content = context.version(receiver.cell, node)
        if isinstance(content, Stack) and isinstance(slice_node, gast.Slice):
            return _part_of_list(context, receiver, content, slice_node, node)
        if isinstance(content, Stack):
            item = context.builder.load(content.buffer, stack_path(context, content, slice_node, node))
            return list_item(context, item, content.form, receiver.cell, node)
    items = context.items(receiver, node)
    index = None if isinstance(slice_node, gast.Slice) else context.evaluate(slice_node)
    place = _known_slice(context, index, slice_node)
    if place is not None:
        chosen = items[place]
        return TupleValue(chosen) if isinstance(receiver, TupleValue) else context.new_list(chosen)
    if isinstance(index, Constant):
        try:
            found: Binding = items[index.value]
            return found
        except IndexError:
            if context.depth and isinstance(receiver, ListRef):
                return raises_index_error(context, node)
            context.mistyped(node, f"index {index.value} is out of range: there are {len(items)} items")
    assert index is not None, "what is no slice is an index"
    return _item_at(context, items, context.scalar(index, slice_node), node)


def _part_of_list(context: Context, receiver: ListRef, stack: Stack, slice_node: Any, node: Any) -> Binding:
    """A slice of a list whose length is a matter of the run: a list of its own."""
    if stack.has_rows and slice_node.step is None:
        bounds = (slice_node.lower, slice_node.upper)
        start, stop = (Static(None) if bound is None else context.evaluate(bound) for bound in bounds)
        made = called_text(context, row_lists.between, (receiver, start, stop), node)
        assert isinstance(made, ListRef), "the text makes a list"
        return made
    rows = context.let(node, primitives.load, stack.buffer, (Index((Slice(None, stack.length, None),)),))
    whole = context.bind(rows)
    assert isinstance(whole, ArrayRef), "an array has a cell"
    part = read_part(context, whole, index_of(context, slice_node), node)
    items = context.operand(part, node)
    buffer = context.let(node, np.concatenate, (items,))  # and no copy, whose cotangent would have its size
    length = context.let(node, primitives.dim, items, constant(0))
    return context.copied_list(receiver, Stack(buffer, length, stack.form))


def _letters(context: Context, text: str, slice_node: Any, node: Any) -> Binding:
    """A letter, or a part, of a text that is known."""
    index = None if isinstance(slice_node, gast.Slice) else context.evaluate(slice_node)
    place = _known_slice(context, index, slice_node)
    if place is not None:
        return Static(text[place])
    if not isinstance(index, Constant):
        context.refuse(node, "a letter of a text at a place that only the run knows", "use a number, or an array")
    try:
        return Static(text[index.value])
    except (IndexError, TypeError) as error:
        context.mistyped(node, str(error))


def _item_at(context: Context, items: tuple[Binding, ...], index: Operand, node: Any) -> Binding:
    """The item at a position that only the run knows: one comparison after the other."""
    if not is_integer(index.type):
        context.mistyped(node, f"an index must be an integer, not {index.type.dtype}", "convert it with int(...)")
    if not items:
        return raises_index_error(context, node)
    with context.builder.at(context.location(node)):
        position = normalised(context, index, constant(len(items)), node)

    def at(k: int) -> Binding:
        if k == len(items) - 1:
            return items[k]
        here = apply_operator(context, np.equal, (position, constant(k)), node)
        return choose(context, here, lambda: items[k], lambda: at(k + 1), node)

    return at(0)


def raises_index_error(context: Context, node: Any, message: str = "list index out of range") -> Binding:
    """What an item stands for that a list does not have; where a loop fills the list, it is read again with more."""
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.raise_, Constant(IndexError), Constant(message))
    context.state.dead = True
    return constant(1)  # which can be an index, or a divisor, in what is left of the statement


def normalised(context: Context, index: Operand, length: Operand, node: Any, what: str = "index") -> Operand:
    """An index from 0, checked against a length as Python does."""
    negative = apply_operator(context, np.less, (index, constant(0)), node)
    if isinstance(index, Constant):
        position = apply_operator(context, np.add, (length, index), node) if index.value < 0 else index
    else:
        position = choose(
            context, negative, lambda: apply_operator(context, np.add, (index, length), node), lambda: index, node
        )
    with context.builder.at(context.location(node)):
        low = context.builder.let(np.less_equal, constant(0), position)
        high = context.builder.let(np.less, position, length)
        both = context.builder.let(np.logical_and, low, high)
        context.builder.effect(primitives.check, both, Constant(IndexError), Constant(f"{what} out of range"))
    assert isinstance(position, Value | Constant), "an index is a number"
    return position


def stack_path(context: Context, stack: Stack, slice_node: Any, node: Any) -> tuple[Index, ...]:
    """The place of an item of a list whose length is a matter of the run."""
    if isinstance(slice_node, gast.Slice):
        context.refuse(node, "a list that grows in a loop is sliced", "use np.array(list) first")
    index = context.scalar(context.evaluate(slice_node), slice_node)
    return (Index((normalised(context, index, stack.length, node, "list index"),)),)


def _known_slice(context: Context, index: Binding | None, node: Any) -> slice | None:
    """The slice that is written, or that an object is; None for another index."""
    if index is None:
        return static_slice(context, node)
    if isinstance(index, Static) and isinstance(index.value, slice):
        return index.value
    if isinstance(index, TupleValue) and index.kind is slice:
        return _slice_between(context, index.items, node)
    return None


def static_slice(context: Context, node: Any) -> slice:
    """A slice whose bounds are known."""
    parts = (node.lower, node.upper, node.step)
    return _slice_between(context, [Static(None) if part is None else context.evaluate(part) for part in parts], node)


def _slice_between(context: Context, bounds: Iterable[Binding], node: Any) -> slice:
    parts = []
    for binding in bounds:
        if isinstance(binding, Value):
            needs_static(context, binding, "the bound of a slice of a tuple or list", node)
        if not isinstance(binding, Static | Constant):
            context.mistyped(node, "the bounds of this slice must be known before the run")
        parts.append(binding.value)
    return slice(*parts)


def entry(context: Context, receiver: DictRef, key: Binding, node: Any) -> Binding:
    """The value under a key."""
    known = known_value(key)
    entries = dict(context.version(receiver.cell, node))
    if known is None:
        return _entry_at(context, entries, key, node)
    if known[0] not in entries:
        context.mistyped(node, f"the dict has no key {known[0]!r}", f"its keys are {', '.join(map(repr, entries))}")
    found: Binding = entries[known[0]]
    return found


def _entry_at(context: Context, entries: dict[Any, Binding], key: Binding, node: Any) -> Binding:
    """The value under an integer that only the run knows: one comparison with a key after the other."""
    is_number = isinstance(key, Value) and is_integer(key.type)
    if not is_number or not entries or not all(type(known) is int for known in entries):
        context.refuse(node, "a dict key must be known before the run", "use a string or an int literal")
    same = [apply_operator(context, np.equal, (key, constant(known)), node) for known in entries]
    found = same[0]
    for other in same[1:]:
        found = apply_operator(context, np.logical_or, (found, other), node)
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.check, found, Constant(KeyError), key)
    values = list(entries.values())

    def at(k: int) -> Binding:
        if k == len(values) - 1:
            return _of_its_own(context, values[k], node)
        return choose(context, same[k], lambda: _of_its_own(context, values[k], node), lambda: at(k + 1), node)

    return at(0)


def _of_its_own(context: Context, binding: Binding, node: Any) -> Binding:
    """A list from outside, which nobody changes, as a new one; anything else as it is."""
    if isinstance(binding, ListRef) and binding.cell.constant:
        made = context.copied_list(binding, context.version(binding.cell, node))
        made.cell.outside = binding.cell.constant
        return made
    return binding


def shape_attribute(context: Context, value: Value, name: str, node: Any) -> Binding:
    """`x.shape`, `x.size` or `x.ndim` of an array."""
    assert isinstance(value.type, Array), "an array has a shape"
    if name == "ndim":
        return constant(value.type.ndim)
    with context.builder.at(context.location(node)):
        dims = context.builder.dims(value)
        if name == "shape":
            return TupleValue(dims)
        size: Binding = constant(1)
        for k, extent in enumerate(dims):
            size = extent if k == 0 else context.builder.let(np.multiply, size, extent)
        return size
