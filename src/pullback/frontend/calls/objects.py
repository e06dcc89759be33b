"""Objects that the function makes of classes written in Python.

An object is a number, and its attributes are variables of that number as those of a function are of its frame. So what
is true of variables holds for attributes: branches that give them different values, loops that carry them, None on some
paths.

    self.rate = 2.0 * x   →   (number of the object, "rate"): a value
"""

from __future__ import annotations

import abc
import dataclasses
import dis
import inspect
import types
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numpy as np

from pullback.frontend.calls.calling_back import called
from pullback.frontend.source.outside import Dependency, Place, comes_from
from pullback.frontend.source.passed import is_tensor
from pullback.frontend.tapes.captured import binding_of, constant_of
from pullback.frontend.values.bindings import (
    Binding,
    Bound,
    Conflict,
    Derived,
    Local,
    MaybeUnset,
    Method,
    ObjectRef,
    OneTime,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.functions import record_of
from pullback.functions.objects import title_of
from pullback.ir.nodes import Constant, Value

_PLAIN = ("__new__", "__setattr__", "__getattribute__")
"""What a class must have from `object`, for its attributes to be what is assigned to them."""

_SUFFIXES = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "MatMult": "matmul",
    "Div": "truediv",
    "FloorDiv": "floordiv",
    "Mod": "mod",
    "Pow": "pow",
    "BitAnd": "and",
    "BitOr": "or",
    "BitXor": "xor",
    "LShift": "lshift",
    "RShift": "rshift",
    "USub": "neg",
    "UAdd": "pos",
    "Invert": "invert",
}
_ASKED_BY_NUMPY = ("__len__", "__array__", "__array_interface__", "__array_struct__", "__array_ufunc__")
"""What makes a number or an array of NumPy's treat an object behind an operator in another way."""

CallMethod = Callable[[Context, FunctionType, tuple[Binding, ...], dict[str, Binding], Any], Binding]


def why_opaque(kind: type) -> str | None:
    """Why objects of a class cannot be followed; None where they can."""
    if type(kind) not in (type, abc.ABCMeta):
        return f"the class of '{kind.__name__}' is '{type(kind).__name__}'"
    changed = [name for name in _PLAIN if getattr(kind, name) is not getattr(object, name)]
    if is_frozen(kind):
        changed.remove("__setattr__")
    if hasattr(kind, "__getattr__"):
        changed.append("__getattr__")
    if changed:
        return f"'{kind.__name__}' has a '{changed[0]}' of its own"
    maker = inspect.getattr_static(kind, "__init__")
    if not isinstance(maker, FunctionType) and maker is not object.__init__:
        return f"'{kind.__name__}' is not made by Python code"
    return None


def is_frozen(kind: Any) -> bool:
    """Whether a class is a dataclass whose fields stay."""
    return dataclasses.is_dataclass(kind) and bool(kind.__dataclass_params__.frozen)


def is_generated(maker: Any) -> bool:
    """Whether an `__init__` was made by `dataclass`."""
    return isinstance(maker, FunctionType) and maker.__code__.co_filename == "<string>"


def new_object(
    context: Context,
    call_method: CallMethod,
    kind: type,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> ObjectRef:
    """A new object, on which `__init__` has run."""
    maker = inspect.getattr_static(kind, "__init__")
    context.depend(Dependency(kind, "__init__", maker))
    context.frame_count += 1
    made = ObjectRef(context.frame_count, kind)
    if is_generated(maker):
        _set_fields(context, call_method, made, arguments, keywords, node)
    elif isinstance(maker, FunctionType):
        result = call_method(context, maker, (made, *arguments), keywords, node)
        if result != Static(None):
            context.mistyped(node, "__init__() should return None")
    elif arguments or keywords:
        context.mistyped(node, f"{kind.__name__}() takes no arguments")
    return made


def new_namespace(context: Context, attributes: dict[str, Binding]) -> Binding:
    """A `types.SimpleNamespace`."""
    context.frame_count += 1
    made = ObjectRef(context.frame_count, types.SimpleNamespace)
    for name, value in attributes.items():
        context.state.names[made.number, name] = context.named(value, name)
    return made


def _set_fields(
    context: Context,
    call_method: CallMethod,
    made: ObjectRef,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> None:
    """What the `__init__` of a dataclass does."""
    kind: Any = made.kind
    given = bound_to_class(context, kind, arguments, keywords, node)
    fields = dataclasses.fields(kind)
    if inspect.signature(kind).parameters.keys() - {field.name for field in fields}:
        context.refuse(node, f"'{kind.__name__}' takes arguments that are no fields", "make them fields")
    for field in fields:
        if field.name in given:
            value = given[field.name]
        elif field.default_factory is not dataclasses.MISSING:
            value = called(context, Static(field.default_factory), (), node)
        elif field.init:
            value = default_named(context, kind.__init__, field.name, node)
        else:
            continue
        context.state.names[made.number, field.name] = context.named(value, field.name)
    after = method_of(context, made, "__post_init__")
    if after is not None:
        call_method(context, cast(FunctionType, after.function), (made,), {}, node)


def bound_to_class(
    context: Context, kind: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> dict[str, Binding]:
    """The arguments of a call of a class by the names of its parameters."""
    try:
        return inspect.signature(kind).bind(*arguments, **keywords).arguments
    except TypeError as error:
        context.mistyped(node, f"{kind.__name__}: {error}")


# Operators


def by_method(
    context: Context, function: Callable[..., Any], operands: tuple[Binding, ...], node: Any
) -> Binding | None:
    """What an operator gives by a method of the class of an operand; None where no operand has one."""
    suffix = _SUFFIXES.get(record_of(function).operator or "")
    if suffix is None:
        return None
    left, *others = operands
    found = method_of(context, left, f"__{suffix}__")
    if found is not None:
        result = called(context, found, tuple(others), node)
        if result != Static(NotImplemented):
            return result
    found = method_of(context, others[0], f"__r{suffix}__") if others else None
    if found is None:
        return None
    is_ours = bool(title_of(found.receiver.kind))
    if not is_ours and not isinstance(left, Value | Constant | ObjectRef | TupleValue):
        return None
    if not is_ours and any(hasattr(found.receiver.kind, name) for name in _ASKED_BY_NUMPY):
        context.refuse(
            node, f"NumPy takes an object of '{found.receiver.kind.__name__}' for an array here", "swap them"
        )
    result = called(context, found, (left,), node)
    return None if result == Static(NotImplemented) else result


def in_place_by_method(
    context: Context, function: Callable[..., Any], old: Binding, value: Binding, node: Any
) -> Binding | None:
    """What `old op= value` binds by a method such as `__iadd__`; None where the class of `old` has none."""
    suffix = _SUFFIXES.get(record_of(function).operator or "")
    found = method_of(context, old, f"__i{suffix}__") if suffix else None
    result = called(context, found, (value,), node) if found is not None else Static(NotImplemented)
    return None if result == Static(NotImplemented) else result


def method_of(context: Context, binding: Binding, name: str) -> Bound | None:
    """A method that the class of an object or record has in Python code."""
    if not isinstance(binding, ObjectRef | TupleValue | Static):
        return None
    kind = type(binding.value) if isinstance(binding, Static) else binding.kind
    found = None if kind is None else inspect.getattr_static(kind, name, None)
    if not isinstance(found, FunctionType) or (isinstance(binding, Static) and not is_of_user(found)):
        return None
    context.depend(Dependency(kind, name, found))
    return Bound(found, binding)


def is_of_user(method: Any) -> bool:
    """Whether this is code in Python that is neither Python's own, nor NumPy's, nor ours."""
    return isinstance(method, FunctionType) and not comes_from(method, "pullback")


# Records


def fields_of(kind: Any) -> tuple[str, ...] | None:
    """The fields of a class whose objects are these alone: a namedtuple, or a dataclass as it was generated."""
    if hasattr(kind, "_fields"):
        found: tuple[str, ...] = kind._fields
        return found
    if not dataclasses.is_dataclass(kind) or hasattr(kind, "__post_init__") or changes_itself(kind):
        return None
    maker, fields = inspect.getattr_static(kind, "__init__"), dataclasses.fields(kind)
    plain = all(field.init and field.default_factory is dataclasses.MISSING for field in fields)
    if not is_generated(maker) or not plain or len(inspect.signature(maker).parameters) - 1 != len(fields):
        return None
    return tuple(field.name for field in fields)


_MAKERS = ("__init__", "__post_init__")
"""Methods that an object is made with."""


def changes_itself(kind: Any) -> bool:
    """Whether methods of a class assign attributes, so that an object of it is more than it was when it was made."""
    methods = (found for base in kind.__mro__ for found in vars(base).values() if isinstance(found, FunctionType))
    later = (m for m in methods if m.__name__ not in _MAKERS and not is_generated(m) and not is_frozen(kind))
    return any(step.opname in ("STORE_ATTR", "DELETE_ATTR") for m in later for step in dis.get_instructions(m))


def as_record(context: Context, made: ObjectRef) -> Binding:
    """A new object as a record of its attributes, where its class is read so; nobody else has it."""
    context.kinds.made.add(made.kind)
    state = context.state
    own = {key[1]: binding for key, binding in state.names.items() if key[0] == made.number}
    if made.kind not in context.kinds.as_records or any(isinstance(b, MaybeUnset | Conflict) for b in own.values()):
        return made
    others = [binding for key, binding in state.names.items() if key[0] != made.number]
    if any(_mentions(binding, made.number) for binding in (*own.values(), *others, *state.cells.values())):
        return made
    for name in own:
        del state.names[made.number, name]
    return TupleValue(tuple(own.values()), made.kind, tuple(own))


def _mentions(binding: Any, number: int) -> bool:
    """Whether a binding is an object, holds it, or may be a function that was defined while it was made."""
    match binding:
        case ObjectRef():
            return binding.number == number
        case Local():
            return binding.frame > number
        case TupleValue():
            return any(_mentions(item, number) for item in binding.items)
        case MaybeUnset():
            return _mentions(binding.binding, number)
        case Method() | Bound():
            return _mentions(binding.receiver, number)
        case Derived():
            return _mentions(binding.function, number)
        case OneTime():
            return _mentions(binding.over, number)
        case tuple():
            return any(_mentions(item, number) for item in binding)
    return False


def default_named(context: Context, function: FunctionType, name: str, node: Any) -> Binding:
    """The default of a parameter."""
    named = function.__kwdefaults__ or {}
    if name in named:
        return default_of(context, named[name], Place(function, "__kwdefaults__"), name, node)
    defaults, code = function.__defaults__ or (), function.__code__
    k = code.co_varnames.index(name) - code.co_argcount + len(defaults)
    return default_of(context, defaults[k], Place(function, "__defaults__"), k, node)


def default_of(context: Context, value: Any, place: Place, name: Any, node: Any) -> Binding:
    """A default of a function, which is part of it; what is in a container or an array may change all the same."""
    if isinstance(value, np.ndarray | list | tuple | dict) or is_tensor(value):
        return binding_of(context, value, place, name, node)
    return constant_of(context, value, name, node)
