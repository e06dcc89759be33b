"""`*values` and `**options` in calls, tuples, lists and dicts: one by one, as many as are known before the run."""

from __future__ import annotations

import inspect
from types import MethodType
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.indexing import read_part
from pullback.frontend.calls.iteration import known_items
from pullback.frontend.calls.sequences import listed
from pullback.frontend.source.plain_functions import primal_of
from pullback.frontend.values.bindings import ArrayRef, Binding, Bound, DictRef, Local, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_value
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Value
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


def spread_arguments(context: Context, function: Binding, node: Any) -> tuple[Binding, ...]:
    """The positional arguments of a call. An array behind the one star stands for all parameters that are left."""
    stars = [k for k, argument in enumerate(node.args) if isinstance(argument, gast.Starred)]
    if len(stars) != 1 or any(keyword.arg is None for keyword in node.keywords):
        return spread(context, node.args)
    given = [context.evaluate(one.value if isinstance(one, gast.Starred) else one) for one in node.args]
    place, star = stars[0], node.args[stars[0]]
    count = _parameters_left(function, len(given) - 1, {keyword.arg for keyword in node.keywords})
    whole = given[place]
    if count is None or not isinstance(whole, ArrayRef):
        items = items_behind_star(context, whole, star)
    else:
        items = _all_of(context, whole, count, star)
    return (*given[:place], *items, *given[place + 1 :])


def _parameters_left(function: Binding, given: int, named: set[str]) -> int | None:
    """How many parameters of a function a call has left to fill; None where that is not one number."""
    match function:
        case Local(node=node):
            parameters = node.args
            names = [one.id for one in (*parameters.posonlyargs, *parameters.args)]
            if parameters.vararg is not None or parameters.defaults:
                return None
        case Static(value=called) | Bound(function=called) if (plain := primal_of(called)) is not None:
            code = plain.__code__
            names = list(code.co_varnames[: code.co_argcount])[
                isinstance(function, Bound) or isinstance(called, MethodType) :
            ]
            if code.co_flags & inspect.CO_VARARGS or plain.__defaults__ or hasattr(plain, "__wrapped__"):
                return None
        case _:
            return None
    return len([name for name in names if name not in named]) - given


def _all_of(context: Context, ref: ArrayRef, count: int, node: Any) -> tuple[Binding, ...]:
    """The items of an array, which has so many. TypeError, as Python has it, where it has another number."""
    size = context.let(node, primitives.dim, context.read(ref, node), constant(0))
    fits = context.let(node, np.equal, size, constant(count))
    with context.builder.at(context.location(node)):
        message = f"the array behind '*' stands for {count} arguments, and its length is another"
        context.builder.effect(primitives.check, fits, Constant(TypeError), Constant(message))
    return tuple(read_part(context, ref, Index((constant(k),)), node) for k in range(count))


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
