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
        kinds = kinds_of(arguments)
        prepared, parts = self.known.get(kinds, (None, None)) if not keywords else (None, None)
        if prepared is not None and engine.is_current() and engine.parts is parts and prepared.built.holds():
            return prepared, [*arguments, *prepared.rest], True
        bound = engine.bind(arguments, keywords)
        prepared = self.prepare(bound)
        leaves = prepared.leaves_of(bound)
        simple = not keywords and all(type(a) in SIMPLE for a in arguments) and prepared.begins_with(len(arguments))
        if simple:
            prepared.rest = leaves[len(arguments) :]
            self.known[kinds] = prepared, engine.parts
        return prepared, leaves, simple


def kinds_of(arguments: tuple[Any, ...]) -> Kinds:
    """What of numbers and arrays decides which compiled function serves them."""
    return tuple([(a.dtype, a.ndim) if type(a) is np.ndarray else type(a) for a in arguments])


def sample_of_kind(kind: Any) -> Any:
    """The number 1 of a class, or an array of one such element.

    >>> [sample_of_kind(kind) for kind in kinds_of((np.zeros((0, 3)), 7.0))]
    [array([[1.]]), 1.0]
    """
    return np.ones((1,) * kind[1], kind[0]) if isinstance(kind, tuple) else kind(1)
