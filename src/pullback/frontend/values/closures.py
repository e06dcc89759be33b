"""Nested functions that outlive the function that defines them: its variables stay.

def scaled(a):
    return lambda x: a * x    the variable `a` of this call is kept for the lambda
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pullback.frontend.values.bindings import (
    Binding,
    Bound,
    Derived,
    DictRef,
    ListRef,
    Local,
    MaybeUnset,
    Method,
    OneTime,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.frames import Frame


def frame_of(context: Context, local: Local) -> Frame | None:
    """The function in which a nested one was defined, which may have returned; None if its names are gone."""
    for frame in reversed(context.frames):
        if frame.number == local.frame:
            return frame
    return context.returned.get(local.frame)


def forget(context: Context, frame: Frame, result: Binding, defines: bool = False) -> None:
    """End of a function: its names are gone, unless a function that it defined may still be called.

    defines: it may define functions, whatever its body says.
    """
    names = context.state.names
    own = [key for key in names if key[0] == frame.number]
    if defines or frame.defines:
        context.returned[frame.number] = frame
        bindings = (result, *(binding for key, binding in names.items() if key[0] != frame.number))
        if any(_needs(context, binding, frame.number) for binding in bindings):
            return
        del context.returned[frame.number]
    for key in own:
        del names[key]


def _needs(context: Context, binding: Binding, number: int) -> bool:
    """Whether a function in a binding was defined in a frame, or within a function that was."""
    for local in locals_in(context, binding):
        frame = frame_of(context, local)
        while frame is not None:
            if frame.number == number:
                return True
            frame = frame.parent
    return False


def locals_in(context: Context, binding: Any) -> Iterator[Local]:
    """The nested functions in a binding, in what lists and dicts hold, and in the defaults of other functions."""
    match binding:
        case Local():
            yield binding
            for default in (*binding.defaults, *binding.keyword_defaults):
                yield from locals_in(context, default)
        case TupleValue():
            for item in binding.items:
                yield from locals_in(context, item)
        case ListRef() | DictRef():
            content = context.state.cells.get(binding.cell)
            for item in content if isinstance(content, tuple) else ():
                yield from locals_in(context, item)
        case (str() | int(), item):
            yield from locals_in(context, item)
        case MaybeUnset():
            yield from locals_in(context, binding.binding)
        case OneTime():
            yield from locals_in(context, binding.over)
        case Method() | Bound():
            yield from locals_in(context, binding.receiver)
        case Derived():
            yield from locals_in(context, binding.function)
