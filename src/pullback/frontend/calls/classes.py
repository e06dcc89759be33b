"""What is known of the class of a value: `isinstance`, `issubclass`, `type`, `callable` and `np.isscalar`."""

from __future__ import annotations

import abc
import builtins
from numbers import Number
from types import FunctionType
from typing import Any

import numpy as np

from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.calls.objects import method_of
from pullback.frontend.source.outside import Dependency, comes_from
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Bound,
    Derived,
    DictRef,
    ListRef,
    Local,
    Method,
    ObjectRef,
    Range,
    Static,
    Text,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value

CLASSES = Meanings()
_OF_BINDINGS: dict[type, type] = {
    ArrayRef: np.ndarray,
    ListRef: list,
    DictRef: dict,
    Range: range,
    Text: str,
    Local: FunctionType,
}
_WEAK: dict[str, type] = {"float64": float, "int64": int, "bool": bool, "complex128": complex}


def class_of(binding: Binding) -> type | None:
    """The class that a value has in the plain call; None where it is not known."""
    match binding:
        case TupleValue():
            return _known_outside(binding.kind) if binding.kind else tuple
        case ObjectRef(kind=kind):
            return _known_outside(kind)
        case Static(value=value):
            return type(value)
        case Value() | Constant() if binding.type is not None:
            dtype = binding.type.dtype
            return _WEAK[dtype] if getattr(binding.type, "weak", False) else np.dtype(dtype).type
    return _OF_BINDINGS.get(type(binding))


def _known_outside(kind: type) -> type:
    """The class of the objects that a record of ours stands for, where it says one."""
    return getattr(kind, "__pullback_class__", kind)


def _known_class(context: Context, binding: Binding, node: Any) -> type:
    binding = context.settled(binding, node)
    found = class_of(binding)
    if found is None:
        context.refuse(node, "the class of this is not known before the run")
    return found


def _classes(context: Context, binding: Binding, node: Any) -> tuple[Any, ...]:
    if isinstance(binding, TupleValue):
        return tuple(kind for item in binding.items for kind in _classes(context, item, node))
    if isinstance(binding, Static):
        return (binding.value,)
    context.refuse(node, "the classes that are asked for must be known before the run", "write their names")


@CLASSES.of(builtins.isinstance)
def _isinstance(context: Context, node: Any, binding: Binding, kinds: Binding, /) -> Binding:
    return constant(_is_derived(context, _known_class(context, binding, node), _classes(context, kinds, node)))


def _is_derived(context: Context, found: type, kinds: tuple[Any, ...]) -> bool:
    """Whether a class is one of these or derived from one; an abstract class may take in others later."""
    if not comes_from(found) and any(isinstance(kind, abc.ABCMeta) and kind not in found.__mro__ for kind in kinds):
        context.depend(Dependency(_ABSTRACT, "token", _ABSTRACT.token))
    return any(issubclass(found, kind) for kind in kinds)


class _Abstract:
    """What changes where any abstract class takes in another one."""

    def __init__(self) -> None:
        self.known: dict[Any, object] = {}

    @property
    def token(self) -> object:
        """An object for each state of all abstract classes."""
        return self.known.setdefault(abc.get_cache_token(), object())


_ABSTRACT = _Abstract()


@CLASSES.of(builtins.issubclass)
def _issubclass(context: Context, node: Any, kind: Binding, kinds: Binding, /) -> Binding:
    (found,) = _classes(context, kind, node)
    return constant(_is_derived(context, found, _classes(context, kinds, node)))


@CLASSES.of(builtins.type)
def _type(context: Context, node: Any, binding: Binding, /) -> Binding:
    return Static(_known_class(context, binding, node))


@CLASSES.of(builtins.callable)
def _callable(context: Context, node: Any, binding: Binding, /) -> Binding:
    if isinstance(binding, Method | Bound | Derived):
        return constant(True)
    if isinstance(binding, ObjectRef):
        return constant(method_of(context, binding, "__call__") is not None)
    if isinstance(binding, Static):
        return constant(callable(binding.value))
    return constant(isinstance(binding, Local))


@CLASSES.of(np.isscalar)
def _isscalar(context: Context, node: Any, element: Binding) -> Binding:
    """An array without axes is none, though it is computed with as a number."""
    found = _known_class(context, element, node)
    return constant(issubclass(found, np.generic | Number) or found in np.ScalarType)
