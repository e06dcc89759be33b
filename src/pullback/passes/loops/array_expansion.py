"""Adjoint array expansion: the additions of a stencil over rows and columns to an adjoint become stores to an array
that has a place for each iteration, and another nest adds them up.

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
>>> gathered = scatter_to_gather(function, parallel=True)
>>> text = emit_module([gathered], compiled=False, comments=False)
>>> print(text[text.index("    if") : text.index("    else")], end="")
    if max(x.shape[0], 0) * (max(x.shape[1], 0) * 6 + 2) >= 500000:
        i_trips = max(x.shape[0], 0)
        j_trips = max(x.shape[1], 0)
        plane = np.empty((i_trips + 2, j_trips + 2), dtype=np.float64)
        plane[:1, :] = 0.0
        plane[i_trips + 1:, :] = 0.0
        plane[:, :1] = 0.0
        plane[:, j_trips + 1:] = 0.0
        for i in range(x.shape[0]):
            i_plus_one = i + 1
            i_plus_one = i + 1
            for j in range(x.shape[1]):
                j_plus_one = j + 1
                plane[i_plus_one, j + 1] = x[i, j]
        if 0 < x.shape[0] and 0 < x.shape[1]:
            j_end = x.shape[1] + 1
            for i in range(x.shape[0] + 1):
                i_plus_one = i + 1
                for j in range(j_end):
                    y[i, j] += plane[i_plus_one, j + 1] + plane[i, j] + plane[i, j + 1]

That takes the memory of an array for each contribution, where line buffers (`line_buffers.py`) take a few lines. But
the iterations of either loop are independent, so that the nests can run in parallel. It is done where they have enough
to do for that; else there are line buffers. The array has zeros all around.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.dependence import find_data_sharing
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, Constant, For, If, Index, Operand, Slice, Statement, Value
from pullback.ir.rewrite import like
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT, Array, Scalar
from pullback.passes.loops.line_buffers import WHOLE, Nest, find_nest
from pullback.passes.loops.stencil import moved_by, place_in_row, without_additions


def expand_adjoint(outer: For) -> list[Statement] | None:
    """The statements in place of a nest that adds to neighbours in several rows, if that frees its iterations."""
    nest = find_nest(outer)
    return None if nest is None else _Expansion(nest).statements()


class _Expansion:
    """Makes the two nests."""

    def __init__(self, nest: Nest) -> None:
        self.outer, self.inner, self.k, self.places = nest.outer, nest.inner, nest.k, nest.places
        start = self.inner.carried[self.k].initial
        self.array = next(n for n, c in enumerate(self.outer.carried) if c.parameter is start)
        rows, columns = [p.row for p in self.places], [p.column for p in self.places]
        self.first_row, self.last_row = min(rows), max(rows)
        self.first_column, self.last_column = min(columns), max(columns)
        self.height, self.width = self.last_row - self.first_row, self.last_column - self.first_column
        self.type = Array(self.outer.carried[self.array].parameter.type.dtype, 2)
        self.addends = list(dict.fromkeys(p.addition.addend for p in self.places))
        self.builder = Builder()
        self.builder.location = self.outer.location

    def statements(self) -> list[Statement] | None:
        """The expanded arrays, the nest that writes them, and the one that reads them; None if the first is a chain."""
        builder, outer, inner = self.builder, self.outer, self.inner
        expanded = [self.expanded_array() for _ in self.addends]
        first, filled = self.scatter(expanded)
        if find_data_sharing(first) is None:
            return None
        builder.add(first)
        is_long = builder.let(np.less, outer.start, outer.stop)
        is_wide = builder.let(np.less, inner.start, inner.stop)
        both = builder.let(np.logical_and, is_long, is_wide)
        result = outer.results[self.array]
        before = outer.carried[self.array].initial
        with builder.block() as inside:
            last = self.gather(before, filled)
        builder.add(If(both, Block(tuple(inside), (last,)), Block((), (before,)), (result,), outer.location))
        return builder.statements

    def expanded_array(self) -> Value:
        """Add an array with zeros around the places of the iterations."""
        builder = self.builder
        sizes = [trip_count(builder, loop.start, loop.stop, loop.step) for loop in (self.outer, self.inner)]
        spans = (self.height, self.width)
        shape = tuple(builder.let(np.add, size, constant(2 * span)) for size, span in zip(sizes, spans, strict=True))
        made = builder.let(
            np.empty, shape, Constant(self.type.dtype), keywords=("dtype",), name="plane", type_=self.type
        )
        for axis, (size, span) in enumerate(zip(sizes, spans, strict=True)):
            behind = builder.let(np.add, size, constant(span))
            for part in (Slice(None, constant(span), None), Slice(behind, None, None)) if span else ():
                items = (part, WHOLE) if axis == 0 else (WHOLE, part)
                zero = Constant(0.0, Scalar(self.type.dtype))
                made = builder.let(primitives.store, made, (Index(items),), zero, name="plane")
        return made

    def scatter(self, expanded: list[Value]) -> tuple[For, list[Value]]:
        """The nest without the array, which stores what it added, and the expanded arrays after it."""
        outer = self.outer
        parameters = list(map(like, expanded))
        results = list(map(like, expanded))
        others = [n for n in range(len(outer.carried)) if n != self.array]
        statements: list[Statement] = []
        for statement in outer.body.statements:
            if statement is self.inner:
                with self.builder.into(statements):
                    filled = self.row(parameters)
            else:
                statements.append(statement)
        carried = [Carried(p, v) for p, v in zip(parameters, expanded, strict=True)]
        made = replace(
            outer,
            carried=(*(outer.carried[n] for n in others), *carried),
            body=Block(tuple(statements), (*(outer.body.yields[n] for n in others), *filled)),
            results=(*(outer.results[n] for n in others), *results),
        )
        return made, results

    def row(self, expanded: list[Value]) -> list[Value]:
        """Add the inner loop, which stores its contributions; returns the expanded arrays after it."""
        inner, builder = self.inner, self.builder
        place = place_in_row(builder, self.outer, self.outer.index, 0, self.height)
        parameters = list(map(like, expanded))
        results = list(map(like, expanded))
        body = without_additions(inner.body, [p.addition for p in self.places])
        statements = list(body.statements)
        yields: list[Operand] = []
        with builder.into(statements):
            path = (Index((place, place_in_row(builder, inner, inner.index, 0, self.width))),)
            for addend, array in zip(self.addends, parameters, strict=True):
                yields.append(builder.let(primitives.store, array, path, addend, name="plane"))
        others = [n for n in range(len(inner.carried)) if n != self.k]
        carried = [Carried(p, v) for p, v in zip(parameters, expanded, strict=True)]
        made = replace(
            inner,
            carried=(*(inner.carried[n] for n in others), *carried),
            body=Block(tuple(statements), (*(body.yields[n] for n in others), *yields)),
            results=(*(inner.results[n] for n in others), *results),
        )
        builder.add(made)
        return results

    def gather(self, array: Value, expanded: list[Value]) -> Value:
        """Add the nest that adds up the contributions to each element; returns the last version of the array."""
        builder, outer, inner = self.builder, self.outer, self.inner
        row, column = Value(outer.index.name, INT), Value(inner.index.name, INT)
        bounds = [
            (moved_by(builder, loop.start, first), moved_by(builder, loop.stop, last))
            for loop, first, last in (
                (outer, self.first_row, self.last_row),
                (inner, self.first_column, self.last_column),
            )
        ]
        rows, columns = like(array), like(array)
        with builder.block() as in_row:
            with builder.block() as in_column:
                path = (Index((*self.places[0].addition.rest[:-1], row, column)),)
                last = builder.let(primitives.add_at, columns, path, self.total(row, column, expanded), name=array.name)
            of_row = like(array)
            body = Block(tuple(in_column), (last,))
            carried = (Carried(columns, rows),)
            builder.add(For(column, *bounds[1], constant(1), carried, body, (of_row,), location=inner.location))
        result = like(array)
        body = Block(tuple(in_row), (of_row,))
        carried = (Carried(rows, array),)
        builder.add(For(row, *bounds[0], constant(1), carried, body, (result,), location=outer.location))
        return result

    def total(self, row: Value, column: Value, expanded: list[Value]) -> Operand:
        """What all iterations contribute to an element."""
        by_addend = dict(zip(self.addends, expanded, strict=True))
        total: Operand | None = None
        for p in sorted(self.places, key=lambda p: (p.row, -p.column)):
            place = place_in_row(self.builder, self.outer, row, p.row, self.height)
            path = (Index((place, place_in_row(self.builder, self.inner, column, p.column, self.width))),)
            part = self.builder.let(primitives.load, by_addend[p.addition.addend], path)
            total = part if total is None else self.builder.let(np.add, total, part)
        assert total is not None, "a nest with places adds something"
        return total
