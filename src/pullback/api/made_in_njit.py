"""`pb.grad(f)(x)` in compiled code: Numba sees what makes a derivative as a function that returns a function.

pb.grad(f)              →   the dispatcher of the derivative, a constant
pb.jvp(f, (x,), (v,))   →   a call of the dispatcher of a derivative of x and v
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types

from pullback.api.derivative import Derivative
from pullback.api.inside_njit import Entry, dispatcher_of, unique
from pullback.errors import TypingError
from pullback.frontend.source.derivations import Derivation, derivation_of

_MADE: dict[Any, Any] = {}
"""The derivatives that compiled code has made, by what they are of: each has one dispatcher."""


def body_for(maker: Callable[..., Any], bound: inspect.BoundArguments) -> Callable[..., Any] | None:
    """The body that Numba compiles for a call of `maker` with arguments of these Numba types; None if it has none."""
    kind = derivation_of(maker)
    function = bound.arguments.get("function")
    if not isinstance(function, types.Dispatcher):
        return None
    of = function.dispatcher.callable if isinstance(function.dispatcher, Entry) else function.dispatcher
    given = {name: value_of(name, type_) for name, type_ in bound.arguments.items() if name not in _IN_CALLS}
    if kind != "jvp":
        return _returning(maker, dispatcher_of(_made(maker, of, given)))
    if given.get("has_aux"):
        raise TypingError("has_aux cannot be used in compiled code")
    return _pushing(
        dispatcher_of(_made(_along, of, {"nan": given.get("nan")})),
        bound.arguments["primals"],
        bound.arguments["tangents"],
    )


_IN_CALLS = ("function", "primals", "tangents")


def _along(function: Any, nan: str | None) -> Derivative:
    return Derivative(function, Derivation("along", nan=nan))


def _made(maker: Callable[..., Any], of: Any, given: dict[str, Any]) -> Any:
    key = maker, of, tuple(given.items())
    if key not in _MADE:
        _MADE[key] = maker(of, **given)
    return _MADE[key]


def value_of(name: str, type_: Any) -> Any:
    """An argument that is a constant of the program. Raises TypingError for one that is not."""
    if isinstance(type_, types.Literal):
        return type_.literal_value
    if isinstance(type_, types.BaseTuple):
        return tuple(value_of(name, item) for item in type_)
    if isinstance(type_, types.NoneType | types.Omitted):
        return getattr(type_, "value", None)
    if not isinstance(type_, types.Type):
        return type_  # a default
    raise TypingError(f"'{name}' must be a constant in compiled code, not {type_}")


def _returning(maker: Callable[..., Any], entry: Any) -> Callable[..., Any]:
    """A function with the parameters of the maker that returns a dispatcher."""
    parameters = inspect.signature(maker).parameters.values()
    given = ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    names: dict[str, Any] = {"entry": entry}
    exec(f"def made({given}):\n    return entry\n", names)
    made: Callable[..., Any] = unique(names["made"])
    return made


def _pushing(entry: Any, primals: Any, tangents: Any) -> Callable[..., Any]:
    if not (isinstance(primals, types.BaseTuple) and isinstance(tangents, types.BaseTuple)):
        raise TypingError("the arguments stand in a tuple, and the tangents in another", None, "write (x,) for one")

    def push(function: Any, primals: Any, tangents: Any, has_aux: Any = False, nan: Any = None) -> Any:
        return entry(*primals, *tangents)

    made: Callable[..., Any] = unique(push)
    return made
