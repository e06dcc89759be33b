"""Distance vectors: how many iterations of two loops, one in the other, lie between two accesses to one element.

>>> import numpy as np
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir import primitives
>>> from pullback.ir.nodes import walk
>>> def f(r):
...     for i in range(1, r.shape[0]):
...         for j in range(1, r.shape[1]):
...             r[i, j] = np.sin(r[i - 1, j])
...     return r
>>> function = normal_form(f, np.ones((3, 3)))
>>> outer, inner = (s for s in walk(function.body) if isinstance(s, For))
>>> load, store = (
...     Access(s, (outer, inner), k)
...     for k, s in enumerate(s for s in inner.body.statements if s.function in (primitives.load, primitives.store))
... )
>>> vectors = DistanceVectors(outer, inner, Places(function.body, Shapes(function)))
>>> vectors.may_have(store, load, (1, 0, -1), (-1, 0, 1), (0, 1, 0), (0, -1, 0))  # di == 1 and dj == 0
True
>>> vectors.may_have(store, load, (1, 1, -2))  # di + dj >= 2
False

A vector (di, dj) is that of the numbers of the iterations, which grow in loops that count down too. It need be no
constant: a question is whether any of the vectors that the bounds of the loops allow is in some part of the plane.
Wolf & Lam (1991), A loop transformation theory and an algorithm to maximize parallelism.
"""

from __future__ import annotations

from dataclasses import dataclass

from pullback.analysis.linear import is_impossible
from pullback.analysis.sizes import Form
from pullback.analysis.subscripts import Access, Places, Side
from pullback.ir.nodes import Constant, For

HalfPlane = tuple[int, int, int]
"""(a, b, c): the vectors with a * di + b * dj + c >= 0."""


@dataclass(frozen=True, slots=True)
class DistanceVectors:
    """The vectors between accesses in two loops that count by one; the loops around them are in one iteration."""

    outer: For
    inner: For
    places: Places

    def may_have(self, source: Access, sink: Access, *within: HalfPlane) -> bool:
        """Whether the second access may be to the element of the first, so many iterations later."""
        same = {id(loop) for loop in source.loops} - {id(self.outer), id(self.inner)}
        sides = Side("source", source, same, self.places), Side("sink", sink, same, self.places)
        conditions = [fact for side in sides for fact in side.facts()]
        distances = _distance(self.outer, *sides), _distance(self.inner, *sides)
        for a, b, c in within:
            conditions.append(Form(c).plus(distances[0], a).plus(distances[1], b))
        subscripts = zip(*(side.places() for side in sides), strict=False)
        equal = [one.plus(other, -1) for one, other in subscripts if one is not None and other is not None]
        return not is_impossible(equal, conditions)


def _distance(loop: For, source: Side, sink: Side) -> Form:
    """How many iterations of a loop lie between two accesses; a term of its own where one of them is outside."""
    if not all(any(around is loop for around in side.access.loops) for side in (source, sink)):
        return Form(0, ((("distance", loop.index), 1),))
    assert isinstance(loop.step, Constant), "the loop counts by one"
    up = 1 if (loop.step.value > 0) is not loop.reverse else -1
    return Form(0).plus(sink.form(loop.index), up).plus(source.form(loop.index), -up)
