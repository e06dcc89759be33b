"""Sizes as operands: the iterations of a loop over an axis, and what a function assumes of the sizes of its arguments.

>>> from pullback.frontend.build import normal_form
>>> def added(x, y):
...     return x + y
>>> sizes = Sizes(normal_form(added, np.ones(3), np.ones(3)))
>>> sizes.assumed
{(x: float64[:], 0): (y: float64[:], 0)}
>>> [statement.function.__name__ for statement in sizes.guards()]
['dim', 'dim', 'equal', 'check']

Where arrays of arguments meet in arithmetic, an axis of one is as long as that of the other, or has size 1. The second
is rare: a function is lowered for equal sizes, and what it assumes is checked when it is entered.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes, Size, SliceSize
from pullback.analysis.slice_sizes import find_slice_sizes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Constant, Function, Operand, Statement, Value


class Sizes:
    """The shapes of a function under the assumption that the sizes of arguments agree where arrays meet."""

    def __init__(self, function: Function) -> None:
        self.parameters = set(function.parameters)
        self.assumed: dict[Size, Size] = {}
        self.known = find_slice_sizes(function, Shapes(function))
        self.shapes = Shapes(function, self.known)
        while self._assume():
            self.shapes = Shapes(function, self.known | self.assumed)

    def _assume(self) -> bool:
        """Take in the sizes that have to agree; whether there were new ones."""
        before = len(self.assumed)
        for pair in self.shapes.unsure:
            one, other = map(self._named, pair)
            if self._base(one) != self._base(other) and self.is_given(one) and self.is_given(other):
                first, second = (other, one) if isinstance(one, int) else (one, other)
                if not isinstance(first, int):
                    self.assumed[first] = second
        return len(self.assumed) > before

    def _named(self, size: Size) -> Size:
        while size in self.assumed:
            size = self.assumed[size]
        return size

    def _base(self, size: Size) -> Size:
        """What a size is a part of; sizes of one base differ, or are the same."""
        size = self._named(size)
        return self._base(size.size) if isinstance(size, SliceSize) else size

    def is_given(self, size: Size) -> bool:
        """Whether a size is known when the function is entered."""
        match size:
            case int():
                return True
            case Value():
                return size in self.parameters
            case SliceSize():
                return bool(size.leaves_off) and self.is_given(size.size)
        return size[0] in self.parameters

    def guards(self) -> list[Statement]:
        """The statements that leave the function unless the sizes are as assumed."""
        builder = Builder()
        for one, other in self.assumed.items():
            agree = builder.let(np.equal, self.extent(one, builder), self.extent(other, builder))
            builder.effect(primitives.check, agree, Constant(runtime.SizesDiffer))
        return builder.statements

    def can_count(self, size: Size) -> bool:
        """Whether the iterations over an axis can be written down."""
        if isinstance(size, SliceSize):
            return bool(size.leaves_off) and self.can_count(size.size)
        return True

    def iterations(self, size: Size, builder: Builder) -> Operand:
        """The iterations of a loop over an axis: its size, or less than 0 where that is 0."""
        match size:
            case int():
                return constant(size)
            case Value():
                return size
            case SliceSize():
                return builder.let(np.subtract, self.iterations(size.size, builder), constant(size.leaves_off))
        return builder.dim(*size)

    def extent(self, size: Size, builder: Builder) -> Operand:
        """The size of an axis."""
        iterations = self.iterations(size, builder)
        return builder.let(max, iterations, constant(0)) if isinstance(size, SliceSize) else iterations
