"""What is made of a function lives as long as the function: an engine for each, which keeps nothing else alive.

    function ← · · · engine → normal forms, machine code          · · · is a weak reference
    function ← gradient → engine

Functions are not written to. What a function uses from outside may lead back to it, as the object that owns both it and
its gradient does; so an engine refers to that weakly, and to cells and globals by the functions that they belong to.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from types import BuiltinMethodType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

from pullback.frontend.build import Built
from pullback.frontend.source.finding import Source
from pullback.frontend.source.outside import Dependency, Place
from pullback.frontend.values.captures import Capture

Reference = Callable[[], Any]
"""Gives an object, or raises ReferenceError where nobody else has kept it."""


class Stored:
    """A normal form without what it uses from outside, which is referred to."""

    def __init__(self, built: Built) -> None:
        owners = owners_of(built)
        self.recent = weakref.ref(built)
        # Whoever prepares a call keeps the normal form; between calls that prepare anew, this one stays.
        self.core = replace(built, captures=(), dependencies=(), source=None)
        self.parameters = [(c.name, c.parameter, c.changes) for c in built.captures]
        self.captured = [reference_to(c.namespace, owners) for c in built.captures]
        self.names = [d.name for d in built.dependencies]
        self.places = [reference_to(d.namespace, owners) for d in built.dependencies]
        self.values = [reference_to(d.value, owners) for d in built.dependencies]

    def restored(self, source: Source) -> Built | None:
        """The normal form with what it uses; None where some of that is gone."""
        built = self.recent()
        if built is not None:
            return built
        try:
            captures = tuple(
                Capture(refer(), *rest) for refer, rest in zip(self.captured, self.parameters, strict=True)
            )
            rows = zip(self.places, self.names, self.values, strict=True)
            dependencies = tuple(Dependency(place(), name, value()) for place, name, value in rows)
        except (ReferenceError, IndexError, TypeError):
            return None
        built = replace(self.core, captures=captures, dependencies=dependencies, source=source)
        self.recent = weakref.ref(built)
        return built


def owners_of(built: Built) -> dict[int, tuple[FunctionType, Any]]:
    """For the cells and globals of functions that were read, by identity: a function, and the number of the cell."""
    functions = {id(d.namespace): d.namespace for d in built.dependencies if isinstance(d.namespace, FunctionType)}
    owners: dict[int, tuple[FunctionType, Any]] = {}
    for function in [*functions.values(), built.source.function]:
        owners[id(function.__globals__)] = (function, None)
        owners.update({id(cell): (function, k) for k, cell in enumerate(function.__closure__ or ())})
    return owners


def reference_to(thing: Any, owners: dict[int, tuple[FunctionType, Any]]) -> Reference:
    """A weak reference to an object, where there can be one; numbers, texts and the like are kept."""
    if isinstance(thing, Place):
        around, name = reference_to(thing.namespace, owners), thing.name
        return lambda: Place(around(), name)
    if isinstance(thing, dict | CellType) and id(thing) in owners:
        function, number = owners[id(thing)]
        owner = weakly(function)
        return (lambda: owner().__globals__) if number is None else (lambda: owner().__closure__[number])
    if isinstance(thing, MethodType):
        receiver, method = weakly(thing.__self__), weakly(thing.__func__)
        return lambda: MethodType(method(), receiver())
    if isinstance(thing, BuiltinMethodType) and not isinstance(thing.__self__, ModuleType):
        receiver, attribute = weakly(thing.__self__), thing.__name__  # the method itself is made anew for each reader
        return lambda: getattr(receiver(), attribute)
    return weakly(thing)


def weakly(thing: Any) -> Reference:
    """A weak reference; a strong one to what has none, and to modules."""
    if isinstance(thing, ModuleType):
        return lambda: thing
    try:
        reference = weakref.ref(thing)
    except TypeError:
        return lambda: thing

    def get() -> Any:
        found = reference()
        if found is None:
            raise ReferenceError
        return found

    return get
