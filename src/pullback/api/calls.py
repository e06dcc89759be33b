"""The kinds of calls of a function: what is asked for, and what of the arguments decides who serves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Argnums = int | str | tuple[int | str, ...]
Kinds = tuple[Any, ...]
SIMPLE = (float, int, bool, np.float64, np.float32, np.int64, np.bool_, np.ndarray)
"""Classes of arguments that are passed as they are."""
MOST_KINDS = 1000
"""So many kinds of calls of one function are remembered at most."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for of a derivative; see `grad` and `value_and_grad`."""

    argnums: Argnums
    has_aux: bool
    with_value: bool

    @property
    def several(self) -> bool:
        """Whether the gradients are in a tuple."""
        return isinstance(self.argnums, tuple)


class Reader(Protocol):
    """What knows the parameters of a function, and whether it has changed since it was read."""

    @property
    def parts(self) -> tuple[Any, ...]: ...

    def is_current(self) -> bool: ...

    def bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]: ...


class Calls:
    """The kinds of calls that there have been of one function, for those that their arguments' kinds tell apart."""

    def __init__(self, prepare: Callable[[dict[str, Any]], Any]) -> None:
        self.prepare = prepare
        self.known: dict[Kinds, tuple[Any, Any]] = {}
        """What is prepared, with the parts of the function as they were then."""

    def find(self, engine: Reader, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, list[Any], bool]:
        """What is prepared for a call, the leaves of its arguments, and whether it may take a shortcut next time."""
        simple = all(type(a) in SIMPLE for a in arguments)
        kinds, given = (None, []) if keywords else taken_apart(arguments)
        prepared, parts = (None, None) if kinds is None else self.known.get(kinds, (None, None))
        if prepared is not None and engine.is_current() and engine.parts is parts and prepared.built.holds():
            return prepared, [*given, *prepared.rest], simple
        bound = engine.bind(arguments, keywords)
        prepared = self.prepare(bound)
        leaves = prepared.leaves_of(bound)
        if kinds is None or not prepared.begins_with(len(arguments), len(given)):
            return prepared, leaves, False
        prepared.rest = leaves[len(given) :]
        if len(self.known) > MOST_KINDS:
            self.known.clear()
        self.known[kinds] = prepared, engine.parts
        return prepared, leaves, simple


def taken_apart(arguments: tuple[Any, ...]) -> tuple[Kinds | None, list[Any]]:
    """What decides which compiled function serves arguments, and the numbers and arrays in them.

    None for arguments with something else in them than numbers, arrays, texts and None, in dicts, lists and tuples.

    >>> taken_apart((2.0, {"w": [1.0, None]}))[1]
    [2.0, 1.0]
    """
    leaves: list[Any] = []

    def kind(value: Any) -> Any:
        class_ = type(value)
        if class_ is np.ndarray:
            leaves.append(value)
            return value.dtype, value.ndim
        if class_ in SIMPLE:
            leaves.append(value)
            return class_
        if class_ is dict:
            return dict, tuple(value), tuple(map(kind, value.values()))
        if class_ is list or class_ is tuple:
            return class_, tuple(map(kind, value))
        if value is None or class_ is str:
            return class_, value
        raise _Other

    try:
        return tuple(map(kind, arguments)), leaves
    except (_Other, RecursionError):
        return None, []


class _Other(Exception):
    """There is something else in an argument."""


def kinds_of(arguments: tuple[Any, ...]) -> Kinds:
    """What of numbers and arrays decides which compiled function serves them."""
    return tuple([(a.dtype, a.ndim) if type(a) is np.ndarray else type(a) for a in arguments])


def sample_of_kind(kind: Any) -> Any:
    """The number 1 of a class, or an array of one such element.

    >>> [sample_of_kind(kind) for kind in kinds_of((np.zeros((0, 3)), 7.0))]
    [array([[1.]]), 1.0]
    """
    return np.ones((1,) * kind[1], kind[0]) if isinstance(kind, tuple) else kind(1)
