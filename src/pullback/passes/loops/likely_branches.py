"""Likely branches: what the likely side of a branch keeps for the backward sweep is kept in every iteration.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.transform.derivative import prepared
>>> def logarithms(x, low):
...     kept = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         if x[i] == 0.0:
...             y = low
...         else:
...             y = np.log(x[i])
...             kept[i] = y
...         x[i] = 2.0 * y
...     total = 0.0
...     for i in range(x.shape[0]):
...         if x[i] != 0.0:
...             total += kept[i]
...     return total
>>> function = prepared(normal_form(logarithms, np.ones(4), -9.0))
>>> text = emit_module([remove_dead(keep_always(function))], compiled=True, comments=False)
>>> print(text[text.index("    for") : text.index("    total")], end="")
    for i in range(x.shape[0]):
        x_i = x2[i]
        if x_i == 0.0:
            y = 0.0
            y2 = low
        else:
            y = np.log(x_i)
            y2 = y
        kept[i] = y
        x2[i] = 2.0 * y2

Two floats are seldom equal (Ball & Larus 1993, Branch prediction for free). A branch that neither stores nor loads is a
choice between numbers, which several iterations make at once (`if_conversion.py`). That is legal where an array is made
by the function and never set as a whole, where each iteration writes its own element of it, and nothing else does: what
the other iterations have there is not defined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pullback.analysis.made_arrays import MadeArrays
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import may_be_vectorised
from pullback.ir import primitives
from pullback.ir.nodes import Block, Constant, For, Function, If, Index, Let, Statement, Value, While, lets_in, read_in
from pullback.ir.rewrite import without_made
from pullback.ir.types import Array, is_float
from pullback.passes.loops.speculation import yielding_numbers
from pullback.passes.scalar.range_walk import RangeWalk


def keep_always(function: Function) -> Function:
    """The same function with such accesses outside of the branches of its innermost loops."""
    return replace(function, body=_Speculation(function).block(function.body))


def likely_side(branch: If, lets: Mapping[Value, Let]) -> Block | None:
    """The side of a branch that is taken where two floats differ; None where it asks for something else."""
    made = lets.get(branch.condition) if isinstance(branch.condition, Value) else None
    if made is None or made.function not in (np.equal, np.not_equal) or not is_float(made.operands[0].type):
        return None
    return branch.orelse if made.function is np.equal else branch.then


class _Speculation(RangeWalk):
    """loops: those around the present statement. around: those around what makes an array."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.arrays = MadeArrays(function)
        self.lets = lets_in(function.body)
        self.writes = Counter(self.arrays.aliases.root(write.value) for write in self.arrays.writes)
        self.loops: list[For | While] = []
        self.around: dict[Value, list[For | While]] = {}

    def let(self, statement: Let) -> list[Statement]:
        if statement.function is np.empty:
            self.around[statement.value] = [*self.loops]
        return [statement]

    def inside(self, block: Block, facts: Sequence[Form], around: For | While | None) -> Block:
        self.loops += [around] if around is not None else []
        made = super().inside(block, facts, around)
        if around is not None:
            self.loops.pop()
        return made

    def statement(self, statement: Statement) -> list[Statement]:
        made = super().statement(statement)
        loop = self.loops[-1] if self.loops else None
        if not isinstance(loop, For) or not may_be_vectorised(loop):
            return made
        return [new for each in made for new in (self.split(each) if isinstance(each, If) else [each])]

    def split(self, branch: If) -> list[Statement]:
        """A branch between the loads that come before it and the stores that come behind."""
        side = likely_side(branch, self.lets)
        if side is None:
            return [branch]
        loads = self.loads(side)
        made = {load.value for load in loads}
        then, orelse = without_made(branch.then, made), without_made(branch.orelse, made)
        return [*loads, *self.storing_behind(replace(branch, then=then, orelse=orelse), side is branch.then)]

    def loads(self, side: Block) -> list[Let]:
        """The loads of a side from such arrays, of elements that are proved to be there."""
        lets = [s for s in side.statements if isinstance(s, Let) and s.function is primitives.load]
        own = lets_in(side)
        return [s for s in lets if not own.keys() & {*_items(s)} and self.is_own_element(s) and self.exists(s)]

    def exists(self, load: Let) -> bool:
        """Whether an iteration loads an element that is proved to be there."""
        shape = self.shapes.of(load.operands[0])
        return all(self.ranges.is_inside(item, size) for item, size in zip(_items(load), shape, strict=True))

    def is_own_element(self, access: Let) -> bool:
        """Whether an access is to a number of such an array, which no other iteration writes or reads."""
        owner = self.arrays.owner(access.operands[0])
        if owner not in self.around or self.writes[self.arrays.aliases.root(owner)] != 1:
            return False
        if len(_items(access)) != len(self.shapes.of(owner)):
            return False
        around = self.around[owner]
        inner = [loop for loop in self.loops if not any(loop is other for other in around)]
        return all(isinstance(loop, For) and loop.index in _items(access) for loop in inner)

    def storing_behind(self, branch: If, is_then: bool) -> list[Statement]:
        """A branch that yields numbers where one side, the likely one, stored them, and the stores behind it."""
        behind: list[Statement] = []
        for k, result in enumerate(branch.results):
            side = branch.then if is_then else branch.orelse
            made = {s.value: s for s in side.statements if isinstance(s, Let)}
            write = made.get(side.yields[k]) if isinstance(result.type, Array) else None
            if write is None or not self.may_be_sunk(branch, k, write):
                continue
            array, path, number = write.operands
            zero = Constant(0.0, number.type)
            branch, chosen = yielding_numbers(
                branch, k, [write], (number, zero) if is_then else (zero, number), number.type
            )
            behind.append(replace(write, value=result, operands=(array, path, chosen)))
        return [branch, *behind]

    def may_be_sunk(self, branch: If, k: int, write: Let) -> bool:
        """Whether a number is stored as the k-th result of a branch, and the array is read nowhere else in it."""
        if write.function is not primitives.store:
            return False
        array, _, number = write.operands
        if not is_float(number.type) or array.type.dtype != number.type.dtype:
            return False
        uses = Counter((*read_in(branch.then), *read_in(branch.orelse)))
        is_alone = (uses[array], uses[write.value]) == (2, 1) and array in (
            branch.then.yields[k],
            branch.orelse.yields[k],
        )
        own = {*lets_in(branch.then), *lets_in(branch.orelse)}
        return is_alone and own.isdisjoint(_items(write)) and self.is_own_element(write)


def _items(access: Let) -> tuple[Value, ...]:
    """The integers that choose an element."""
    path = access.operands[1]
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    values = tuple(item for item in items if isinstance(item, Value))
    return values if len(values) == len(items) else ()
