"""Most iterations: how many a loop of a nest has at most, where its bounds are affine in the indices around it.

>>> import numpy as np
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import Let, walk
>>> def pairs(x, width):
...     s = 0.0
...     for i in range(x.shape[0]):
...         for j in range(i):
...             s += x[i] * x[j]
...         for j in range(i, i + width):
...             s += j
...         for j in range(10 - i):
...             s += j
...     return s
>>> function = normal_form(pairs, np.ones(3), 2)
>>> ranges = Ranges(Shapes(function))
>>> for let in (s for s in walk(function.body) if isinstance(s, Let)):
...     ranges.note(let)
>>> outer, *inner = [s for s in walk(function.body) if isinstance(s, For)]
>>> [most_iterations(loop, [outer], ranges) for loop in inner]
[Form(constant=-1, terms=(((x: float64[:], 0), 1),)), Form(constant=0, terms=((width: int64*, 1),)), None]

Room for as many in each iteration around it is at most about twice what they take together: it is None where the
number may fall below 0, as in the last loop here, which has none in most of the iterations around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pullback.analysis.ranges import Ranges, over
from pullback.analysis.sizes import Form
from pullback.ir.builder import constant
from pullback.ir.nodes import For

FEWEST = -2
"""So few iterations an affine number may give: none, as all from 0 down."""


def most_iterations(loop: For, around: Sequence[Any], ranges: Ranges) -> Form | None:
    """The number for all iterations of the loops `around`, the outermost first; None where it may be far more."""
    if not _counts_by_one(loop):
        return None
    fewest = most = ranges.form(loop.stop).plus(ranges.form(loop.start), -1)
    if loop.step == constant(-1):
        fewest = most = Form(0).plus(most, -1)
    for outer in reversed(around):
        if isinstance(outer, For) and most.of(outer.index):
            if not _counts_by_one(outer):
                return None
            least, largest = ranges.reach(outer)
            fewest, most = over(fewest, outer.index, (least, largest)), over(most, outer.index, (largest, least))
    return most if fewest == most or (not fewest.terms and fewest.constant >= FEWEST) else None


def _counts_by_one(loop: For) -> bool:
    return loop.step in (constant(1), constant(-1))
