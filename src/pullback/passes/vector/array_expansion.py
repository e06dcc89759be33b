"""Array expansion: the statements of an iteration in terms of arrays with a number for each lane.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.builder import constant
>>> from pullback.ir.nodes import For
>>> def f(x, y):
...     for i in range(x.shape[0]):
...         y[i] = x[i]
>>> loop = next(s for s in normal_form(f, np.ones(3), np.ones(3)).body.statements if isinstance(s, For))
>>> lanes = ArrayExpansion(Legality(loop), constant(64))
>>> lanes.terms[loop.index] = constant(5)
>>> for statement in loop.body.statements:
...     lanes.copy(statement, lanes.terms)
>>> [(s.function.__name__, s.operands[1][0].items[0].value) for s in lanes.builder.statements]
[('load', 5), ('store', 5)]
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.outer_vectorisation import Legality
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, If, Index, Let, Operand, Statement, Value, read_in, results_of, values_in
from pullback.ir.rewrite import like, renamed
from pullback.ir.types import Array

Terms = dict[Value, Operand]
Stores = list[tuple[Value, Operand]]


class ArrayExpansion:
    """What stands for the values of an iteration, and copies of its statements.

    wide: the array of a value that has a number for each lane. terms: what has one value for all. packed: loads that
    read from a packed line, and the loop along it. room: the size of the arrays.
    """

    def __init__(self, lanes: Legality, room: Operand) -> None:
        self.lanes = lanes
        self.builder = Builder()
        self.wide: dict[Value, Value] = {}
        self.terms: Terms = {}
        self.packed: dict[Value, tuple[Value, Value]] = {}
        self.room = room

    def is_number(self, value: Value) -> bool:
        """Whether a value is a number, one for each lane."""
        return value in self.lanes.varying and value not in self.lanes.private

    def version(self, operand: Operand) -> Operand:
        """What an operand is for all lanes together."""
        if isinstance(operand, Value) and operand in self.wide:
            return self.wide[operand]
        return renamed(operand, self.terms)

    def read(self, block: Block, stores: Stores, arrays: dict[Value, Value], terms: Terms, lane: Value) -> None:
        """Load what a lane reads of its own numbers; private arrays are read where they are used."""
        made = {v for s in block.statements for v in results_of(s)}
        for value in dict.fromkeys([*read_in(block), *values_in(tuple(o for _, o in stores))]):
            if value in self.lanes.private:
                if value in arrays:
                    terms.setdefault(value, arrays[value])
            elif value in self.packed:
                packed, index = self.packed[value]
                terms[value] = self.add(like(value), primitives.load, packed, (Index((terms[index], lane)),))
            elif value in arrays and value not in made:
                terms[value] = self.add(like(value), primitives.load, arrays[value], (Index((lane,)),))

    def stored(self, stores: Stores, arrays: dict[Value, Value], terms: Terms, lane: Value) -> dict[Value, Value]:
        """The arrays after a lane has stored its numbers."""
        versions: dict[Value, Value] = {}
        for value, operand in stores:
            array = versions.get(value, arrays[value])
            number = renamed(operand, terms)
            versions[value] = self.add(like(array), primitives.store, array, (Index((lane,)),), number)
        return versions

    def copy(self, statement: Statement, terms: Terms, lane: Value | None = None) -> None:
        """A plain statement in other terms; private arrays have one axis more, for the lanes."""
        if isinstance(statement, Let):
            operands = renamed(statement.operands, terms)
            if statement.function in primitives.CREATING and lane is None:
                operands = ((*operands[0], self.room), *operands[1:])
            elif statement.operands and statement.operands[0] in self.lanes.private:
                array, (index,), *rest = operands
                operands = (array, (Index((*index.items, lane)),), *rest)
            made = self.renamed_array(statement.value)
            self.builder.add(replace(statement, value=made, operands=operands))
            self.note(statement.value, made, terms, lane)
        elif isinstance(statement, If):
            condition = renamed(statement.condition, terms)
            sides = []
            for side in (statement.then, statement.orelse):
                with self.builder.block() as statements:
                    for inner in side.statements:
                        self.copy(inner, terms, lane)
                sides.append(Block(tuple(statements), renamed(side.yields, terms)))
            results = tuple(map(self.renamed_array, statement.results))
            branches = replace(statement, condition=condition, then=sides[0], orelse=sides[1], results=results)
            self.builder.add(branches)
            for old, new in zip(statement.results, results, strict=True):
                self.note(old, new, terms, lane)

    def note(self, old: Value, new: Value, terms: Terms, lane: Value | None) -> None:
        """From here on a new value stands for an old one: in an iteration of a lane, or for all of them."""
        if lane is None and old in self.lanes.private:
            self.wide[old] = new
        else:
            terms[old] = new

    def renamed_array(self, value: Value) -> Value:
        if value not in self.lanes.private or not isinstance(value.type, Array):
            return like(value)
        return Value(value.name, Array(value.type.dtype, value.type.ndim + 1))

    def add(self, value: Value, function: object, *operands: Operand) -> Value:
        self.builder.add(Let(value, function, operands, location=self.builder.location))  # type: ignore[arg-type]
        return value
