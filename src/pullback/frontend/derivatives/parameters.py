"""The parameters of what a derivative is taken of, and those by which it is."""

from __future__ import annotations

import inspect
from types import MethodType
from typing import Any

from pullback.frontend.calls.apply import parameter_names
from pullback.frontend.derivatives.made import derived
from pullback.frontend.source.derivations import Derivation, derivation_of
from pullback.frontend.source.plain_functions import primal_of
from pullback.frontend.source.star_parameters import item_name
from pullback.frontend.values.bindings import Binding, Bound, Derived, Local, Static
from pullback.frontend.values.context import Context


def names_of(function: Binding, given: int = 0) -> list[str]:
    """The names of the parameters that a function takes by position, then those it takes by name.

    given: how many arguments are given by position, of which `*args` may take some.
    """
    match function:
        case Derived(derivation=derivation, function=inner):
            return with_direction(derivation, names_of(inner, given))
        case Local(node=node):
            arguments = node.args
            positional = [p.id for p in (*arguments.posonlyargs, *arguments.args)]
            star = arguments.vararg.id if arguments.vararg is not None else ""
            return [*positional, *_of_star(star, given - len(positional)), *(p.id for p in arguments.kwonlyargs)]
        case Bound(function=method):
            return _of_code(method, given + 1)[1:]
        case Static(value=value):
            if isinstance(derivation_of(value), Derivation):
                return names_of(derived(value, Static(value.__wrapped__)), given)
            plain = primal_of(value)
            if plain is None:
                return list(parameter_names(value)) if callable(value) else []
            is_method = isinstance(value, MethodType)
            return _of_code(plain, given + is_method)[is_method:]
    return []


def _of_code(function: Any, given: int) -> list[str]:
    code = function.__code__
    named = code.co_argcount + code.co_kwonlyargcount
    star = code.co_varnames[named] if code.co_flags & inspect.CO_VARARGS else ""
    positional, by_name = code.co_varnames[: code.co_argcount], code.co_varnames[code.co_argcount : named]
    return [*positional, *_of_star(star, given - code.co_argcount), *by_name]


def _of_star(star: str, count: int) -> list[str]:
    """The names of so many arguments that `*args` takes."""
    return [item_name(star, k) for k in range(count)] if star else []


def with_direction(derivation: Derivation, names: list[str]) -> list[str]:
    """The parameters of a derivative: those of its function, with directions among them where there are some."""
    if derivation.kind == "along":
        return [*names, *(f"{name}_dot" for name in names)]
    if derivation.kind not in ("hvp", "vhp", "columns"):
        return names
    place = max(map(names.index, chosen_names(derivation, names))) + 1
    direction = next(name for name in ("v", "direction", "direction_") if name not in names)
    return [*names[:place], direction, *names[place:]]


def chosen_names(derivation: Derivation, names: list[str]) -> list[str]:
    """The names of the arguments by which a derivative is taken. LookupError or ValueError for another one."""
    argnums = derivation.argnums if isinstance(derivation.argnums, tuple) else (derivation.argnums,)
    if not all(isinstance(n, str) or hasattr(n, "__index__") for n in argnums):
        raise LookupError("neither a number nor a name")
    return [names[names.index(n)] if isinstance(n, str) else names[n] for n in argnums]


def _allowed(names: list[str]) -> str:
    return f"give a number, a name, or a tuple of them; the arguments are {', '.join(names)}"


def chosen_of(
    context: Context, derivation: Derivation, names: list[str], given: dict[str, Any], node: Any
) -> list[str]:
    """The names of the arguments by which a derivative is taken, all of which are given."""
    try:
        chosen = chosen_names(derivation, names)
    except (LookupError, ValueError):
        context.mistyped(node, f"there is no argument {derivation.argnums!r}", _allowed(names))
    for name in chosen:
        if name not in given:
            context.mistyped(node, f"the argument '{name}', by which a derivative is taken, is not given", "pass it")
    return chosen
