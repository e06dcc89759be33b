"""`*args` and `**options` of a signature: each of their arguments is one of its own, with a name of its own.

def f(x, *args, **options)
f(1.0, 2.0, 3.0, width=4.0)    →    x: 1.0,  args[0]: 2.0,  args[1]: 3.0,  width: 4.0
"""

from __future__ import annotations

import inspect
import re
from typing import Any, TypeVar

T = TypeVar("T")
STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def spread(signature: inspect.Signature, bound: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, where `bound` has a tuple for `*args` and a dict for `**options`.

    >>> def f(x, *args, **options): ...
    >>> spread(inspect.signature(f), {"x": 1, "args": (2, 3), "options": {"width": 4}})
    {'x': 1, 'args[0]': 2, 'args[1]': 3, 'width': 4}
    """
    spread_out: dict[str, Any] = {}
    for name, value in bound.items():
        match signature.parameters[name].kind:
            case inspect.Parameter.VAR_POSITIONAL:
                spread_out |= {item_name(name, k): item for k, item in enumerate(value)}
            case inspect.Parameter.VAR_KEYWORD:
                own = signature.parameters
                spread_out |= {f"{name}[{k!r}]" if k in own else k: item for k, item in value.items()}
            case _:
                spread_out[name] = value
    return spread_out


def takes_star(signature: inspect.Signature) -> bool:
    """Whether there are `*args` or `**options`."""
    return any(parameter.kind in STARS for parameter in signature.parameters.values())


def names_for(signature: inspect.Signature, count: int) -> list[str]:
    """The names of so many arguments that are given by position.

    >>> def f(x, *args): ...
    >>> names_for(inspect.signature(f), 3)
    ['x', 'args[0]', 'args[1]']
    """
    parameters = signature.parameters.values()
    star = next((parameter.name for parameter in parameters if parameter.kind is STARS[0]), None)
    if star is None:
        return [parameter.name for parameter in parameters if parameter.kind not in STARS]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*names, *(item_name(star, k) for k in range(count - len(names)))]


def item_name(star: str, number: int) -> str:
    """The name of one of the arguments that `*args` takes."""
    return f"{star}[{number}]"


def as_call(parameters: Any, bound: dict[str, T]) -> tuple[tuple[T, ...], dict[str, T]]:
    """What is given by position and what by keyword, of arguments by name; parameters: of the syntax tree."""
    by_position = {p.id for p in (*parameters.posonlyargs, *parameters.args)}
    by_keyword = {p.id for p in parameters.kwonlyargs}
    star = "" if parameters.vararg is None else f"{parameters.vararg.id}["
    options = "" if parameters.kwarg is None else f"{parameters.kwarg.id}["
    positional, keywords = [], {}
    for name, argument in bound.items():
        if name in by_keyword:
            keywords[name] = argument
        elif name in by_position or not options or (star and name.startswith(star)):
            positional.append(argument)
        else:
            keywords[name[len(options) + 1 : -2] if name.startswith(options) else name] = argument
    return tuple(positional), keywords


def identifier_of(name: str) -> str:
    """An identifier for the name of an argument.

    >>> identifier_of("args[0]"), identifier_of("options['x']"), identifier_of("x")
    ('args_0', 'options_x', 'x')
    """
    return name if name.isidentifier() else re.sub(r"\W+", "_", name).strip("_")


def identifiers_of_items(name: str, count: int) -> list[str]:
    """Identifiers for the items of an argument that is a tuple.

    >>> identifiers_of_items("axis", 2)
    ['axis_0', 'axis_1']
    """
    return [f"{identifier_of(name)}_{k}" for k in range(count)]
