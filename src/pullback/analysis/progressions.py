"""Arithmetic progressions: arrays whose elements are start + index * step, as `np.arange` makes them.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def falling(n):
...     return np.arange(n, -n - 1, -2.0)
>>> statement = normal_form(falling, 3).body.statements[-1]
>>> found = progression_of(statement)
>>> found.start.name, found.step
('n', -2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Let, Operand, Statement, is_scalar, type_of_operand
from pullback.ir.types import is_integer


@dataclass(frozen=True, slots=True)
class Progression:
    """The whole numbers from `start` on, in steps of `step`, as far as `stop`, which is none of them."""

    start: Operand
    stop: Operand
    step: int


def progression_of(statement: Statement) -> Progression | None:
    """The progression of an `np.arange` between integers in steps of a whole number that is a constant."""
    if not isinstance(statement, Let) or statement.function is not np.arange:
        return None
    given = statement.operands[: len(statement.operands) - len(statement.keywords)]
    if set(statement.keywords) - {"dtype"} or not all(map(is_scalar, given)):
        return None
    start, stop, step = ((constant(0), *given) if len(given) == 1 else given) + (constant(1),) * (len(given) < 3)
    if not is_integer(type_of_operand(start)) or not is_integer(type_of_operand(stop)):
        return None
    is_whole = isinstance(step, Constant) and step.value and float(step.value).is_integer()
    return Progression(start, stop, int(step.value)) if is_whole else None
