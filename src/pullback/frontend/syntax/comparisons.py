"""Comparisons: by what the classes of objects say, as Python asks them, and as of numbers, arrays, tuples and texts."""

from __future__ import annotations

import dataclasses
import inspect
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.calling_back import called
from pullback.frontend.calls.list_operands import is_list, is_of_numpy
from pullback.frontend.calls.objects import is_generated, is_of_user
from pullback.frontend.source.outside import Dependency
from pullback.frontend.syntax.attributes import attribute
from pullback.frontend.syntax.identity import identical, member
from pullback.frontend.syntax.operator_table import OPERATORS
from pullback.frontend.syntax.operators import negated
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Bound,
    ListRef,
    MaybeUnset,
    ObjectRef,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described, described_value
from pullback.functions.objects import title_of
from pullback.ir.builder import constant

_NAMES: dict[type, tuple[str, str, str]] = {
    gast.Eq: ("__eq__", "__eq__", "=="),
    gast.NotEq: ("__ne__", "__ne__", "!="),
    gast.Lt: ("__lt__", "__gt__", "<"),
    gast.LtE: ("__le__", "__ge__", "<="),
    gast.Gt: ("__gt__", "__lt__", ">"),
    gast.GtE: ("__ge__", "__le__", ">="),
}
"""The method of the left operand, that of the right one, and the sign."""

_METHODS = [name for name, _, _ in _NAMES.values()]


def compared(context: Context, op: Any, left: Binding, right: Binding, node: Any) -> Binding:
    """One comparison; identity and membership must be known before the run."""
    match op:
        case gast.Is() | gast.IsNot():
            return _or_not(context, op, identical(context, left, right, node), node)
        case gast.In() | gast.NotIn():
            return _or_not(context, op, member(context, left, right, node, compared), node)
    if isinstance(op, gast.Eq | gast.NotEq) and _is_with_none(left, right):
        return _or_not(context, op, identical(context, left, right, node), node)
    left, right = context.settled(left, node), context.settled(right, node)
    kinds = _class_of(left), _class_of(right)
    if kinds != (None, None):
        return _by_classes(context, op, (left, right), kinds, node)
    if isinstance(left, Static) and isinstance(right, Static):
        return _compare_known(context, _PYTHON[type(op)], left.value, right.value, node)
    if (isinstance(left, Static) or isinstance(right, Static)) and isinstance(op, gast.Eq | gast.NotEq):
        return _compare_with_known(context, op, left, right, node)
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return _compare_tuples(context, op, left, right, node)
    if isinstance(left, ListRef) and isinstance(right, ListRef):
        items = TupleValue(context.items(left, node)), TupleValue(context.items(right, node))
        return _compare_tuples(context, op, *items, node)
    if isinstance(left, ListRef | TupleValue) and isinstance(right, ListRef | TupleValue):
        return constant(isinstance(op, gast.NotEq))
    listed = is_list(left) or is_list(right)
    if listed and isinstance(op, gast.Eq | gast.NotEq) and not is_of_numpy(left) and not is_of_numpy(right):
        return constant(isinstance(op, gast.NotEq))
    return apply_operator(context, OPERATORS[type(op)], (left, right), node)


def _or_not(context: Context, op: Any, holds: Binding, node: Any) -> Binding:
    """What was found for `is`, `in` or `==`, the other way round for their opposites."""
    return negated(context, holds, node) if isinstance(op, gast.IsNot | gast.NotIn | gast.NotEq) else holds


_PYTHON: dict[type, Callable[[Any, Any], Any]] = {
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
}


def _compare_known(context: Context, compare: Callable[[Any, Any], Any], left: Any, right: Any, node: Any) -> Binding:
    """A comparison of two objects that are known before the run, as texts are."""
    try:
        return constant(bool(compare(left, right)))
    except TypeError as error:
        context.mistyped(node, str(error))


def _is_with_none(left: Binding, right: Binding) -> bool:
    """Whether what is None on some path, and no array or object on the others, is compared with None."""
    pairs = ((left, right), (right, left))
    perhaps = [one.binding for one, other in pairs if isinstance(one, MaybeUnset) and other == Static(None)]
    return any(not isinstance(binding, ArrayRef | ObjectRef) for binding in perhaps)


def _compare_with_known(context: Context, op: Any, left: Binding, right: Binding, node: Any) -> Binding:
    """Whether what is computed is an object that is known before the run: no, unless that is a number of its own."""
    known: Any = left if isinstance(left, Static) else right
    if isinstance(left, ArrayRef) or isinstance(right, ArrayRef):
        which = described_value(known.value) if known.value is not None else "None"
        context.refuse(node, f"an array is compared with {which}, element by element", "use 'is', or compare elements")
    if isinstance(known.value, np.ndarray) or any(hasattr(type(known.value), name) for name in _OF_NUMBERS):
        return apply_operator(context, OPERATORS[type(op)], (left, right), node)
    return constant(isinstance(op, gast.NotEq))


_OF_NUMBERS = ("__float__", "__complex__", "__index__", "__array__")
"""What has one of these may be equal to a number."""


def _compare_tuples(context: Context, op: Any, left: TupleValue, right: TupleValue, node: Any) -> Binding:
    if not isinstance(op, gast.Eq | gast.NotEq):
        context.refuse(node, "tuples are compared for order", "compare their items")
    equal: Binding = constant(len(left.items) == len(right.items))
    if len(left.items) == len(right.items):
        for a, b in zip(left.items, right.items, strict=True):
            both = (equal, compared(context, gast.Eq(), a, b, node))
            equal = apply_operator(context, np.logical_and, both, node)
    return _or_not(context, op, equal, node)


# By classes


def _class_of(binding: Binding) -> type | None:
    """The class of an object, if it is written in Python: of the user, or a dataclass."""
    if isinstance(binding, ObjectRef):
        return binding.kind
    if isinstance(binding, TupleValue):
        kind = binding.kind
        if not isinstance(kind, type) or title_of(kind):
            return None
        return None if issubclass(kind, tuple) and _is_plain(kind) else kind
    kind = type(binding.value) if isinstance(binding, Static) else object
    return kind if any(is_of_user(inspect.getattr_static(kind, name)) for name in _METHODS) else None


def _is_plain(kind: type) -> bool:
    """Whether a class says nothing of comparisons in Python code."""
    return not any(isinstance(inspect.getattr_static(kind, name), FunctionType) for name in _METHODS)


def _by_classes(
    context: Context, op: Any, sides: tuple[Binding, Binding], kinds: tuple[type | None, type | None], node: Any
) -> Binding:
    """A comparison as Python has it: each side is asked, the one of a derived class first; objects alone are compared
    by what they are."""
    if any(isinstance(side, ArrayRef) for side in sides):
        context.refuse(node, "an array is compared with an object, element by element", "compare with a number")
    name, reflected, sign = _NAMES[type(op)]
    asked = [(0, name), (1, reflected)]
    left, right = kinds
    if left is not None and right is not None and left is not right and issubclass(right, left):
        asked.reverse()
    for k, method in asked:
        kind = kinds[k]
        if kind is not None:
            result = _asked(context, kind, method, sides[k], sides[1 - k], kinds[1 - k], node)
            if result != Static(NotImplemented):
                return result
    if not isinstance(op, gast.Eq | gast.NotEq):
        first, second = (described(side, context.state) for side in sides)
        context.mistyped(node, f"'{sign}' is not supported between {first} and {second}")
    same = identical(context, *sides, node) if left is right else constant(False)
    return _or_not(context, op, same, node)


def _asked(
    context: Context, kind: type, name: str, one: Binding, other: Binding, other_kind: type | None, node: Any
) -> Binding:
    """What a method of one side says of the other side, or NotImplemented."""
    found = inspect.getattr_static(kind, name)
    context.depend(Dependency(kind, name, found))
    if isinstance(found, FunctionType) and not is_generated(found):
        return called(context, Bound(found, one), (other,), node)
    if isinstance(found, FunctionType):
        return _of_fields(context, kind, name, one, other, other_kind, node)
    if name == "__ne__" and found is object.__ne__:
        equal = _asked(context, kind, "__eq__", one, other, other_kind, node)
        return equal if equal == Static(NotImplemented) else negated(context, equal, node)
    return Static(NotImplemented)


def _of_fields(
    context: Context, kind: type, name: str, one: Binding, other: Binding, other_kind: type | None, node: Any
) -> Binding:
    """What a method says that `dataclass` has made: it compares the fields of objects of one class."""
    if other_kind is not kind:
        return Static(NotImplemented)
    if name not in ("__eq__", "__ne__"):
        context.refuse(node, "objects are compared for order", "compare their fields")
    fields = [field.name for field in dataclasses.fields(kind) if field.compare]
    mine, others = (TupleValue(tuple(attribute(context, side, f, node) for f in fields)) for side in (one, other))
    return _compare_tuples(context, gast.Eq() if name == "__eq__" else gast.NotEq(), mine, others, node)
