"""Most iterations: how many a loop of a nest has at most, where its bounds follow from the indices around it.

>>> import numpy as np
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import lets_in, walk
>>> def pairs(x, width):
...     s = 0.0
...     for i in range(x.shape[0]):
...         for j in range(i):
...             s += x[i] * x[j]
...         for j in range(max(i - width, 0), min(i + width, x.shape[0])):
...             s += x[j]
...         for j in range(i % 2, width, 2):
...             s += j
...         for j in range(10 - i):
...             s += j
...     return s
>>> function = normal_form(pairs, np.ones(3), 2)
>>> ranges = Ranges(Shapes(function))
>>> for let in (s for s in walk(function.body) if isinstance(s, Let)):
...     ranges.note(let)
>>> outer, *inner = [s for s in walk(function.body) if isinstance(s, For)]
>>> bounds = Bounds(ranges, lets_in(function.body), set(function.parameters).__contains__)
>>> rooms = [bounds.most_iterations(loop, [outer]) for loop in inner]
>>> [[form.constant for form in room.forms] for room in rooms if room]
[[-1], [0, 0], [0]]
>>> [[[factor for _, factor in form.terms] for form in room.forms] for room in rooms if room]
[[[1]], [[2], [1]], [[1]]]
>>> rooms[1:] == [Room(rooms[1].forms, 1, varies=False), Room(rooms[2].forms, 2, varies=False), None]
True

The first has room for the size of x less 1, the second for the smaller of twice the width and that size, the third for
half of the width.

Room for as many in each iteration around it is at most about twice what they take together: it is None where the
number may fall below 0, as in the last loop here, which has none in most of the iterations around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.analysis.ranges import Ranges, over
from pullback.analysis.sizes import Form
from pullback.ir.nodes import Constant, For, Let, Value

FEWEST = -2
"""So few iterations an affine number may give: none, as all from 0 down."""

_FEW = 16
"""So many elements of a row may be left over in each iteration, whatever its length."""

_MOST_FORMS = 8


@dataclass(frozen=True, slots=True)
class Room:
    """Room for iterations: the smallest of some forms, divided by the step of the loop and rounded up.

    varies: whether iterations of the loops around may have far fewer.
    """

    forms: tuple[Form, ...]
    step: int
    varies: bool

    def moved(self, by: int) -> Room:
        return Room(tuple(form.moved(by) for form in self.forms), self.step, self.varies)


class Bounds:
    """What is known of the bounds of the loops of a nest.

    lets: what defines each value. is_known: whether a value is known before the nest.
    """

    def __init__(self, ranges: Ranges, lets: Mapping[Value, Let], is_known: Callable[[Value], bool]) -> None:
        self.ranges, self.lets, self.is_known = ranges, lets, is_known

    def most_iterations(self, loop: For, around: Sequence[Any]) -> Room | None:
        """Room for all iterations of the loops `around`, the outermost first; None where it may be far more."""
        step = loop.step.value if isinstance(loop.step, Constant) else 0
        if not step:
            return None
        length = self.ranges.sure(loop.stop).plus(self.ranges.sure(loop.start), -1)
        length = length if step > 0 else _negated(length)
        even, other, varies = list[Form](), list[Form](), True
        for form in self.alternatives(length):
            fewest = [_negated(low) for low in self.above(_negated(form), around)]
            for most in self.above(form, around):
                if not self.is_computed(most):
                    return None
                if any(_is_close(most, few) for few in fewest):
                    varies = False
                    even.append(most)
                elif any(few.constant >= FEWEST and not few.terms for few in fewest):
                    even.append(most)
                elif any(few.constant >= FEWEST and all(c > 0 for _, c in few.terms) for few in fewest):
                    other.append(most)
                else:
                    return None
        forms = tuple(dict.fromkeys(even or other))
        return Room(forms, abs(step), varies) if len(forms) <= _MOST_FORMS else None

    def is_computed(self, form: Form) -> bool:
        return all(self.is_known(term[0] if isinstance(term, tuple) else term) for term, _ in form.terms)

    def above(self, form: Form, around: Sequence[Any]) -> list[Form]:
        """What a form does not exceed in any iteration of some loops: each of the forms."""
        alternatives = self.alternatives(form)
        if alternatives != [form]:
            return [bound for alternative in alternatives for bound in self.above(alternative, around)]
        for k in reversed(range(len(around))):
            outer = around[k]
            if isinstance(outer, For) and form.of(outer.index):
                if not isinstance(outer.step, Constant):
                    return [form]
                return self.above(over(form, outer.index, self.ranges.reach(outer)[::-1]), around[:k])
        return [form]

    def alternatives(self, form: Form) -> list[Form]:
        """The forms whose smallest a form is, or is not far below: those of its minima, maxima and remainders."""
        for term, factor in form.terms:
            made = self.lets.get(term) if isinstance(term, Value) and not self.is_known(term) else None
            if made is None:
                continue
            rest = form.plus(Form(0, ((term, 1),)), -factor)
            if made.function is (min if factor > 0 else max):
                forms = [rest.plus(self.ranges.sure(operand), factor) for operand in made.operands]
                return [alternative for each in forms for alternative in self.alternatives(each)]
            by = made.operands[1] if made.function is np.remainder else None
            if isinstance(by, Constant) and isinstance(by.value, int) and by.value > 0:
                return self.alternatives(rest.moved(factor * (by.value - 1) if factor > 0 else 0))
        return [form]


def _negated(form: Form) -> Form:
    return Form(0).plus(form, -1)


def _is_close(most: Form, fewest: Form) -> bool:
    """Whether two forms differ by so little that room for the one is little more than the other."""
    left = most.plus(fewest, -1)
    return not left.terms and left.constant <= _FEW
