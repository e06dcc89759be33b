"""Accesses in branches of loops: what of the sizes of arguments has to be so that they lie in their arrays.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def heavy(x, mass):
...     total = 0.0
...     for i in range(x.shape[0]):
...         if x[i] > 0.5:
...             total += x[i] * mass[i]
...     return total
>>> function = normal_form(heavy, np.ones(3), np.ones(3))
>>> is_given = lambda size: isinstance(size, tuple) and size[0] in function.parameters
>>> forms = not_negative_for_accesses(function, Shapes(function), is_given)
>>> [[(array.name, factor) for (array, axis), factor in form.terms] for form in forms]
[[('mass', 1), ('x', -1)]]

A check of such an access may not leave its branch, which may never be taken, nor a loop that may end before; and a loop
with a check in it is not vectorised. It is assumed that the first array is at least as long (loop versioning), which is
checked when the function is entered; the general form, with the checks where they are, serves other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.analysis.ranges import Ranges, over
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Size
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, For, Function, Index, Let, Operand, Statement, Value, While, is_scalar
from pullback.passes.scalar.range_walk import RangeWalk


def not_negative_for_accesses(function: Function, shapes: Shapes, is_given: Callable[[Size], bool]) -> dict[Form, None]:
    """The forms, of sizes that are known when the function is entered, that must not be negative."""
    walk = _Accesses(function, shapes, is_given)
    walk.block(function.body)
    return dict.fromkeys(walk.found.values())


class _Accesses(RangeWalk):
    """loops: those around the present statement. in_branch: whether it may not be reached in an iteration of them."""

    def __init__(self, function: Function, shapes: Shapes, is_given: Callable[[Size], bool]) -> None:
        super().__init__(function)
        self.shapes, self.ranges = shapes, Ranges(shapes)
        self.is_given = is_given
        self.found: dict[frozenset[tuple[Size, int]], Form] = {}
        self.loops: list[For | While] = []
        self.in_branch = False

    def inside(self, block: Block, facts: Sequence[Form], around: For | While | None) -> Block:
        was = self.in_branch
        self.in_branch = around is None or (isinstance(around, For) and around.exits)
        self.loops += [around] if around is not None else []
        made = super().inside(block, facts, around)
        self.in_branch = was
        if around is not None:
            self.loops.pop()
        return made

    def let(self, statement: Let) -> list[Statement]:
        if self.in_branch and self.loops and statement.function in primitives.ACCESSES:
            self.access(statement.operands[0], statement.operands[1])
        return [statement]

    def access(self, array: Value, path: tuple[object, ...]) -> None:
        items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
        if not all(map(is_scalar, items)):
            return
        for index, size in zip(items, self.shapes.of(array), strict=False):
            extent = self.ranges.of_size(size)
            if extent is not None:
                self.index(index, extent)

    def index(self, index: Operand, extent: Form) -> None:
        """Note what keeps an index that is not negative below the size of its axis, in all iterations."""
        form = self.ranges.form(index)
        left = extent.plus(form, -1).moved(-1)
        if not self.ranges.is_never_negative(form) or self.ranges.is_never_negative(left):
            return
        for loop in reversed(self.loops):
            if isinstance(loop, For) and loop.step in (constant(1), constant(-1)):
                left = over(left, loop.index, self.ranges.reach(loop))
        bases = {term for term, _ in left.terms}
        if len(bases) > 1 and all(map(self.is_given, bases)):
            terms = frozenset(left.terms)
            self.found[terms] = min(self.found.get(terms, left), left, key=lambda form: form.constant)
