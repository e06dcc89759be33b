"""Leaves: the numbers and arrays inside a binding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.values.bindings import ArrayRef, Binding, Conflict, ListRef, MaybeUnset, State, TupleValue
from pullback.ir.infer import type_of_part
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Type


def map_leaves(binding: Binding, change: Callable[[Any], Binding]) -> Binding:
    """The binding with other leaves."""
    match binding:
        case Value() | ArrayRef():
            return change(binding)
        case Constant():
            return change(binding) if binding.type is not None else binding
        case TupleValue():
            items = tuple(map_leaves(item, change) for item in binding.items)
            return TupleValue(items, binding.kind, binding.fields)
    return binding


def array_leaves(binding: Any) -> list[ArrayRef]:
    found: list[ArrayRef] = []

    def note(leaf: Any) -> Any:
        if isinstance(leaf, ArrayRef):
            found.append(leaf)
        return leaf

    map_leaves(binding, note)
    return found


def types_of_leaves(binding: Any, state: State) -> list[Type] | None:
    """The types of the leaves; None where something else is inside."""
    match binding:
        case MaybeUnset():
            return types_of_leaves(binding.binding, state)
        case ArrayRef():
            type_: Type = state.cells[binding.cell].type
            return [type_of_part(type_, binding.path) if binding.path else type_]
        case Value() | Constant():
            return [binding.type] if binding.type is not None else None
        case TupleValue():
            items = [types_of_leaves(item, state) for item in binding.items]
            return None if None in items else [type_ for types in items if types for type_ in types]
    return None


def without_flag(binding: Any) -> Any:
    """What a variable stands for where it has a value."""
    return binding.binding if isinstance(binding, MaybeUnset) else binding


def are_alike(a: Any, b: Any) -> bool:
    """Whether two bindings have leaves of the same kinds at the same places."""
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return len(a.items) == len(b.items) and all(map(are_alike, a.items, b.items))
    if isinstance(b, MaybeUnset | Conflict | ListRef):
        return False
    return isinstance(a, ArrayRef) == isinstance(b, ArrayRef)
