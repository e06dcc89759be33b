"""Scatter-to-gather: the adjoint of a stencil is added to each element of a row once, from a row of contributions.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def scatter(y, x):
...     for i in range(x.shape[0]):
...         for j in range(x.shape[1]):
...             y[i, j] += x[i, j]
...             y[i, j + 1] += x[i, j]
>>> function = prepared(normal_form(scatter, np.ones((2, 4)), np.ones((2, 3))))
>>> text = emit_module([scatter_to_gather(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def scatter(y, x):
    trips = max(x.shape[1], 0)
    trips_plus_one = trips + 1
    row = np.empty((trips + 2,), dtype=np.float64)
    for i in range(x.shape[0]):
        row[0] = -0.0
        row[trips_plus_one] = -0.0
        for j in range(x.shape[1]):
            j_plus_one = j + 1
            row[j + 1] = x[i, j]
        if 0 < x.shape[1]:
            for j in range(x.shape[1] + 1):
                y[i, j] = y[i, j] + row[j] + row[j + 1]

Where the contributions are multiples of one number, by factors that are the same in every iteration, or the number
itself with either sign, as a flux out of one cell and into the next, the row is of that number. Additions to neighbours
in memory follow one another, which bars a compiler from doing several iterations at once; neither of the new loops does
that. Outside of the backward sweep an element is added to in the order of the iterations, so that it is rounded as
before, and zeros keep their signs. The row has zeros at both ends, and is made before the loops around. Stencils over
several rows are those of `line_buffers.py` and, in parallel, `array_expansion.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.analysis.subscripts import Places
from pullback.analysis.unroll_and_jam import WIDEST
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    read_in,
)
from pullback.ir.rewrite import copied, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT, Array
from pullback.passes.loops import cost
from pullback.passes.loops.array_expansion import expand_adjoint
from pullback.passes.loops.line_buffers import buffer_lines
from pullback.passes.loops.loop_invariants import hoist_all_invariants
from pullback.passes.loops.stencil import (
    MOST_ROWS,
    Addition,
    Multiple,
    added_to,
    giving,
    moved_by,
    multiples_in,
    numbers_alone,
    place_in_row,
    without_additions,
)
from pullback.passes.memory.allocation_hoisting import hoist_allocations
from pullback.passes.memory.zero_initialisation import skip_zero_initialisation


def scatter_to_gather(function: Function, parallel: bool = False) -> Function:
    """The same function with such loops in two; `parallel`: in two with independent iterations, where that can be."""
    callees = tuple(map(scatter_to_gather, function.callees))
    places = cache(lambda: Places(function.body, Shapes(function)))
    changed = replace(function, body=_block(function.body, False, parallel, places), callees=callees)
    if changed.body == function.body:
        return function
    return hoist_allocations(skip_zero_initialisation(hoist_all_invariants(changed)))


def _block(block: Block, inside: bool, parallel: bool, places: Callable[[], Places]) -> Block:
    statements: list[Statement] = []
    zeros = _zeros_for_one_loop(block)
    for statement in block.statements:
        if isinstance(statement, For):
            statements += _nest(statement, inside, parallel, places, zeros)
        else:
            statements.append(with_blocks(statement, lambda inner: _block(inner, inside, parallel, places)))
    return Block(tuple(statements), block.yields)


def _zeros_for_one_loop(block: Block) -> dict[Value, Let]:
    """The arrays of zeros that are made in a block and read once."""
    zeros = {s.value: s for s in block.statements if isinstance(s, Let) and s.function in primitives.ZEROING}
    uses = Counter(v for v in read_in(block) if v in zeros) if zeros else Counter()
    return {value: zero for value, zero in zeros.items() if uses[value] == 1}


def _nest(
    loop: For, inside: bool, parallel: bool, places: Callable[[], Places], zeros: Mapping[Value, Let]
) -> list[Statement]:
    """A loop, and those in it, with what stands in their place; `inside` another one. zeros: arrays for one loop."""
    nest = buffer_lines(loop, zeros, lambda: places().ranges)
    expanded = expand_adjoint(loop) if parallel else None
    if nest is not None and expanded is not None:
        return _chosen(loop, expanded, nest)
    if nest is not None or expanded is not None:
        return nest or expanded or []
    changed = replace(loop, body=_block(loop.body, True, parallel, places))
    return (_with_gather(changed, places) if inside or parallel else None) or [changed]


def _chosen(loop: For, expanded: list[Statement], buffered: list[Statement]) -> list[Statement]:
    """The statements that stand for a nest: those that threads can share, where it is long, else those that do less."""
    builder = Builder()
    builder.location = loop.location
    trips = trip_count(builder, loop.start, loop.stop, loop.step)
    work = builder.let(np.multiply, trips, cost.cost_of_iteration(loop, builder))
    is_long = builder.let(np.greater_equal, work, constant(cost.LEAST_WORK))
    then, orelse = (copied(Block(tuple(each), loop.results), {}) for each in (expanded, buffered))
    builder.add(If(is_long, then, orelse, loop.results, loop.location))
    return builder.statements


def _with_gather(loop: For, places: Callable[[], Places]) -> list[Statement] | None:
    """The statements in place of a loop that adds to neighbours, in one array or several; None for another loop."""
    if loop.exits or loop.step != constant(1):
        return None
    for k in range(len(loop.carried)):
        groups = _groups(loop, k, places)
        multiples = _multiples(loop, groups)
        rows = {multiple.base for multiple in multiples.values()}
        if rows and len(rows) <= MOST_ROWS:
            made = _ScatterToGather(loop, k, groups, multiples, places().ranges).statements()
            return [part for s in made for part in _with_other_gathers(s, loop, places)]
    return None


def _with_other_gathers(statement: Statement, loop: For, places: Callable[[], Places]) -> list[Statement]:
    """What stands for one of the statements in place of a loop: for what is left of it, those for its other arrays."""
    if isinstance(statement, For) and statement.index is loop.index:
        return _with_gather(statement, places) or [statement]
    return [statement]


def _groups(loop: For, k: int, places: Callable[[], Places]) -> list[list[Addition]]:
    """The additions to a carried array by row, if some meet in one."""
    found: dict[tuple[Operand, ...], list[Addition]] = {}
    for addition in added_to(loop, k, places):
        if addition is not None:
            found.setdefault(addition.rest, []).append(addition)
    meet = any(_span(group) for group in found.values())
    return list(found.values()) if meet and all(_span(group) <= WIDEST for group in found.values()) else []


def _multiples(loop: For, groups: list[list[Addition]]) -> dict[Value, Multiple]:
    """The addends of a loop as multiples of fewer numbers, where zeros behind the ends of rows change no sum."""
    multiples = multiples_in(loop, [a for group in groups for a in group])
    if not _is_exact(groups) or all(len(signs) < 2 for signs in _signs_at_ends(groups, multiples).values()):
        return multiples
    return numbers_alone(multiples)


def _is_exact(groups: list[list[Addition]]) -> bool:
    """Whether additions are to be rounded as before: those outside of the backward sweep."""
    return not all(a.statement.location.is_adjoint for group in groups for a in group)


def _signs_at_ends(
    groups: list[list[Addition]], multiples: dict[Value, Multiple]
) -> dict[tuple[Value, bool], set[bool]]:
    """For the zeros before a row of contributions, and for those behind it (True): whether those who read them negate.

    Zeros before the first iteration are read by the additions that are ahead of others, those behind by the others.
    """
    found: dict[tuple[Value, bool], set[bool]] = {}
    for group in groups:
        offsets = [a.offset for a in group]
        for a in group:
            multiple = multiples[a.addend]
            for behind, limit in ((False, min(offsets)), (True, max(offsets))):
                if a.offset != limit:
                    found.setdefault((multiple.base, behind), set()).add(multiple.negated)
    return found


def _span(group: list[Addition]) -> int:
    offsets = [a.offset for a in group]
    return max(offsets) - min(offsets)


class _ScatterToGather:
    """Makes the two loops."""

    def __init__(
        self, loop: For, k: int, groups: list[list[Addition]], multiples: dict[Value, Multiple], ranges: Ranges
    ) -> None:
        self.loop, self.k, self.groups, self.multiples, self.ranges = loop, k, groups, multiples, ranges
        self.span = max(map(_span, groups))
        self.builder = Builder()
        self.builder.location = loop.location
        self.additions = [a for group in groups for a in group]
        self.is_exact = _is_exact(groups)
        self.signs = _signs_at_ends(groups, multiples)
        array = loop.carried[k].parameter
        bases = dict.fromkeys(multiples[a.addend].base for a in self.additions)
        self.rows = {base: Value("row", Array(array.type.dtype, 1)) for base in bases}
        self.filled = {base: Value("row", row.type) for base, row in self.rows.items()}

    def statements(self) -> list[Statement]:
        builder, loop = self.builder, self.loop
        iterations = loop.stop if loop.start == constant(0) else builder.let(np.subtract, loop.stop, loop.start)
        trips = builder.let(max, iterations, constant(0))
        length = builder.let(np.add, trips, constant(2 * self.span))
        for row in self.rows.values():
            dtype = Constant(row.type.dtype)
            builder.add(Let(row, np.empty, ((length,), dtype), ("dtype",), loop.location))
        result = loop.results[self.k]
        ends = self.with_zero_ends(trips)
        array = self.first(ends)
        if all(map(self.stays_inside, self.groups)):  # without iterations, what is gathered are zeros
            return [*builder.statements, *self.gathered(array, result)]
        has_iterations = builder.let(np.less, loop.start, loop.stop)
        with builder.block() as inside:
            last = self.second(array)
        then, orelse = Block(tuple(inside), (last,)), Block((), (array,))
        builder.add(If(has_iterations, then, orelse, (result,), loop.location))
        return builder.statements

    def stays_inside(self, group: list[Addition]) -> bool:
        """Whether the elements that additions go to exist even if the loop has no iterations."""
        size, offsets = self.size(group), [a.offset for a in group]
        if size is None:
            return False
        before, behind = self.ranges.least(self.loop.start), size.plus(self.ranges.sure(self.loop.stop), -1)
        left = before.moved(min(offsets)), behind.moved(-max(offsets))
        return all(map(self.ranges.is_never_negative, left))

    def size(self, group: list[Addition]) -> Form | None:
        """How many elements a row has to which additions go."""
        shape = self.ranges.shapes.of(self.loop.carried[self.k].parameter)
        return self.ranges.of_size(shape[len(group[0].rest)])

    def end(self, array: Value, group: list[Addition]) -> Operand:
        """The index behind the last element that additions go to."""
        last = max(a.offset for a in group)
        if last and self.ranges.sure(self.loop.stop).moved(last) == self.size(group):
            return self.builder.dim(array, len(group[0].rest))
        return moved_by(self.builder, self.loop.stop, last)

    def gathered(self, array: Value, result: Value) -> list[Statement]:
        """The loops that gather, the last of which gives the result."""
        with self.builder.block() as inside:
            self.second(array)
        return giving(inside, result)

    def with_zero_ends(self, trips: Operand) -> dict[Value, Value]:
        """The rows after zeros were written before and behind the places of the iterations."""
        ends: dict[Value, Value] = {}
        for addend, row in self.rows.items():
            for place in range(self.span):
                end = self.builder.let(np.add, trips, constant(self.span + place))
                for index, behind in ((constant(place), False), (end, True)):
                    zero = self.nothing(addend, True in self.signs.get((addend, behind), ()))
                    row = self.builder.let(primitives.store, row, (Index((index,)),), zero, name="row")
            ends[addend] = row
        return ends

    def nothing(self, addend: Value, negated: bool = False) -> Constant:
        """What changes no number that it is added to, or subtracted from; in the backward sweep, where the sign of a 0
        is nobody's, 0.
        """
        return Constant(-0.0 if self.is_exact and not negated else 0.0, addend.type)

    def first(self, ends: dict[Value, Value]) -> Value:
        """Add the loop as it was, which stores what it added; returns the array behind it.

        It carries the array only if its iterations do more with it.
        """
        loop = self.loop
        parameters = {addend: Value("row", row.type) for addend, row in self.rows.items()}
        body = without_additions(loop.body, self.additions)
        read = Counter([*read_in(body), *parameters])
        products = {addend for addend in self.multiples if not read[addend]}
        statements = [s for s in body.statements if not (isinstance(s, Let) and s.value in products)]
        yields: list[Operand] = []
        with self.builder.into(statements):
            place = place_in_row(self.builder, loop, loop.index, 0, self.span)
            for addend, row in parameters.items():
                yields.append(self.builder.let(primitives.store, row, (Index((place,)),), addend, name="row"))
        array, result = loop.carried[self.k], loop.results[self.k]
        is_unread = body.yields[self.k] is array.parameter and read[array.parameter] == 1
        kept = [j for j in range(len(loop.carried)) if j != self.k or not is_unread]
        left: Value = array.initial if is_unread else Value(result.name, result.type)
        rows = [Carried(parameters[a], ends[a]) for a in self.rows]
        changed = replace(
            loop,
            carried=(*(loop.carried[j] for j in kept), *rows),
            body=Block(tuple(statements), (*(body.yields[j] for j in kept), *yields)),
            results=(*(left if j == self.k else loop.results[j] for j in kept), *self.filled.values()),
        )
        self.builder.add(changed)
        return left

    def second(self, array: Value) -> Value:
        """Add the loops that gather; returns the last version of the array."""
        for group in self.groups:
            array = self.of_group(array, group)
        return array

    def of_group(self, array: Value, group: list[Addition]) -> Value:
        """Add the loops over one row of the array.

        Behind the ends of a row of contributions are zeros. Their multiples need not be zeros, so where there are
        factors, the elements that some of the additions do not reach have loops of their own.
        """
        offsets = [a.offset for a in group]
        first = moved_by(self.builder, self.loop.start, min(offsets))
        end = self.end(array, group)
        if all(self.multiples[a.addend].factor is None for a in group):
            return self.gather(array, group, first, end)
        inside = moved_by(self.builder, self.loop.start, max(offsets))
        outside = moved_by(self.builder, self.loop.stop, min(offsets))
        head = self.builder.let(min, inside, end, type_=INT)
        tail = self.builder.let(max, outside, head, type_=INT)
        array = self.gather(array, group, first, head, guarded=True)
        array = self.gather(array, group, inside, outside)
        return self.gather(array, group, tail, end, guarded=True)

    def gather(
        self, array: Value, group: list[Addition], start: Operand, stop: Operand, guarded: bool = False
    ) -> Value:
        """Add a loop over the elements of a row; `guarded` where not all of the additions may reach them."""
        index = Value(self.loop.index.name, INT)
        parameter, result = Value(array.name, array.type), Value(array.name, array.type)
        with self.builder.block() as statements:
            path = (Index((*group[0].rest, index)),)
            total: Operand | None = self.builder.let(primitives.load, parameter, path) if self.is_exact else None
            for a in sorted(group, key=lambda a: -a.offset):
                part = self.part(a, index, guarded)
                negated = self.multiples[a.addend].negated
                if total is not None:
                    total = self.builder.let(np.subtract if negated else np.add, total, part)
                else:
                    total = self.builder.let(np.negative, part) if negated else part
            function = primitives.store if self.is_exact else primitives.add_at
            last = self.builder.let(function, parameter, path, total, name=array.name)
        body = Block(tuple(statements), (last,))
        carried = (Carried(parameter, array),)
        self.builder.add(For(index, start, stop, constant(1), carried, body, (result,), location=self.loop.location))
        return result

    def part(self, addition: Addition, index: Value, guarded: bool) -> Value:
        """What one of the additions adds to an element."""
        builder, multiple = self.builder, self.multiples[addition.addend]
        place = Index((place_in_row(builder, self.loop, index, addition.offset, self.span),))
        part = builder.let(primitives.load, self.filled[multiple.base], (place,))
        if multiple.factor is None:
            return part
        part = builder.let(np.multiply, part, multiple.factor, type_=part.type)
        if not guarded:
            return part
        iteration = moved_by(builder, index, -addition.offset)
        after_first = builder.let(np.less_equal, self.loop.start, iteration)
        before_end = builder.let(np.less, iteration, self.loop.stop)
        reached = builder.let(np.logical_and, after_first, before_end)
        return builder.let(primitives.select, reached, part, self.nothing(part), type_=part.type)
