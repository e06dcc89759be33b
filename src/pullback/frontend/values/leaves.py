"""Leaves: the numbers and arrays inside a binding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Conflict,
    DictRef,
    ListRef,
    Local,
    MaybeUnset,
    Stack,
    Static,
    TupleValue,
)
from pullback.frontend.values.contents import keys_in, values_in_content, with_values
from pullback.frontend.values.state import State
from pullback.ir.infer import type_of_part
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Type

Change = Callable[[Any], Any]
Inside = Callable[[ListRef | DictRef, Change], Binding]


def map_leaves(binding: Binding, change: Change, inside: Inside | None = None) -> Binding:
    """The binding with other leaves.

    inside: makes a list or dict anew, given it and what is to be done with its items; without it, those stay.
    """
    match binding:
        case Value() | ArrayRef():
            return change(binding)
        case Constant():
            return change(binding) if binding.type is not None else binding
        case TupleValue():
            items = tuple(map_leaves(item, change, inside) for item in binding.items)
            return TupleValue(items, binding.kind, binding.fields)
        case ListRef() | DictRef() if inside is not None:
            return inside(binding, lambda item: map_leaves(item, change, inside))
    return binding


def map_content(content: Any, change: Change) -> Any:
    """What a list or dict holds, with other items."""
    if isinstance(content, Stack):
        return Stack(change(content.buffer), change(content.length), content.form)
    return with_values(content, [change(item) for item in values_in_content(content)])


def array_leaves(binding: Any, state: State) -> list[ArrayRef]:
    """The arrays in a binding, and in the lists and dicts that it refers to."""
    found: list[ArrayRef] = []

    def note(leaf: Any) -> Any:
        if isinstance(leaf, ArrayRef):
            found.append(leaf)
        return leaf

    each_leaf(binding, note, state)
    return found


def container_leaves(binding: Any, state: State) -> list[ListRef | DictRef]:
    """The lists and dicts in a binding, from the outside in."""
    found: list[ListRef | DictRef] = []

    def note(ref: ListRef | DictRef, change: Change) -> Binding:
        found.append(ref)
        map_content(state.cells[ref.cell], change)
        return ref

    map_leaves(binding, lambda leaf: leaf, note)
    return found


def count_of(ref: ListRef | DictRef, state: State) -> int:
    """How many items a list or dict has; 0 where only the run knows."""
    content = state.cells[ref.cell]
    return len(content) if isinstance(content, tuple) else 0


def each_leaf(binding: Any, visit: Change, state: State) -> None:
    """Visit the leaves of a binding, also those in lists and dicts."""

    def note(ref: ListRef | DictRef, change: Change) -> Binding:
        map_content(state.cells[ref.cell], change)
        return ref

    map_leaves(binding, visit, note)


def types_of_leaves(binding: Any, state: State, in_lists: bool = False) -> list[Type] | None:
    """The types of the leaves; None where something else is inside. in_lists: also of those in lists and dicts."""
    match binding:
        case MaybeUnset():
            return types_of_leaves(binding.binding, state, in_lists)
        case ArrayRef():
            type_: Type = state.cells[binding.cell].type
            return [type_of_part(type_, binding.path) if binding.path else type_]
        case Value() | Constant():
            return [binding.type] if binding.type is not None else None
        case TupleValue():
            return _types_of_all(binding.items, state, in_lists)
        case ListRef() | DictRef() if in_lists and binding.cell in state.cells:
            content = state.cells[binding.cell]
            if isinstance(content, Stack):
                return [content.buffer.type, content.length.type]
            return _types_of_all(values_in_content(content), state, in_lists)
        case Static() | Local() if in_lists:
            return []
    return None


def _types_of_all(bindings: Any, state: State, in_lists: bool) -> list[Type] | None:
    found = [types_of_leaves(item, state, in_lists) for item in bindings]
    return None if None in found else [type_ for types in found if types for type_ in types]


def without_flag(binding: Any) -> Any:
    """What a variable stands for where it has a value."""
    return binding.binding if isinstance(binding, MaybeUnset) else binding


def are_alike(a: Any, b: Any, first: State, then: State) -> bool:
    """Whether a binding of one state and one of another have leaves of the same kinds at the same places."""
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return a.is_of_class_of(b) and _are_all_alike(a.items, b.items, first, then)
    if isinstance(a, ListRef | DictRef) and isinstance(b, ListRef | DictRef):
        both = type(a) is type(b) and a.cell in first.cells and b.cell in then.cells  # what is in reach there
        return both and _hold_alike(first.cells[a.cell], then.cells[b.cell], first, then)
    if isinstance(b, MaybeUnset | Conflict | ListRef | DictRef) or isinstance(a, ListRef | DictRef):
        return False
    if isinstance(a, Static | Local) or isinstance(b, Static | Local):
        return bool(a == b)
    return isinstance(a, ArrayRef) == isinstance(b, ArrayRef)


def _hold_alike(a: Any, b: Any, first: State, then: State) -> bool:
    if isinstance(a, Stack) or isinstance(b, Stack):
        return isinstance(a, Stack) and isinstance(b, Stack) and a.form == b.form
    same = keys_in(a) == keys_in(b)
    return same and _are_all_alike(values_in_content(a), values_in_content(b), first, then)


def _are_all_alike(a: Any, b: Any, first: State, then: State) -> bool:
    return len(a) == len(b) and all(are_alike(*pair, first, then) for pair in zip(a, b, strict=True))
