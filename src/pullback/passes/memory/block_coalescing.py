"""Block coalescing: an array that is kept for the backward sweep is made where it is kept, and not copied there.

>>> import numpy as np, pullback as pb
>>> def f(x):
...     y = np.exp(x)
...     for i in range(3):
...         y = y[1:] * y[:-1]
...     return y[0]
>>> lines = pb.inspect_source(f, np.ones(9)).splitlines()
>>> first = lines.index("    y_count = 0")
>>> for line in lines[first - 2 : first + 13]:
...     if "#" not in line:
...         print(line)
    y_saved2 = reserve(y_saved2, y.shape[0] * (min(3, y.shape[0] + 2) + 1))
    y_saved2 = push_block(y_saved2, 0, y)
    y_count = 0
    for i in range(3):
        y_size = y.shape[0]
        y_size_saved[i] = y_size
        y_count = checked_add(y_count, y_size, 3)
        i_end = y_size - 1
        i_trips = max(i_end, 0)
        y_saved2 = reserve(y_saved2, y_count + i_trips)
        y2 = block_of(y_saved2, y_count, (i_trips,))
        for i in range(i_end):

This is the coalescing of copies (Chaitin 1982) for blocks of memory. A block is kept on a stack, above those of earlier
iterations. Two kinds of arrays can be made there: one that an iteration makes and pushes, and one that an iteration
makes and hands to the next, which pushes it. Of the latter the first one is pushed before the loop, and the last one
lies above the top of the stack.

It is legal where nothing writes to the array once it is kept, and where no result of the function may share its memory.
Where an iteration hands its array to the next, nothing is pushed after the loop in an iteration of one around it, which
does not hand on the array.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import partial, reduce
from typing import TypeGuard

import numpy as np

from pullback import runtime
from pullback.analysis.dependence import is_size
from pullback.analysis.made_arrays import MadeArrays, between, sizes_of
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    defined_in,
    is_undefined,
    values_in,
    walk,
)
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.runtime import checked_subtract


def coalesce_blocks(function: Function) -> Function:
    """The same function with such arrays made on their stacks."""
    if not any(map(_is_push, walk(function.body))):
        return function
    coalescing = _Coalescing(function)
    return replace(function, body=coalescing.block(coalescing.loops(function.body)))


class _Coalescing(MadeArrays):
    def loops(self, block: Block, earlier: Set[Value] = frozenset(), around: tuple[For | While, ...] = ()) -> Block:
        """A block, whose loops may hand on arrays that are kept.

        earlier: what is defined before the block. around: the loops around it.
        """
        statements: list[Statement] = []
        for k, statement in enumerate(block.statements):
            known = {*earlier, *defined_in(Block(block.statements[:k]))}
            outer = (*around, statement) if isinstance(statement, For | While) else around
            changed = with_blocks(statement, partial(self.loops, earlier=known, around=outer))
            statements += self.handing_on(changed, known, around) if isinstance(changed, For | While) else [changed]
        return Block(tuple(statements), block.yields)

    def block(self, block: Block) -> Block:
        """A block and those inside, with arrays that are pushed where they are made."""
        block = Block(tuple(with_blocks(statement, self.block) for statement in block.statements), block.yields)
        for push in filter(_is_push, block.statements):
            maker = self.sized_maker(push.operands[2], block)
            if maker is not None and self.is_private(push, maker, block):
                block = self.with_block(block, push, maker, push.operands[1], push.operands[2])
        return block

    def is_private(self, push: Let, maker: Let, block: Block) -> bool:
        """Whether the stack is there when the array is made, and all writes to the array are before it is pushed."""
        made = {*defined_in(between(block, maker.value, push.value))}
        if not made.isdisjoint(values_in(push.operands[:2])):
            return False
        return all(write in made for write in self.writes_to(maker.value))

    def handing_on(self, loop: For | While, earlier: Set[Value], around: tuple[For | While, ...]) -> list[Statement]:
        """The loop, with arrays that the next iteration pushes made on their stacks; before it, the first is pushed."""
        pushed: list[Statement] = []
        for push in filter(_is_push, loop.body.statements):
            found = self.handed_on(push, loop, earlier)
            if found is not None and not self.outlives(found[0].value, around):
                before, stack = self.pushed_before(loop, push, found[0])
                pushed += before
                carried = tuple(stack if c.parameter is stack.parameter else c for c in loop.carried)
                body = self.with_block(loop.body, push, *found, self.after(loop, push.operands[2]))
                loop = replace(loop, carried=carried, body=body)
        return [*pushed, loop]

    def pushed_before(self, loop: For | While, push: Let, maker: Let) -> tuple[list[Statement], Carried]:
        """What pushes the array that a loop starts with, and the stack as the loop then carries it."""
        starts = {carried.parameter: carried.initial for carried in loop.carried}
        builder = Builder()
        builder.location = push.location
        with builder.block() as before:
            stack, count, array = (starts[operand] for operand in push.operands)
            cuts = self.cuts(loop, push.operands[2], maker)
            if isinstance(loop, For) and any(cuts) and count == constant(0):
                stack = _with_room(builder, loop, stack, builder.dims(array), cuts)
            pushed = builder.let(push.function, stack, count, array, type_=push.value.type)
        return before, Carried(push.operands[0], pushed)

    def after(self, loop: For | While, parameter: Value) -> Operand:
        """What an iteration hands on for a parameter."""
        (handed_on,) = (y for c, y in zip(loop.carried, loop.body.yields, strict=False) if c.parameter is parameter)
        return handed_on

    def with_block(self, block: Block, push: Let, maker: Let, count: Operand, last: Operand) -> Block:
        """A block with an array that is made on a stack, above `count` elements, and not pushed.

        last: its last version, which the stack has too: none of the writes to it is dead.
        """
        self.moved.add(maker.value)
        builder = Builder()
        builder.location = maker.location
        sizes = sizes_of(maker)
        with builder.block() as made:
            size = sizes[0] if len(sizes) == 1 else reduce(partial(builder.let, np.multiply), sizes)
            top = builder.let(np.add, count, size)
            stack = like(push.value)
            builder.add(Let(stack, runtime.reserve, (push.operands[0], top), location=push.location))
            builder.add(Let(maker.value, runtime.block_of, (stack, count, sizes), location=maker.location))
        statements: list[Statement] = []
        for statement in block.statements:
            value = _value_of(statement)
            if value is not push.value:
                statements += made if value is maker.value else [statement]
        statements.append(Effect(primitives.evaluated, (last,), push.location))
        return substituted(Block(tuple(statements), block.yields), {push.value: stack})

    def cuts(self, loop: For | While, array: Value, maker: Let) -> tuple[int, ...]:
        """By how much each axis is shorter than in the iteration before, until nothing is left; () if that is unknown.

        0 for an axis that is as long in all iterations.
        """
        sizes, inside = sizes_of(maker), {*defined_in(loop.body)}
        cuts = tuple(self.cut(loop, array, size, axis) for axis, size in enumerate(sizes))
        is_known = all(cut or size not in inside for cut, size in zip(cuts, sizes, strict=True))
        return cuts if is_known else ()

    def cut(self, loop: For | While, array: Value, size: Operand, axis: int) -> int:
        """By how much an axis is shorter than in the iteration before; 0 if that is unknown."""
        largest = self.let(size, max)
        wanted = largest.operands[0] if largest is not None and largest.operands[1] == constant(0) else size
        falls = self.falls(loop, wanted)
        difference = self.let(wanted, np.subtract, checked_subtract)
        if falls or difference is None or not isinstance(difference.operands[1], Constant):
            return falls
        before, less = difference.operands[0], difference.operands[1].value
        dim = self.let(before, primitives.dim)
        places = {carried.parameter: k for k, carried in enumerate(loop.carried)}
        is_carried = before in places and loop.body.yields[places[before]] is size
        is_of_array = dim is not None and dim.operands == (array, constant(axis))
        return max(less, 0) if is_carried or is_of_array else 0

    def falls(self, loop: For | While, size: Operand) -> int:
        """By how much a size that is linear in the index of a loop is less in the next iteration; 0 if it is not."""
        if not isinstance(loop, For) or not isinstance(loop.step, Constant):
            return 0
        ranges = Ranges(Shapes())
        for statement in walk(loop.body):
            if isinstance(statement, Let):
                ranges.note(statement)
        step: int = loop.step.value * (-1 if loop.reverse else 1)
        return max(0, -ranges.form(size).of(loop.index) * step)

    def handed_on(self, push: Let, loop: For | While, earlier: Set[Value]) -> tuple[Let, Value] | None:
        """What makes the array that the next iteration pushes, and what counts the elements below it."""
        places = {carried.parameter: k for k, carried in enumerate(loop.carried)}
        stack, count, array = (places.get(operand) for operand in push.operands)
        yields = loop.body.yields
        if stack is None or count is None or array is None or yields[stack] is not push.value:
            return None
        maker, counted = self.sized_maker(yields[array], loop.body), yields[count]
        if maker is None or not isinstance(counted, Value) or is_undefined(loop.carried[array].initial):
            return None
        order = [_value_of(statement) for statement in loop.body.statements]
        if counted not in order[: order.index(maker.value)]:
            return None
        if any(write not in earlier and self.owner(write) is not maker.value for write in self.writes_to(maker.value)):
            return None
        pushes = (write for write in self.writes_to(push.value) if write not in earlier)
        return (maker, counted) if all(write is push.value for write in pushes) else None

    def sized_maker(self, array: Operand, block: Block) -> Let | None:
        """The statement of a block that makes the array that became this one, of sizes that are not negative."""
        maker = self.maker(array, block)
        return None if maker is None or not all(is_size(size, self.made) for size in sizes_of(maker)) else maker


def _is_push(statement: Statement) -> TypeGuard[Let]:
    return isinstance(statement, Let) and statement.function is runtime.push_block


def _value_of(statement: Statement) -> Value | None:
    return statement.value if isinstance(statement, Let) else None


def _with_room(
    builder: Builder, loop: For, stack: Operand, first: tuple[Operand, ...], cuts: tuple[int, ...]
) -> Operand:
    """A stack with room for blocks of falling sizes: for less than twice their elements, as it may get by growing.

    first: the sizes of the first block. Where several axes fall, the blocks are on average less than half of it.
    """
    axis = next(axis for axis, cut in enumerate(cuts) if cut)
    longest = first[axis] if cuts[axis] == 1 else builder.let(np.floor_divide, first[axis], constant(cuts[axis]))
    trips = trip_count(builder, loop.start, loop.stop, loop.step)
    count = builder.let(min, trips, builder.let(np.add, longest, constant(2)))
    if sum(cut > 0 for cut in cuts) > 1:
        count = builder.let(np.add, builder.let(np.floor_divide, count, constant(2)), constant(1))
    size = reduce(partial(builder.let, np.multiply), first)
    room = builder.let(np.multiply, size, builder.let(np.add, count, constant(1)))
    return builder.let(runtime.reserve, stack, room, type_=stack.type)
