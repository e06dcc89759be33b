"""Loop skewing: the iterations of an antidiagonal of a nest run side by side, in strips of 64 rows.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def table(n, m):
...     r = np.ones((n + 1, m + 1))
...     for i in range(n):
...         for j in range(m):
...             r[i + 1, j + 1] = np.log(np.exp(r[i, j + 1]) + np.exp(r[i + 1, j]))
...     return r
>>> function = prepared(normal_form(table, 100, 100))
>>> text = emit_module([skew_loops(function)], compiled=False, comments=False)
>>> print(text[text.index("    if") : text.index("    else")], end="")
    if min(n, m) >= 8:
        strips = (n + 63) // 64
        m_minus_one = m - 1
        for strip in range(strips):
            scaled_strip = strip * 64
            width = min(64, n - scaled_strip)
            for wave in range(width + m_minus_one):
                first_lane = max(wave - m_minus_one, 0)
                lanes = min(wave + 1, width) - first_lane
                t1 = scaled_strip + first_lane
                t2 = wave - first_lane
                elements = np.empty((64,), dtype=np.float64)
                elements2 = np.empty((64,), dtype=np.float64)
                for k in range(lanes):
                    t3 = t1 + k
                    t4 = t2 - k
                    elements[k] = r[t3, t4 + 1]
                    elements2[k] = r[t3 + 1, t4]
                logs = np.empty((64,), dtype=np.float64)
                for k2 in range(lanes):
                    logs[k2] = np.log(np.exp(elements[k2]) + np.exp(elements2[k2]))
                for k3 in range(lanes):
                    r[t1 + k3 + 1, t2 - k3 + 1] = logs[k3]

In a table in which each element depends on its neighbours above and to the left, neither rows nor columns can be
vectorised: a wavefront can. The iterations of one are distributed into loops that load, compute and store
(`stages.py`), of which the one in the middle becomes vector instructions. A number that the inner loop carries, or that
an iteration computes before it, is an array with an element for each row of the strip (scalar expansion).
`analysis/wavefronts.py` says where that is legal. The elements of an antidiagonal are far apart in memory, so that it
pays only where there is much to compute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from pullback.analysis.aliases import Aliases, find_aliases
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.outer_vectorisation import is_wide
from pullback.analysis.recurrences import latency_of
from pullback.analysis.shapes import Shapes
from pullback.analysis.subscripts import Loops, Places
from pullback.analysis.wavefronts import Nest, has_wavefronts, nest_of
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    For,
    Function,
    Let,
    Statement,
    Value,
    While,
    is_scalar,
    is_undefined,
    results_of,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, Array, Scalar
from pullback.passes.vector.branch_distribution import AFFINE
from pullback.passes.vector.stages import Stages
from pullback.passes.vector.wavefront_loops import wavefronts_of

LEAST_LATENCY = 30
"""So many cycles an iteration must wait for the one before it: what is computed in fewer is about as fast in rows."""
LEAST_FOR_EACH = 1.4
"""So many of them there must be for each access to an element, and each number that one stage passes to another."""
MOST_PASSED = 48
"""So many of these there may be, for each of which an array is in the frame of the function."""


def skew_loops(function: Function, in_order: bool = False) -> Function:
    """The same function with such nests in wavefronts.

    in_order: not those with a sum of all elements, which is then added up in another order.
    """
    callees = tuple(skew_loops(callee, in_order) for callee in function.callees)
    if not any(isinstance(s, For) and nest_of(s) for s in walk(function.body)):
        return replace(function, callees=callees)
    return replace(function, body=_Walk(function, in_order).block(function.body, ()), callees=callees)


class _Walk:
    """A walk through a function, with what is known of it, found out when it is asked for."""

    def __init__(self, function: Function, in_order: bool) -> None:
        self.in_order = in_order
        self.given = [parameter for parameter in function.parameters if isinstance(parameter.type, Array)]
        self.aliases: Callable[[], Aliases] = cache(lambda: find_aliases(function))
        self.unset: Callable[[], set[Value]] = cache(lambda: maybe_undefined(function.body))
        self.places: Callable[[], Places] = cache(lambda: Places(function.body, Shapes(function)))

    def block(self, block: Block, around: Loops) -> Block:
        return Block(tuple(made for s in block.statements for made in self.statement(s, around)), block.yields)

    def statement(self, statement: Statement, around: Loops) -> list[Statement]:
        if isinstance(statement, For):
            if statement.parallel:
                return [statement]
            nest = nest_of(statement)
            if nest is not None:
                return self.nest(nest, around) or [statement]
        inside = (*around, statement) if isinstance(statement, For | While) else around
        return [with_blocks(statement, lambda inner: self.block(inner, inside))]

    def nest(self, nest: Nest, around: Loops) -> list[Statement] | None:
        """What stands in the place of a nest; None where it stays."""
        if self.in_order and nest.sums:
            return None
        if not _can_be_kept(nest, self.unset()) or self.shares_memory(nest):
            return None
        latency = latency_of(nest, around, self.places())
        made = wavefronts_of(nest, lambda stages: _gains(stages, latency)) if latency >= LEAST_LATENCY else None
        return made if made is not None and has_wavefronts(nest, around, self.places()) else None

    def shares_memory(self, nest: Nest) -> bool:
        """Whether an array that a nest writes may be the memory of another one that it accesses."""
        lets = (s for part in nest.parts for s in walk(Block(part)) if isinstance(s, Let))
        others = {s.operands[0] for s in lets if s.function is primitives.load} - nest.versions.keys()
        written = [nest.outer.carried[k].initial for k in sorted({*nest.versions.values()})]
        roots = {self.aliases().root(array) for array in written}
        return len(roots) < len(written) or any(self.aliases().root(a) in roots for a in (*self.given, *others))


def _can_be_kept(nest: Nest, unset: set[Value]) -> bool:
    """Whether arrays can hold the numbers of an iteration: that each is there, and is no number of Python's own.

    What meets one of those has the dtype that an element of an array would not give it.
    """
    carried = [nest.inner.carried[k] for k in nest.numbers] + [nest.outer.carried[k] for k in nest.sums]
    statements = [s for part in nest.parts for s in part]
    made = {v for s in statements for v in results_of(s) if is_scalar(v)} | {c.parameter for c in carried}
    if any(is_undefined(c.initial) for c in carried) or not unset.isdisjoint(made):
        return False
    indices = {s.value for s in statements if isinstance(s, Let) and s.function in AFFINE and s.value.type == INT}
    is_weak = any(isinstance(v.type, Scalar) and v.type.weak for v in made - indices)
    return is_wide(nest.outer.body) or not is_weak


def _gains(stages: Stages, latency: int) -> bool:
    """Whether iterations wait longer for each other than a wavefront takes to pass numbers on, and access elements."""
    passed = [v for values in stages.passed() for v in values]
    if len(passed) > MOST_PASSED:
        return False
    lets = [s for s in walk(Block((*stages.loads, *stages.arithmetic, *stages.stores))) if isinstance(s, Let)]
    accesses = [s for s in lets if s.function in primitives.ACCESSES]
    loads = any(isinstance(s, Let) and s.function is primitives.load for s in walk(Block(tuple(stages.arithmetic))))
    return not loads and latency >= LEAST_FOR_EACH * (len(passed) + len(accesses))
