"""What a name stands for, in words of the user."""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import (
    ArrayRef,
    Bound,
    Conflict,
    DictRef,
    Iteration,
    ListRef,
    Local,
    MaybeUnset,
    Method,
    ObjectRef,
    OneTime,
    Pullback,
    Range,
    Static,
    TapeRef,
    Text,
    TupleValue,
)
from pullback.frontend.values.contents import keys_in
from pullback.frontend.values.state import State
from pullback.functions.objects import title_of
from pullback.ir.infer import type_of_part
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Array

TWO_NAMES = "use two names"


def described(binding: Any, state: State | None = None) -> str:
    """What a binding is, as in `an array of 1 axis`.

    >>> described(TupleValue((Static(None), Static("mean"))))
    'a tuple of 2 items'
    """
    match binding:
        case MaybeUnset():
            return described(binding.binding, state)
        case ArrayRef():
            return _array(binding, state)
        case Value() | Constant():
            return "a truth value" if getattr(binding.type, "dtype", "") == "bool" else "a number"
        case TupleValue():
            plain = f"a tuple of {len(binding.items)} items"
            return plain if binding.kind is None else title_of(binding.kind) or _with_article(binding.kind.__name__)
        case ListRef():
            return "a list"
        case DictRef():
            return "a dict"
        case ObjectRef(kind=kind):
            return f"an object of class '{kind.__name__}'"
        case Text() | Static(value=str()):
            return "a string"
        case Static(value=None):
            return "None"
        case Pullback():
            return "a pullback"
        case Range() | Iteration() | OneTime():
            return "an iterator"
        case TapeRef():
            return "a tape"
        case Method(name=name):
            return f"the method '{name}'"
        case Local() | Bound():
            return "a function"
        case Static(value=value):
            return "a function" if callable(value) else f"an object of class '{type(value).__name__}'"
    return "another thing"


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def described_value(value: Any) -> str:
    """What a value that is known before the run is.

    >>> described_value("mean"), described_value(len)
    ("the string 'mean'", "'len'")
    """
    return (
        f"the string {value!r}" if isinstance(value, str) else f"'{getattr(value, '__name__', type(value).__name__)}'"
    )


def _array(ref: ArrayRef, state: State | None) -> str:
    version = state.cells.get(ref.cell) if state is not None else None
    if version is None:
        return "an array"
    type_ = type_of_part(version.type, ref.path) if ref.path else version.type
    ndim = type_.ndim if isinstance(type_, Array) else 0
    return f"an array of {ndim} {'axis' if ndim == 1 else 'axes'}"


def different(name: str, before: Any, now: Any, state: State, end: State, when: str = "before this loop") -> str:
    """The sentence for a name that stands for something else in a loop than before it."""
    if isinstance(before, ListRef | DictRef) and type(before) is type(now):
        return _changed(name, state.cells.get(before.cell, ()), end.cells.get(now.cell, ()), when)
    first, then = described(before, state), described(now, end)
    then = "another" if first == then else then
    return f"'{name}' is {first} {when}, and {then} after an iteration"


def bound_anew(name: str, before: Any, state: State) -> Conflict:
    """What becomes of a name that a loop binds anew, where it is something before that no iteration can hand on."""
    reason = f"'{name}' is {described(before, state)} before this loop, and bound anew in it"
    return Conflict(reason, "use another name in the loop, or let it carry numbers and arrays")


def made_inside(name: str, now: Any, state: State) -> Conflict:
    """What becomes of a name that is bound in a loop to something that no iteration can hand on."""
    reason = f"'{name}' is {described(now, state)} that an iteration of a loop has made"
    return Conflict(reason, "use it in that iteration, or make it before the loop")


def _changed(name: str, before: Any, now: Any, when: str) -> str:
    """The sentence for a name that stands for another list or dict."""
    if isinstance(before, tuple) and isinstance(now, tuple):
        if keys_in(before) != keys_in(now) and None not in keys_in(before):
            return f"'{name}' has other keys after an iteration than {when}, or has them in another order"
        if len(before) != len(now):
            return f"'{name}' has {len(before)} items {when}, and {len(now)} after an iteration"
    return f"'{name}' holds other things after an iteration than {when}"
