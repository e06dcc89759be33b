"""Vanished arrays: where nobody reads an array any more, it goes; a size that may be negative leaves a check behind.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def first(x, n):
...     y = np.zeros(n - 1)
...     z = np.zeros(x.shape[0])
...     return x[0]
>>> print(show(without_dead(normal_form(first, np.ones(3), 2))))
first(x: float64[:], n: int64*):
    t.0: int64* = subtract(n, 1)
    t.1: bool* = less_equal(0, t.0)
    check(t.1, ValueError, 'negative dimensions are not allowed')
    t.2: float64 = load(x, ([0]))
    return t.2

An array that its program reads vanishes where loops are fused, and its elements become numbers. What an unread array of
the user's could raise has been checked before (`preserved_exceptions.py`); the arrays of a backward sweep are as large
as those of the forward one.
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.made_arrays import sizes_of
from pullback.analysis.shapes import CREATING
from pullback.ir.nodes import Function, Let, Operand, Statement, Value, defined_in, lets_in
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.negative_sizes import check_size, may_be_negative
from pullback.passes.scalar.range_walk import RangeWalk


def without_dead(function: Function) -> Function:
    """The function without what nobody reads, with checks of the sizes of arrays that were to be made."""
    made = remove_dead(function)
    live = set(defined_in(made.body))
    lets = lets_in(function.body)
    vanished = {value for value, let in lets.items() if value not in live and _may_raise(let, lets)}
    if vanished:
        walk = _SizeChecks(function, vanished)
        body = walk.block(function.body)
        made = remove_dead(replace(function, body=body)) if walk.checks else made
    return replace(made, callees=tuple(map(without_dead, function.callees)))


def _may_raise(statement: Let, lets: dict[Value, Let]) -> bool:
    """Whether a statement of the user's makes an array, and a size may be negative at first sight."""
    if statement.function not in CREATING or statement.location.is_adjoint:
        return False
    return any(may_be_negative(size, lets) for size in sizes_of(statement))


class _SizeChecks(RangeWalk):
    """Writes checks in the place of arrays; an array that stays has raised where its size is negative."""

    def __init__(self, function: Function, vanished: set[Value]) -> None:
        super().__init__(function)
        self.vanished = vanished
        self.lets = lets_in(function.body)
        self.checks = 0

    def let(self, statement: Let) -> list[Statement]:
        if statement.function in CREATING:
            for size in sizes_of(statement):
                self.size(size, statement.value in self.vanished)
        return [statement]

    def size(self, size: Operand, has_vanished: bool) -> None:
        form = self.ranges.sure(size)
        if not may_be_negative(size, self.lets) or self.ranges.is_never_negative(form):
            return
        if has_vanished:
            check_size(self.builder, size)
            self.checks += 1
        self.ranges.facts.append(form)
