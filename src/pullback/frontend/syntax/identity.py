"""`is` and `in`: known before the run wherever a class, a cell of memory or a key decides.

Python's own truth values are the only numbers that are single objects. One that the run computes is True where it
holds, and so `flag is True` is the flag; one of NumPy is never `True` itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.calling_back import called
from pullback.frontend.calls.iteration import known_items
from pullback.frontend.calls.objects import method_of
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    MaybeUnset,
    ObjectRef,
    Range,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_binding, known_value
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import is_integer


def identical(context: Context, left: Binding, right: Binding, node: Any) -> Binding:
    """`left is right`."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, MaybeUnset) and other == Static(None):
            return apply_operator(context, np.logical_not, (one.flag,), node)
        if isinstance(one, Value) and isinstance(other, Constant):
            return _is_known_number(context, one, other, node)
    left, right = context.settled(left, node), context.settled(right, node)
    if isinstance(left, Static) and isinstance(right, Static):
        return constant(left.value is right.value)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return constant(type(left.value) is type(right.value) and left.value == right.value)
    if isinstance(left, ListRef | DictRef) and isinstance(right, ListRef | DictRef):
        if right.cell in context.state.linked.get(left.cell, ()):
            reason = "whether these are the same list or dict is not known before the run"
            context.refuse(node, reason, "compare what they hold")
        return constant(left.cell is right.cell)
    if isinstance(left, ObjectRef) and isinstance(right, ObjectRef):
        return constant(left.number == right.number)
    if isinstance(left, ArrayRef) and isinstance(right, ArrayRef):
        state = context.state
        if not any(state.linked.get(ref.cell) or ref.cell in state.points_to for ref in (left, right)):
            return constant(left == right)
    if _kind(left) is not _kind(right) and not _may_be_one_object(left, right):
        return constant(False)
    context.refuse(node, "whether these are the same object is not known before the run", "compare with ==")


def _may_be_one_object(left: Binding, right: Binding) -> bool:
    """Whether one is a record, which has no identity, and the other an object of its class."""
    kinds = {type(b.value) if isinstance(b, Static) else getattr(b, "kind", None) for b in (left, right)}
    return len(kinds) == 1 and any(isinstance(b, TupleValue) and b.kind is not None for b in (left, right))


def _kind(binding: Binding) -> type:
    return Value if isinstance(binding, Constant) else type(binding)


def _is_known_number(context: Context, value: Value, number: Constant, node: Any) -> Binding:
    """Whether a number that the run computes is a known one: decided for True and False alone."""
    if not isinstance(number.value, bool | np.bool_):
        context.refuse(node, "whether these are the same object is not known before the run", "compare with ==")
    if value.type.dtype != "bool" or not hasattr(value.type, "weak"):
        return constant(False)
    if value.type.weak:
        return value if number.value else context.let(node, np.logical_not, value)
    if context.mixes_truth_values:
        reason = "whether this is a truth value of Python or of NumPy, which is never True itself, depends on the run"
        context.refuse(node, reason, "write 'if flag:' or 'if not flag:'")
    return constant(False)


def _in_range(context: Context, number: Operand, range_: Range, node: Any) -> Binding | None:
    """Whether a range of steps of 1 has a number; None for other ranges, and numbers that are no integers."""
    if range_.step != constant(1) or not is_integer(number.type):
        return None
    low = apply_operator(context, np.less_equal, (range_.start, number), node)
    high = apply_operator(context, np.less, (number, range_.stop), node)
    return apply_operator(context, np.logical_and, (low, high), node)


Compare = Callable[[Context, Any, Binding, Binding, Any], Binding]


def member(context: Context, left: Binding, right: Binding, node: Any, compare: Compare) -> Binding:
    """`left in right`; compare: reads one comparison."""
    left, right = context.settled(left, node), context.settled(right, node)
    method = method_of(context, right, "__contains__")
    if method is not None:
        return called(context, method, (left,), node)
    if isinstance(right, DictRef):
        keys = {key: None for key, _ in context.version(right.cell, node)}
        known = known_value(left)
        if known is None:
            reason = "a dict is asked for a key that only the run knows"
            context.refuse(node, reason, "use keys that are known before the run")
        try:
            return constant(known[0] in keys)
        except TypeError as error:
            context.mistyped(node, str(error))
    if isinstance(left, Static) and isinstance(right, Static) and isinstance(right.value, str):
        return constant(left.value in right.value)
    if isinstance(right, ArrayRef):
        equal = apply_operator(context, np.equal, (left, right), node)
        return apply_operator(context, np.any, (equal,), node)
    if isinstance(right, Static) and isinstance(right.value, frozenset):
        known = known_value(left)
        if known is not None:
            return constant(known[0] in right.value)
        right = known_binding(tuple(right.value))
    if isinstance(right, Range) and isinstance(left, Value | Constant):
        inside = _in_range(context, context.scalar(left, node), right, node)
        if inside is not None:
            return inside
    items = known_items(context, right, node)
    found: Binding = constant(False)
    for item in context.items(right, node) if items is None else items:
        equal = compare(context, gast.Eq(), left, item, node)
        if isinstance(equal, Constant) and isinstance(found, Constant):
            found = constant(bool(equal.value or found.value))
        else:
            found = apply_operator(context, np.logical_or, (found, equal), node)
    return found
