"""How functions are declared: a plain Python function, and what else is known, become the record of a function.

Before the star stand the function's own arguments under NumPy's names; after it what the transform supplies:
`y` (the result) and `y_bar` (its cotangent). What a body mentions is what is kept for the backward pass.

A rule returns one cotangent for each differentiable argument, in the order of the arguments: a single value where
there is one, a tuple where there are several, None where an argument gets none. Broadcasting is summed out by the
transform: no rule mentions it.

Further facts are given by name, as `Record` has them: `spellings=(math.sin,), vector=True`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pullback.functions.record import RECORDS, Function, Helper, Kind, Record, Rule

Planned = TypeVar("Planned", bound=Callable[..., Any])
Declaration = Callable[[Function], Function]

REDUCTION = {"is_method": True, "is_reduction": True, "has_axis_of_number": True}
"""What is known of a reduction or scan that is a method of arrays and takes a number for an array with one axis."""


def known(*functions: Function, **facts: Any) -> None:
    """Declare what is known of functions, whose derivatives are declared elsewhere, or nowhere."""
    for function in functions:
        record = RECORDS.setdefault(function, Record(function))
        for name, fact in facts.items():
            setattr(record, name, fact)


def partials(function: Function, body: Function, **facts: Any) -> None:
    """Declare an elementwise function by its partial derivatives (a tuple where there are several arguments)."""
    facts.setdefault("is_elementwise", True)
    others = {name: facts.pop(name, None) for name in ("branching", "preaccumulated")}
    rule = Rule(function, "partials", body, **others)
    known(function, rule=rule, **facts)


def linear(*functions: Function, **facts: Any) -> Declaration:
    """Declare the vjp of functions that are linear in their first argument, or else in those that `linear_in` says."""
    return _declaration("linear", functions, facts)


def bilinear(*functions: Function, **facts: Any) -> Declaration:
    """Declare the vjp of functions that are linear in each of their first two arguments."""
    return _declaration("bilinear", functions, facts)


def vjp(*functions: Function, **facts: Any) -> Declaration:
    """Declare the vjp of functions that are neither elementwise nor linear."""
    return _declaration("vjp", functions, facts)


def _declaration(kind: Kind, functions: tuple[Function, ...], facts: dict[str, Any]) -> Declaration:
    linear_in: tuple[int, ...] = facts.pop("linear_in", (0,))

    def declare(body: Function) -> Function:
        for function in functions:
            known(function, rule=Rule(function, kind, body, linear_in), **facts)
        return body

    return declare


def behind_choice(*functions: Function) -> Declaration:
    """Declare what stands for the vjp of functions, which have one, where a cotangent of exactly 0 is to stay 0."""

    def declare(body: Function) -> Function:
        for function in functions:
            rule = RECORDS[function].rule
            assert rule is not None, "a rule is declared before what stands for it"
            known(function, rule=replace(rule, behind=body))
        return body

    return declare


def constant(*functions: Function, **facts: Any) -> None:
    """Declare functions whose derivative is 0 wherever it exists."""
    known(*functions, is_constant=True, **facts)


def composes(*functions: Function, **facts: Any) -> Declaration:
    """Declare functions by a text in other functions, which stands in the place of their calls."""

    def declare(body: Function) -> Function:
        known(*functions, text=body, **facts)
        return body

    return declare


PLANNING: set[Function] = set()


def planning(function: Planned) -> Planned:
    """Mark a function of numbers, texts and tuples that are known before the run: it is called then."""
    PLANNING.add(function)
    return function


def helper(
    function: Function,
    /,
    when: Callable[..., bool] | None = None,
    as_text: tuple[str, ...] = (),
    **settings: Any,
) -> tuple[Helper]:
    """What stands for a function in compiled code; see `Helper`. Several are added up: `helper(f, when=g) + helper(h)`.

    settings: the parameters of the helper that a call may leave out, with their values then.
    """
    return (Helper(function, settings, when, frozenset(as_text)),)
