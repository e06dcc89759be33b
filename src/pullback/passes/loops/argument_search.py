"""Argument search: a loop that finds the largest number and its place finds the number first, and then its place.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def largest(x):
...     top = x[0]
...     place = 0
...     for j in range(1, x.shape[0]):
...         if x[j] > top:
...             top = x[j]
...             place = j
...     return top, place
>>> function = prepared(normal_form(largest, np.ones(3)))
>>> text = emit_module([search_arguments(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def largest(x):
    top = x[0]
    j_end = 1 + max(x.shape[0] - 1, 0) // 4 * 4
    top2 = top
    top3 = top
    top4 = top
    top5 = top
    for j in range(1, j_end, 4):
        x_j = x[j]
        x_next = x[j + 1]
        element = x[j + 2]
        element2 = x[j + 3]
        if x_j > top2:
            top2 = x_j
        if x_next > top3:
            top3 = x_next
        if element > top4:
            top4 = element
        if element2 > top5:
            top5 = element2
    for j in range(j_end, x.shape[0]):
        x_j = x[j]
        if x_j > top2:
            top2 = x_j
    if not top3 > top2:
        top3 = top2
    if not top4 > top3:
        top4 = top3
    if not top5 > top4:
        top5 = top4
    if top5 > top:
        place = 1
        while not x[place] == top5:
            place += 1
        top = x[place]
    else:
        place = 0
    return top, place

The iterations of such a loop wait for one another; four maxima of a quarter of the elements each do not, and a search
ends where it finds the number, halfway on average. It is legal where the numbers are elements of arrays that the loop
does not write, and taken by a strict comparison: the place is then that of the first element that is equal to the last
one taken. A number that is NaN is never taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, For, Function, If, Index, Let, Operand, Statement, Value, While, read_in
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import BOOL, INT, Scalar, is_real_float

_AT_ONCE = 4


def search_arguments(function: Function) -> Function:
    """The same function with a search behind such loops."""
    callees = tuple(map(search_arguments, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, _block)
        found = _selection(changed) if isinstance(changed, For) else None
        statements += [changed] if found is None else found.made()
    return Block(tuple(statements), block.yields)


@dataclass(frozen=True, slots=True)
class _Selection:
    """A loop with a branch that takes a number, and with it the index.

    load: the element that is taken. comparison: whether it is taken. number: which of the carried values is the number;
    the others are the index.
    """

    loop: For
    branch: If
    load: Let
    comparison: Let
    number: int

    def made(self) -> list[Statement]:
        loop, builder = self.loop, Builder()
        builder.location = self.branch.location
        initials = tuple(carried.initial for carried in loop.carried)
        largest = self.largest(builder)
        later = self.compared(builder, largest, initials[self.number])
        with builder.block() as search:
            place = self.search(builder, largest)
            found = [place for _ in initials]
            found[self.number] = self.loaded(builder, place)
        builder.add(If(later, Block(tuple(search), tuple(found)), Block((), initials), loop.results))
        return builder.statements

    def largest(self, builder: Builder) -> Value:
        """The number, or one that is equal to it, of elements in any order."""
        loop, initial = self.loop, self.loop.carried[self.number].initial
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        quarter = builder.let(np.floor_divide, trips, constant(_AT_ONCE), type_=INT)
        done = builder.let(np.multiply, quarter, constant(_AT_ONCE), type_=INT)
        whole = done if loop.start == constant(0) else builder.let(np.add, loop.start, done, type_=INT)
        numbers = self.loop_over(builder, loop.start, whole, _AT_ONCE, [initial] * _AT_ONCE)
        numbers[:1] = self.loop_over(builder, whole, loop.stop, 1, numbers[:1])
        largest, *others = numbers
        for other in others:
            largest = self.taken(builder, other, largest)
        return largest

    def loop_over(
        self, builder: Builder, start: Operand, stop: Operand, step: int, initials: Sequence[Operand]
    ) -> list[Value]:
        """A loop that goes through the elements in steps, with a number for each element of a step."""
        index, number = like(self.loop.index), self.loop.carried[self.number].parameter
        carried = tuple(Carried(like(number), initial) for initial in initials)
        with builder.block() as body:
            at = [index if k == 0 else builder.let(np.add, index, constant(k), type_=INT) for k in range(step)]
            elements = [self.loaded(builder, place) for place in at]
            yields = [self.taken(builder, e, c.parameter) for e, c in zip(elements, carried, strict=True)]
        results = tuple(like(number) for _ in carried)
        block = Block(tuple(body), tuple(yields))
        bounds = replace(self.loop, index=index, start=start, stop=stop, step=constant(step))
        builder.add(replace(bounds, carried=carried, body=block, results=results))
        return list(results)

    def loaded(self, builder: Builder, place: Value) -> Value:
        element = like(self.load.value)
        builder.add(replace(substituted(self.load, {self.loop.index: place}), value=element))
        return element

    def compared(self, builder: Builder, element: Value, number: Operand) -> Value:
        """Whether an element would be taken in place of a number."""
        terms = {self.load.value: element, self.loop.carried[self.number].parameter: number}
        operands = (terms[operand] for operand in self.comparison.operands)
        return builder.let(self.comparison.function, *operands, type_=BOOL)

    def taken(self, builder: Builder, element: Value, number: Value) -> Value:
        result = like(number)
        condition = self.compared(builder, element, number)
        builder.add(If(condition, Block((), (element,)), Block((), (number,)), (result,)))
        return result

    def search(self, builder: Builder, largest: Value) -> Value:
        """The first index that has the largest number."""
        index, found = Value("last", INT), Value("last", INT)
        with builder.block() as condition:
            element = self.loaded(builder, index)
            same = builder.let(np.equal, element, largest, type_=BOOL)
            other = builder.let(np.logical_not, same, type_=BOOL)
        with builder.block() as body:
            after = builder.let(np.add, index, constant(1), type_=INT)
        carried = (Carried(index, self.loop.start),)
        builder.add(While(Block(tuple(condition), (other,)), carried, Block(tuple(body), (after,)), (found,)))
        return found


def _selection(loop: For) -> _Selection | None:
    """What a loop selects, if it does nothing else."""
    if loop.exits or loop.reverse or loop.step != constant(1) or len(loop.body.statements) != 3:
        return None
    load, comparison, branch = loop.body.statements
    if not (isinstance(load, Let) and isinstance(comparison, Let) and isinstance(branch, If)):
        return None
    if branch.then.statements or branch.orelse.statements or branch.condition is not comparison.value:
        return None
    if set(branch.results) != set(loop.body.yields) or not _is_element(load, loop):
        return None
    numbers = [k for k, c in enumerate(loop.carried) if c.parameter in comparison.operands]
    if len(numbers) != 1 or len(loop.carried) == 1 or comparison.function not in (np.greater, np.less):
        return None
    selection = _Selection(loop, branch, load, comparison, numbers[0])
    return selection if _takes(selection) else None


def _is_element(load: Let, loop: For) -> bool:
    """Whether a statement loads a number that is an element of an array from outside, at the index of the loop."""
    if load.function is not primitives.load or not isinstance(load.value.type, Scalar):
        return False
    path = load.operands[1]
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    return loop.index in items and is_real_float(load.value.type)


def _takes(selection: _Selection) -> bool:
    """Whether the branch takes the element for the number, and the index for all else."""
    loop, element, branch = selection.loop, selection.load.value, selection.branch
    before = loop.carried[selection.number].parameter
    if element not in selection.comparison.operands or element.type != before.type:
        return False
    taken = dict(zip(branch.results, branch.then.yields, strict=True))
    kept = dict(zip(branch.results, branch.orelse.yields, strict=True))
    wanted: list[Operand] = [loop.index for _ in loop.carried]
    wanted[selection.number] = element
    parameters = [carried.parameter for carried in loop.carried]
    is_read = set(parameters) & set(read_in(Block((selection.load,))))
    after = loop.body.yields
    return not is_read and [taken[v] for v in after] == wanted and [kept[v] for v in after] == parameters
