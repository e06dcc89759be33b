"""Negative sizes: which sizes of new arrays are not proved to be from 0, and the check that NumPy makes of them.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def summed(x, n):
...     s = 0.0
...     for i in range(n):
...         y = np.empty((x.shape[0], n))
...         z = np.empty((x.shape[0] - i, n - 1))
...         s += y[i, 0] + z[i, 0]
...     return s
>>> function = normal_form(summed, np.ones(3), 2)
>>> [len(sizes) for sizes in negative_before_loops(function).values()]  # within the loop, n is at least 1
[1, 2]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pullback import runtime
from pullback.analysis.made_arrays import sizes_of
from pullback.analysis.shapes import CREATING
from pullback.analysis.sizes import Form
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Constant, For, Function, Let, Operand, Statement, Value, While, lets_in
from pullback.ir.types import is_integer
from pullback.passes.scalar.range_walk import RangeWalk


def is_of_user(maker: Let) -> bool:
    """Whether a statement makes an array as the user has written it: those of passes have a dtype."""
    return maker.function in CREATING and not maker.keywords and not maker.location.is_adjoint


_LENGTHS = {primitives.dim, runtime.segment_length, runtime.brief_length}
"""What gives numbers from 0."""


def may_be_negative(size: Operand, lets: dict[Value, Let]) -> bool:
    """Whether a size of a new array is no size of another one, no length or constant from 0, and not read again."""
    if isinstance(size, Constant) or not is_integer(size.type):
        return is_integer(size.type) and bool(size.value < 0)
    made = lets.get(size)
    is_again = size.of is not None and size.of[1] == ""
    return not is_again and (made is None or made.function not in _LENGTHS)


def check_size(builder: Builder, size: Operand) -> None:
    """The check that NumPy makes of each size of a new array."""
    is_size = builder.let(np.less_equal, constant(0), size)
    builder.effect(primitives.check, is_size, Constant(ValueError), Constant("negative dimensions are not allowed"))


def negative_before_loops(function: Function) -> dict[Value, tuple[Operand, ...]]:
    """The sizes of arrays that iterations make, which before their innermost loop may be negative.

    Of arrays that are not the user's, those that are not negative where these are made.
    """
    lets = lets_in(function.body)
    sizes = [size for let in lets.values() if let.function in CREATING for size in sizes_of(let)]
    if not any(may_be_negative(size, lets) for size in sizes):
        return {}
    finder = _BeforeLoops(function, lets)
    finder.block(function.body)
    return finder.found


class _BeforeLoops(RangeWalk):
    def __init__(self, function: Function, lets: dict[Value, Let]) -> None:
        super().__init__(function)
        self.lets = lets
        self.before: list[Form] | None = None
        self.found: dict[Value, tuple[Operand, ...]] = {}

    def inside(self, block: Block, facts: Sequence[Form], around: For | While | None) -> Block:
        outer = self.before
        self.before = list(self.ranges.facts) if around is not None else outer
        made = super().inside(block, facts, around)
        self.before = outer
        return made

    def let(self, statement: Let) -> list[Statement]:
        if self.before is not None and statement.function in CREATING:
            counts = is_of_user(statement) or statement.location.is_adjoint
            if counts or not any(map(self.is_found, sizes_of(statement))):
                self.note(statement, self.before)
        return [statement]

    def note(self, statement: Let, facts: list[Form]) -> None:
        """Note the sizes of a new array that are not proved to be from 0 by some facts alone."""
        here, self.ranges.facts = self.ranges.facts, facts
        sizes = tuple(filter(self.is_found, sizes_of(statement)))
        self.ranges.facts = here
        if sizes:
            self.found[statement.value] = sizes

    def is_found(self, size: Operand) -> bool:
        return may_be_negative(size, self.lets) and not self.ranges.is_never_negative(self.ranges.sure(size))
