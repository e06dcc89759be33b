"""Loop distribution: what an iteration computes after its inner loops becomes a loop of its own.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def cell(w, h, out):
...     for i in range(w.shape[0]):
...         s = 0.0
...         for j in range(w.shape[1]):
...             s += w[i, j] * h[j]
...         out[i] = np.tanh(s)
>>> function = distribute_loops(prepared(normal_form(cell, np.ones((3, 2)), np.ones(2), np.ones(3))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def cell(w, h, out):
    s = np.empty((max(w.shape[0], 0),), dtype=np.float64)
    for i in range(w.shape[0]):
        s2 = 0.0
        for j in range(w.shape[1]):
            s2 += w[i, j] * h[j]
        s[i] = s2
    for i in range(w.shape[0]):
        s2 = s[i]
        out[i] = np.tanh(s2)

A machine then takes several iterations of the second loop at once, in both sweeps. It is legal where no iteration of
the first loop reads what the second one writes, and what the second reads of the first are numbers; these are expanded
to arrays (Allen & Kennedy 2001, 5.4). It pays where the second loop calls a function that the vector math library has
and stores what comes of it. A loop that only adds up is differentiated iteration by iteration, and stays one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.analysis.divergent_loops import has_vector_function
from pullback.analysis.outer_vectorisation import is_wide
from pullback.analysis.straight_loops import is_simple
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    has_effects,
    is_scalar,
    is_undefined,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.trip_counts import iteration_number, trip_count


def distribute_loops(function: Function) -> Function:
    """The same function with such loops distributed."""
    callees = tuple(map(distribute_loops, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, _block)
        parts = _parts(changed) if isinstance(changed, For) else None
        statements += _Distribution(changed, *parts).made() if parts and isinstance(changed, For) else [changed]
    return Block(tuple(statements), block.yields)


def _parts(loop: For) -> tuple[Block, Block] | None:
    """The statements up to the last inner loop, and those after it, if they may gain from a loop of their own."""
    statements = loop.body.statements
    inner = [k for k, statement in enumerate(statements) if isinstance(statement, For)]
    if not inner or loop.exits or loop.reverse or loop.checkpoints is not None:
        return None
    if not isinstance(loop.step, Constant) or has_effects(loop.body):
        return None
    first, second = Block(statements[: inner[-1] + 1]), Block(statements[inner[-1] + 1 :])
    stores = any(isinstance(s, Let) and s.function is primitives.store for s in second.statements)
    if not stores or not has_vector_function(second) or not all(map(is_simple, walk(second))):
        return None
    return first, second


class _Distribution:
    """Builds both loops. made_first: what the first one makes, or hands from iteration to iteration."""

    def __init__(self, loop: For, first: Block, second: Block) -> None:
        self.loop, self.first, self.second = loop, first, second
        made_second = {v for s in second.statements for v in results_of(s)}
        self.of_second = [k for k, value in enumerate(loop.body.yields) if value in made_second]
        self.of_first = [k for k in range(len(loop.carried)) if k not in self.of_second]
        made_first = {loop.carried[k].parameter for k in self.of_first}
        made_first |= {v for s in first.statements for v in results_of(s)}
        self.handed = [v for v in dict.fromkeys(read_in(second)) if v in made_first]
        self.builder = Builder()
        self.builder.location = loop.location

    def made(self) -> list[Statement]:
        if not self.is_legal():
            return [self.loop]
        trips = trip_count(self.builder, self.loop.start, self.loop.stop, self.loop.step)
        arrays = [self.array(value, trips) for value in self.handed]
        self.add_second(self.add_first(arrays))
        return self.builder.statements

    def is_legal(self) -> bool:
        """Whether the second loop hands nothing back, and the first one numbers that an array holds as they are."""
        loop, yields = self.loop, self.loop.body.yields
        handed_back = {loop.carried[k].parameter for k in self.of_second}
        if handed_back & {*read_in(self.first), *values_in(tuple(yields[k] for k in self.of_first))}:
            return False
        if any(is_undefined(c.initial) for c in loop.carried) or any(map(is_undefined, yields)):
            return False
        return is_wide(loop.body) and all(map(is_scalar, self.handed))

    def array(self, value: Value, trips: Operand) -> Value:
        dtype = Constant(value.type.dtype)
        return self.builder.let(np.empty, (trips,), dtype, keywords=("dtype",), name=value.name)

    def add_first(self, arrays: list[Value]) -> list[Value]:
        """The first loop, which fills the arrays. Returns their last versions."""
        loop = self.loop
        inside = list(map(like, arrays))
        carried = (*(loop.carried[k] for k in self.of_first), *map(Carried, inside, arrays))
        after = list(map(like, arrays))
        with self.builder.block() as body:
            body += self.first.statements
            number = iteration_number(self.builder, loop.index, loop.start, loop.step)
            for k, value in enumerate(self.handed):
                version = like(arrays[k])
                self.add(version, primitives.store, inside[k], (Index((number,)),), value)
                inside[k] = version
        yields = (*(loop.body.yields[k] for k in self.of_first), *inside)
        results = (*(loop.results[k] for k in self.of_first), *after)
        self.builder.add(replace(loop, carried=carried, body=Block(tuple(body), yields), results=results))
        return after

    def add_second(self, arrays: list[Value]) -> None:
        """The second loop, which reads them."""
        loop, index = self.loop, like(self.loop.index)
        terms: dict[Value, Operand] = {loop.index: index}
        with self.builder.block() as body:
            number = iteration_number(self.builder, index, loop.start, loop.step)
            for value, array in zip(self.handed, arrays, strict=True):
                terms[value] = self.add(like(value), primitives.load, array, (Index((number,)),))
            body += substituted(self.second, terms).statements
        carried = tuple(loop.carried[k] for k in self.of_second)
        yields = tuple(loop.body.yields[k] for k in self.of_second)
        results = tuple(loop.results[k] for k in self.of_second)
        block = Block(tuple(body), yields)
        self.builder.add(replace(loop, index=index, carried=carried, body=block, results=results))

    def add(self, value: Value, function: Callable[..., Any], *operands: Operand) -> Value:
        self.builder.add(Let(value, function, operands, location=self.loop.location))
        return value
