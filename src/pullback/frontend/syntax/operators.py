"""Operators on bindings: arithmetic, truth values and comparisons, known before the run where they can be."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeGuard

import gast
import numpy as np

from pullback.frontend.calls import calls
from pullback.frontend.calls.apply import apply_operator, needs_static
from pullback.frontend.syntax.operator_table import OPERATORS
from pullback.frontend.values.bindings import ArrayRef, Binding, DictRef, ListRef, Static, Text, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Array, Scalar, is_float


def binary(context: Context, function: Callable[..., Any], left: Binding, right: Binding, node: Any) -> Binding:
    """An operator on two bindings: numbers and arrays compute, tuples, lists and strings join, records have methods."""
    for record, other, prefix in ((left, right, "__"), (right, left, "__r")):
        name = f"{prefix}{_METHODS.get(function)}__"
        if has_method(record, name):
            return calls.call(context, calls.method_of_record(context, record, name, node), (other,), {}, node)
    context.check_plain(left, node)
    context.check_plain(right, node)
    if isinstance(left, TupleValue) and isinstance(right, TupleValue) and function is np.add:
        return TupleValue(left.items + right.items)
    if isinstance(left, ListRef) and isinstance(right, ListRef) and function is np.add:
        return context.new_list(context.items(left, node) + context.items(right, node))
    if function is np.multiply:
        for listed, count in ((left, right), (right, left)):
            if isinstance(listed, ListRef | TupleValue) and is_count(count):
                return _repeated(context, listed, count, node)
    if isinstance(left, Static | Text) or isinstance(right, Static | Text):
        return _join_texts(context, function, left, right, node)
    return apply_operator(context, function, (left, right), node)


_METHODS: dict[Any, str] = {
    **{np.add: "add", np.subtract: "sub", np.multiply: "mul", np.matmul: "matmul", np.true_divide: "truediv"},
    **{np.power: "pow", np.floor_divide: "floordiv", np.remainder: "mod"},
}


def unary(context: Context, function: Callable[..., Any], operand: Binding, node: Any) -> Binding:
    """An operator on one binding, which is a number, an array, or a record with a method for it."""
    if function is np.negative and has_method(operand, "__neg__"):
        return calls.call(context, calls.method_of_record(context, operand, "__neg__", node), (), {}, node)
    return apply_operator(context, function, (operand,), node)


def has_method(binding: Binding, name: str) -> TypeGuard[TupleValue]:
    """Whether a binding is a record whose class has such a method."""
    return isinstance(binding, TupleValue) and binding.kind is not None and calls.is_method(binding.kind, name)


def _repeated(context: Context, listed: ListRef | TupleValue, count: Value | Constant, node: Any) -> Binding:
    """A list or tuple several times over."""
    if isinstance(count, Value):
        needs_static(context, count, "how often a list or tuple is repeated", node)
    items = context.items(listed, node) * int(count.value)
    return TupleValue(items) if isinstance(listed, TupleValue) else context.new_list(items)


def is_count(binding: Binding) -> TypeGuard[Value | Constant]:
    """Whether a binding is a single number of integers or bools."""
    type_ = binding.type if isinstance(binding, Value | Constant) else None
    return isinstance(type_, Scalar) and not is_float(type_)


def _join_texts(context: Context, function: Any, left: Binding, right: Binding, node: Any) -> Binding:
    parts = [_text_parts(binding) for binding in (left, right)]
    if function is np.add and all(part is not None for part in parts):
        return Text((*(parts[0] or ()), *(parts[1] or ())))
    return apply_operator(context, function, (left, right), node)


def _text_parts(binding: Binding) -> tuple[Any, ...] | None:
    if isinstance(binding, Text):
        return binding.parts
    return (binding.value,) if isinstance(binding, Static) and isinstance(binding.value, str) else None


def negated(context: Context, binding: Binding, node: Any) -> Binding:
    """`not binding`."""
    condition = truth(context, binding, node)
    if isinstance(condition, Constant):
        return constant(not condition.value)
    return context.let(node, np.logical_not, condition)


def truth(context: Context, binding: Binding, node: Any) -> Value | Constant:
    """A binding as a condition: known before the run where it can be."""
    match binding:
        case Static(value=value):
            return constant(bool(value))
        case TupleValue():
            context.check_plain(binding, node)
            return constant(bool(binding.items))
        case ListRef() | DictRef():
            content = context.version(binding.cell, node)
            if isinstance(content, tuple):
                return constant(bool(content))
            return context.let(node, np.not_equal, content.length, constant(0))
        case ArrayRef():
            value = context.operand(binding, node)
            if isinstance(value.type, Array):
                context.mistyped(
                    node, "the truth value of an array is ambiguous", "use np.any(...) or np.all(...), or an element"
                )
            return truth(context, value, node)
        case Constant(value=value):
            return constant(bool(value))
        case Value():
            if binding.type.dtype == "bool":
                return binding
            return context.let(node, np.not_equal, binding, constant(0))
    context.mistyped(node, "this has no truth value that can be followed")


def compared(context: Context, op: Any, left: Binding, right: Binding, node: Any) -> Binding:
    """One comparison; identity and membership must be known before the run."""
    match op:
        case gast.Is() | gast.IsNot():
            same = _known_identity(context, left, right, node)
            return constant(same == isinstance(op, gast.Is))
        case gast.In() | gast.NotIn():
            found = _membership(context, left, right, node)
            return found if isinstance(op, gast.In) else negated(context, found, node)
    if isinstance(left, Static) and isinstance(right, Static):
        python = {gast.Eq: operator.eq, gast.NotEq: operator.ne}.get(type(op))
        if python is not None:
            return constant(bool(python(left.value, right.value)))
    if (isinstance(left, Static) or isinstance(right, Static)) and isinstance(op, gast.Eq | gast.NotEq):
        return constant(isinstance(op, gast.NotEq))
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return _compare_tuples(context, op, left, right, node)
    return apply_operator(context, OPERATORS[type(op)], (left, right), node)


def _compare_tuples(context: Context, op: Any, left: TupleValue, right: TupleValue, node: Any) -> Binding:
    if not isinstance(op, gast.Eq | gast.NotEq):
        context.refuse(node, "tuples are compared for order", "compare their items")
    equal: Binding = constant(len(left.items) == len(right.items))
    if len(left.items) == len(right.items):
        for a, b in zip(left.items, right.items, strict=True):
            both = (equal, compared(context, gast.Eq(), a, b, node))
            equal = apply_operator(context, np.logical_and, both, node)
    return equal if isinstance(op, gast.Eq) else negated(context, equal, node)


def _known_identity(context: Context, left: Binding, right: Binding, node: Any) -> bool:
    if isinstance(left, Static) and isinstance(right, Static):
        return left.value is right.value
    if isinstance(left, Constant) and isinstance(right, Constant):
        return type(left.value) is type(right.value) and left.value == right.value
    if isinstance(left, Static) or isinstance(right, Static):
        return False
    if isinstance(left, ArrayRef) and isinstance(right, ArrayRef):
        state = context.state
        told = not any(state.linked.get(ref.cell) or ref.cell in state.points_to for ref in (left, right))
        if told:
            return left == right
    context.refuse(node, "whether these are the same object is not known before the run", "compare with ==")


def _membership(context: Context, left: Binding, right: Binding, node: Any) -> Binding:
    if isinstance(right, DictRef):
        keys = [key for key, _ in context.version(right.cell, node)]
        if isinstance(left, Static):
            return constant(left.value in keys)
    if isinstance(left, Static) and isinstance(right, Static) and isinstance(right.value, str):
        return constant(left.value in right.value)
    found: Binding = constant(False)
    for item in context.items(right, node):
        equal = compared(context, gast.Eq(), left, item, node)
        if isinstance(equal, Constant) and isinstance(found, Constant):
            found = constant(bool(equal.value or found.value))
        else:
            found = apply_operator(context, np.logical_or, (found, equal), node)
    return found
