"""How derivatives are declared: a plain Python function becomes a Rule in the one table.

Before the star stand the function's own arguments under NumPy's names; after it what the transform supplies:
`y` (the result) and `y_bar` (its cotangent). What a body mentions is what is kept for the backward pass.

A rule returns one cotangent for each differentiable argument, in the order of the arguments: a single value where
there is one, a tuple where there are several, None where an argument gets none. Broadcasting is summed out by the
transform: no rule mentions it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

Function = Callable[..., Any]
Planned = TypeVar("Planned", bound=Callable[..., Any])
Kind = Literal["partials", "linear", "bilinear", "vjp"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The derivative of `function`: `body` is read by the frontend, and may be called as it is.

    behind: what stands for `body` behind a choice, as `np.where` is one. There a cotangent of exactly 0 stays 0, also
    where it meets infinity or NaN; None where that needs nothing. Partial derivatives are multiplied so by themselves.
    """

    function: Function
    kind: Kind
    body: Function
    behind: Function | None = None


RULES: dict[Function, Rule] = {}
CONSTANT: set[Function] = set()


def partials(table: Mapping[Function, Function]) -> None:
    """Declare elementwise functions by their partial derivatives (a tuple where there are several arguments)."""
    for function, body in table.items():
        RULES[function] = Rule(function, "partials", body)


def linear(*functions: Function) -> Callable[[Function], Function]:
    """Declare the vjp of functions that are linear in their first argument."""
    return _declaration("linear", functions)


def bilinear(*functions: Function) -> Callable[[Function], Function]:
    """Declare the vjp of functions that are linear in each of their first two arguments."""
    return _declaration("bilinear", functions)


def vjp(*functions: Function) -> Callable[[Function], Function]:
    """Declare the vjp of functions that are neither elementwise nor linear."""
    return _declaration("vjp", functions)


def behind_choice(*functions: Function) -> Callable[[Function], Function]:
    """Declare what stands for the vjp of functions, which have one, where a cotangent of exactly 0 is to stay 0."""

    def declare(body: Function) -> Function:
        for function in functions:
            RULES[function] = replace(RULES[function], behind=body)
        return body

    return declare


COMPOSED: dict[Function, Function] = {}
PLANNING: set[Function] = set()


def composes(*functions: Function) -> Callable[[Function], Function]:
    """Declare functions by a text in other functions, which stands in the place of their calls."""

    def declare(body: Function) -> Function:
        for function in functions:
            COMPOSED[function] = body
        return body

    return declare


def planning(function: Planned) -> Planned:
    """Mark a function of numbers, texts and tuples that are known before the run: it is called then."""
    PLANNING.add(function)
    return function


def constant(*functions: Function) -> None:
    """Declare functions whose derivative is 0 wherever it exists."""
    CONSTANT.update(functions)


def _declaration(kind: Kind, functions: tuple[Function, ...]) -> Callable[[Function], Function]:
    def declare(body: Function) -> Function:
        for function in functions:
            RULES[function] = Rule(function, kind, body)
        return body

    return declare
