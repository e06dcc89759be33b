"""Part arrays: what is known of the arrays that a part of a function is given.

>>> from pullback.frontend.build import normal_form
>>> def f(x):
...     y = np.zeros((x.shape[0], 3))
...     z = np.zeros(x.shape[0])
...     rows = z if x[0] > 0.0 else x
...     for i in range(x.shape[0]):
...         rows[i] = x[i]
...         y[i, 0] = x[i]
...     return rows, y
>>> function = normal_form(f, np.ones(3))
>>> arrays = PartArrays(function, {value: value.name for value in values_of(function)})
>>> arrays.apart(["x", "y", "z", "rows"])
['y']
>>> arrays.sizes("y")
[(1, 3)]

Nothing is said of the sizes of an array that some path leaves undefined: a placeholder without elements stands for it
there.

>>> def g(x):
...     if x[0] > 0.0:
...         y = np.zeros((x.shape[0], 3))
...     return y if x[0] > 0.0 else np.ones((x.shape[0], 1))
>>> function = normal_form(g, np.ones(3))
>>> PartArrays(function, {value: value.name for value in values_of(function)}).sizes("y")
[]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from pullback.analysis.aliases import consumes, find_aliases, shares_memory
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.shapes import CREATING, Shapes
from pullback.emission.coalescing import values_of
from pullback.ir import primitives
from pullback.ir.nodes import Call, Function, Let, Value, walk
from pullback.ir.types import Array

_MAKING = CREATING | {np.zeros_like, np.empty_like, primitives.zeros_like, primitives.copy}


class PartArrays:
    """The arrays of a function, by the names of the variables that hold them."""

    def __init__(self, function: Function, names: Mapping[Value, str]) -> None:
        aliases = find_aliases(function)
        self.shapes = Shapes(function)
        self.unset = maybe_undefined(function.body)
        self.held: dict[str, list[Value]] = {}
        for value in values_of(function):
            if value in names and isinstance(value.type, Array):
                self.held.setdefault(names[value], []).append(value)
        unknown = {aliases.root(value) for value in _unknown(function)}
        self.roots = {variable: {aliases.root(value) for value in held} for variable, held in self.held.items()}
        self.shared = {variable for variable, roots in self.roots.items() if roots & unknown}

    def apart(self, parameters: Iterable[str]) -> list[str]:
        """Those of some variables whose arrays are in no other of them, and nowhere outside of the function."""
        arrays = [parameter for parameter in parameters if parameter in self.roots]
        return [
            mine
            for mine in arrays
            if mine not in self.shared
            and all(other == mine or self.roots[mine].isdisjoint(self.roots[other]) for other in arrays)
        ]

    def sizes(self, parameter: str) -> list[tuple[int, int]]:
        """The axes behind the first one whose sizes are constants, with these: they say how far rows are apart."""
        held = self.held.get(parameter, ())
        if not self.unset.isdisjoint(held):
            return []
        shapes = {self.shapes.of(value) for value in held}
        axes = enumerate(zip(*shapes, strict=True) if shapes else ())
        sizes = [(axis, size[0]) for axis, size in axes if axis and len(set(size)) == 1]
        return [(axis, size) for axis, size in sizes if isinstance(size, int)]


def _unknown(function: Function) -> Iterable[Value]:
    """The arrays that a function is given, or gets from what is not known to make a new one."""
    yield from function.parameters
    for statement in walk(function.body):
        if isinstance(statement, Call):
            yield from statement.results
        elif isinstance(statement, Let) and statement.function not in _MAKING and not _goes_on(statement):
            yield statement.value


def _goes_on(statement: Let) -> bool:
    """Whether an array is a version of another one, or a part of it."""
    return consumes(statement) or shares_memory(statement)
