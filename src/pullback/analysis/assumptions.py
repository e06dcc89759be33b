"""Assumptions: what is proved of linear forms at one point of a function, and what is assumed of them at its entry.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def first(x, n):
...     return x[:n]
>>> function = normal_form(first, np.ones(3), 2)
>>> x, n = function.parameters
>>> left = Form(0, (((x, 0), 1), (n, -1)))
>>> found = Assumptions(Shapes(function), lambda size: True)
>>> found.is_proved(left), found.is_assumed(left), list(found.assumed) == [left]
(False, True, True)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from pullback.analysis.ranges import Ranges, over
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Size
from pullback.ir.nodes import Constant, For


class Assumptions:
    """What is known at one point of a walk through a function.

    given: whether a size is known when the function is entered; only of such sizes something is assumed. forms: whether
    sizes may be linear forms; what is assumed is then a fact to what follows. assumed: the forms that are assumed not
    to be negative. zeros: those that are 0 behind checks at the entry. loops: those around this point.
    """

    def __init__(
        self,
        shapes: Shapes,
        given: Callable[[Size], bool] | None = None,
        forms: bool = False,
        assumed: Iterable[Form] = (),
    ) -> None:
        self.shapes, self.given, self.forms = shapes, given, forms
        self.ranges = Ranges(shapes, exact=True)
        self.zeros: list[Form] = []
        self.assumed: dict[Form, None] = dict.fromkeys(assumed)
        self.ranges.facts += self.assumed
        self.loops: list[For] = []

    def exact(self, size: Size) -> Form | None:
        """A size as a form that is equal to it; None where that is not known."""
        return self.ranges.of_size(size)

    def equal_to(self, form: Form) -> list[Form]:
        """A form, and others that are equal to it behind the checks at the entry."""
        return [form, *(form.plus(zero, factor) for zero in self.zeros for factor in (-1, 1))]

    def is_proved(self, form: Form) -> bool:
        """Whether a form, or a multiple of it, is proved to be >= 0."""
        factors = {abs(coefficient) for zero in self.zeros for _, coefficient in zero.terms}
        return any(self.ranges.is_never_negative(Form(0).plus(form, factor)) for factor in sorted(factors | {1}))

    def is_assumed(self, form: Form) -> bool:
        """Whether a form is assumed not to be negative from here on: in loops, for all indices that these have."""
        for loop in reversed(self.loops):
            if form.of(loop.index) and isinstance(loop.step, Constant):
                form = over(form, loop.index, self.ranges.reach(loop))
        if self.given is None or not form.terms or not all(self.given(term) for term, _ in form.terms):
            return False
        divisor = math.gcd(*(coefficient for _, coefficient in form.terms)) if self.forms else 1
        form = Form(form.constant // divisor, tuple((term, c // divisor) for term, c in form.terms))
        self.assumed[form] = None
        if self.forms:
            self.ranges.facts.append(form)
        return True
