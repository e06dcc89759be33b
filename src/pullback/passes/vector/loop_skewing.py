"""Loop skewing: the iterations of an antidiagonal of a nest run side by side, in strips of 64 rows.

DOCTEST

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
from pullback.analysis.reductions import adds_to
from pullback.analysis.shapes import Shapes
from pullback.analysis.subscripts import Loops, Places
from pullback.analysis.wavefronts import Nest, carries_flow, has_wavefronts, nest_of
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
from pullback.ir.types import INT, Array
from pullback.passes.vector.stages import AFFINE, Stages, work_of
from pullback.passes.vector.wavefront_loops import wavefronts_of

LEAST_WORK = 0
"""So many operations an iteration must have for each number that is passed from one of its loops to another."""


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
        made = wavefronts_of(nest, _gains)
        if made is None or not self.has_chain(nest, around):
            return None
        return made if has_wavefronts(nest, around, self.places()) else None

    def has_chain(self, nest: Nest, around: Loops) -> bool:
        """Whether the iterations of the inner loop wait for each other."""
        return not adds_to(nest.inner, nest.numbers) or carries_flow(nest, around, self.places())

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
    numbers = [
        loop.carried[k] for loop, places in ((nest.inner, nest.numbers), (nest.outer, nest.sums)) for k in places
    ]
    statements = [s for part in nest.parts for s in part]
    made = {v: s for s in statements for v in results_of(s) if is_scalar(v)} | {c.parameter: None for c in numbers}
    if any(is_undefined(c.initial) for c in numbers) or not unset.isdisjoint(made):
        return False
    return is_wide(nest.outer.body) or not any(v.type.weak and not _is_affine(s) for v, s in made.items())


def _is_affine(statement: Statement | None) -> bool:
    return isinstance(statement, Let) and statement.function in AFFINE and statement.value.type == INT


def _gains(stages: Stages) -> bool:
    """Whether the iterations of a wavefront have enough to compute, and nothing to load while they do."""
    passed = [v for values in stages.passed() for v in values]
    loads = any(isinstance(s, Let) and s.function is primitives.load for s in walk(Block(tuple(stages.arithmetic))))
    return not loads and work_of(stages.arithmetic) >= LEAST_WORK * len(passed)
