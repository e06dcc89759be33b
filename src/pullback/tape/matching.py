"""The arguments of a call in the order of its function's rule: where each stands is found once for a form of call.

np.max(x, axis=-1)    called with 1 argument by position, and the keyword 'axis'
max(a, axis=None)     its rule: 'a' stands at 0, 'axis' at 1, of all that is given
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pullback.frontend.calls.apply import parameter_names
from pullback.functions import rule_of
from pullback.runtime.numpy.nested_lists import array_of
from pullback.tape.pullbacks import positional
from pullback.tape.tensor import PLAIN, Tensor, check_class, holds_tensor

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]

ATOMS = {int, float, bool, str, type(None), type(np._NoValue), np.float64, np.float32, np.int64}
"""Classes of arguments that hold no tensor and need no other form, for a quick look."""

ORDERED = {np.reshape, np.ravel}
"""Functions that may take elements in another order than their rules do."""

_HARMLESS = {"dtype", "order", "casting", "subok", "out", "like", "kind", "stable", "device"}
"""Keywords of NumPy's that change no derivative; `out` has been refused before."""

_SEQUENCES = {"arrays", "tup"}
"""Parameters that take a sequence of arrays; each of its items gets a cotangent."""

_SETTINGS = {
    *("axis", "axes", "axis1", "axis2", "source", "destination", "shape", "shift", "repeats", "reps", "keepdims"),
    *("ddof", "ord", "n", "k", "offset", "copy", "nan", "posinf", "neginf", "upper", "UPLO", "mode", "dtype"),
    *("full_matrices", "compute_uv", "hermitian"),
}
"""Parameters of rules that get no cotangent; all others take arrays."""


@dataclass(frozen=True, slots=True, eq=False)
class Unruled:
    """Stands for a function that is called with an argument that its rule does not know."""

    function: Callable[..., Any]
    argument: str


@dataclass(frozen=True, slots=True)
class Form:
    """Where the arguments of a rule stand in calls with so many arguments by position and these keywords.

    parameters: for each parameter of the rule: the place of its argument, None for the default; the default; and
        what brings an argument to the form that rules take.
    settings: places of arguments that get no cotangent, and their names.
    unknown: places of arguments that the rule does not know, and their names.
    order: the place of an order of elements; axis: the number of the parameter that is one. None if not given.
    """

    parameters: tuple[tuple[int | None, Any, Callable[[Any], Any]], ...]
    settings: tuple[tuple[int, str], ...]
    unknown: tuple[tuple[int, str], ...]
    order: int | None
    axis: int | None


def matched(function: Callable[..., Any], arguments: Arguments, keywords: Keywords) -> tuple[Any, Arguments]:
    """A function and its arguments in the order of its rule's; without a rule for these, all tensors in them."""
    rule = rule_of(function)
    if rule is None:
        return function, tensors_within((arguments, keywords))
    form = form_of(rule.body, function, len(arguments), tuple(keywords))
    if form is None:
        return Unruled(function, "several arguments"), tensors_within((arguments, keywords))
    given = (*arguments, *keywords.values())
    obstacle = obstacle_in(form, given)
    if obstacle:
        return Unruled(function, obstacle), tensors_within((arguments, keywords))
    found = [taken(default if place is None else given[place]) for place, default, taken in form.parameters]
    if form.axis is not None and isinstance(given[0], Tensor) and not given[0].shape:
        found[form.axis] = None  # NumPy lets the axis 0 of a number be named
    return function, tuple(found)


def obstacle_in(form: Form, given: Arguments) -> str:
    """The argument that the rule does not know, as the message calls it; "" if it knows them all."""
    if form.order is not None and given[form.order] not in (None, "C"):
        return f"order={given[form.order]!r}"
    for place, name in form.unknown:
        if given[place] is not np._NoValue:
            return f"'{name}'"
    for place, name in form.settings:
        if type(given[place]) not in ATOMS and any(x.dtype.kind not in "biu" for x in tensors_within(given[place])):
            return f"'{name}'"
    return ""


@cache
def form_of(
    body: Callable[..., Any], function: Callable[..., Any], count: int, keywords: tuple[str, ...]
) -> Form | None:
    """The form of calls with `count` arguments by position and these keywords; None for more than are known.

    body: that of the function's rule.
    """
    of_rule, of_numpy = defaults(body), names_of(function)
    if count > len(of_numpy):
        return None
    pairs = zip(of_rule, of_numpy, strict=False)
    renamed = {theirs: ours for ours, theirs in pairs if theirs not in of_rule and ours not in of_numpy}
    if function is np.clip:
        renamed |= {"min": "a_min", "max": "a_max"}
    names = [renamed.get(name, name) for name in (*of_numpy[:count], *keywords)]
    places = {name: place for place, name in enumerate(names)}
    parameters = tuple((places.get(name), default, _form_of_argument(name)) for name, default in of_rule.items())
    return Form(
        parameters,
        tuple((place, name) for name, place in places.items() if name in _SETTINGS),
        tuple((place, name) for name, place in places.items() if name not in of_rule and name not in _HARMLESS),
        places.get("order") if function in ORDERED else None,
        [*of_rule].index("axis") if count and "axis" in places and "axis" in of_rule else None,
    )


@cache
def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that a function takes by position; () where they are not known."""
    return ("a", "b", "out") if function is np.dot else parameter_names(function)


@cache
def defaults(body: Callable[..., Any]) -> dict[str, Any]:
    """The arguments that a rule knows, with their defaults."""
    known = inspect.signature(body).parameters
    return {
        name: None if known[name].default is inspect.Parameter.empty else known[name].default
        for name in positional(body)
    }


# Arguments as rules take them


def _form_of_argument(name: str) -> Callable[[Any], Any]:
    if name in _SEQUENCES:
        return as_sequence
    return as_setting if name in _SETTINGS else array_of


def as_sequence(argument: Any) -> Any:
    """A tuple of arrays."""
    return tuple(array_of(item) for item in argument)


def as_setting(argument: Any) -> Any:
    """A number, or a tuple of numbers in place of a list or an array."""
    if type(argument) in ATOMS:
        return argument
    plain = bare(argument)
    plain = plain.tolist() if isinstance(plain, np.ndarray | np.generic) else plain
    return tuple(plain) if isinstance(plain, list) else plain


def bare(argument: Any) -> Any:
    """An argument with the elements of tensors in their place, also inside of lists, tuples and dicts."""
    if isinstance(argument, Tensor):
        return argument._read()
    if type(argument) in ATOMS:
        return argument
    if isinstance(argument, dict):
        return {key: bare(item) for key, item in argument.items()}
    if isinstance(argument, list | tuple):
        items = [bare(item) for item in argument]
        if not holds_tensor(argument):
            return argument
        return type(argument)(*items) if hasattr(argument, "_fields") else type(argument)(items)
    if type(argument) not in PLAIN:
        check_class(argument)
    return argument


def tensors_within(argument: Any) -> tuple[Tensor, ...]:
    """The tensors anywhere in nested lists, tuples, dicts, sets, slices and arrays of objects."""
    found: list[Tensor] = []
    _collect(argument, found)
    return tuple(found)


def _collect(argument: Any, found: list[Tensor]) -> None:
    if isinstance(argument, Tensor):
        found.append(argument)
    elif type(argument) in ATOMS:
        return
    elif isinstance(argument, list | tuple | set | frozenset):
        for item in argument:
            _collect(item, found)
    elif isinstance(argument, dict):
        for item in argument.values():
            _collect(item, found)
    elif isinstance(argument, slice):
        _collect((argument.start, argument.stop, argument.step), found)
    elif isinstance(argument, np.ndarray) and argument.dtype.hasobject:
        _collect(argument.ravel().tolist(), found)
