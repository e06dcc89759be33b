"""`import` in a function: a name for a module, or for what stands in one."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from pullback.frontend.tapes.captured import binding_of
from pullback.frontend.values.bindings import Static
from pullback.frontend.values.context import Context


def import_modules(context: Context, node: Any) -> None:
    """`import a.b as c, d`."""
    for alias in node.names:
        whole = _module(context, alias.name, node)
        name = alias.asname or alias.name.partition(".")[0]
        module = whole if alias.asname else _module(context, name, node)
        context.state.names[(context.frame.number, name)] = Static(module)


def import_names(context: Context, node: Any) -> None:
    """`from a.b import c as d`."""
    module = _module(context, "." * (node.level or 0) + (node.module or ""), node)
    for alias in node.names:
        try:
            found = getattr(module, alias.name)
        except AttributeError:
            found = _module(context, f"{module.__name__}.{alias.name}", node)
        binding = binding_of(context, found, module, alias.name, node)
        context.state.names[(context.frame.number, alias.asname or alias.name)] = binding


def _module(context: Context, name: str, node: Any) -> ModuleType:
    package = next((f.function.__globals__.get("__package__") for f in context.frames[::-1] if f.function), None)
    try:
        return importlib.import_module(name, package)
    except ImportError as error:
        context.mistyped(node, str(error), "install it, or take the line out")
