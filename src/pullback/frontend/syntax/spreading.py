"""`*values` and `**options` in calls, tuples, lists and dicts: one by one, as many as are known before the run."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.iteration import known_items
from pullback.frontend.calls.sequences import listed
from pullback.frontend.values.bindings import ArrayRef, Binding, DictRef, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_value
from pullback.ir.nodes import Value
from pullback.ir.types import Array


def spread(context: Context, nodes: list[Any]) -> tuple[Binding, ...]:
    """The values of expressions; those behind a star one by one."""
    values: list[Binding] = []
    for node in nodes:
        if isinstance(node, gast.Starred):
            values += items_behind_star(context, context.evaluate(node.value), node)
        else:
            values.append(context.evaluate(node))
    return tuple(values)


def list_display(context: Context, node: Any) -> Binding:
    """`[a, *values, b]`, a growing buffer where only the run knows how many values there are."""
    parts: list[tuple[Binding, ...] | Binding] = []
    for element in node.elts:
        value = context.evaluate(element.value if isinstance(element, gast.Starred) else element)
        known = known_items(context, value, element) if isinstance(element, gast.Starred) else (value,)
        parts.append(value if known is None else known)
    if all(isinstance(part, tuple) for part in parts):
        return context.new_list(tuple(item for part in parts if isinstance(part, tuple) for item in part))
    arrays = [_vector(context, part, element) for part, element in zip(parts, node.elts, strict=True)]
    return listed(context, context.bind(context.let(node, np.concatenate, tuple(arrays))), node)


def _vector(context: Context, part: tuple[Binding, ...] | Binding, node: Any) -> Value:
    """Numbers of a list in an array with one axis."""
    array = context.array_of(TupleValue(part), node) if isinstance(part, tuple) else context.operand(part, node)
    if not isinstance(array.type, Array) or array.type.ndim != 1:
        reason = "how many arrays '*' stands for is not known before the run"
        context.refuse(node, reason, "pass the whole, or write the values out, as in f(x[0], x[1])")
    return array


def items_behind_star(context: Context, binding: Binding, node: Any) -> tuple[Binding, ...]:
    """What `*values` stands for."""
    items = known_items(context, binding, node)
    if items is None:
        what = "an array" if isinstance(binding, ArrayRef) else "this"
        reason = f"how many values '*' stands for is not known before the run, as {what} has any number of them"
        context.refuse(node, reason, "pass the whole, or write the values out, as in f(x[0], x[1])")
    return items


def spread_keywords(context: Context, node: Any) -> dict[str, Binding]:
    """The keyword arguments of a call, with those of `**options` one by one."""
    keywords: dict[str, Binding] = {}
    for keyword in node.keywords:
        value = context.evaluate(keyword.value)
        if keyword.arg is not None:
            given = {keyword.arg: value}
        else:
            given = entries_of(context, value, keyword.value)
        for name, binding in given.items():
            if not isinstance(name, str):
                context.mistyped(keyword.value, "keywords must be strings")
            if name in keywords:
                context.mistyped(node, f"got multiple values for keyword argument '{name}'")
            keywords[name] = binding
    return keywords


def entries_of(context: Context, binding: Binding, node: Any) -> dict[Any, Binding]:
    """The entries of a dict that is unpacked into another, or into a call."""
    if not isinstance(binding, DictRef):
        context.mistyped(node, "what stands behind '**' must be a dict")
    return dict(context.version(binding.cell, node))


def key_of(context: Context, binding: Binding, node: Any) -> Any:
    """A dict key, which must be known before the run."""
    known = known_value(binding)
    if known is not None:
        return known[0]
    context.refuse(node, "a dict key must be known before the run", "use a string or an int literal")
