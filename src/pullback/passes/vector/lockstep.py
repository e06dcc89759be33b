"""Lockstep: lanes go through a `while` loop together, under a mask, until the last of them is done.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.passes.vector.outer_vectorisation import vectorise_outer_loops
>>> from pullback.transform.derivative import prepared
>>> def logarithms(x):
...     total = 0.0
...     for i in range(x.shape[0]):
...         y = x[i]
...         while y > 1.0:
...             y = np.log(y)
...         total += y
...     return total
>>> function = remove_dead(vectorise_outer_loops(prepared(normal_form(logarithms, np.ones(130)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def logarithms(x):
    trips = max(x.shape[0], 0)
    strips = (trips + 63) // 64
    total = 0.0
    for k in range(strips):
        scaled_k = k * 64
        width = min(64, trips - scaled_k)
        y = np.empty((64,), dtype=np.float64)
        for k2 in range(width):
            y2 = x[scaled_k + k2]
            y[k2] = y2
        active = 1
        while active > 0:
            active = 0
            for k3 in range(width):
                y2 = y[k3]
                if y2 > 1.0:
                    y2 = np.log(y2)
                    active += 1
                y[k3] = y2
        for k4 in range(width):
            y2 = y[k4]
            total += y2
    return total

The array has a number for each lane. Nothing is computed of a lane that is done: what it would give may not be finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Carried, For, If, Operand, Value, While
from pullback.ir.rewrite import like, renamed
from pullback.ir.types import INT
from pullback.passes.vector.array_expansion import ArrayExpansion, Terms


class Lockstep:
    """Builds the loop that all lanes go through, from the one that a lane goes through. width: the number of lanes."""

    def __init__(self, loop: While, expansion: ArrayExpansion, width: Operand) -> None:
        self.loop, self.expansion, self.width = loop, expansion, width
        self.builder = expansion.builder

    @property
    def whole(self) -> Block:
        """All that a lane does in an iteration."""
        condition, body = self.loop.condition, self.loop.body
        return Block((*condition.statements, *body.statements), (*condition.yields, *body.yields))

    def made(self, arrays: list[Value], lane_terms: Callable[[Mapping[Value, Value], Value], Terms]) -> list[Value]:
        """The loop, which carries an array for each number that it carried. Returns the last versions of the arrays.

        lane_terms: what stands for the values of a lane, given the arrays; it adds loads.
        """
        active = Value("active", INT)
        carried = (Carried(active, constant(1)), *(Carried(like(array), array) for array in arrays))
        with self.builder.block() as condition:
            go_on = self.builder.let(np.greater, active, constant(0))
        with self.builder.block() as body:
            yields = self.all_lanes([c.parameter for c in carried[1:]], lane_terms)
        results = tuple(like(c.parameter) for c in carried)
        blocks = Block(tuple(condition), (go_on,)), Block(tuple(body), yields)
        self.builder.add(While(blocks[0], carried, blocks[1], results, location=self.loop.location))
        return list(results[1:])

    def all_lanes(
        self, arrays: list[Value], lane_terms: Callable[[Mapping[Value, Value], Value], Terms]
    ) -> tuple[Value, ...]:
        """One iteration of each lane that is not done: how many there are, and the next versions of the arrays."""
        lane, count = Value("", INT), Value("active", INT)
        carried = (Carried(count, constant(0)), *(Carried(like(array), array) for array in arrays))
        parameters = [c.parameter for c in self.loop.carried]
        inside = dict(zip(parameters, (c.parameter for c in carried[1:]), strict=True))
        with self.builder.block() as body:
            terms = lane_terms(inside, lane)
            after, *numbers = self.branch(terms, lane, count)
            versions = self.expansion.stored(list(zip(parameters, numbers, strict=True)), inside, {}, lane)
        results_of_loop = tuple(like(c.parameter) for c in carried)
        block = Block(tuple(body), (after, *versions.values()))
        loop = For(lane, constant(0), self.width, constant(1), carried, block, results_of_loop)
        self.builder.add(replace(loop, location=self.loop.location))
        return results_of_loop

    def branch(self, terms: Terms, lane: Value, count: Value) -> tuple[Value, ...]:
        """An iteration of a lane, if its condition holds, and one more that is not done."""
        loop, builder = self.loop, self.builder
        parameters = [c.parameter for c in loop.carried]
        for statement in loop.condition.statements:
            self.expansion.copy(statement, terms, lane)
        before = tuple(terms[parameter] for parameter in parameters)
        inner = dict(terms)
        with builder.block() as then:
            for statement in loop.body.statements:
                self.expansion.copy(statement, inner, lane)
            more = builder.let(np.add, count, constant(1), name="active", type_=INT)
        results = (like(count), *map(like, parameters))
        going = renamed(loop.condition.yields[0], terms)
        sides = Block(tuple(then), (more, *renamed(loop.body.yields, inner))), Block((), (count, *before))
        builder.add(If(going, *sides, results, loop.location))
        return results
