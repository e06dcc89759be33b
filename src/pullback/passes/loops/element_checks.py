"""Element checks: the indices that an innermost loop reads from an array are checked together, before the loop.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.loops.bounds_checks import check_bounds
>>> from pullback.transform.derivative import prepared
>>> def f(x, first, near):
...     out = np.zeros(first.shape[0] - 1)
...     for i in range(out.shape[0]):
...         for k in range(first[i], first[i + 1]):
...             out[i] += np.exp(-np.sqrt(x[near[k]]))
...     return out
>>> given = np.ones(3), np.array([0, 1, 3]), np.array([0, 1, 2])
>>> text = emit_module([check_bounds(prepared(normal_form(f, *given)))], compiled=True, comments=False)
>>> print("\\n".join(line.strip() for line in text.splitlines() if "check_elements(" in line))
check_elements(near, k_start, k_end - 1, x.shape[0])

Without a check in it, such a loop can be vectorised: it gathers its elements. That pays where it computes much with
each of them, and writes none of those that it finds so; a loop that is long enough is distributed instead, with its
checks in the first part (`passes/vector/strip_distribution.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from pullback import runtime
from pullback.analysis.extents import integer
from pullback.analysis.ranges import Ranges, mentions, over
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import is_straight, work_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import For, Index, Let, Operand, Slice, Value, values_in, walk

LEAST_WORK = 8
"""So many operations the loop must have for each element that is found by an index."""


@dataclass(frozen=True, slots=True)
class ElementCheck:
    """A check of the elements of an array, from `first` to `last` along the axis of the slice among `items`.

    iterations: of the loops around the one that reads them, where the check stands before these.
    """

    array: Value
    items: tuple[Operand | Slice, ...]
    first: Form
    last: Form
    extent: Form
    iterations: tuple[Form, ...] = ()

    def covers(self, other: ElementCheck) -> bool:
        """Whether the other check cannot fail where this one has not."""
        return replace(other, iterations=self.iterations) == self and set(self.iterations) <= set(other.iterations)

    def before(self, loop: For, defined: Set[Value], ranges: Ranges) -> ElementCheck | None:
        """The check as it may stand before a loop around it, which does not change it; else None.

        defined: what the iterations of the loop make.
        """
        if loop.step not in (constant(1), constant(-1)) or self.array in defined:
            return None
        reach = ranges.reach(loop)
        iterations = (*self.iterations, reach[1].plus(reach[0], -1).moved(1))
        forms = [ranges.form(item) for item in self.items if not isinstance(item, Slice)]
        if any(mentions(form, defined) for form in (*forms, self.first, self.last, self.extent, *iterations)):
            return None
        return replace(self, iterations=iterations)

    def add(self, builder: Builder) -> None:
        """Add the check that all of these elements are indices of an axis of the size `extent`."""
        row = self.array if len(self.items) == 1 else builder.load(self.array, (Index(self.items),))
        operands = (integer(form, builder) for form in (self.first, self.last, self.extent, *self.iterations))
        builder.effect(runtime.check_elements, row, *operands)


def gains(loop: For, read: Mapping[Value, Let], around: Set[Value]) -> bool:
    """Whether a loop becomes faster if what it reads, the values in `read`, is checked before it.

    around: what the blocks around it define: its bounds are among these, where it may be short.
    """
    if not is_straight(loop) or around.isdisjoint(values_in((loop.start, loop.stop))):
        return False
    accesses = [s for s in walk(loop.body) if isinstance(s, Let) and s.function in primitives.ACCESSES]
    found = [s for s in accesses if any(v in read for v in values_in(s.operands[1]))]
    return all(s.function is primitives.load for s in found) and work_of(loop.body.statements) >= LEAST_WORK * len(
        found
    )


def element_check(read: Let, loop: For, defined: Set[Value], ranges: Ranges, extent: Form) -> ElementCheck | None:
    """The check of all elements that a loop reads like this one; None where they are not known before it.

    defined: what the iterations make. extent: the size of the axis that they are indices of.
    """
    array, (step,) = read.operands
    forms = [ranges.form(item) for item in step.items]
    moving = [k for k, form in enumerate(forms) if form.of(loop.index)]
    others = [form for k, form in enumerate(forms) if k not in moving]
    if array in defined or len(moving) != 1 or loop.step not in (constant(1), constant(-1)):
        return None
    along, reach = forms[moving[0]], ranges.reach(loop)
    first, last = over(along, loop.index, reach), over(along, loop.index, reach[::-1])
    if along.of(loop.index) != 1 or any(mentions(form, defined) for form in (*others, extent, first, last)):
        return None
    items = tuple(Slice(None, None, None) if k in moving else item for k, item in enumerate(step.items))
    return ElementCheck(array, items, first, last, extent)
