"""Attributes of objects and records: what was assigned to them, and what their classes have.

body.mass        what `__init__` gave it
body.GRAVITY     a constant of the class
body.energy()    a function of the class, whose first argument is the object
super().energy() the same of a class behind
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from types import FunctionType, MemberDescriptorType
from typing import Any

from pullback.frontend.calls.objects import CallMethod, is_frozen, is_generated
from pullback.frontend.source.outside import ABSENT, Dependency
from pullback.frontend.tapes.captured import binding_of
from pullback.frontend.values.bindings import Binding, Bound, MaybeUnset, ObjectRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.nodes import Constant

Receiver = ObjectRef | TupleValue


def member(context: Context, call_method: CallMethod, receiver: Receiver, name: str, node: Any) -> Binding:
    """`receiver.name`, where that is no field of a record."""
    kind = receiver.kind
    assert kind is not None, "a record has a class"
    if name == "__class__":
        return Static(kind)
    if receiver.behind is not None:
        return _of_parent(context, call_method, receiver, name, node)
    found = inspect.getattr_static(kind, name, ABSENT)
    own = context.state.names.get((receiver.number, name)) if isinstance(receiver, ObjectRef) else None
    if own is not None and not isinstance(found, property):
        return _settled(context, own, kind, name, node)
    context.depend(Dependency(kind, name, found))
    return _of_class(context, call_method, (kind, found), receiver, name, node)


def _of_class(
    context: Context, call_method: CallMethod, place: tuple[type, Any], receiver: Receiver, name: str, node: Any
) -> Binding:
    """`receiver.name`, of which a class, the owner, has a definition."""
    owner, found = place
    kind = receiver.kind
    assert kind is not None, "a record has a class"
    match found:
        case FunctionType() if not is_generated(found):
            return Bound(found, receiver)
        case property():
            return _property(context, call_method, receiver, name, found.fget, (), node)
        case staticmethod(__func__=function):
            return Static(function)
        case classmethod(__func__=function):
            return Bound(function, Static(kind))
    if found is ABSENT or isinstance(found, MemberDescriptorType):
        context.mistyped(node, f"'{kind.__name__}' object has no attribute '{name}'")
    if hasattr(type(found), "__get__"):
        context.refuse(node, f"the attribute '{name}' cannot be followed here", "use a method, or a property")
    return binding_of(context, found, owner, name, node)


def parent_of(context: Context, node: Any) -> Binding:
    """`super()` in a method: the object, whose methods are those behind the class of the method."""
    function = context.frame.function
    receiver: Binding | None = None
    if function is not None:
        receiver = context.state.names.get((context.frame.number, function.__code__.co_varnames[0]))
    order = _kind_of(receiver).__mro__
    behind = next((kind for kind in order if function in map(_function_in, vars(kind).values())), None)
    if behind is None or receiver is None:
        context.refuse(node, "'super' is called outside of a method", "name the class")
    return parent_behind(context, (Static(behind), receiver), node)


def parent_behind(context: Context, arguments: tuple[Binding, ...], node: Any) -> Binding:
    """`super(kind, receiver)`."""
    match arguments:
        case (Static(value=type() as kind), ObjectRef() | TupleValue() as made) if kind in _kind_of(made).__mro__:
            return replace(made, behind=kind)
        case (Static(value=type() as kind), Static(value=value)) if kind in _kind_of(arguments[1]).__mro__:
            return Static(super(kind, value))
    context.refuse(node, "'super' is called of something else than a class and an object of it", "name the class")


def _kind_of(receiver: Binding | None) -> type:
    """The class of what a method is called of: an object, or the class itself."""
    if isinstance(receiver, ObjectRef | TupleValue):
        return receiver.kind or tuple
    value = receiver.value if isinstance(receiver, Static) else None
    return value if isinstance(value, type) else type(value)


def _function_in(definition: Any) -> Any:
    if isinstance(definition, property):
        return definition.fget
    return definition.__func__ if isinstance(definition, classmethod) else definition


def _of_parent(context: Context, call_method: CallMethod, receiver: Receiver, name: str, node: Any) -> Binding:
    """`super().name`."""
    assert receiver.behind is not None, "this is what super() gives"
    order = _kind_of(receiver).__mro__
    owner = next((kind for kind in order[order.index(receiver.behind) + 1 :] if name in vars(kind)), None)
    if owner is None:
        context.mistyped(node, f"'super' object has no attribute '{name}'")
    found = vars(owner)[name]
    context.depend(Dependency(owner, name, found), Dependency(receiver.kind, "__mro__", order))
    if found is object.__init__:
        return Static(_nothing)
    return _of_class(context, call_method, (owner, found), replace(receiver, behind=None), name, node)


def _nothing() -> None:
    """What `object.__init__` does."""


def set_member(context: Context, call_method: CallMethod, ref: ObjectRef, name: str, value: Binding, node: Any) -> None:
    """`ref.name = value`."""
    found = inspect.getattr_static(ref.kind, name, ABSENT)
    context.depend(Dependency(ref.kind, name, found))
    if is_frozen(ref.kind):
        context.mistyped(node, f"cannot assign to field '{name}'", "the dataclass is frozen: make another object")
    if isinstance(found, property):
        _property(context, call_method, ref, name, found.fset, (value,), node)
    elif hasattr(type(found), "__set__") and not isinstance(found, MemberDescriptorType):
        context.refuse(node, f"the attribute '{name}' cannot be followed here", "use a method, or a property")
    else:
        context.state.names[ref.number, name] = context.named(value, name)


def _property(
    context: Context,
    call_method: CallMethod,
    receiver: Receiver,
    name: str,
    accessor: Any,
    arguments: tuple[Binding, ...],
    node: Any,
) -> Binding:
    if not isinstance(accessor, FunctionType):
        assert receiver.kind is not None, "a record has a class"
        context.mistyped(node, f"property '{name}' of '{receiver.kind.__name__}' object has no such accessor")
    return call_method(context, accessor, (receiver, *arguments), {}, node)


def _settled(context: Context, binding: Binding, kind: type, name: str, node: Any) -> Binding:
    if isinstance(binding, MaybeUnset) and not binding.is_none:
        message = Constant(f"'{kind.__name__}' object has no attribute '{name}'")
        with context.builder.at(context.location(node)):
            context.builder.effect(primitives.check, binding.flag, Constant(AttributeError), message)
        return binding.binding
    return context.settled_unless_none(binding, node, name)


def has_member(context: Context, ref: ObjectRef, name: str, node: Any) -> bool:
    """`hasattr(ref, name)`, where it is known before the run."""
    own = context.state.names.get((ref.number, name))
    if isinstance(own, MaybeUnset) and not own.is_none:
        context.refuse(node, f"whether the object has an attribute '{name}' depends on the run", "set it on every path")
    return own is not None or hasattr(ref.kind, name)
