"""Rolled arrays that loops read are read where they are: with another index, and the ends of the loop by themselves.

>>> import numpy as np
>>> import pullback as pb
>>> def smoothed(u, n):
...     for step in range(n):
...         u = 0.5 * u + 0.25 * (np.roll(u, 1) + np.roll(u, -1))
...     return u[0]
>>> text = pb.inspect_source(smoothed, np.ones(9), 2, argnums=())
>>> for line in text[text.index("    for step") :].splitlines():
...     if "#" not in line:
...         print(line)
    for step in range(n):
        u3 = np.empty(u.shape, dtype=np.float64)
        u_0 = u2[0]
        u4 = 0.5 * u_0 + 0.25 * (u2[t1] + u2[1])
        u3[0] = u4
        for i in range(1, i_end):
            u4 = 0.5 * u2[np.uint64(i)] + 0.25 * (u2[np.uint64(i - 1)] + u2[np.uint64(i + 1)])
            u3[np.uint64(i)] = u4
        u4 = 0.5 * u2[i_end] + 0.25 * (u2[i_end_minus_one] + u_0)
        u3[i_end] = u4
        u2 = u3
    return u2[0]

Element k of `np.roll(u, s)` of n elements is `u[(k - s) % n]` (forward substitution). Where k is the index of an
innermost loop, the iterations in which that goes around an end of the axis are peeled (`loop_peeling.py`); the others
read a neighbour. Where other loops are inside, the remainder is computed once for all of them. The array must stay as
it is until it is read. Rolls that are added to an array are added by such a loop, too (`rolled_additions.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from pullback import runtime
from pullback.analysis.extents import base_of, can_compute, extent
from pullback.analysis.made_arrays import MadeArrays
from pullback.analysis.must_write import rank_of
from pullback.analysis.ranges import Ranges
from pullback.analysis.rolls import Roll, roll_of
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size
from pullback.analysis.straight_loops import is_innermost
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Step,
    Value,
    blocks_of,
    lets_in,
    read_in,
    values_in,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT
from pullback.passes.loops.loop_peeling import can_be_peeled, peel_these
from pullback.passes.loops.rolled_additions import add_rolls_by_loops
from pullback.passes.memory.products import written_by


def read_rolls_in_place(function: Function) -> Function:
    """The same function with the rolled arrays that only loops read left out."""
    if not any(roll_of(statement) for statement in walk(function.body)):
        return function
    function = add_rolls_by_loops(function)
    least: dict[Size, int] = {}
    while reads := _Finder(function).found():
        for size, number in reads.least.items():
            least[size] = max(number, least.get(size, 0))
        function = replace(function, body=reads.block(function.body))
    return _assuming(function, least)


def _assuming(function: Function, least: dict[Size, int]) -> Function:
    """The function, which begins with checks that sizes are at least so large."""
    builder = Builder()
    for size, number in least.items():
        is_large = builder.let(np.less_equal, constant(number), extent(size, builder))
        builder.effect(primitives.check, is_large, Constant(runtime.SizesDiffer))
    return replace(function, body=Block((*builder.statements, *function.body.statements), function.body.yields))


def split_index_sets(function: Function) -> Function:
    """The same function, whose innermost loops read around the ends of an axis in their first and last iterations."""
    loops = [s for s in walk(function.body) if isinstance(s, For) and is_innermost(s) and _wraps(s)]
    return peel_these(function, {loop.index for loop in loops}) if loops else function


def _wraps(loop: For) -> bool:
    """Whether an iteration of a loop reads elements by remainders."""
    lets = lets_in(loop.body)
    wrapped = {value for value, s in lets.items() if s.function is np.remainder and value.type == INT}
    return any(s.function is primitives.load and wrapped.intersection(values_in(s.operands)) for s in lets.values())


@dataclass(slots=True)
class _Reads:
    """The rolls that are read in place, and by the index of a loop those that it reads; how large sizes must be."""

    rolls: dict[Value, Roll] = field(default_factory=dict)
    of_index: dict[Value, list[Roll]] = field(default_factory=dict)
    least: dict[Size, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rolls)

    def block(self, block: Block, places: dict[Value, Value] | None = None) -> Block:
        """The block with such reads; `places` are the indices in the arrays, by rolls, in an iteration around."""
        places, builder = places or {}, Builder()
        for statement in block.statements:
            if isinstance(statement, Let) and statement.value in self.rolls:
                continue
            if isinstance(statement, For):
                statement = replace(statement, body=self.iteration(statement, places))
            elif isinstance(statement, Let):
                statement = self.let(statement, places)
            else:
                statement = with_blocks(statement, lambda inner: self.block(inner, places))
            builder.add(statement)
        return Block(tuple(builder.statements), block.yields)

    def iteration(self, loop: For, places: dict[Value, Value]) -> Block:
        """The body of a loop, which computes the places of the elements first."""
        builder, own = Builder(), dict[tuple[Operand, Value, int], Value]()
        builder.location = loop.location
        for roll in self.of_index.get(loop.index, ()):
            key = roll.shift, roll.array, roll.axis
            if key not in own:
                own[key] = _place(builder, loop.index, roll)
            places = {**places, roll.value: own[key]}
        body = self.block(loop.body, places)
        return Block((*builder.statements, *body.statements), body.yields)

    def let(self, statement: Let, places: dict[Value, Value]) -> Let:
        array = statement.operands[0] if statement.operands else None
        if statement.function is not primitives.load or array not in self.rolls:
            return statement
        roll, (index,) = self.rolls[array], statement.operands[1]
        items = list(index.items)
        items[roll.axis] = places[array]
        return replace(statement, operands=(roll.array, (Index(tuple(items)),)))


def _place(builder: Builder, index: Value, roll: Roll) -> Value:
    """Where the element of an index of a rolled array is in the array."""
    size = builder.dim(roll.array, roll.axis)
    if isinstance(roll.shift, Constant) and roll.shift.value < 0:
        moved = builder.let(np.add, index, constant(-roll.shift.value), type_=INT)
    else:
        moved = builder.let(np.subtract, index, roll.shift, type_=INT)
    return builder.let(np.remainder, moved, size, type_=INT)


class _Finder:
    """Finds the rolls that may be read in place."""

    def __init__(self, function: Function) -> None:
        self.body = function.body
        self.ranges = Ranges(Shapes(function))
        self.arrays = MadeArrays(function)
        self.uses = Counter(read_in(function.body))
        self.given = set(function.parameters)

    def found(self) -> _Reads:
        """The rolls, without those that loops would have to be split for that cannot be."""
        reads = dict(self.in_block(self.body))
        of_loop: defaultdict[Value, list[Roll]] = defaultdict(list)
        loops = {}
        for roll, around in reads.items():
            for loop in around:
                of_loop[loop.index].append(roll)
                loops[loop.index] = loop
        refused = {
            roll for index, rolls in of_loop.items() if not self.can_be_split(loops[index], rolls) for roll in rolls
        }
        made = _Reads({roll.value: roll for roll in reads if roll not in refused})
        for index, rolls in of_loop.items():
            made.of_index[index] = [roll for roll in rolls if roll not in refused]
            if made.of_index[index] and is_innermost(loops[index]):
                size = self.size(made.of_index[index][0])
                if not isinstance(size, int):
                    made.least[size] = max(sum(_ends(made.of_index[index])), made.least.get(size, 0))
        return made

    def size(self, roll: Roll) -> Size:
        """The size of the rolled axis."""
        return self.ranges.shapes.of(roll.array)[roll.axis]

    def can_be_split(self, loop: For, rolls: list[Roll]) -> bool:
        """Whether the iterations of a loop that read around an end can be peeled, if it is an innermost one."""
        if not is_innermost(loop):
            return True
        if not all(isinstance(roll.shift, Constant) and self.is_large(roll, sum(_ends(rolls))) for roll in rolls):
            return False
        return can_be_peeled(loop, *_ends(rolls), 2 * len({roll.shift for roll in rolls}))

    def is_large(self, roll: Roll, number: int) -> bool:
        """Whether the rolled axis has so many elements, or what has them is known when the function is entered."""
        size = self.size(roll)
        if isinstance(size, int):
            return size >= number
        return can_compute(size) and self.given.issuperset(values_in(base_of(size)))

    def in_block(self, block: Block) -> Iterator[tuple[Roll, list[For]]]:
        """The rolls that nothing but loops read, with the loops whose indices are those of the rolled axis."""
        for k, statement in enumerate(block.statements):
            for inner in blocks_of(statement):
                yield from self.in_block(inner)
            roll = roll_of(statement)
            if roll is not None:
                loops = self.loops(roll, block.statements[k + 1 :])
                if loops:
                    yield roll, loops

    def loops(self, roll: Roll, statements: tuple[Statement, ...]) -> list[For]:
        """The loops over the rolled axis; none if something else reads the rolled array, or the array changes first."""
        last = max((k for k, s in enumerate(statements) if roll.value in read_in(Block((s,)))), default=-1)
        loads = list(_loads(roll, Block(statements[: last + 1]), ()))
        changed = written_by(statements[: last + 1])
        if len(loads) < self.uses[roll.value] or any(self.arrays.may_share(roll.array, other) for other in changed):
            return []
        found = {}
        for items, loops in loads:
            loop = next((loop for loop in loops if loop.index is items[roll.axis]), None)
            if loop is None or not self.stays_inside(loop, roll):
                return []
            found[loop.index] = loop
        return list(found.values())

    def stays_inside(self, loop: For, roll: Roll) -> bool:
        """Whether the index of a loop is that of an element of the rolled axis in all iterations."""
        size = self.ranges.of_size(self.size(roll))
        if loop.step != constant(1) or size is None:
            return False
        least, greatest = self.ranges.reach(loop)
        return all(map(self.ranges.is_never_negative, (least, size.plus(greatest, -1).moved(-1))))


def _loads(roll: Roll, block: Block, loops: tuple[For, ...]) -> Iterator[tuple[tuple[Operand, ...], tuple[For, ...]]]:
    """The loads of single elements of a rolled array, with the loops around them."""
    for statement in block.statements:
        inner = (*loops, statement) if isinstance(statement, For) else loops
        for each in blocks_of(statement):
            yield from _loads(roll, each, inner)
        if isinstance(statement, Let) and statement.function is primitives.load and statement.operands[0] is roll.value:
            items = _element(statement.operands[1], rank_of(roll.array))
            if items is not None:
                yield items, loops


def _element(path: tuple[Step, ...], rank: int) -> tuple[Operand, ...] | None:
    """The integers that choose a single element of an array of so many axes."""
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    is_one = len(items) == rank and all(isinstance(item, Value | Constant) and item.type == INT for item in items)
    return items if is_one else None


def _ends(rolls: list[Roll]) -> tuple[int, int]:
    """How many elements rolls by constants take around the start of an axis, and around its end."""
    shifts = [roll.shift.value for roll in rolls if isinstance(roll.shift, Constant)]
    return max(0, *shifts), max(0, *(-shift for shift in shifts))
