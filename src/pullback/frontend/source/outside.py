"""Places outside of a function: where something stood when its source was read, and whether it still stands there.

rate * helper(x)     →     rate is a number at module['rate'], helper is this object at module['helper'],
                           helper.__code__, helper.__defaults__ and helper.__kwdefaults__ are these objects
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from types import BuiltinMethodType, CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from pullback.ir.types import Array, Scalar, type_of


@dataclasses.dataclass(frozen=True, slots=True)
class Dependency:
    """A name outside the function that was read: where it stands, and what it stood for.

    value: the object itself; a type where every number or array of that type will do; a Shape for a container; ABSENT
    where nothing stood.
    """

    namespace: Any
    name: Any
    value: Any


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """A container that is looked up by name in a namespace; what is inside it is looked up by its key."""

    namespace: Any
    name: Any

    def get(self) -> Any:
        return look_up_again(self.namespace, self.name)


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """What of a container must stay the same: its type and keys."""

    kind: type
    keys: tuple[Any, ...]

    @staticmethod
    def of(value: Any) -> Shape:
        return Shape(type(value), tuple(value) if isinstance(value, dict) else (len(value),))


class Absent:
    """Nothing: a name that stood nowhere in a namespace, so that another one was asked."""


ABSENT = Absent()

GONE = (KeyError, AttributeError, ValueError, IndexError, TypeError)
"""What looking up a place outside raises where nothing stands there any more."""

LIBRARIES = frozenset({"numpy", "scipy", "math", "operator", "numba", "pullback"})
"""Modules that nobody changes."""

_OF_PYTHON = frozenset({*sys.stdlib_module_names, "numpy"})


def comes_from(thing: Any, *others: str) -> bool:
    """Whether a class or function is Python's own or NumPy's, or from one of the other packages.

    >>> comes_from(dict), comes_from(still_holds), comes_from(still_holds, "pullback")
    (True, False, True)
    """
    home = (getattr(thing, "__module__", None) or "").partition(".")[0]
    return home in _OF_PYTHON or home in others


OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")
"""What a Python function is made of besides its names from outside; each may be replaced while the function stays."""


def look_up_again(namespace: Any, name: Any) -> Any:
    """The object that now stands at a place outside the function."""
    if isinstance(namespace, Place):
        return namespace.get()[name]
    if isinstance(namespace, Mapping):
        return namespace[name]
    if isinstance(namespace, CellType):
        return namespace.cell_contents
    return getattr(namespace, name)


def still_holds(dependency: Dependency) -> bool:
    """Whether what was read from outside is what stands there now."""
    then = dependency.value
    try:
        now = look_up_again(dependency.namespace, dependency.name)
    except GONE:
        return then is ABSENT
    if now is then:
        return True
    if isinstance(then, Shape):
        return isinstance(now, list | tuple | dict) and Shape.of(now) == then
    if isinstance(then, Array | Scalar):
        return bool(type_of(now) == then)
    return is_same(now, then)


def is_same(now: Any, then: Any) -> bool:
    """Whether code made for one object serves another: a number of its type, value and sign, a text, a bound method."""
    if type(now) is not type(then):
        return False
    if isinstance(now, MethodType):
        return now.__func__ is then.__func__ and now.__self__ is then.__self__
    if isinstance(now, BuiltinMethodType):  # made anew each time it is asked for, as np.add.at is
        return now.__self__ is then.__self__ and now.__name__ == then.__name__
    if isinstance(now, int | float | complex | np.generic):
        return repr(now) == repr(then)  # tells 0.0 from -0.0, and knows NaN
    return isinstance(now, str) and bool(now == then)


def parts_of(function: FunctionType) -> tuple[Dependency, ...]:
    """What a function must still be made of, so that what was read of it holds.

    Defaults are part of it as objects; those by keyword stand in a dict that may be written.
    """
    named = function.__kwdefaults__ or {}
    parts = [Dependency(function, name, getattr(function, name)) for name in OF_FUNCTIONS]
    place = Place(function, "__kwdefaults__")
    return (*parts, *(Dependency(place, name, value) for name, value in named.items()))


def place_key(namespace: Any, name: Any) -> Any:
    """What tells one place from another; keys as 1, 1.0 and True stand for one place in a dict."""
    around = place_key(namespace.namespace, namespace.name) if isinstance(namespace, Place) else id(namespace)
    return around, name
