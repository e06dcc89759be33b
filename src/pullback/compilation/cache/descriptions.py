"""What a function uses from outside, described for other processes: which places, and what must stand there.

    Dependency(f.__globals__, "helper", <function helper>)   ↔   Described(("globals", ("root",)), "helper",
                                                                           ("function", hash of its code))

Places are named by the way to them from the function itself, and what stands there by what decides which code is
generated. Objects that cannot be told in this way, such as instances of the user's classes, have no description.
"""

from __future__ import annotations

import builtins
import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pullback.frontend.source.code_objects import fingerprint
from pullback.frontend.source.outside import (
    ABSENT,
    GONE,
    LIBRARIES,
    Dependency,
    Place,
    Shape,
    is_same,
    look_up_again,
)
from pullback.frontend.source.plain_functions import primal_of
from pullback.ir.types import Array, Scalar, type_of

Words = tuple[Any, ...]
"""A description: a kind, and what belongs to it."""

_PLAIN = (int, float, str, bool, np.generic, type(None))


class Indescribable(Exception):
    """Another process could not find an object, or not tell whether it is the same."""


class Other(Exception):
    """Something outside is not as it was described."""


@dataclass(frozen=True, slots=True)
class Described:
    """A Dependency. twin: the number of the first one with the same object; objects that were one must be one."""

    namespace: Words
    name: Any
    value: Words
    twin: int


def hash_of(code: CodeType) -> str:
    """A hash of what a code object does, the same in every process."""
    return hashlib.sha256(repr(_ordered(fingerprint(code))).encode("utf-8", "surrogatepass")).hexdigest()


def _ordered(thing: Any) -> Any:
    """A fingerprint without sets and classes, whose texts differ between processes."""
    if isinstance(thing, frozenset):
        return "frozenset", sorted(map(repr, map(_ordered, thing)))
    if isinstance(thing, tuple):
        return tuple(map(_ordered, thing))
    return thing.__qualname__ if isinstance(thing, type) else thing


class Describer:
    """The ways to the objects around a function, from the function itself."""

    def __init__(self, function: FunctionType) -> None:
        self.ways: dict[int, Words] = {id(vars(builtins)): ("builtins",)}
        self.know(function, ("root",))

    def know(self, function: FunctionType, way: Words) -> None:
        """A function, with what belongs to it, has been reached."""
        self.ways[id(function)] = way
        self.ways.setdefault(id(function.__globals__), ("globals", way))
        for k, cell in enumerate(function.__closure__ or ()):
            self.ways.setdefault(id(cell), ("cell", way, k))

    def described(self, dependencies: Iterable[Dependency]) -> tuple[Described, ...]:
        """All of them, in an order in which each is reached by those before. Raises Indescribable."""
        found: list[Described] = []
        firsts: dict[int, int] = {}
        waiting = list(dependencies)
        while waiting:
            ready = [d for d in waiting if self.reaches(d.namespace)]
            waiting = [d for d in waiting if not self.reaches(d.namespace)]
            if not ready:
                raise Indescribable
            for d in ready:
                way, value = self.way_to(d.namespace), self.value_of(d)
                twin = firsts.setdefault(id(d.value), len(found))
                found.append(Described(way, d.name, value, twin))
        return tuple(found)

    def reaches(self, namespace: Any) -> bool:
        """Whether the way to a namespace is known."""
        while isinstance(namespace, Place):
            namespace = namespace.namespace
        return isinstance(namespace, ModuleType) or id(namespace) in self.ways

    def way_to(self, namespace: Any) -> Words:
        """How to find a namespace. Raises Indescribable."""
        if isinstance(namespace, Place):
            return "place", self.way_to(namespace.namespace), _plain_key(namespace.name)
        if isinstance(namespace, ModuleType):
            return _module_words(namespace)
        if id(namespace) not in self.ways:
            raise Indescribable
        return self.ways[id(namespace)]

    def value_of(self, dependency: Dependency) -> Words:
        """What must stand at a place. Raises Indescribable."""
        value = dependency.value
        _plain_key(dependency.name)
        words = words_of(value)
        if words[0] in ("function", "callable"):
            self.know(behind(value), ("value", self.way_to(dependency.namespace), dependency.name))
        return words


def _plain_key(key: Any) -> Any:
    if type(key) not in (str, int, bool, float):
        raise Indescribable
    return key


def _module_words(module: ModuleType) -> Words:
    if sys.modules.get(module.__name__) is not module:
        raise Indescribable
    return "module", module.__name__


def words_of(value: Any) -> Words:
    """A description of what stands somewhere. Raises Indescribable."""
    match value:
        case _ if value is ABSENT:
            return ("absent",)
        case Array() | Scalar():
            return "type", value
        case Shape() if value.kind in (list, tuple, dict):
            return "shape", value.kind.__name__, tuple(map(_plain_key, value.keys))
        case CodeType():
            return "code", hash_of(value)
        case ModuleType():
            return _module_words(value)
        case FunctionType() if not _is_of_library(value):
            return "function", hash_of(value.__code__)
        case tuple() if type(value) is tuple:
            return "tuple", tuple(map(words_of, value))
        case dict() if type(value) is dict:
            return "dict", tuple((_plain_key(key), words_of(item)) for key, item in value.items())
    if isinstance(value, _PLAIN) and (type(value).__module__ in ("builtins", "numpy")):
        return "plain", value
    return _library_words(value) if _is_of_library(value) else _callable_words(value)


def _is_of_library(value: Any) -> bool:
    module = getattr(value, "__module__", None)
    return isinstance(value, np.ufunc) or str(module).partition(".")[0] in {"builtins", *LIBRARIES}


def _library_words(value: Any) -> Words:
    """A function or class of a library, by its name there."""
    modules = ("numpy", "scipy.special") if isinstance(value, np.ufunc) else (value.__module__,)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    for module in modules:
        if isinstance(name, str) and _in_library(module, name) is value:
            return "library", module, name
    raise Indescribable


def _in_library(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _callable_words(value: Any) -> Words:
    """What stands for a function, such as a dispatcher of Numba's: its class, and what the function does."""
    kind = type(value)
    if not _is_of_library(kind) or getattr(value, "__self__", None) is not None:
        raise Indescribable
    return "callable", kind.__name__, hash_of(behind(value).__code__)


def behind(value: Any) -> FunctionType:
    """The function that is called in the end. Raises Indescribable where there is none in Python."""
    found = primal_of(value)
    if found is None:
        raise Indescribable
    return found


class Finder:
    """The objects around a function that descriptions speak of, in this process."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function

    def dependencies(self, described: Sequence[Described]) -> tuple[Dependency, ...]:
        """What they stand for here. Raises Other unless all is as described."""
        found = tuple(self.dependency(d) for d in described)
        firsts = [d.twin for d in described]
        for k, (dependency, first) in enumerate(zip(found, firsts, strict=True)):
            if isinstance(dependency.value, FunctionType) and (
                dependency.value is not found[first].value
                or any(dependency.value is found[j].value for j in range(k) if firsts[j] != first)
            ):
                raise Other
        return found

    def dependency(self, described: Described) -> Dependency:
        """What a description stands for. Raises Other where something else stands there."""
        try:
            namespace = self.namespace(described.namespace)
        except (*GONE, Indescribable):
            raise Other from None
        try:
            now = look_up_again(namespace, described.name)
        except GONE:
            now = ABSENT
        if described.value[0] == "type":
            now = type_of(now)
        elif described.value[0] == "shape" and type(now) in (list, tuple, dict):
            now = Shape.of(now)
        if not fits(now, described.value):
            raise Other
        return Dependency(namespace, described.name, now)

    def namespace(self, words: Words) -> Any:
        """What a way leads to. Raises one of GONE, or Other."""
        match words:
            case ("root",):
                return self.function
            case ("builtins",):
                return vars(builtins)
            case ("globals", way):
                return self.namespace(way).__globals__
            case ("cell", way, k):
                cell = (self.namespace(way).__closure__ or ())[k]
                return cell
            case ("module", name):
                return sys.modules[name]
            case ("place", way, name):
                return Place(self.namespace(way), name)
            case ("value", way, name):
                return behind(look_up_again(self.namespace(way), name))
        raise Other


def fits(now: Any, words: Words) -> bool:
    """Whether an object is as described."""
    match words:
        case ("plain", value):
            return now is value or is_same(now, value)
        case ("tuple", items):
            return type(now) is tuple and len(now) == len(items) and all(map(fits, now, items))
        case ("dict", items):
            return type(now) is dict and [*now] == [k for k, _ in items] and all(fits(now[k], w) for k, w in items)
    try:
        return words_of(now) == words
    except Indescribable:
        return False
