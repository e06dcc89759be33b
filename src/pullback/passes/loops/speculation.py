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

An addition to an element that is the same in all iterations moves behind its branch in the same way:

>>> def near(distances, cutoff, sums):
...     for i in range(sums.shape[0]):
...         for k in range(distances.shape[0]):
...             if distances[k] < cutoff:
...                 sums[i] += np.exp(-distances[k])
>>> function = prepared(normal_form(near, np.ones(4), 1.0, np.zeros(3)))
>>> text = emit_module([load_before_branches(function)], compiled=False, comments=False)
>>> print(text[text.index("        for") :], end="")
        for k in range(distances.shape[0]):
            distances_k = distances[k]
            if distances_k < cutoff:
                t1 = np.exp(-distances_k)
            else:
                t1 = -0.0
            sums[i] += t1

That changes no number: x + -0.0 is x, for both zeros as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import may_be_vectorised
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_scalar,
    made_in_iterations,
    read_by,
    read_in,
    walk,
)
from pullback.ir.rewrite import without_made
from pullback.ir.types import Array, Type, is_float
from pullback.passes.loops.stencil import offset_of
from pullback.passes.scalar.range_walk import RangeWalk

MOST_LOADS = 6
"""So many elements a branch may read on both sides together."""

CHEAP = {
    np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.absolute, np.square, np.sqrt, np.minimum,
    np.maximum, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and,
    np.logical_or, np.logical_not, primitives.select, primitives.cast, primitives.load, runtime.greater_of,
    runtime.lesser_of,
}  # fmt: skip
"""What a machine may do for nothing in the branch that is not taken."""


def load_before_branches(function: Function) -> Function:
    """The same function with such loads before the branches of its innermost loops."""
    callees = tuple(map(load_before_branches, function.callees))
    return replace(function, body=_Speculation(function).block(function.body), callees=callees)


class _Speculation(RangeWalk):
    """loop: the innermost one around the present statement. lets: what has been defined so far.

    unset: what some path leaves undefined.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.loop: For | While | None = None
        self.lets: dict[Value, Let] = {}
        self.unset = maybe_undefined(function.body)

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
        if not isinstance(statement, If) or not isinstance(self.loop, For) or not may_be_vectorised(self.loop):
            return super().statement(statement)
        moved = self.moved(statement, self.loop)
        made = {let.value for let in moved}
        before: list[Statement] = []
        for let in moved:
            before += super().statement(let)
        then, orelse = without_made(statement.then, made), without_made(statement.orelse, made)
        branch, behind = self.adding_behind(replace(statement, then=then, orelse=orelse), self.loop)
        return [*before, *super().statement(branch), *behind]

    def adding_behind(self, branch: If, loop: For) -> tuple[If, list[Let]]:
        """A branch that yields numbers where it added them to an element, and the additions to be made behind it."""
        behind: list[Let] = []
        for k, result in enumerate(branch.results):
            added = _addition(branch, k) if isinstance(result.type, Array) else None
            if added is None or not self.is_one_element(added, loop):
                continue
            array, path, addend = added.operands
            zero = Constant(-0.0, addend.type)
            sides = (side.yields[k] is added.value for side in (branch.then, branch.orelse))
            numbers = [addend if adds else zero for adds in sides]
            branch, number = yielding_numbers(branch, k, [added], numbers, addend.type)
            behind.append(replace(added, value=result, operands=(array, path, number)))
        return branch, behind

    def is_one_element(self, addition: Let, loop: For) -> bool:
        """Whether an addition is to the same element in all iterations of a loop, one that is proved to exist."""
        array, path, _ = addition.operands
        items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
        shape = self.shapes.of(array)
        if len(items) != len(shape) or not all(map(is_scalar, items)) or made_in_iterations(loop).intersection(items):
            return False
        if not self.unset.isdisjoint((array, *items)):
            return False
        return all(self.ranges.is_inside(item, size) for item, size in zip(items, shape, strict=True))

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
        if array in made or array in self.unset or len(items) != len(shape) or not all(map(is_scalar, items)):
            return None
        *rest, last = items
        needed = [own[item] for item in items if item in own]
        varying = made - {let.value for let in needed if not made.intersection(read_by(let))}
        if varying.intersection(rest) or offset_of(last, loop.index, self.lets | own) is None:
            return None
        for let in needed:
            self.ranges.note(let)
        inside = (self.ranges.is_inside(item, size) for item, size in zip(items, shape, strict=True))
        return needed if all(inside) else None


def _addition(branch: If, k: int) -> Let | None:
    """The addition of a float that one side makes to an array, which the branch yields as its k-th result."""
    for side, other in ((branch.then, branch.orelse), (branch.orelse, branch.then)):
        added = next((s for s in side.statements if isinstance(s, Let) and s.value is side.yields[k]), None)
        if added is None or added.function is not primitives.add_at or added.operands[0] is not other.yields[k]:
            continue
        array, _, addend = added.operands
        uses = Counter((*read_in(branch.then), *read_in(branch.orelse)))
        if (uses[array], uses[added.value]) == (2, 1) and is_scalar(addend) and is_float(addend.type):
            return added
    return None


def yielding_numbers(
    branch: If, k: int, writes: Sequence[Let], numbers: Sequence[Operand], type_: Type
) -> tuple[If, Value]:
    """The branch with numbers as its k-th result, in place of an array that its sides wrote; and that result."""
    number = Value("", type_)
    then, orelse = (
        Block(tuple(s for s in side.statements if all(s is not write for write in writes)), _at(side.yields, k, each))
        for side, each in zip((branch.then, branch.orelse), numbers, strict=True)
    )
    return replace(branch, then=then, orelse=orelse, results=_at(branch.results, k, number)), number


def _at(items: tuple[Any, ...], k: int, item: Any) -> tuple[Any, ...]:
    return (*items[:k], item, *items[k + 1 :])


def _is_cheap(statement: Statement) -> bool:
    return isinstance(statement, Let) and is_scalar(statement.value) and statement.function in CHEAP
