"""Operators on bindings: arithmetic, truth values and comparisons, known before the run where they can be."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from typing import Any, TypeGuard

import gast
import numpy as np

from pullback.frontend.calls.apply import apply_operator, needs_static
from pullback.frontend.calls.calling_back import called
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.calls.joined_lists import joined
from pullback.frontend.calls.objects import by_method, is_of_user, method_of
from pullback.frontend.calls.texts import filled
from pullback.frontend.source.outside import ABSENT, Dependency, comes_from
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    MaybeUnset,
    ObjectRef,
    Stack,
    Static,
    Text,
    TupleValue,
)
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_binding, known_value
from pullback.functions import record_of
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Array, Scalar, is_float, is_real_float


def binary(context: Context, function: Callable[..., Any], left: Binding, right: Binding, node: Any) -> Binding:
    """An operator on two bindings: numbers and arrays compute, tuples, lists and strings join, objects have methods."""
    result = by_method(context, function, (left, right), node)
    if result is not None:
        return result
    context.check_plain(left, node)
    context.check_plain(right, node)
    if isinstance(left, TupleValue) and isinstance(right, TupleValue) and function is np.add and is_joined(left, right):
        return TupleValue(left.items + right.items)
    if isinstance(left, ListRef) and isinstance(right, ListRef) and function is np.add:
        made = context.new_list(())
        joined(context, made, (left, right), node)
        return made
    if function is np.multiply:
        for listed, count in ((left, right), (right, left)):
            if isinstance(listed, ListRef | TupleValue) and is_count(count):
                return _repeated(context, listed, count, node)
    if isinstance(left, Static | Text) or isinstance(right, Static | Text):
        return _join_texts(context, function, left, right, node)
    if function is np.power and right == _HALF and isinstance(left, ArrayRef) and _is_real(context, left, node):
        return apply_operator(context, np.sqrt, (left,), node)  # as NumPy does: NaN, not infinity, at -inf
    return apply_operator(context, function, (left, right), node)


_HALF = constant(0.5)


def _is_real(context: Context, ref: ArrayRef, node: Any) -> bool:
    return is_real_float(type_of_ref(context, ref, node))


def is_joined(*tuples: TupleValue) -> bool:
    """Whether `+` joins them."""
    return all(value.is_sequence for value in tuples)


def _repeated(context: Context, listed: ListRef | TupleValue, count: Value | Constant, node: Any) -> Binding:
    """A list or tuple several times over; a list of one number, also as often as only the run knows."""
    items = context.items(listed, node)
    if isinstance(count, Constant):
        items *= int(count.value)
        return TupleValue(items) if isinstance(listed, TupleValue) else context.new_list(items)
    is_number = len(items) == 1 and isinstance(items[0], Value | Constant) and isinstance(items[0].type, Scalar)
    if isinstance(listed, TupleValue) or not is_number:
        remedy = "repeat a list of one number, as in [0.0] * n, or append to an empty list"
        needs_static(context, count, "how often a list of other things, or a tuple, is repeated", node, remedy)
    times = context.let(node, max, count, constant(0))
    made = context.new_list(())
    context.state.cells[made.cell] = Stack(context.let(node, np.full, (times,), *items), times, repeated=count)
    return made


def is_count(binding: Binding) -> TypeGuard[Value | Constant]:
    """Whether a binding is a single number of integers or bools."""
    type_ = binding.type if isinstance(binding, Value | Constant) else None
    return isinstance(type_, Scalar) and not is_float(type_)


def _join_texts(context: Context, function: Any, left: Binding, right: Binding, node: Any) -> Binding:
    if function is np.remainder and isinstance(left, Static) and isinstance(left.value, str):
        return filled(context, left.value, right, node)
    known = known_value(TupleValue((left, right)))
    if known is not None and any(isinstance(value, str | frozenset) for value in known[0]):
        left_value, right_value = known[0]
        return _of_known(context, function, left_value, right_value, node)
    parts = [_text_parts(binding) for binding in (left, right)]
    if function is np.add and all(part is not None for part in parts):
        return Text((*(parts[0] or ()), *(parts[1] or ())))
    return apply_operator(context, function, (left, right), node)


def _of_known(context: Context, function: Any, left: Any, right: Any, node: Any) -> Binding:
    """An operator on texts and sets that are known before the run."""
    python = record_of(function).on_numbers
    try:
        return known_binding(python(left, right)) if python is not None else _SETS[function](left, right)
    except (TypeError, KeyError):
        classes = " and ".join(f"'{type(value).__name__}'" for value in (left, right))
        context.mistyped(node, f"this operator does not take {classes}")


_SETS: dict[Any, Callable[[Any, Any], Binding]] = {
    np.bitwise_or: lambda a, b: Static(a | b),
    np.bitwise_and: lambda a, b: Static(a & b),
    np.bitwise_xor: lambda a, b: Static(a ^ b),
}


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


def condition_of(context: Context, node: Any) -> Value | Constant:
    """Whether an expression is true: of `a and b` only that is asked, whatever they are."""
    match node:
        case gast.UnaryOp(op=gast.Not(), operand=gast.BoolOp() as inner):
            return truth(context, negated(context, condition_of(context, inner), node), node)
        case gast.BoolOp():
            return _condition_of_all(context, node, list(node.values))
    return truth(context, context.evaluate(node), node)


def _condition_of_all(context: Context, node: Any, values: list[Any]) -> Value | Constant:
    first, stops = condition_of(context, values[0]), isinstance(node.op, gast.Or)
    if len(values) == 1 or first == constant(stops):
        return first

    def rest() -> Value | Constant:
        return _condition_of_all(context, node, values[1:])

    if isinstance(first, Constant):
        return rest()

    def known() -> Constant:
        return constant(stops)

    return truth(context, choose(context, first, known if stops else rest, rest if stops else known, node), node)


def truth(context: Context, binding: Binding, node: Any) -> Value | Constant:
    """A binding as a condition: known before the run where it can be."""
    match binding:
        case MaybeUnset():
            inner = binding.binding
            chosen = choose(context, binding.flag, lambda: truth(context, inner, node), lambda: constant(False), node)
            return truth(context, chosen, node)
        case Static(value=value):
            return _truth_of_known(context, binding, value, node)
        case TupleValue() if binding.is_sequence:
            context.check_plain(binding, node)
            return constant(bool(binding.items))
        case TupleValue() | ObjectRef() if binding.kind is not None:
            return _truth_of_object(context, binding, node)
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


def _truth_of_known(context: Context, binding: Static, value: Any, node: Any) -> Value | Constant:
    """The truth of an object from outside: by the methods of a user's class, which are read, or as it stays."""
    kind = type(value)
    if isinstance(value, MutableSequence | MutableSet | MutableMapping):
        reason = f"whether an object of class '{kind.__name__}' from outside is empty may change"
        context.refuse(node, reason, "ask for its truth outside, and pass it")
    if comes_from(kind):
        return constant(bool(value))
    context.depend(*(Dependency(kind, name, getattr(kind, name, ABSENT)) for name in _TRUTH))
    if any(hasattr(kind, name) and not is_of_user(getattr(kind, name)) for name in _TRUTH):
        reason = f"the truth of an object of class '{kind.__name__}' is not a matter of Python code"
        context.refuse(node, reason, "ask for its truth outside, and pass it")
    return _truth_of_object(context, binding, node)


_TRUTH = ("__bool__", "__len__")
"""What decides whether an object is true, the first of them that its class has."""


def _truth_of_object(context: Context, binding: TupleValue | ObjectRef | Static, node: Any) -> Value | Constant:
    context.check_plain(binding, node)
    for name in _TRUTH:
        method = method_of(context, binding, name)
        if method is not None:
            return truth(context, called(context, method, (), node), node)
    return constant(True)
