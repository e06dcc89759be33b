"""Several tangents in one sweep: each gets an axis more, the last one, along which the columns lie side by side.

for column in range(n):                    for lane in range(n):
    s_dot = x_dot[i] * c            →          s_dot = X_dot[i, lane] * c
    y_dot[i] = s_dot                           Y_dot[i, lane] = s_dot

What does not depend on the column, as `c` and all conditions and numbers of iterations, is computed once for all. The
innermost loops go over columns, one behind the other in memory, and are vectorised by the compiler.

>>> import numpy as np, pullback as pb
>>> def f(x):
...     y = np.zeros(3)
...     for i in range(3):
...         y[i] = np.exp(x[i]) * x[0]
...     return y
>>> text = pb.inspect_source(pb.jacfwd(f), np.ones(3))
>>> print(text[text.index("exp_x_i =") : text.index(" + exp_x_i")])
exp_x_i = vm.exp(x[i])
            x_0 = x[0]
            # ...
            for k in range(lane_end):
                jacobian[i, np.uint64(scaled_strip + k)] = x_0 * (exp_x_i * unit[i, k])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.analysis.aliases import consumes
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_undefined,
    read_by,
    results_of,
    values_in,
)
from pullback.ir.rewrite import copied, like, renamed
from pullback.ir.types import INT, Array, Scalar
from pullback.transform.requests.varying import NotSideBySideError, Varying, mentioned

_CREATING = primitives.CREATING | {np.full, primitives.zeros_like}


class Lanes:
    """Statements for columns side by side.

    wide: the arrays that stand for tangents, with the axis of the columns. terms: what is the same for all of them.
    width: how many columns there are. room: how many fit into the arrays.
    """

    def __init__(
        self,
        builder: Builder,
        statements: Iterable[Statement],
        tangent: Value,
        targets: Iterable[Operand],
        shared: frozenset[Value],
        width: Operand,
        room: Operand,
    ) -> None:
        """tangent: stands for that of the source. targets: what is read later. shared: what was computed before."""
        self.builder, self.width, self.room, self.shared = builder, width, room, shared
        self.statements = tuple(statements)
        self.reads = Counter(v for s in self.statements for v in read_by(s)) + Counter(values_in(tuple(targets)))
        self.present: dict[Value, Value] = {}
        self.varying = Varying(self.statements, tangent).values
        self.terms: dict[Value, Operand] = {}
        self.wide: dict[Value, Value] = {}
        self.pending: list[Let | If] = []

    def varies(self, operand: Operand) -> bool:
        return any(value in self.varying for value in values_in(operand))

    def array(self, value: Value) -> Value:
        """The present version of an array, or row of numbers, that holds tangents."""
        found = self.present.get(value) or self.wide.get(value)
        if found is None:
            raise NotSideBySideError
        return found

    # Statements

    def run(self) -> None:
        """Append the statements, for all columns."""
        self.block(self.statements)
        self.flush(())

    def block(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case Let() if statement.value in self.varying and statement.function in _CREATING:
                    self.create(statement)
                case Let() if statement.value in self.varying:
                    self.check_element(statement)
                    self.pending.append(statement)
                case If() if any(result in self.varying for result in statement.results):
                    self.check_branches(statement)
                    self.branch(statement)
                case For() if self.is_touched(statement):
                    self.flush(())
                    self.loop(statement)
                case Effect():
                    pass
                case _:
                    self.builder.add(copied(statement, self.terms))

    def is_touched(self, statement: For) -> bool:
        return not self.varying.isdisjoint(mentioned(Block((statement,))))

    def branch(self, statement: If) -> None:
        """What a branch computes for all columns, and what it computes for each."""
        common = [k for k, result in enumerate(statement.results) if result not in self.varying]
        if common:
            self.builder.add(copied(_with_results(statement, common, self.varying), self.terms))
            for value in self.shared.intersection(statement.results):
                self.terms.pop(value, None)
        own = [k for k in range(len(statement.results)) if k not in common]
        self.pending.append(_with_results(statement, own, set()))

    def check_element(self, statement: Let) -> None:
        """Only numbers, and elements of arrays that hold tangents."""
        if statement.function in primitives.ACCESSES:
            array, path, *values = statement.operands
            whole = len(path) == 1 and isinstance(path[0], Index) and len(path[0].items) == array.type.ndim
            plain = whole and all(isinstance(i, Value | Constant) and isinstance(i.type, Scalar) for i in path[0].items)
            if plain and array in self.varying and not self.varies(path) and all(map(is_number, values)):
                return
        elif isinstance(statement.value.type, Scalar) and all(map(is_number, statement.operands)):
            return
        raise NotSideBySideError

    def check_branches(self, statement: If) -> None:
        for inner in (*statement.then.statements, *statement.orelse.statements):
            if not isinstance(inner, Let) or isinstance(inner.value.type, Array):
                raise NotSideBySideError
            if inner.value in self.varying:
                self.check_element(inner)
            elif consumes(inner):
                raise NotSideBySideError
        if any(isinstance(r.type, Array) for r in statement.results) or any(map(is_undefined, yields(statement))):
            raise NotSideBySideError

    def create(self, statement: Let) -> None:
        """Memory for a tangent of each column."""
        value = statement.value
        function: Callable[..., Any] = np.zeros
        keywords: tuple[str, ...] = ("dtype",)
        if statement.function is primitives.zeros_like:
            sizes, others = self.sizes_of(statement.operands[0]), [Constant(value.type.dtype)]
        else:
            shape, *others = renamed(statement.operands, self.terms)
            sizes = shape if isinstance(shape, tuple) else (shape,)
            function, keywords = statement.function, statement.keywords
        if any(self.varies(o) for o in statement.operands[1:]):
            raise NotSideBySideError
        type_ = Array(value.type.dtype, value.type.ndim + 1)
        made = self.builder.let(function, (*sizes, self.room), *others, keywords=keywords, name=value.name, type_=type_)
        self.wide[value] = made

    def sizes_of(self, value: Value) -> tuple[Operand, ...]:
        """The shape of an array, of one that holds tangents without the axis of the columns."""
        if value in self.varying:
            return self.builder.dims(self.array(value))[:-1]
        return self.builder.dims(renamed(value, self.terms))

    def loop(self, statement: For) -> None:
        """A loop that all columns go through together; numbers that it carries are rows of numbers."""
        initial = [c for c in statement.carried if c.parameter in self.varying and isinstance(c.parameter.type, Scalar)]
        if any(is_undefined(c.initial) for c in initial):
            raise NotSideBySideError
        for carried in initial:
            self.wide[carried.parameter] = self.row(carried.parameter)
        if initial:
            self.flush([(c.parameter, c.initial) for c in initial])
        index = self.terms[statement.index] = like(statement.index)
        entries: list[Carried] = []
        for carried in statement.carried:
            parameter = carried.parameter
            if parameter not in self.varying:
                made = Carried(like(parameter), renamed(carried.initial, self.terms), carried.private)
                self.terms[parameter] = made.parameter
            else:
                source = parameter if isinstance(parameter.type, Scalar) else carried.initial
                made = Carried(like(self.array(source)), self.array(source))
                self.wide[parameter] = made.parameter
            entries.append(made)
        with self.builder.block() as body:
            self.block(statement.body.statements)
            after = list(zip(statement.carried, statement.body.yields, strict=True))
            self.flush([(c.parameter, y) for c, y in after if c in initial])
            ends = tuple(self.end(c.parameter, y, c in initial) for c, y in after)
        results = tuple(like(entry.parameter) for entry in entries)
        start, stop, step = renamed((statement.start, statement.stop, statement.step), self.terms)
        bounds = replace(statement, index=index, start=start, stop=stop, step=step)
        self.builder.add(replace(bounds, carried=tuple(entries), body=Block(tuple(body), ends), results=results))
        for old, result in zip(statement.results, results, strict=True):
            if old in self.varying:
                self.wide[old] = result
            elif old not in self.shared:
                self.terms[old] = result

    def end(self, parameter: Value, after: Operand, is_row: bool) -> Operand:
        """What an iteration hands to the next one."""
        if is_row:
            return self.array(parameter)
        return self.array(after) if after in self.varying else renamed(after, self.terms)

    def row(self, value: Value) -> Value:
        """Room for a number of each column."""
        return self.builder.empty((self.room,), Array(value.type.dtype, 1), value.name)

    # Loops over columns

    def flush(self, stores: Iterable[tuple[Value, Operand]]) -> None:
        """A loop over the columns for the statements that wait, which then stores numbers into rows."""
        group, self.pending = self.pending, []
        stores = list(stores)
        if not group and not stores:
            return
        made = [v for s in group for v in results_of(s) if isinstance(v.type, Scalar)]
        inside = Counter(v for s in group for v in read_by(s))
        kept = [v for v in made if self.reads[v] > inside[v] and v in self.varying]
        for value in kept:
            self.wide[value] = self.row(value)
        stores = [*((v, v) for v in kept), *stores]
        writes = [s for s in group if isinstance(s, Let) and consumes(s)]
        versions = {s.value for s in writes}
        arrays = list(dict.fromkeys(s.operands[0] for s in writes if s.operands[0] not in versions))
        rows = list(dict.fromkeys(v for v, _ in stores))
        self.present = {}
        outside = [self.array(v) for v in (*arrays, *rows)]
        parameters = [like(array) for array in outside]
        lane = Value("", INT)
        self.present = dict(zip((*arrays, *rows), parameters, strict=True))
        with self.builder.block() as body:
            terms = dict(self.terms)
            self.read(group, stores, set(made), terms, lane)
            for statement in group:
                self.copy(statement, terms, lane)
            for value, operand in stores:
                number = renamed(operand, terms)
                self.present[value] = self.stored(self.present[value], lane, number)
            ends = [self.present[self.last(group, array)] for array in arrays] + [self.present[row] for row in rows]
        results = tuple(like(array) for array in outside)
        entries = tuple(map(Carried, parameters, outside))
        zero, one = Constant(0, INT), Constant(1, INT)
        whole = For(lane, zero, self.width, one, entries, Block(tuple(body), tuple(ends)), results)
        self.builder.add(replace(whole, location=self.builder.location))
        for value, result in zip((*(self.last(group, a) for a in arrays), *rows), results, strict=True):
            self.wide[value] = result
        self.present = {}

    def last(self, group: list[Let | If], array: Value) -> Value:
        """The last version of an array that a group of statements makes."""
        for statement in group:
            if isinstance(statement, Let) and consumes(statement) and statement.operands[0] is array:
                array = statement.value
        return array

    def read(
        self, group: list[Let | If], stores: list[tuple[Value, Operand]], made: set[Value], terms: Any, lane: Value
    ) -> None:
        """Load the numbers of a column that earlier loops have stored."""
        needed = [*(v for s in group for v in read_by(s)), *values_in(tuple(o for _, o in stores))]
        for value in dict.fromkeys(needed):
            if value in self.varying and isinstance(value.type, Scalar) and value not in made:
                terms[value] = self.builder.let(primitives.load, self.array(value), (Index((lane,)),), type_=value.type)

    def copy(self, statement: Let | If, terms: dict[Value, Operand], lane: Value) -> None:
        if isinstance(statement, If):
            self.builder.add(copied(self.with_lanes(statement, lane), terms))
            return
        if statement.function not in primitives.ACCESSES or statement.operands[0] not in self.varying:
            self.builder.add(copied(statement, terms))
            return
        array, path, *values = statement.operands
        index = Index((*renamed(path[0].items, terms), lane))
        source = self.array(array)
        made = like(statement.value) if isinstance(statement.value.type, Scalar) else like(source)
        self.builder.add(replace(statement, value=made, operands=(source, (index,), *renamed(tuple(values), terms))))
        if isinstance(statement.value.type, Scalar):
            terms[statement.value] = made
        else:
            self.present[statement.value] = made

    def with_lanes(self, statement: If, lane: Value) -> If:
        """A branch whose accesses to tangents have the lane in their index."""

        def changed(block: Block) -> Block:
            return Block(tuple(map(access, block.statements)), block.yields)

        def access(inner: Any) -> Any:
            if inner.function not in primitives.ACCESSES or inner.operands[0] not in self.varying:
                return inner
            array, path = inner.operands
            return replace(inner, operands=(self.array(array), (Index((*path[0].items, lane)),)))

        return replace(statement, then=changed(statement.then), orelse=changed(statement.orelse))

    def element(self, tangent: Operand, place: tuple[Operand, ...], lane: Operand) -> Operand:
        """The number that a tangent has at a place, for a column."""
        if isinstance(tangent, Value) and tangent in self.varying:
            return self.builder.load(self.array(tangent), (Index((*place, lane)),))
        operand = renamed(tangent, self.terms)
        return self.builder.load(operand, (Index(place),)) if place else operand

    def stored(self, row: Value, lane: Value, number: Operand) -> Value:
        made = like(row)
        self.builder.add(Let(made, primitives.store, (row, (Index((lane,)),), number), location=self.builder.location))
        return made


def _with_results(statement: If, places: list[int], without: set[Value]) -> If:
    """A branch with some of its results, and without statements that make certain values."""

    def side(block: Block) -> Block:
        kept = (s for s in block.statements if without.isdisjoint(results_of(s)))
        return Block(tuple(kept), tuple(block.yields[k] for k in places))

    results = tuple(statement.results[k] for k in places)
    return replace(statement, then=side(statement.then), orelse=side(statement.orelse), results=results)


def yields(statement: If) -> tuple[Operand, ...]:
    return (*statement.then.yields, *statement.orelse.yields)


def is_number(operand: Operand) -> bool:
    """Whether an operand is a number, or no value at all."""
    return all(isinstance(value.type, Scalar) for value in values_in(operand)) and not isinstance(operand, tuple)
