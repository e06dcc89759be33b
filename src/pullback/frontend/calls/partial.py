"""`functools.partial` in the text: a lambda that calls the function with the arguments given so far.

partial(f, a, k=b)      →       lambda *args, **options: f(a, *args, **{"k": b, **options})
"""

from __future__ import annotations

import functools
from typing import Any

import gast

from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.values.bindings import Binding, Local
from pullback.frontend.values.context import Context

PARTIAL = Meanings()


@PARTIAL.of(functools.partial)
def _partial(context: Context, node: Any, function: Binding, /, *arguments: Binding, **keywords: Binding) -> Binding:
    number = context.frame.number
    context.frame_count += 1
    stem = f"<partial {context.frame_count}"
    names = [f"{stem} {k}>" for k in range(1 + len(arguments) + len(keywords))]
    for name, binding in zip(names, (function, *arguments, *keywords.values()), strict=True):
        context.state.names[number, name] = binding
    called, *rest = (_name(name) for name in names)
    positional = [*rest[: len(arguments)], gast.Starred(_name("args"), gast.Load())]
    keys = [*(gast.Constant(keyword, None) for keyword in keywords), None]
    options = gast.Dict(keys, [*rest[len(arguments) :], _name("options")])
    call = gast.Call(called, positional, [gast.keyword(None, options)])
    parameters = gast.arguments([], [], _parameter("args"), [], [], _parameter("options"), [])
    made = gast.Lambda(parameters, call)
    for inner in gast.walk(made):
        gast.copy_location(inner, node)
    return Local(context.frame.source, made, number)


def _name(name: str) -> Any:
    return gast.Name(name, gast.Load(), None, None)


def _parameter(name: str) -> Any:
    return gast.Name(name, gast.Param(), None, None)
