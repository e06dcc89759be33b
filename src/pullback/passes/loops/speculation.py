"""Speculation of loads: elements that branches of a loop read are read before the branches, where they exist anyway.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def upwind(now, velocity, after):
...     for i in range(now.shape[0] - 1):
...         if velocity[i] > 0:
...             flux = velocity[i] * now[i]
...         else:
...             flux = velocity[i] * now[i + 1]
...         after[i] = flux
>>> function = prepared(normal_form(upwind, np.ones(4), np.ones(3), np.zeros(3)))
>>> text = emit_module([load_before_branches(function)], compiled=False, comments=False)
>>> print(text[text.index("    for") :], end="")
    for i in range(now.shape[0] - 1):
        velocity_i = velocity[i]
        now_i = now[i]
        now_next = now[i + 1]
        if velocity_i > 0:
            flux = velocity_i * now_i
        else:
            flux = velocity_i * now_next
        after[i] = flux

The branches then only compute numbers, which a compiler does for several iterations at once (if-conversion), and the
backward sweep adds to the adjoints of these elements in every iteration, by 0 where a branch is not taken. That pays
where neighbouring iterations read neighbouring elements, and do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pullback.analysis.ranges import Form
from pullback.analysis.reductions import adds_to
from pullback.analysis.straight_loops import is_straight
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    For,
    Function,
    If,
    Index,
    Let,
    Statement,
    Value,
    While,
    is_scalar,
    made_in_iterations,
    walk,
)
from pullback.passes.loops.stencil import offset_of
from pullback.passes.scalar.range_walk import RangeWalk

MOST_LOADS = 6
"""So many elements a branch may read on both sides together."""

_CHEAP = {
    np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.absolute, np.square, np.sqrt, np.minimum,
    np.maximum, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and,
    np.logical_or, np.logical_not, primitives.select, primitives.cast, primitives.load,
}  # fmt: skip
"""What a machine may do for nothing in the branch that is not taken."""


def load_before_branches(function: Function) -> Function:
    """The same function with such loads before the branches of its innermost loops."""
    callees = tuple(map(load_before_branches, function.callees))
    return replace(function, body=_Speculation(function).block(function.body), callees=callees)


class _Speculation(RangeWalk):
    """loop: the innermost one around the present statement. lets: what has been defined so far."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.loop: For | While | None = None
        self.lets: dict[Value, Let] = {}

    def let(self, statement: Let) -> list[Statement]:
        self.lets[statement.value] = statement
        return [statement]

    def inside(self, block: Block, facts: Sequence[Form], around: For | While | None) -> Block:
        outer = self.loop
        self.loop = around or outer
        made = super().inside(block, facts, around)
        self.loop = outer
        return made

    def statement(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, If) or not isinstance(self.loop, For) or not _may_be_vectorised(self.loop):
            return super().statement(statement)
        moved = self.moved(statement, self.loop)
        before: list[Statement] = []
        for let in moved:
            before += super().statement(let)
        return [*before, *super().statement(_without(statement, {id(let) for let in moved}))]

    def moved(self, branch: If, loop: For) -> list[Let]:
        """The loads of a branch, with what computes their indices; none where one of them has to stay."""
        inner = [*walk(branch.then), *walk(branch.orelse)]
        lets = [s for s in inner if isinstance(s, Let)]
        loads = [s for s in lets if s.function is primitives.load]
        if len(loads) > MOST_LOADS or not all(isinstance(s, If) or _is_cheap(s) for s in inner):
            return []
        own = {let.value: let for let in lets}
        found: list[Let] = []
        for load in loads:
            indices = self.indices(load, loop, own)
            if indices is None:
                return []
            found += [let for let in (*indices, load) if let not in found]
        return found

    def indices(self, load: Let, loop: For, own: dict[Value, Let]) -> list[Let] | None:
        """What a branch itself computes of the index of a load, which is of a neighbour and proved to be inside."""
        array, path = load.operands
        made = made_in_iterations(loop)
        items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
        shape = self.shapes.of(array)
        if array in made or len(items) != len(shape) or not all(map(is_scalar, items)):
            return None
        *rest, last = items
        if made.intersection(rest) or offset_of(last, loop.index, self.lets | own) is None:
            return None
        needed = [own[last]] if last in own else []
        for let in needed:
            self.ranges.note(let)
        inside = (self.ranges.is_inside(item, size) for item, size in zip(items, shape, strict=True))
        return needed if all(inside) else None


def _may_be_vectorised(loop: For) -> bool:
    """Whether the iterations of an innermost loop wait for each other in nothing but sums, as far as numbers go."""
    numbers = [k for k, carried in enumerate(loop.carried) if is_scalar(carried.parameter)]
    return loop.step == constant(1) and is_straight(loop) and adds_to(loop, numbers)


def _is_cheap(statement: Statement) -> bool:
    return isinstance(statement, Let) and is_scalar(statement.value) and statement.function in _CHEAP


def _without(branch: If, moved: set[int]) -> If:
    """A branch without some of its statements, which stand before it."""

    def rest(block: Block) -> Block:
        kept = (s for s in block.statements if id(s) not in moved)
        return Block(tuple(_without(s, moved) if isinstance(s, If) else s for s in kept), block.yields)

    return replace(branch, then=rest(branch.then), orelse=rest(branch.orelse))
