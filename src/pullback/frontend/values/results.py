"""Results: what a function returns is taken apart into leaves and a Form, and put together again."""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.arguments import Form, Known, Leaf, Mapping_, Sequence_
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    DictRef,
    ListRef,
    MaybeUnset,
    Stack,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.ir.nodes import Constant, Operand, Value


def result_of(context: Context, binding: Binding, node: Any) -> tuple[list[Operand], Form]:
    """The leaves that a function returns, and their Form."""
    match binding:
        case Value():
            return [binding], Leaf(binding.type)
        case Constant(type=type_) if type_ is not None:
            return [binding], Leaf(type_)
        case ArrayRef():
            value = context.read(binding, node)
            return [value], Leaf(value.type)
        case Constant(value=value) | Static(value=value):
            return [], Known(value)
        case TupleValue() if binding.kind not in context.kinds.as_records:
            context.check_plain(binding, node)
            leaves, forms = _results(context, binding.items, node)
            return leaves, Sequence_(binding.kind or tuple, forms, binding.fields)
        case ListRef():
            content = context.version(binding.cell, node)
            if isinstance(content, Stack):
                context.refuse(node, "a list whose length is a matter of the run is returned", "return np.array(list)")
            leaves, forms = _results(context, content, node)
            return leaves, Sequence_(list, forms)
        case DictRef():
            entries = context.version(binding.cell, node)
            leaves, forms = _results(context, tuple(value for _, value in entries), node)
            return leaves, Mapping_(tuple(key for key, _ in entries), forms)
        case MaybeUnset():
            return result_of(context, context.settled(binding, node), node)
    context.refuse(node, f"{described(binding)} is returned", "return numbers and arrays")


def _results(context: Context, bindings: tuple[Binding, ...], node: Any) -> tuple[list[Operand], tuple[Form, ...]]:
    pairs = [result_of(context, binding, node) for binding in bindings]
    return [leaf for leaves, _ in pairs for leaf in leaves], tuple(form for _, form in pairs)


def binding_from(context: Context, form: Form, leaves: list[Value]) -> Binding:
    """The binding that a result of this Form is, with these leaves."""
    match form:
        case Leaf():
            return context.bind(leaves.pop(0))
        case Known(value=value):
            return Static(value)
        case Mapping_():
            entries = tuple((k, binding_from(context, i, leaves)) for k, i in zip(form.keys, form.items, strict=True))
            cell = Cell("")
            context.state.cells[cell] = entries
            return DictRef(cell)
    items = tuple(binding_from(context, item, leaves) for item in form.items)
    if form.kind is list:
        return context.new_list(items)
    return TupleValue(items, form.kind if form.names else None, form.names)
