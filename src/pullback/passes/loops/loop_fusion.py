"""Loop fusion: a nest that goes over the rows of what the nest before has made becomes a part of that.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def scaled(x, y):
...     sums = np.zeros(x.shape[0])
...     for i in range(x.shape[0]):
...         for j in range(x.shape[1]):
...             sums[i] += np.exp(x[i, j])
...     for k in range(x.shape[0]):
...         for j in range(x.shape[1]):
...             y[k, j] = np.exp(x[k, j]) / sums[k]
>>> function = fuse_loops(prepared(normal_form(scaled, np.ones((3, 2)), np.ones((3, 2)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def scaled(x, y):
    sums = np.zeros((x.shape[0],))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            sums[i] += np.exp(x[i, j])
        sums_i = sums[i]
        for j in range(x.shape[1]):
            y[i, j] = np.exp(x[i, j]) / sums_i

A row is then read while it is in the nearest cache. That is legal where each iteration of both loops accesses, of every
array that one of them writes and the other one accesses, the row with its own index alone, and where nothing in between
needs the first loop but copies, which then come after both (Allen & Kennedy 2001, 6.2.5), and where the arrays that the
function makes have room for all iterations, so that no write may raise. Where one of the loops writes an array of the
caller, who sees it after an error, no access of the other may raise. It pays where the second loop reads what the
first one writes; loops without inner loops stay apart, as they run on vectors either way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TypeGuard

import numpy as np

from pullback.analysis.aliases import consumes, find_aliases
from pullback.analysis.ranges import Ranges
from pullback.analysis.reductions import are_reductions
from pullback.analysis.shapes import CREATING, Shapes
from pullback.analysis.sizes import Form, Size
from pullback.analysis.straight_loops import is_simple, is_straight
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    lets_in,
    read_by,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.trip_counts import counts_from_start
from pullback.ir.types import Array
from pullback.passes.scalar.range_walk import RangeWalk

_AFFINE = {np.add, np.subtract, np.multiply}


def fuse_loops(function: Function) -> Function:
    """The same function with such loops fused."""
    fusion = _Fusion(function)
    fused = replace(function, body=fusion.block(function.body))
    return fuse_loops(fused) if fusion.has_fused else function  # what stands in fused loops can be fused, too


class _Fusion:
    def __init__(self, function: Function) -> None:
        self.root = find_aliases(function).root
        self.shapes = Shapes(function)
        self.lets = lets_in(function.body)
        new = CREATING | {primitives.zeros_like}
        self.made = {self.root(let.value) for let in self.lets.values() if let.function in new}
        self.known = cache(lambda: _Known(function))
        self.uses = Counter(read_in(function.body))
        self.has_fused = False

    def block(self, block: Block) -> Block:
        statements = [with_blocks(statement, self.block) for statement in block.statements]
        k = len(statements) - 1
        while k >= 0:
            fused = self.with_next(statements, k)
            k, statements = (k - 1, statements) if fused is None else (k, fused)
        return Block(tuple(statements), block.yields)

    def with_next(self, statements: list[Statement], k: int) -> list[Statement] | None:
        """The statements with a loop and the next one fused; None where there is no such next one."""
        first = statements[k]
        if not isinstance(first, For) or not _is_simple(first):
            return None
        made = set(first.results)
        copies: list[Let] = []
        for j in range(k + 1, len(statements)):
            second = statements[j]
            if isinstance(second, For):
                between = [s for s in statements[k + 1 : j] if not any(s is copy for copy in copies)]
                fits = _is_simple(second) and self.is_legal(first, second) and self.pays(first, second)
                if not fits or not all(self.may_come_after(copy, second) for copy in copies):
                    return None
                self.has_fused = True
                return [*statements[:k], *between, _fused(first, second), *copies, *statements[j + 1 :]]
            if _copies_result(second) and second.operands[2] in made:
                copies.append(second)
                made.add(second.value)
            elif not _may_come_before(second) or made.intersection(read_by(second)):
                return None
        return None

    def is_legal(self, first: For, second: For) -> bool:
        if first.start != second.start or self.shapes.made_size(first.stop) != self.shapes.made_size(second.stop):
            return False
        if not counts_from_start(first):
            return False
        read = set(read_by(second))
        if any(is_scalar(result) and result in read for result in first.results):
            return False
        taken = {carried.initial for carried in second.carried}
        if any(self.uses[result] != 1 for result in first.results if result in taken):
            return False
        if any(self.is_seen(one) and not self.never_raises(other) for one, other in ((first, second), (second, first))):
            return False
        accesses = [(access, loop) for loop in (first, second) for access in _accesses(loop)]
        written = {self.root(a.operands[0]) for a, _ in accesses if a.function is not primitives.load}
        of_first, of_second = ({self.root(a.operands[0]) for a in _accesses(loop)} for loop in (first, second))
        if not all(self.is_inside(a, first) for a in _accesses(first) if self.root(a.operands[0]) in of_second):
            return False
        return all(
            _have_own_parts([(access, loop) for access, loop in accesses if self.root(access.operands[0]) is root])
            for root in written & of_first & of_second
        )

    def is_seen(self, loop: For) -> bool:
        """Whether a loop may write arrays of the caller, who sees after an error how far it has come."""
        writes = (access for access in _accesses(loop) if access.function is not primitives.load)
        return any(self.root(access.operands[0]) not in self.lets for access in writes)

    def never_raises(self, loop: For) -> bool:
        """Whether all places that a loop accesses are proved to be there."""
        loops = {inner.index: inner for inner in (loop, *walk(loop.body)) if isinstance(inner, For)}

        def is_there(item: object, size: Size) -> bool:
            inner = loops.get(item) if isinstance(item, Value) else None
            return inner is not None and counts_from_start(inner) and self.covers(size, inner)

        for access in _accesses(loop):
            path = access.operands[1]
            if len(path) != 1 or not isinstance(path[0], Index):
                return False
            if not all(map(is_there, path[0].items, self.shapes.of(access.operands[0]))):
                return False
        return True

    def is_inside(self, access: Let, loop: For) -> bool:
        """Whether a write cannot raise, so that it may go once nobody reads what it writes."""
        if access.function is primitives.load or self.root(access.operands[0]) not in self.made:
            return True
        places = zip(access.operands[1][0].items, self.shapes.of(access.operands[0]), strict=False)
        return all(self.covers(size, loop) for item, size in places if item is loop.index)

    def covers(self, size: Size, loop: For) -> bool:
        """Whether a size is proved not to be below the end of a loop."""
        made = self.lets.get(size) if isinstance(size, Value) else None
        if made is not None and made.function is min:
            return all(self.covers(self.shapes.made_size(operand), loop) for operand in made.operands)
        ranges = self.known().before(loop)
        whole = ranges.of_size(size)
        return whole is not None and ranges.is_never_negative(whole.plus(ranges.form(loop.stop), -1))

    def may_come_after(self, copy: Let, loop: For) -> bool:
        """Whether a loop does not write what a copy reads, nor access what that writes."""
        target, source = self.root(copy.operands[0]), self.root(copy.operands[2])
        taken = {self.root(c.initial) for c in loop.carried if isinstance(c.initial, Value)}
        return source not in taken and target not in taken | {self.root(a.operands[0]) for a in _accesses(loop)}

    def pays(self, first: For, second: For) -> bool:
        """Whether the second loop loads what the first one writes, and is no harder to vectorise with it."""
        if is_straight(first) != is_straight(second):
            return False
        if is_straight(first) and not (_may_be_vectorised(first) and _may_be_vectorised(second)):
            return False
        written = {self.root(a.operands[0]) for a in _accesses(first) if a.function is not primitives.load}
        return any(a.function is primitives.load and self.root(a.operands[0]) in written for a in _accesses(second))


class _Known(RangeWalk):
    """What is known of the integers of a function before each of its loops."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.facts: dict[Value, list[Form]] = {}
        self.block(function.body)

    def count(self, loop: For) -> For:
        self.facts[loop.index] = list(self.ranges.facts)
        return super().count(loop)

    def before(self, loop: For) -> Ranges:
        self.ranges.facts = self.facts[loop.index]
        return self.ranges


def _is_simple(loop: For) -> bool:
    """Whether a loop and those in it count up, compute numbers and access elements, and do nothing else."""
    if loop.step != constant(1) or loop.exits or loop.reverse or loop.parallel or loop.checkpoints is not None:
        return False
    return all(is_simple(s) or (isinstance(s, For) and not s.exits) for s in walk(loop.body))


def _may_be_vectorised(loop: For) -> bool:
    """Whether iterations of an innermost loop wait for each other in reductions only, and find none by another."""
    numbers = [k for k, carried in enumerate(loop.carried) if is_scalar(carried.parameter)]
    own = {v for s in walk(loop.body) for v in results_of(s)}
    for statement in walk(loop.body):  # an integer that is computed from the index is as good as the index
        if isinstance(statement, Let) and statement.function in _AFFINE and own.isdisjoint(read_by(statement)):
            own.discard(statement.value)
    indices = {v for access in _accesses(loop) for v in values_in((access.operands[1],))}
    return are_reductions(loop, numbers) and own.isdisjoint(indices)


def _may_come_before(statement: Statement) -> bool:
    """Whether a statement between two loops can be moved before the first, if it needs nothing of it."""
    if not isinstance(statement, Let) or consumes(statement):
        return False
    return is_simple(statement) or statement.function in CREATING or statement.function is primitives.zeros_like


def _copies_result(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement copies an array into a part of another one."""
    return isinstance(statement, Let) and statement.function is primitives.store and _is_array(statement.operands[2])


def _is_array(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _accesses(loop: For) -> Iterator[Let]:
    return (s for s in walk(loop.body) if isinstance(s, Let) and s.function in primitives.ACCESSES)


def _have_own_parts(accesses: list[tuple[Let, For]]) -> bool:
    """Whether each iteration accesses a part of an array that no other one does: along one axis, at its own index."""
    paths = [(access.operands[1], loop.index) for access, loop in accesses]
    if not all(len(path) == 1 and isinstance(path[0], Index) for path, _ in paths):
        return False
    along = zip(*([item is index for item in path[0].items] for path, index in paths), strict=False)
    return any(map(all, along)) and not any(map(_has_slices, (path[0].items for path, _ in paths)))


def _has_slices(items: tuple[object, ...]) -> bool:
    """Whether an index has other items than numbers, so that their places are not those of the axes."""
    return not all(isinstance(item, Value | Constant) and is_scalar(item) for item in items)


def _fused(first: For, second: For) -> For:
    """One loop with the bodies of both, the first one first.

    What the first one reads of an array that the second one takes over is read of what the iterations hand on: each
    reads its own part, which no other one has changed.
    """
    places = {result: k for k, result in enumerate(first.results)}
    added = [k for k, carried in enumerate(second.carried) if carried.initial not in places]
    taken = (second.carried[k] for k in added if isinstance(second.carried[k].parameter.type, Array))
    begin = substituted(first.body, {carried.initial: carried.parameter for carried in taken})
    terms: dict[Value, Operand] = {result: begin.yields[k] for result, k in places.items()}
    terms[second.index] = first.index
    for carried in second.carried:
        if carried.initial in places:
            terms[carried.parameter] = begin.yields[places[carried.initial]]
    end = substituted(second.body, terms)
    yields, results = list(begin.yields), list(first.results)
    for k, carried in enumerate(second.carried):
        if carried.initial in places:
            place = places[carried.initial]
            yields[place], results[place] = end.yields[k], second.results[k]
    return replace(
        first,
        carried=(*first.carried, *(second.carried[k] for k in added)),
        body=Block((*begin.statements, *end.statements), (*yields, *(end.yields[k] for k in added))),
        results=(*results, *(second.results[k] for k in added)),
    )
