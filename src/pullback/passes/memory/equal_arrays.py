"""Arrays that loops fill with the same elements are one array (value numbering of arrays).

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.vanished_arrays import without_dead
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     y, z = np.empty(x.shape[0]), np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         y[i] = z[i] = 2 * x[i]
...     return y @ x + z @ z
>>> function = without_dead(share_equal_arrays(prepared(normal_form(f, np.ones(3)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def f(x):
    y = np.empty(x.shape)
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]
    return y @ x + y @ y

A sum hands its adjoint to each of its terms: those of terms that something else has made are such arrays.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np

from pullback.analysis.aliases import consumes, shares_memory
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import (
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    blocks_in,
    lets_in,
    operands_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted
from pullback.ir.types import Array, Scalar


def share_equal_arrays(function: Function) -> Function:
    """The same function, which reads one of such arrays in place of the others."""
    finder = _Finder(function)
    terms: dict[Value, Operand] = {}
    for loop in walk(function.body):
        if isinstance(loop, For):
            terms |= finder.equal(loop)
    return replace(function, body=substituted(function.body, terms)) if terms else function


class _Finder:
    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.lets = lets_in(function.body)
        self.readers: defaultdict[Value, list[Statement | None]] = defaultdict(list)  # None where a block hands it on
        for block in blocks_in(function.body):
            for statement in block.statements:
                for value in values_in(operands_of(statement)):
                    self.readers[value].append(statement)
            for value in values_in(block.yields):
                self.readers[value].append(None)

    def equal(self, loop: For) -> dict[Value, Operand]:
        """The arrays that a loop fills, each with an equal one that it fills, too."""
        found: dict[Value, Operand] = {}
        filled = [k for k, carried in enumerate(loop.carried) if self.is_filled(loop, k)]
        for one, other in combinations(filled, 2):
            first, second = loop.results[one], loop.results[other]
            if found.keys() & {first, second} or first.type != second.type:
                continue
            if self.shapes.of(first) == self.shapes.of(second) and self.same_in(loop, one, other):
                found[second] = first
        return found

    def is_filled(self, loop: For, k: int) -> bool:
        """Whether an array is made for a loop alone, and only read after it, at once."""
        made = self.lets.get(loop.carried[k].initial)
        if made is None or made.function is not np.empty or len(self.readers[made.value]) != 1:
            return False
        return all(map(_only_reads, self.readers[loop.results[k]]))

    def same_in(self, loop: For, one: int, other: int) -> bool:
        """Whether each iteration of a loop stores the same in two of the arrays that it carries."""
        pair = loop.carried[one].parameter, loop.carried[other].parameter
        return self.same(pair, (loop.body.yields[one], loop.body.yields[other]))

    def same(self, versions: tuple[Value, Value], last: tuple[Operand, Operand]) -> bool:
        """Whether statements do the same to two arrays, up to these last versions."""
        while versions != last:
            readers = [self.readers[version] for version in versions]
            if any(len(each) != 1 for each in readers):
                return False
            after = self.after(versions, readers[0][0], readers[1][0])
            if after is None:
                return False
            versions = after
        return True

    def after(
        self, versions: tuple[Value, Value], one: Statement | None, other: Statement | None
    ) -> tuple[Value, Value] | None:
        """The next versions of two arrays, if the statements that read them do the same to both."""
        match one, other:
            case Let(function=primitives.store), Let(function=primitives.store):
                if one.operands[0] is versions[0] and other.operands[0] is versions[1]:
                    return (one.value, other.value) if one.operands[1:] == other.operands[1:] else None
            case For(), For() if one is other:
                initials = [carried.initial for carried in one.carried]
                places = [initials.index(version) for version in versions if version in initials]
                if len(places) == 2 and self.same_in(one, *places):
                    return one.results[places[0]], one.results[places[1]]
        return None


def _only_reads(statement: Statement | None) -> bool:
    """Whether a statement neither writes an array nor hands its memory on."""
    if not isinstance(statement, Let) or not isinstance(statement.value.type, Array | Scalar):
        return False
    return not consumes(statement) and not shares_memory(statement)
