"""Inspection: the iterations of a ragged nest are counted before it runs, so that what it keeps gets its room at once.

>>> import inspect, numpy as np, pullback as pb
>>> def energy(x, first, near):
...     total = 0.0
...     for i in range(first.shape[0] - 1):
...         for k in range(first[i], first[i + 1]):
...             total += np.sqrt(x[near[k]] ** 2 + np.exp(total))
...     return total
>>> text = pb.inspect_source(energy, np.ones(3), np.array([0, 2, 3]), np.array([1, 2, 0]), argnums=0)
>>> lines = [line for line in text.splitlines() if "#" not in line]
>>> at = next(k for k, line in enumerate(lines) if "_saved = np.empty" in line)
>>> print(inspect.cleandoc("\\n".join(lines[at - 3 : at + 1])))
iterations = 0
for i in range(i_end):
    iterations = checked_add(iterations, max(first[i + 1] - first[i], 0), 3)
exp_total_saved = np.empty((iterations,), dtype=np.float64)

The counting loop is the inspector of an inspector and executor (Saltz, Mirchandaney & Crowley 1991, Run-time
parallelization and scheduling of loops). There is one where the bounds of all loops of a nest are computed by integer
arithmetic from their indices, from what is there before the nest, and from elements of arrays that are there before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, For, Let, Operand, Value, map_values, values_in
from pullback.ir.rewrite import like
from pullback.ir.types import INT, is_integer
from pullback.transform.residual_places import extent
from pullback.transform.residual_plan import Counter, Path

if TYPE_CHECKING:
    from pullback.transform.residuals import Residuals

_ARITHMETIC = {np.add, np.subtract, np.multiply, np.negative, max, min, runtime.counted, primitives.cast}


class Inspection:
    """The nest around a loop whose iterations a counter counts, as far as its bounds are concerned."""

    def __init__(self, counter: Counter, loops: list[For], slices: list[list[Let]]) -> None:
        self.counter, self.loops, self.slices = counter, loops, slices

    def count(self, builder: Builder) -> Operand:
        """Add the loops that count; the number of all iterations."""
        return self.counted(0, constant(0), {}, builder)

    def counted(self, depth: int, before: Operand, terms: dict[Value, Operand], builder: Builder) -> Operand:
        """Add the loop at a depth. The number of iterations before, and in it."""

        def mapped(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return map_values(operands, lambda value: terms.get(value, value))

        if depth == len(self.loops):
            return builder.let(np.add, before, extent(builder, self.counter.loop, terms))
        loop = self.loops[depth]
        start, stop, step = mapped((loop.start, loop.stop, loop.step))
        terms[loop.index] = index = like(loop.index)
        inside, after = Value("iterations", INT), Value("iterations", INT)
        with builder.block() as body:
            for statement in self.slices[depth]:
                terms[statement.value] = value = like(statement.value)
                builder.add(replace(statement, value=value, operands=mapped(statement.operands)))
            end = self.counted(depth + 1, inside, terms, builder)
        carried = (Carried(inside, before),)
        builder.add(
            For(index, start, stop, step, carried, Block(tuple(body), (end,)), (after,), location=loop.location)
        )
        return after


def inspection_of(counter: Counter, residuals: Residuals) -> Inspection | None:
    """How the iterations that a counter counts are counted before their nest; None where only the run tells."""
    if counter.loop is None:
        return None
    around: list[For] = []
    paths: list[Path] = []
    for k, (number, _) in enumerate(counter.path[len(counter.home) :], len(counter.home) + 1):
        statement = residuals.statements[number]
        if not isinstance(statement, For) or statement.exits:
            return None
        around.append(statement)
        paths.append(counter.path[:k])
    slicing = _Slicing(residuals, counter.home, {loop.index for loop in around})
    if not all(
        slicing.add(v) for loop in (*around, counter.loop) for v in values_in((loop.start, loop.stop, loop.step))
    ):
        return None
    return Inspection(counter, around, [slicing.in_block(path) for path in paths])


class _Slicing:
    """The statements that compute some integers in a nest (a backward slice; Weiser 1981)."""

    def __init__(self, residuals: Residuals, home: Path, indices: Iterable[Value]) -> None:
        self.residuals, self.home, self.indices = residuals, home, set(indices)
        self.found: dict[Value, Let] = {}

    def in_block(self, path: Path) -> list[Let]:
        return [statement for value, statement in self.found.items() if self.residuals.paths[value] == path]

    def add(self, value: Value) -> bool:
        """Take in what computes a value. Whether that is nothing but integer arithmetic, and elements read."""
        if value in self.found or value in self.indices or self.residuals.rooms.is_outside(value, self.home):
            return True
        made = self.residuals.lets.get(value)
        if made is None or not is_integer(value.type):
            return False
        is_load = made.function is primitives.load and self.residuals.rooms.is_outside(made.operands[0], self.home)
        if not is_load and made.function not in _ARITHMETIC | {primitives.dim}:
            return False
        if not all(map(self.add, values_in(made.operands))):
            return False
        self.found[value] = made
        return True
