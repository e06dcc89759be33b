"""Assignments: what is bound to names, or written to parts, items and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls import indexing
from pullback.frontend.calls.iteration import known_items
from pullback.frontend.calls.joined_lists import joined
from pullback.frontend.calls.list_operands import is_of_numpy
from pullback.frontend.calls.objects import in_place_by_method
from pullback.frontend.calls.sequences import listed
from pullback.frontend.source.desugar import RESULT
from pullback.frontend.syntax.attributes import assign_attribute, attribute
from pullback.frontend.syntax.expressions import evaluate, settled
from pullback.frontend.syntax.items import read_item, write_item
from pullback.frontend.syntax.operator_table import OPERATORS
from pullback.frontend.syntax.operators import binary
from pullback.frontend.syntax.spreading import items_behind_star
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    ListRef,
    ObjectRef,
)
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import infer
from pullback.ir.nodes import Constant, Index, Operand, Slice, Value
from pullback.ir.types import Array, Scalar, is_complex


def assign_all(context: Context, node: Any) -> None:
    value = evaluate(context, node.value)
    for target in node.targets:
        assign(context, target, value, node)


def assign(context: Context, target: Any, value: Binding, node: Any) -> None:
    """`target = value`."""
    match target:
        case gast.Name():
            key = context.frame.key_of(target.id)
            if target.id != RESULT:
                value = context.named(value, target.id.strip("<>").split(" ")[0])
            context.state.names[key] = value
        case gast.Tuple() | gast.List():
            _unpack(context, target, value, node)
        case gast.Subscript():
            receiver = settled(context, target.value)
            write_item(context, receiver, target.slice, value, target)
        case gast.Attribute():
            assign_attribute(context, settled(context, target.value), target, value)
        case _:
            context.refuse(target, "this cannot be assigned to")


def _unpack(context: Context, target: Any, value: Binding, node: Any) -> None:
    stars = [k for k, element in enumerate(target.elts) if isinstance(element, gast.Starred)]
    if stars:
        _unpack_with_star(context, target, value, stars[0], node)
        return
    known = None if isinstance(value, ArrayRef) else known_items(context, value, node)
    if isinstance(value, ArrayRef):
        items = _unpacked_array(context, value, len(target.elts), node)
    else:
        items = context.items(value, node) if known is None else known
    if len(items) != len(target.elts):
        few = "too many values to unpack" if len(items) > len(target.elts) else "not enough values to unpack"
        context.mistyped(target, f"{few} (expected {len(target.elts)}, got {len(items)})")
    for element, item in zip(target.elts, items, strict=True):
        assign(context, element, item, node)


def _unpack_with_star(context: Context, target: Any, value: Binding, star: int, node: Any) -> None:
    """`first, *rest = values`: the list takes what is left over."""
    if isinstance(value, ArrayRef):
        for element, item in zip(target.elts, _split_array(context, value, star, len(target.elts), node), strict=True):
            assign(context, element.value if isinstance(element, gast.Starred) else element, item, node)
        return
    items = items_behind_star(context, value, target.elts[star])
    behind = len(target.elts) - star - 1
    if len(items) < star + behind:
        context.mistyped(target, f"not enough values to unpack (expected at least {star + behind}, got {len(items)})")
    for element, item in zip(target.elts[:star], items, strict=False):
        assign(context, element, item, node)
    assign(context, target.elts[star].value, context.new_list(items[star : len(items) - behind]), node)
    for element, item in zip(target.elts[star + 1 :], items[len(items) - behind :], strict=True):
        assign(context, element, item, node)


def _split_array(context: Context, ref: ArrayRef, star: int, count: int, node: Any) -> list[Binding]:
    """The elements of an array for `count` targets, of which one takes a list of those that are left over."""
    size = context.let(node, primitives.dim, context.read(ref, node), constant(0))
    enough = context.let(node, np.greater_equal, size, constant(count - 1))
    with context.builder.at(context.location(node)):
        message = f"not enough values to unpack (expected at least {count - 1})"
        context.builder.effect(primitives.check, enough, Constant(ValueError), Constant(message))
    behind = count - star - 1
    end = constant(-behind) if behind else None
    rest = indexing.read_part(context, ref, Index((Slice(constant(star), end, None),)), node)
    first = [indexing.read_part(context, ref, Index((constant(k),)), node) for k in range(star)]
    last = [indexing.read_part(context, ref, Index((constant(k - behind),)), node) for k in range(behind)]
    return [*first, listed(context, rest, node), *last]


def _unpacked_array(context: Context, ref: ArrayRef, count: int, node: Any) -> tuple[Binding, ...]:
    size = context.let(node, primitives.dim, context.read(ref, node), constant(0))
    fits = context.let(node, np.equal, size, constant(count))
    message = f"cannot unpack an array into {count} values: its length is another"
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.check, fits, Constant(ValueError), Constant(message))
    index = (constant(k) for k in range(count))
    return tuple(indexing.read_part(context, ref, Index((k,)), node) for k in index)


def annotate(context: Context, node: Any) -> None:
    if node.value is not None:
        assign(context, node.target, evaluate(context, node.value), node)


def augment(context: Context, node: Any) -> None:
    """`target op= value`: in place on arrays and their parts, anew on numbers."""
    function = OPERATORS[type(node.op)]
    if isinstance(node.target, gast.Subscript):
        _augmented_part(context, node, function)
        return
    if isinstance(node.target, gast.Attribute):
        receiver = settled(context, node.target.value)
        old = attribute(context, receiver, node.target.attr, node.target)
    else:
        old = settled(context, gast.copy_location(gast.Name(node.target.id, gast.Load(), None, None), node.target))
    value = evaluate(context, node.value)
    if _changed_in_place(context, old, function, value, node):
        return
    new = _anew(context, function, old, value, node)
    if isinstance(node.target, gast.Attribute):
        assign_attribute(context, receiver, node.target, new)
    else:
        assign(context, node.target, new, node)


def _anew(context: Context, function: Callable[..., Any], old: Binding, value: Binding, node: Any) -> Binding:
    """What `old op= value` binds: the object itself where its class changes it, a new value otherwise."""
    changed = in_place_by_method(context, function, old, value, node)
    return binary(context, function, old, value, node) if changed is None else changed


def _changed_in_place(context: Context, old: Binding, function: Callable[..., Any], value: Binding, node: Any) -> bool:
    """Change an array or a list where it is, under all its names; whether it is one."""
    if isinstance(old, ArrayRef):
        _check_in_place(context, old, function, value, node)
        new = binary(context, function, old, value, node)
        context.store(old, (), context.operand(new, node), node)
    elif isinstance(old, ListRef) and function is np.add and not is_of_numpy(value):
        context.check_writable(old.cell, node)
        joined(context, old, (old, listed(context, value, node)), node)
    elif isinstance(old, ListRef) and function is np.multiply:
        repeated = binary(context, function, old, value, node)
        context.check_writable(old.cell, node)
        context.state.cells[old.cell] = context.items(repeated, node)
    else:
        return False
    return True


def _augmented_part(context: Context, node: Any, function: Callable[..., Any]) -> None:
    target = node.target
    receiver = settled(context, target.value)
    if not isinstance(receiver, ArrayRef):
        old = read_item(context, receiver, target.slice, target)
        value = evaluate(context, node.value)
        if isinstance(old, ArrayRef) and old.cell.outside:
            context.refuse(node, old.cell.outside, "assign another item, as in items[k] = items[k] + x")
        if not _changed_in_place(context, old, function, value, node):
            new = _anew(context, function, old, value, node)
            write_item(context, receiver, target.slice, new, target)
        elif isinstance(target.slice, gast.Slice) or isinstance(receiver, ObjectRef):  # a slice is another list
            write_item(context, receiver, target.slice, old, target)
        return
    index = indexing.index_of(context, target.slice)
    old = indexing.read_part(context, receiver, index, target)
    value = evaluate(context, node.value)
    if isinstance(old, ArrayRef):
        _check_in_place(context, old, function, value, node)
    new = binary(context, function, old, value, node)
    context.store(receiver, (index,), context.operand(new, node), target)


def _check_in_place(context: Context, ref: ArrayRef, function: Callable[..., Any], value: Binding, node: Any) -> None:
    """NumPy refuses to write floats into integers in place."""
    dtype = indexing.type_of_ref(context, ref, node).dtype
    given = context.operand(value, node)
    result = result_dtype(function, dtype, given)
    if not np.can_cast(result, dtype, "same_kind"):
        reason = f"an array of {dtype} cannot take values of {result} in place"
        context.mistyped(node, reason, f"make it a {'complex' if is_complex(Scalar(result)) else 'float'} array")


def result_dtype(function: Callable[..., Any], dtype: str, operand: Operand) -> str:
    """The dtype of `array op= operand` before it is cast back."""
    array = Value("", Array(dtype, getattr(operand.type, "ndim", 0) or 1))
    return infer(function, (array, operand)).dtype
