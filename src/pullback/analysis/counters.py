"""Counters: integers that a loop carries, and by how much an iteration of it moves them at most.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(x, n):
...     count = 0
...     while count < n:
...         for i in range(5):
...             count += 2
...         count += 1
...     return count
>>> function = normal_form(f, 1.0, 30)
>>> loop = next(s for s in function.body.statements if isinstance(s, While))
>>> counter = loop.carried[0].parameter
>>> Counters(loop, {}).moved(loop.body.yields[0]) == (counter, Form(11))
True
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pullback import runtime
from pullback.analysis.dependence import is_size
from pullback.analysis.sizes import Form
from pullback.ir import primitives
from pullback.ir.nodes import Constant, For, Let, Operand, Statement, Value, While, is_scalar, results_of, walk
from pullback.runtime import checked_add

_WRITING = {*primitives.CONSUMING, runtime.reserve}

Moved = tuple[Value, Form]
"""A counter of a loop, and what is added to it: a form of what no iteration changes."""


class Counters:
    """The counters of a loop, and what its iterations make of them."""

    def __init__(self, loop: While, definitions: Mapping[Value, Statement]) -> None:
        """`definitions`: of the values of the function."""
        self.definitions = definitions
        self.parameters = {carried.parameter for carried in loop.carried}
        self.made: dict[Value, Statement] = {v: s for s in walk(loop.body) for v in results_of(s)}
        self.inner = [s for s in walk(loop.body) if isinstance(s, For | While)]
        self.within = {c.parameter: (s, k) for s in self.inner for k, c in enumerate(s.carried)}
        self.after = {c.parameter: y for c, y in zip(loop.carried, loop.body.yields, strict=False)}
        self.changing = {
            *self.made,
            *self.within,
            *self.parameters,
            *(s.index for s in self.inner if isinstance(s, For)),
        }

    def moved(self, operand: Operand) -> Moved | None:
        """What an integer is at most: a counter at the beginning of the iteration, and a form added to it.

        None where it is no such sum, or where the form may be negative.
        """
        if not isinstance(operand, Value):
            return None
        if operand in self.parameters:
            return operand, Form(0)
        if operand in self.within:
            loop, k = self.within[operand]
            before = self.moved(loop.carried[k].initial)
            step = self.step(loop, k, all_but=1)
            return None if before is None or step is None else (before[0], before[1].plus(step))
        match self.made.get(operand):
            case Let(function=function, operands=(a, b, *_)) if function in (np.add, checked_add):
                before, more = self.moved(a), self.amount(b)
                return None if before is None or more is None else (before[0], before[1].plus(more))
            case For() as loop:
                k = loop.results.index(operand)
                before, step = self.moved(loop.carried[k].initial), self.step(loop, k, all_but=0)
                return None if before is None or step is None else (before[0], before[1].plus(step))
        return None

    def origin(self, array: Operand) -> Value | None:
        """The array that a loop carries and that became this one by writes, and by growing."""
        if not isinstance(array, Value) or array in self.parameters:
            return array if isinstance(array, Value) else None
        if array in self.within:
            loop, k = self.within[array]
            return self.origin(loop.carried[k].initial)
        match self.made.get(array):
            case Let(function=function, operands=operands) if function in _WRITING:
                return self.origin(operands[0])
            case For() | While() as loop:
                k = loop.results.index(array)
                before = self.origin(loop.carried[k].initial)
                return before if self.origin(loop.body.yields[k]) is before else None
        return None

    def step(self, loop: For | While, k: int, all_but: int) -> Form | None:
        """What the iterations of a loop inside add to a counter that it carries, without so many of the last ones."""
        after = loop.body.yields[k]
        made = self.made.get(after) if isinstance(after, Value) else None
        if not isinstance(made, Let) or made.function not in (np.add, checked_add):
            return None
        each = self.amount(made.operands[1]) if made.operands[0] is loop.carried[k].parameter else None
        trips = self.trips(loop)
        if each is None or trips is None or (each.terms and trips.terms):
            return None
        total = Form(0).plus(each, trips.constant) if each.terms else Form(0).plus(trips, each.constant)
        return total.plus(each, -all_but)

    def trips(self, loop: For | While) -> Form | None:
        """How many iterations a loop inside has."""
        if not isinstance(loop, For) or not isinstance(loop.step, Constant) or not isinstance(loop.start, Constant):
            return None
        if not loop.step.value:
            return None
        if isinstance(loop.stop, Constant):
            return Form(len(range(loop.start.value, loop.stop.value, loop.step.value)))
        return self.amount(loop.stop) if (loop.start.value, loop.step.value) == (0, 1) else None

    def amount(self, operand: Operand) -> Form | None:
        """A number that is at least 0, and that no iteration changes."""
        if isinstance(operand, Constant):
            return Form(operand.value) if isinstance(operand.value, int) and operand.value >= 0 else None
        is_fixed = isinstance(operand, Value) and operand not in self.changing
        return Form(0, ((operand, 1),)) if is_fixed and self.is_never_negative(operand) else None

    def is_never_negative(self, operand: Operand) -> bool:
        """Whether an integer is a size, or made of sizes."""
        made = self.definitions.get(operand) if isinstance(operand, Value) else None
        if isinstance(made, Let) and made.function in (np.add, np.multiply, primitives.cast):
            return all(self.is_never_negative(part) for part in made.operands if is_scalar(part))
        return is_size(operand, self.definitions)
