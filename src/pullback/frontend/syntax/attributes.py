"""Attributes of bindings: of arrays, numbers, records, and of objects known before the run."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls import in_place, indexing
from pullback.frontend.calls.apply import apply, apply_operator
from pullback.frontend.calls.classes import class_of
from pullback.frontend.calls.complex_numbers import imaginary_part
from pullback.frontend.calls.members import has_member, member, set_member
from pullback.frontend.calls.objects import is_frozen
from pullback.frontend.calls.records import is_method_of_namedtuple
from pullback.frontend.source.outside import ABSENT, Dependency
from pullback.frontend.tapes.captured import binding_of
from pullback.frontend.tapes.variables import ASSIGNMENTS, parameter_of
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    Method,
    ObjectRef,
    Static,
    TapeRef,
    TupleValue,
)
from pullback.frontend.values.context import AttributeAssigned, Context
from pullback.frontend.values.described import described
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Permute, Value
from pullback.ir.types import is_complex


def attribute(context: Context, receiver: Binding, name: str, node: Any) -> Binding:
    """`receiver.name`."""
    match receiver:
        case ArrayRef():
            return _array_attribute(context, receiver, name, node)
        case Value() | Constant():
            return _number_attribute(context, receiver, name, node)
        case ListRef() | DictRef() | TapeRef():
            return Method(receiver, name)
        case ObjectRef():
            return member(context, in_place.call_bound, receiver, name, node)
        case TupleValue() if name in receiver.fields and receiver.behind is None:
            return receiver.items[receiver.fields.index(name)]
        case TupleValue() if is_method_of_namedtuple(receiver, name):
            return Method(receiver, name)
        case TupleValue(kind=type() as kind) if hasattr(kind, name) or not kind.__module__.startswith("pullback."):
            return member(context, in_place.call_bound, receiver, name, node)
        case TupleValue():
            return Method(receiver, name)
        case Static(value=str()):
            return Method(receiver, name)
        case Static(value=value):
            return _static_attribute(context, value, name, node)
    context.refuse(node, f"the attribute '{name}' cannot be followed here")


def assign_attribute(context: Context, receiver: Binding, target: Any, value: Binding) -> None:
    """`receiver.name = value`, for an object that the function made."""
    if not isinstance(receiver, ObjectRef):
        kind = receiver.kind if isinstance(receiver, TupleValue) else None
        is_as_made = is_dataclass(kind) and kind not in context.kinds.assigned and not is_frozen(kind)
        if kind is not None and (is_as_made or kind in context.kinds.as_records):
            raise AttributeAssigned(kind)
        name = gast.unparse(target).strip()
        reason = f"'{name}' cannot be assigned: a differentiated function must not change objects from outside"
        context.refuse(target, reason, "use a local variable, and return the new value")
    set_member(context, in_place.call_bound, receiver, target.attr, value, target)


def attribute_named(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`getattr(owner, name)`, with or without a default, and `hasattr(owner, name)`, for a name that is known."""
    if keywords or not 2 <= len(arguments) <= 2 + (function is getattr):
        context.mistyped(node, f"{function.__name__} takes an object and the name of an attribute")
    owner, name = context.settled(arguments[0], node), arguments[1]
    if not isinstance(name, Static) or not isinstance(name.value, str):
        context.refuse(node, "the name of an attribute must be known before the run", "write it as a string")
    has = has_attribute(context, owner, name.value, node)
    if function is hasattr:
        return constant(has)
    return arguments[2] if len(arguments) == 3 and not has else attribute(context, owner, name.value, node)


def has_attribute(context: Context, owner: Binding, name: str, node: Any) -> bool:
    """Whether a value has an attribute in the plain call."""
    if isinstance(owner, ObjectRef):
        return has_member(context, owner, name, node)
    if isinstance(owner, TupleValue) and name in owner.fields:
        return True
    if not isinstance(owner, Static):
        return hasattr(class_of(owner), name)
    found = getattr(owner.value, name, ABSENT)
    context.depend(Dependency(owner.value, name, found))
    return found is not ABSENT


def _static_attribute(context: Context, owner: Any, name: str, node: Any) -> Binding:
    try:
        found = getattr(owner, name)
    except AttributeError as error:
        context.mistyped(node, str(error))
    return binding_of(context, found, owner, name, node)


def _array_attribute(context: Context, ref: ArrayRef, name: str, node: Any) -> Binding:
    version = context.version(ref.cell, node)
    if name == "T":
        ndim = indexing.type_of_ref(context, ref, node).ndim
        return ArrayRef(ref.cell, (*ref.path, Permute(tuple(reversed(range(ndim))))))
    if name == "mT":
        ndim = indexing.type_of_ref(context, ref, node).ndim
        axes = (*range(ndim - 2), ndim - 1, ndim - 2)
        return ArrayRef(ref.cell, (*ref.path, Permute(axes)))
    if name in ("shape", "size", "ndim"):
        return indexing.shape_attribute(context, context.read(ref, node), name, node)
    if name == "dtype":
        return Static(np.dtype(version.type.dtype))
    if name == "real" and not is_complex(version.type):
        return ref
    if name in ("real", "imag"):
        return _part(context, ref, name, node)
    if name == "flat":
        flat = context.let(node, np.reshape, context.read(ref, node), (constant(-1),))
        found = context.bind(context.let(node, primitives.copy, flat))
        assert isinstance(found, ArrayRef), "elements in a row are an array"
        found.cell.outside = "'.flat' is read here, and cannot be written"
        return found
    if name in ("itemsize", "nbytes"):
        width = constant(np.dtype(version.type.dtype).itemsize)
        if name == "itemsize":
            return width
        size = indexing.shape_attribute(context, context.read(ref, node), "size", node)
        return apply_operator(context, np.multiply, (size, width), node)
    _check_has(context, ref, name, node)
    return Method(ref, name)


def _check_has(context: Context, receiver: Binding, name: str, node: Any) -> None:
    """TypingError for an attribute that neither arrays have nor variables."""
    if name not in ASSIGNMENTS and not hasattr(np.ndarray, name) and parameter_of(context, receiver) is None:
        context.mistyped(node, f"{described(receiver)} has no attribute '{name}'")


def _number_attribute(context: Context, number: Value | Constant, name: str, node: Any) -> Binding:
    match name:
        case "shape":
            return TupleValue(())
        case "ndim":
            return constant(0)
        case "size":
            return constant(1)
        case "T":
            return number
        case "real" if number.type is not None and not is_complex(number.type):
            return number
        case "real" | "imag":
            return _part(context, number, name, node)
        case "dtype":
            assert number.type is not None, "a number has a type"
            return Static(np.dtype(number.type.dtype))
    if not hasattr(class_of(number), name):
        _check_has(context, number, name, node)
    return Method(number, name)


def _part(context: Context, binding: Binding, name: str, node: Any) -> Binding:
    """The real part of a complex number or array, or the imaginary part of any."""
    return apply(context, np.real, (binding,), {}, node) if name == "real" else imaginary_part(context, binding, node)
