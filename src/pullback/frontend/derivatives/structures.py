"""Structures of numbers and arrays: their leaves changed, or paired with those of a tangent or cotangent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import ArrayRef, Binding, Cell, DictRef, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.functions.objects import title_of
from pullback.ir import primitives
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import Array, Scalar, is_float


def mapped(
    context: Context,
    binding: Binding,
    change: Callable[[Any], Binding],
    node: Any,
    made: Callable[[Cell, Any], None] = lambda cell, content: None,
    other: Callable[[Binding], Binding] = lambda binding: Static(None),
) -> Binding:
    """A structure with its numbers and arrays changed.

    made: is told of the memory of each new list and dict, and of what it holds. other: what becomes of anything else.
    """
    match binding:
        case TupleValue():
            items = tuple(mapped(context, item, change, node, made, other) for item in binding.items)
            return replace(binding, items=items, over=())
        case ListRef():
            items = tuple(mapped(context, item, change, node, made, other) for item in context.items(binding, node))
            ref = context.new_list(items)
            made(ref.cell, items)
            return ref
        case DictRef():
            pairs = context.version(binding.cell, node)
            entries = tuple((key, mapped(context, item, change, node, made, other)) for key, item in pairs)
            cell = Cell(binding.cell.name)
            context.state.cells[cell] = entries
            made(cell, entries)
            return DictRef(cell)
        case ArrayRef() | Value():
            return change(binding)
        case Constant(type=type_) if type_ is not None:
            return change(binding)
    return other(binding)


def paired(context: Context, value: Binding, given: Binding, what: str, node: Any) -> list[tuple[Operand, Operand]]:
    """The floats of a value, each with what is given for it, in its shape and dtype."""
    match value:
        case TupleValue(kind=kind) if is_dataclass(kind) and not title_of(kind):
            inner, others = value.items, given.items if isinstance(given, TupleValue) and given.kind is kind else ()
        case TupleValue() | ListRef():
            inner = context.items(value, node)
            others = context.items(given, node) if isinstance(given, TupleValue | ListRef) else ()
        case DictRef():
            entries = dict(context.version(given.cell, node)) if isinstance(given, DictRef) else {}
            keys = [key for key, _ in context.version(value.cell, node)]
            inner = tuple(item for _, item in context.version(value.cell, node))
            others = tuple(entries[key] for key in keys) if set(keys) == set(entries) else ()
        case ArrayRef() | Value() | Constant():
            operand = whole(context, value, node)
            is_paired = operand.type is not None and is_float(operand.type)
            return [(operand, fitted(context, given, operand, what, node))] if is_paired else []
        case _:
            return []
    if len(inner) != len(others):
        context.mistyped(node, f"the {what} does not have the structure of what it belongs to")
    pairs = zip(inner, others, strict=True)
    return [pair for item, other in pairs for pair in paired(context, item, other, what, node)]


def fitted(context: Context, given: Binding, like: Operand, what: str, node: Any) -> Operand:
    """A tangent or cotangent in the shape and dtype of a number or array; a number serves for all elements."""
    seed = context.operand(given, node) if isinstance(like.type, Scalar) else whole(context, given, node)
    dtype = like.type.dtype
    if isinstance(seed, Constant):
        seed = Constant(float(seed.value), Scalar(dtype))
    with context.builder.at(context.location(node)):
        if seed.type.dtype != dtype:
            seed = context.builder.cast(seed, dtype)
        if isinstance(seed.type, Scalar) and isinstance(like.type, Array):
            return context.builder.let(np.full, context.builder.dims(like), seed, type_=like.type)
    ranks = [getattr(operand.type, "ndim", 0) for operand in (seed, like)]
    if ranks[0] != ranks[1]:
        context.mistyped(node, f"a {what} has {ranks[0]} dimensions, where what it belongs to has {ranks[1]}")
    context.check_shape(seed, like, f"a {what} has another shape than what it belongs to", node)
    return seed


def whole(context: Context, binding: Binding, node: Any) -> Operand:
    """A number or array as an operand; an array without axes stays an array."""
    return context.read(binding, node) if isinstance(binding, ArrayRef) else context.operand(binding, node)


def zeros(context: Context, operand: Operand, node: Any) -> Binding:
    """A derivative that is 0, in the shape of a number or array."""
    if isinstance(operand.type, Scalar):
        return Constant(0.0, operand.type)
    return context.bind(context.let(node, primitives.zeros_like, operand))
