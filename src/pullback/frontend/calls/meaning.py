"""What a function means to the reader itself, as Python: its arguments are bound to the parameters of its meaning."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from pullback.frontend.calls.apply import parameter_names
from pullback.frontend.calls.keywords import checked_keywords
from pullback.frontend.source.addresses import name_of
from pullback.frontend.values.bindings import Binding, Static
from pullback.frontend.values.context import Context

Meaning = Callable[..., Binding]
"""Takes the context, the node of the call, and what the call gives: its own parameters, under the function's names.

A parameter without a default must be given; an optional one is None where it is not, or where None is given. What is
no parameter here is refused in a call, so that no argument is passed over.
"""

_USUAL = {"copy": (True,), "order": ("C", "K"), "subok": (True, False)}
"""Values of NumPy's parameters that change nothing here, for meanings without parameters of these names."""


class Meanings(dict[Any, Meaning]):
    """Meanings by function."""

    def of(self, *functions: Any) -> Callable[[Meaning], Meaning]:
        """Mark the meaning of functions."""

        def note(meaning: Meaning) -> Meaning:
            self.update(dict.fromkeys(functions, meaning))
            return meaning

        return note


@cache
def _parameters(meaning: Meaning) -> tuple[inspect.Parameter, ...]:
    """The parameters of a meaning that stand for those of the function."""
    _, _, *parameters = inspect.signature(meaning).parameters.values()
    return tuple(parameters)


def call_meaning(
    context: Context,
    function: Any,
    meaning: Meaning,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`function(*arguments, **keywords)` by its meaning. An error with a place where they do not fit."""
    keywords = checked_keywords(context, function, parameter_names(function), arguments, keywords, node)
    parameters = _parameters(meaning)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    kinds = {p.kind for p in parameters}
    own = {parameter.name for parameter in parameters}
    keywords = {k: v for k, v in keywords.items() if k in own or getattr(v, "value", v) not in _USUAL.get(k, ())}
    if len(arguments) > len(positional) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        listed = " and ".join(f"'{p.name}'" for p in positional)
        context.refuse(node, f"{name_of(function)} is followed with {listed} only", "leave the other arguments out")
    later = [p for p in parameters if p not in positional[: len(arguments)]]
    free = {p.name for p in later if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    for name in keywords:
        if name not in free and inspect.Parameter.VAR_KEYWORD not in kinds:
            context.refuse(node, f"'{name}' of {name_of(function)} is not supported", "leave it out")
    for parameter in positional[len(arguments) :]:
        if parameter.default is parameter.empty and parameter.name not in keywords:
            context.mistyped(node, f"{name_of(function)} is missing the argument '{parameter.name}'")
    optional = {p.name for p in parameters if p.default is None}
    placed = [
        None if p.name in optional and argument == Static(None) else argument
        for p, argument in zip(positional, arguments, strict=False)
    ]
    named = {k: v for k, v in keywords.items() if not (k in optional and v == Static(None))}
    return meaning(context, node, *placed, *arguments[len(placed) :], **named)
