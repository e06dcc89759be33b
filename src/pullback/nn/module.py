"""`Module`: an object that knows the variables in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pullback.tape import Variable


class Module:
    """A class whose instances find the variables among their attributes.

    name: any text, by default that of the class. Variables may stand in lists, tuples and dicts, and in other modules
    there.

    >>> import pullback as pb
    >>> class Line(pb.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = pb.Variable(2.0, name="slope")
    ...         self.offset = pb.Variable(0.5, name="offset")
    ...     def __call__(self, x):
    ...         return self.slope * x + self.offset
    >>> [v.name for v in Line().trainable_variables]
    ['offset', 'slope']
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name or type(self).__name__

    @property
    def name(self) -> str:
        """The name it was given, that of its class by default."""
        return getattr(self, "_name", type(self).__name__)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its variables, each once: its own by the names of the attributes, then those of the modules in it."""
        return tuple(found for found in _each_once(self))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in it, and those in them."""
        return tuple(_modules_in(self))[1:]

    def _attributes(self) -> list[str]:
        """The names of its attributes in the order in which their variables are listed."""
        return sorted(vars(self))


def _each_once(module: Module) -> Iterator[Variable]:
    seen: set[int] = set()
    for one in _modules_in(module):
        for leaf in _leaves_of(one):
            if isinstance(leaf, Variable) and id(leaf) not in seen:
                seen.add(id(leaf))
                yield leaf


def _modules_in(module: Module) -> Iterator[Module]:
    """The module, those in it, those in them: level by level, each once."""
    waiting, seen = [module], {id(module)}
    while waiting:
        one = waiting.pop(0)
        yield one
        for leaf in _leaves_of(one):
            if isinstance(leaf, Module) and id(leaf) not in seen:
                seen.add(id(leaf))
                waiting.append(leaf)


def _leaves_of(module: Module) -> Iterator[Any]:
    for name in module._attributes():
        yield from _leaves(vars(module)[name])


def _leaves(thing: Any) -> Iterator[Any]:
    if isinstance(thing, list | tuple):
        for item in thing:
            yield from _leaves(item)
    elif isinstance(thing, dict):
        for key in sorted(thing, key=str):
            yield from _leaves(thing[key])
    else:
        yield thing
