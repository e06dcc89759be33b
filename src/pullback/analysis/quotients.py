"""Quotients: integers of a function that are forms divided by a number, as the lengths of slices with steps are.

>>> import numpy as np
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import Let
>>> def coarse(x):
...     half = (x.shape[0] - 1) // 2
...     return x[:half]
>>> function = normal_form(coarse, np.ones(5))
>>> ranges = Ranges(Shapes(function))
>>> quotients = Quotients(ranges)
>>> for let in (s for s in function.body.statements if isinstance(s, Let)):
...     ranges.note(let)
...     quotients.note(let)
>>> size = Form(0, (((function.parameters[0], 0), 1),))
>>> quotients.rounded_up(size.moved(-2), 2), quotients.rounded_up(size, 3)
(half: int64*, None)
>>> list(quotients.wanted) == [(size.moved(2), 3)]
True
"""

from __future__ import annotations

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.sizes import Form, Size
from pullback.ir.nodes import Constant, Let, Value
from pullback.ir.types import Scalar


class Quotients:
    """Such integers, by the form and the number that it is divided by.

    known: those that every call computes, rounded down. inner: those that loops and branches compute. wanted: those
    that nothing computes. at_ends: the integers by which slices begin and end.
    """

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.known: dict[tuple[Form, int], Value] = {}
        self.wanted: dict[tuple[Form, int], None] = {}
        self.inner: dict[tuple[Form, int], Value] = {}
        self.at_ends: set[Size] = set()

    def note(self, statement: Let, is_reached: bool = True) -> None:
        """Take in a statement. What computes the same as one that every call reaches is equal to that."""
        by = divisor_of(statement)
        if not by:
            return
        key = self.ranges.form(statement.operands[0]), by
        if key in self.known:
            self.ranges.forms[statement.value] = Form(0, ((self.known[key], 1),))
        elif is_reached:
            self.known[key] = statement.value
        else:
            self.inner[key] = statement.value

    def rounded_up(self, form: Form, by: int) -> Value | None:
        """A form divided by a number, rounded up, if the function has it; else it is wanted."""
        key = form.moved(by - 1), by
        if key not in self.known:
            self.wanted[key] = None
        return self.known.get(key)

    def bases(self, one: Size, other: Size) -> tuple[Size, Size]:
        """Two sizes; of arrays of which slices are equally long, where these are such quotients of their sizes."""
        made = {value: key for key, value in self.known.items() if value in (one, other)}
        if len(made) < 2:
            return one, other
        (form, by), (other_form, other_by) = made[one], made[other]
        terms = form.terms, other_form.terms
        alike = by == other_by and form.constant == other_form.constant and all(len(each) == 1 for each in terms)
        return (terms[0][0][0], terms[1][0][0]) if alike and terms[0][0][1] == terms[1][0][1] else (one, other)


def divisor_of(statement: Let) -> int:
    """The number by which an integer is divided, rounded down; 0 if the statement does something else."""
    if statement.function is not np.floor_divide or not isinstance(statement.value.type, Scalar):
        return 0
    by = statement.operands[1]
    is_wide = statement.value.type.dtype == "int64" and isinstance(by, Constant) and isinstance(by.value, int)
    return max(by.value, 0) if is_wide and isinstance(by, Constant) else 0
