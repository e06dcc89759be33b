"""Non-negative indices: which indices are never negative, where a compiler would not see it.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(w, d, k):
...     s = 0.0
...     for i in range(d):
...         for j in range(i + 1, d):
...             p = j - i - 1
...             q = j - k
...             s += w[p] + w[q]  # k may be larger than j
...     return s
>>> function = normal_form(f, np.ones(3), 2, 1)
>>> found = non_negative_indices(function)
>>> [name for name, value in values_by_name(function).items() if value in found]
['p']

An index that may be negative counts from the end of its axis. Machine code would test that at each access, and a loop
with a choice of addresses is not vectorised.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, is_guard
from pullback.ir import primitives
from pullback.ir.nodes import Block, Constant, For, Function, If, Index, Let, Operand, Slice, Statement, Value, While
from pullback.ir.types import Scalar

_SMALL = {Scalar(dtype) for dtype in ("int8", "int16", "int32")}
"""Integers whose ranges are not followed."""


def non_negative_indices(function: Function) -> frozenset[Value]:
    """The integers that are an index in a loop, and are proved to be non-negative at every access."""
    finder = _Finder(function)
    finder.block(function.body)
    return frozenset(finder.non_negative - finder.others)


def possibly_negative_indices(function: Function) -> frozenset[Value]:
    """The integers that are an index, or the start of a slice, and are not proved to be non-negative at each access."""
    finder = _Finder(function)
    finder.block(function.body)
    return frozenset(finder.unproved)


def _assumes_least_sizes(function: Function) -> bool:
    """Whether a function begins with a check that a size is at least so large."""
    lets = {s.value: s for s in function.body.statements if isinstance(s, Let)}
    conditions = (lets.get(s.operands[0]) for s in function.body.statements if is_guard(s))
    compared = ((c.function, *map(type, c.operands)) for c in conditions if c is not None)
    return not {(np.less_equal, Constant, Value), (np.greater, Value, Constant)}.isdisjoint(compared)


class _Finder:
    def __init__(self, function: Function) -> None:
        self.ranges = Ranges(Shapes(function))
        self.is_guarded = _assumes_least_sizes(function)
        self.depth = 0
        self.loops: set[Value] = set()
        self.non_negative: set[Value] = set()
        self.others: set[Value] = set()
        self.unproved: set[Value] = set()

    def block(self, block: Block, facts: Iterable[Form] = ()) -> None:
        before = len(self.ranges.facts)
        self.ranges.facts += facts
        for statement in block.statements:
            self.statement(statement)
        del self.ranges.facts[before:]

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                if statement.function in primitives.ACCESSES:
                    self.access(statement)
                self.ranges.note(statement)
            case If():
                self.block(statement.then, self.known(statement.condition, self.ranges.conditions))
                self.block(statement.orelse, self.known(statement.condition, self.ranges.refuted))
            case For():
                self.count(statement)
            case While():
                self.iterations(statement.condition)
                self.iterations(statement.body, self.known(statement.condition.yields[0], self.ranges.conditions))

    def count(self, loop: For) -> None:
        """A loop; a compiler does not always see that one begins at a computed number that is not negative.

        Behind a check that a size is at least 3, LLVM takes `2 < size - 1` for `size != 3`, and forgets the rest.
        """
        if isinstance(loop.start, Constant) and not (self.is_guarded and loop.start.value > 0):
            self.loops.add(loop.index)
        self.iterations(loop.body, self.ranges.loop_facts(loop))

    def iterations(self, body: Block, facts: Iterable[Form] = ()) -> None:
        self.depth += 1
        self.block(body, facts)
        self.depth -= 1

    def known(self, condition: Operand, facts: dict[Value, tuple[Form, ...]]) -> tuple[Form, ...]:
        return facts.get(condition, ()) if isinstance(condition, Value) else ()

    def access(self, statement: Let) -> None:
        for step in statement.operands[1]:
            for item in step.items if isinstance(step, Index) else ():
                if isinstance(item, Slice) and isinstance(item.start, Value):
                    self.start(item.start)
                if isinstance(item, Value) and item.type in _SMALL:
                    self.unproved.add(item)
                if isinstance(item, Value) and isinstance(item.type, Scalar) and item.type.dtype == "int64":
                    form = self.ranges.sure(item)
                    is_proved = self.ranges.is_never_negative(form)
                    if not is_proved:
                        self.unproved.add(item)
                    if self.is_plain(form):
                        continue
                    if not is_proved:
                        self.others.add(item)
                    elif self.depth:
                        self.non_negative.add(item)

    def start(self, operand: Value) -> None:
        if not self.ranges.is_never_negative(self.ranges.sure(operand)):
            self.unproved.add(operand)

    def is_plain(self, form: Form) -> bool:
        """Whether an index is that of such a loop, or so many after or before it: a compiler knows its range."""
        return len(form.terms) == 1 and form.terms[0][0] in self.loops and form.terms[0][1] == 1
