"""Lists that change: their items as one growing buffer of a common type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import ArrayRef, ListRef, Stack, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.item_forms import check_forms, form_of_content, row_of
from pullback.frontend.values.state import State
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import type_of_part
from pullback.ir.nodes import (
    UNDEFINED,
    Constant,
    Index,
    Operand,
    Slice,
    Value,
    is_undefined,
)
from pullback.ir.types import Array, Scalar, Type, join


def cast_to(context: Context, operand: Operand, type_: Type) -> Operand:
    """The operand with another scalar or element type."""
    if type_.dtype == "bool" and isinstance(operand.type, Scalar) and operand.type != type_:
        context.mixes_truth_values = True
    if operand.type == type_ or is_undefined(operand):
        return operand if operand.type == type_ else Constant(UNDEFINED, type_)
    if isinstance(operand, Constant) and isinstance(operand.value, int | float | complex):
        python: dict[str, Any] = {"float64": float, "int64": int, "complex128": complex}
        return Constant(python.get(type_.dtype, lambda v: v)(operand.value), type_)
    weak = "*" if not isinstance(type_, Array) and type_.weak else ""
    return context.builder.cast(operand, type_.dtype + weak)


def element_type(content: Any, state: State) -> Array:
    """The type of the buffer for the numbers or arrays in a list's content: wide enough for all of them."""
    if isinstance(content, Stack):
        assert isinstance(content.buffer.type, Array), "the buffer of a list is an array"
        return content.buffer.type
    common: Array | None = None
    for type_ in (_row_type(item, state) for item in content):
        if type_ is not None:
            wider = type_ if common is None else join(common, type_)
            common = wider if isinstance(wider, Array) else common
    return common or Array("float64", 1)


def common_stack(contents: Sequence[tuple[Any, State]]) -> tuple[Array, Any] | None:
    """The type of a buffer for what a list holds in some states, and the form of its items; None if there is none."""
    filled = [(content, state) for content, state in contents if content != ()]
    forms = {form_of_content(content, state) for content, state in filled}
    if len(forms) > 1 or not all(_is_of_rows(content, state) for content, state in filled):
        return None
    common = element_type(*filled[0]) if filled else Array("float64", 1)
    for content, state in filled[1:]:
        wider = join(common, element_type(content, state))
        if not isinstance(wider, Array):
            return None
        common = wider
    return common, forms.pop() if forms else None


def _is_of_rows(content: Any, state: State) -> bool:
    return isinstance(content, Stack) or None not in [_row_type(item, state) for item in content]


def _row_type(item: Any, state: State) -> Array | None:
    """The type of a buffer for items like this one; None for what is no number or array."""
    if isinstance(item, Value | Constant) and item.type is not None:
        return Array(item.type.dtype, 1)
    if isinstance(item, ArrayRef) and item.cell in state.cells:
        type_ = state.cells[item.cell].type
        part = type_of_part(type_, item.path) if item.path else type_
        return Array(type_.dtype, getattr(part, "ndim", 0) + 1)
    if isinstance(item, TupleValue | ListRef):
        content = item.items if isinstance(item, TupleValue) else state.cells.get(item.cell, ())
        if isinstance(content, Stack) or (content and None not in [_row_type(one, state) for one in content]):
            row = element_type(content, state)
            return Array(row.dtype, row.ndim + 1)
    return None


def to_stack(context: Context, content: Any, node: Any, type_: Array, form: Any) -> Stack:
    """A list's content as a growing buffer and a length; `type_` and `form` are those of an empty one."""
    if isinstance(content, Stack):
        return content
    if content:
        own = form_of_content(content, context.state)
        check_forms(context, own, own if form is None else form, node)
        form = own
    operands = [row_of(context, item, node) for item in content]
    ranks = {getattr(operand.type, "ndim", 0) + 1 for operand in operands}
    if len(ranks) > 1:
        context.refuse(node, "a list that changes in a loop holds numbers and arrays", "keep them in two lists")
    buffer: Value
    if operands:
        buffer = context.let(node, np.array if ranks == {1} else np.stack, tuple(operands))
    else:
        sizes = (constant(0),) * type_.ndim
        buffer = context.let(node, np.empty, sizes, Constant(type_.dtype), keywords=("dtype",))
    return Stack(buffer, constant(len(operands)), form)


def items_between(context: Context, stack: Stack, start: Operand | None, stop: Operand, node: Any) -> Value:
    """The items of a list from one place to another, as a view of its buffer."""
    return context.let(node, primitives.load, stack.buffer, (Index((Slice(start, stop, None),)),))
