"""Distributions of `scipy.stats` with fixed parameters: a method of one is that of the distribution.

stats.norm(mu, scale=2.0).logpdf(x)       →       stats.norm.logpdf(x, mu, scale=2.0)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import MethodType
from typing import Any

from pullback.frontend.tapes.captured import binding_of
from pullback.frontend.values.bindings import Binding, DictRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.functions import canonical, record_of

INFRASTRUCTURE = "scipy.stats._distn_infrastructure"

Call = Callable[..., Binding]


class Frozen:
    """The kind of a tuple of a distribution, of the names of parameters, and of all parameters."""


def is_distribution(value: Any) -> bool:
    """Whether this is a distribution with functions that are declared, as `scipy.stats.norm`."""
    if not any(kind.__module__ == INFRASTRUCTURE and kind.__name__ == "rv_generic" for kind in type(value).__mro__):
        return False
    return record_of(canonical(getattr(value, "logcdf", None))).text is not None


def shapes_in_place(
    function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding]
) -> tuple[tuple[Binding, ...], dict[str, Binding]]:
    """A call of a method of a distribution with the shape parameters that it names by position, behind the place."""
    distribution = getattr(function, "__self__", None)
    if not keywords or not arguments or not is_distribution(distribution):
        return arguments, keywords
    named, placed = dict(keywords), list(arguments)
    for k, name in enumerate((getattr(distribution, "shapes", None) or "").replace(",", " ").split()):
        if len(placed) == 1 + k and name in named:
            placed.append(named.pop(name))
    return tuple(placed), named


def frozen(distribution: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding]) -> TupleValue:
    """The distribution with these parameters."""
    return TupleValue((Static(distribution), Static(tuple(keywords)), *arguments, *keywords.values()), Frozen)


def call_of_frozen(
    call_static: Call,
    context: Context,
    receiver: TupleValue,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a method of what `frozen` made."""
    distribution, names, *parameters = receiver.items
    assert isinstance(distribution, Static), "a distribution is known"
    assert isinstance(names, Static), "names are known"
    count = len(parameters) - len(names.value)
    named = dict(zip(names.value, parameters[count:], strict=True))
    function = getattr(distribution.value, name, None)
    if function is None or record_of(function).text is None:
        context.refuse(node, f"the method '{name}' of a distribution cannot be followed here")
    return call_static(context, function, (*arguments, *parameters[:count]), keywords | named, node)


def frozen_outside(context: Context, function: Any, node: Any) -> tuple[TupleValue, str] | None:
    """The distribution behind a method of one that was made outside, and the method's name; None for another one."""
    receiver = getattr(function, "__self__", None) if isinstance(function, MethodType) else None
    if type(receiver).__module__ != INFRASTRUCTURE or not hasattr(receiver, "dist"):
        return None
    distribution = getattr(sys.modules["scipy.stats"], receiver.dist.name, None)
    if type(distribution) is not type(receiver.dist) or not is_distribution(distribution):
        return None
    arguments = context.items(binding_of(context, receiver.args, receiver, "args", node), node)
    named = binding_of(context, receiver.kwds, receiver, "kwds", node)
    assert isinstance(named, DictRef), "a dict from outside"
    return frozen(distribution, tuple(arguments), dict(context.version(named.cell, node))), function.__name__
