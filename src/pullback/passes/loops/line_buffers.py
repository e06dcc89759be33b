"""Line buffers: the adjoint of a stencil over rows and columns is added to each row once, from the last few rows of
contributions, which a small array keeps.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.loops.loop_invariants import hoist_all_invariants
>>> from pullback.passes.loops.scatter_to_gather import scatter_to_gather
>>> from pullback.transform.derivative import prepared
>>> def scatter(y, x):
...     for i in range(x.shape[0]):
...         for j in range(x.shape[1]):
...             y[i, j] += x[i, j]
...             y[i + 1, j] += x[i, j]
...             y[i + 1, j + 1] += x[i, j]
>>> function = hoist_all_invariants(prepared(normal_form(scatter, np.ones((3, 4)), np.ones((2, 3)))))
>>> gathered = scatter_to_gather(function)
>>> text = emit_module([gathered], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def scatter(y, x):
    rows = np.empty((3, max(x.shape[1], 0) + 2), dtype=np.float64)
    rows[:, :] = 0.0
    is_less = 0 < x.shape[1]
    for i in range(x.shape[0]):
        i_plus_one = i + 1
        i_mod_two = i % 2
        for j in range(x.shape[1]):
            j_plus_one = j + 1
            rows[i_mod_two, j + 1] = x[i, j]
        if is_less:
            i_mod_two = i % 2
            rest = (i + 1) % 2
            for j in range(x.shape[1] + 1):
                y[i, j] += rows[i_mod_two, j + 1] + rows[rest, j] + rows[rest, j + 1]
    if 0 < x.shape[0] and is_less:
        j_end = x.shape[1] + 1
        for i in range(x.shape[0], x.shape[0] + 1):
            chosen = i % 2 if i < x.shape[0] else 2
            chosen2 = (i + 1) % 2 if i - 1 < x.shape[0] else 2
            for j in range(j_end):
                y[i, j] += rows[chosen, j + 1] + rows[chosen2, j] + rows[chosen2, j + 1]

The contributions of iteration i stand in line i % 2 of the buffer, as many lines as the stencil has rows. A row of `y`
is complete when the first iteration that adds nothing to it begins. The iterations after the last one add what is left;
the last line of the buffer has the zeros that iterations beyond the end contribute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.sizes import Form
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    If,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    made_in_iterations,
    read_in,
    values_in,
)
from pullback.ir.rewrite import like
from pullback.ir.types import INT, Array, Scalar
from pullback.passes.loops.stencil import (
    MOST_ROWS,
    Addition,
    added_to,
    giving,
    moved_by,
    offset_of,
    place_in_row,
    without_additions,
)
from pullback.passes.memory.zero_initialisation import empty_like

WHOLE = Slice(None, None, None)


@dataclass(frozen=True, slots=True)
class Place:
    """An addition, and by how many rows and columns its place is ahead of the iteration."""

    addition: Addition
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop whose inner loop adds to neighbours in several rows of the k-th array that this one carries."""

    outer: For
    inner: For
    k: int
    places: list[Place]


def buffer_lines(outer: For, zeros: Mapping[Value, Let], ranges: Callable[[], Ranges]) -> list[Statement] | None:
    """The statements in place of a nest that adds to neighbours in several rows; None for another loop.

    Where it does so with several arrays, each has lines of its own. zeros: the arrays of zeros that are there for loops
    alone; one all of whose elements are added to once is not set to 0 before.
    """
    nest = find_nest(outer)
    if nest is None:
        return None
    made = _LineBuffers(nest, zeros, ranges()).statements()
    return [part for s in made for part in _with_other_lines(s, outer, zeros, ranges)]


def _with_other_lines(
    statement: Statement, outer: For, zeros: Mapping[Value, Let], ranges: Callable[[], Ranges]
) -> list[Statement]:
    """What stands for one of the statements in place of a nest: for what is left of it, those for its other arrays."""
    if isinstance(statement, For) and statement.index is outer.index:
        return buffer_lines(statement, zeros, ranges) or [statement]
    return [statement]


def find_nest(outer: For) -> Nest | None:
    """The nest that a loop is, if it adds to neighbours in several rows."""
    if outer.exits or outer.reverse or outer.step != constant(1):
        return None
    made = made_in_iterations(outer)
    for inner in outer.body.statements:
        if (
            not isinstance(inner, For)
            or inner.step != constant(1)
            or made.intersection(values_in((inner.start, inner.stop)))
        ):
            continue
        for k in range(len(inner.carried)):
            places = _places(outer, inner, k, made)
            if places:
                return Nest(outer, inner, k, places)
    return None


def _places(outer: For, inner: For, k: int, made: set[Value]) -> list[Place]:
    """The additions of a nest to an array that it does nothing else with; empty unless they are to several rows."""
    found = added_to(inner, k)
    additions = [a for a in found if a is not None]
    carried = [n for n, c in enumerate(outer.carried) if c.parameter is inner.carried[k].initial]
    uses = Counter(read_in(outer.body))
    if not additions or len(additions) < len(found) or len(carried) != 1:
        return []
    if outer.body.yields[carried[0]] is not inner.results[k]:
        return []
    if uses[outer.carried[carried[0]].parameter] != 1 or uses[inner.results[k]] != 1:
        return []
    definitions = {s.value: s for s in outer.body.statements if isinstance(s, Let)}
    places: list[Place] = []
    for addition in additions:
        row = offset_of(addition.rest[-1], outer.index, definitions) if addition.rest else None
        if row is None or made.intersection(values_in(addition.rest[:-1])):
            return []
        places.append(Place(addition, row, addition.offset))
    if len({p.addition.addend for p in places}) > MOST_ROWS or len({p.addition.rest[:-1] for p in places}) > 1:
        return []
    rows = {p.row for p in places}
    meet = len({(p.row, p.column) for p in places}) > len(rows)
    return places if meet and len(rows) > 1 else []


class _LineBuffers:
    """Makes the loops."""

    def __init__(self, nest: Nest, zeros: Mapping[Value, Let], ranges: Ranges) -> None:
        self.outer, self.inner, self.k, self.places = nest.outer, nest.inner, nest.k, nest.places
        outer, inner, k, places = self.outer, self.inner, self.k, self.places
        self.array = next(n for n, c in enumerate(outer.carried) if c.parameter is inner.carried[k].initial)
        self.first_row, self.last_row = min(p.row for p in places), max(p.row for p in places)
        self.count = self.last_row - self.first_row + 1
        columns = [p.column for p in places]
        self.first_column, self.last_column = min(columns), max(columns)
        self.span = self.last_column - self.first_column
        self.builder = Builder()
        self.builder.location = outer.location
        dtype = outer.carried[self.array].parameter.type.dtype
        self.type = Array(dtype, 2)
        self.addends = list(dict.fromkeys(p.addition.addend for p in places))
        initial = outer.carried[self.array].initial
        zero = zeros.get(initial) if isinstance(initial, Value) else None
        self.zeros = zero if zero is not None and self.completes_all(ranges) else None

    def completes_all(self, ranges: Ranges) -> bool:
        """Whether the rows and columns that are completed are all that the array has, even without iterations."""
        shape = ranges.shapes.of(self.outer.carried[self.array].parameter)
        spans = (self.outer, self.first_row, self.last_row), (self.inner, self.first_column, self.last_column)
        return len(shape) == 2 and all(
            ranges.form(loop.start) == Form(-first) and ranges.sure(loop.stop).moved(last) == ranges.of_size(size)
            for size, (loop, first, last) in zip(shape, spans, strict=True)
        )

    def statements(self) -> list[Statement]:
        """The rows, the nest that fills them, and the iterations after it."""
        builder, inner = self.builder, self.inner
        iterations = inner.stop if inner.start == constant(0) else builder.let(np.subtract, inner.stop, inner.start)
        length = builder.let(np.add, builder.let(max, iterations, constant(0)), constant(2 * self.span))
        dtype = Constant(self.type.dtype)
        rows = []
        for _ in self.addends:
            shape = (constant(self.count + 1), length)
            made = builder.let(np.empty, shape, dtype, keywords=("dtype",), name="rows", type_=self.type)
            zero, path = Constant(0.0, Scalar(self.type.dtype)), (Index((WHOLE, WHOLE)),)
            rows.append(builder.let(primitives.store, made, path, zero, name="rows"))
        if self.zeros is not None:
            return self.storing(rows)
        filled = builder.let(np.less, inner.start, inner.stop)
        rows, array = self.nest(rows, filled)
        has_iterations = builder.let(np.less, self.outer.start, self.outer.stop)
        both = builder.let(np.logical_and, has_iterations, filled)
        with builder.block() as inside:
            last = self.ending(rows, array)
        result = self.outer.results[self.array]
        builder.add(If(both, Block(tuple(inside), (last,)), Block((), (array,)), (result,), self.outer.location))
        return builder.statements

    def storing(self, rows: list[Value]) -> list[Statement]:
        """The loops over an array without zeros, whose elements are stored."""
        assert self.zeros is not None, "an array of zeros is replaced"
        initial = like(self.zeros.value)
        self.builder.statements += empty_like(replace(self.zeros, value=initial))
        carried = list(self.outer.carried)
        carried[self.array] = replace(carried[self.array], initial=initial)
        self.outer = replace(self.outer, carried=tuple(carried))
        rows, array = self.nest(rows)
        self.ending(rows, array)
        return giving(self.builder.statements, self.outer.results[self.array])

    def nest(self, rows: list[Value], filled: Value | None = None) -> tuple[list[Value], Value]:
        """Add the loop as it was, which keeps its contributions and completes a row in each iteration.

        filled: whether the inner loop has iterations; None where that makes no difference.
        """
        outer = self.outer
        parameters = [Value("rows", self.type) for _ in rows]
        results = [Value("rows", self.type) for _ in rows]
        array = Value(outer.results[self.array].name, outer.results[self.array].type)
        with self.builder.block() as statements:
            for statement in outer.body.statements:
                if statement is self.inner:
                    kept, last = self.iteration(parameters, filled)
                else:
                    statements.append(statement)
        yields = list(outer.body.yields)
        yields[self.array] = last
        carried = [Carried(p, r) for p, r in zip(parameters, rows, strict=True)]
        self.builder.add(
            replace(
                outer,
                carried=(*outer.carried, *carried),
                body=Block(tuple(statements), (*yields, *kept)),
                results=(*outer.results[: self.array], array, *outer.results[self.array + 1 :], *results),
            )
        )
        return results, array

    def iteration(self, rows: list[Value], filled: Value | None) -> tuple[list[Value], Value]:
        """The inner loop with its contributions in rows, and the row that is complete then."""
        inner, builder = self.inner, self.builder
        slot = self.slot(self.outer.index, 0)
        parameters = [Value("rows", self.type) for _ in rows]
        results = [Value("rows", self.type) for _ in rows]
        body = without_additions(inner.body, [p.addition for p in self.places])
        yields: list[Operand] = []
        with builder.into(list(body.statements)):
            place = place_in_row(builder, inner, inner.index, 0, self.span)
            for addend, row in zip(self.addends, parameters, strict=True):
                yields.append(builder.let(primitives.store, row, (Index((slot, place)),), addend, name="rows"))
            statements = tuple(builder.statements)
        others = [n for n in range(len(inner.carried)) if n != self.k]
        carried = [Carried(p, r) for p, r in zip(parameters, rows, strict=True)]
        builder.add(
            replace(
                inner,
                carried=(*(inner.carried[n] for n in others), *carried),
                body=Block(statements, (*(body.yields[n] for n in others), *yields)),
                results=(*(inner.results[n] for n in others), *results),
            )
        )
        before = inner.carried[self.k].initial
        if filled is None:
            return results, self.completed(self.outer.index, before, results)
        result = Value(inner.results[self.k].name, inner.results[self.k].type)
        with builder.block() as inside:
            last = self.completed(self.outer.index, before, results)
        builder.add(If(filled, Block(tuple(inside), (last,)), Block((), (before,)), (result,), inner.location))
        return results, result

    def completed(self, index: Operand, array: Value, rows: list[Value], after: bool = False) -> Value:
        """Add the loop over the columns of the row that no later iteration adds to; returns the array's last version.

        after: the last iteration is over, and those behind it contribute nothing.
        """
        builder = self.builder
        by_addend = dict(zip(self.addends, rows, strict=True))
        slots = {row: self.slot(index, row - self.first_row, after) for row in sorted({p.row for p in self.places})}
        row = moved_by(builder, index, self.first_row)
        start = moved_by(builder, self.inner.start, self.first_column)
        stop = moved_by(builder, self.inner.stop, self.last_column)
        column = Value(self.inner.index.name, INT)
        parameter, result = Value(array.name, array.type), Value(array.name, array.type)
        with builder.block() as statements:
            total: Operand | None = None
            for p in sorted(self.places, key=lambda p: (p.row, -p.column)):
                path = (Index((slots[p.row], place_in_row(builder, self.inner, column, p.column, self.span))),)
                part = builder.let(primitives.load, by_addend[p.addition.addend], path)
                total = part if total is None else builder.let(np.add, total, part)
            place = (Index((*self.places[0].addition.rest[:-1], row, column)),)
            write = primitives.add_at if self.zeros is None else primitives.store
            last = builder.let(write, parameter, place, total, name=array.name)
        body = Block(tuple(statements), (last,))
        carried = (Carried(parameter, array),)
        builder.add(For(column, start, stop, constant(1), carried, body, (result,), location=self.inner.location))
        return result

    def ending(self, rows: list[Value], array: Value) -> Value:
        """Add the iterations after the last one, which contribute nothing and complete the rows that are left."""
        builder, outer = self.builder, self.outer
        index = Value(outer.index.name, INT)
        stop = moved_by(builder, outer.stop, self.count - 1)
        parameter, result = Value(array.name, array.type), Value(array.name, array.type)
        with builder.block() as statements:
            last = self.completed(index, parameter, rows, after=True)
        body = Block(tuple(statements), (last,))
        carried = (Carried(parameter, array),)
        start = outer.stop if self.zeros is None else builder.let(max, outer.start, outer.stop, type_=INT)
        builder.add(For(index, start, stop, constant(1), carried, body, (result,), location=outer.location))
        return result

    def slot(self, index: Operand, back: int, after: bool = False) -> Operand:
        """The line with the contributions of the iteration `back` steps before; never computed from a negative number.

        The last line has the zeros of iterations beyond the end of the loop.
        """
        if after:
            is_real = self.builder.let(np.less, moved_by(self.builder, index, -back), self.outer.stop)
            slot = self.slot(index, back)
            return self.builder.let(primitives.select, is_real, slot, constant(self.count), type_=INT)
        start = self.outer.start
        ahead = self.count - back if back else 0
        if isinstance(start, Constant):
            ahead -= start.value
        else:
            index = self.builder.let(np.subtract, index, start)
        return self.builder.let(np.remainder, moved_by(self.builder, index, ahead), constant(self.count))
