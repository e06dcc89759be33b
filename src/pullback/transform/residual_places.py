"""Where residual arrays and counters go: the statements that they pass through, and the elements that iterations take.

>>> from pullback.frontend.build import normal_form
>>> def total(x):
...     s = 0.0
...     for i in range(1, 5):
...         s += x
...     return s
>>> loop = next(s for s in normal_form(total, 1.0).body.statements if isinstance(s, For))
>>> starts_at_zero(loop)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from pullback.analysis.extents import integer
from pullback.analysis.most_iterations import Room
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Constant,
    For,
    Index,
    Operand,
    Statement,
    Value,
    map_values,
)
from pullback.ir.trip_counts import at_least_zero, trip_count
from pullback.transform.residual_plan import Counter, ResidualArray, Restoration

Storage = ResidualArray | Counter


def passes_through(kept: Storage | Restoration, statement: Statement) -> bool:
    """Whether an array or counter goes through a statement: it is made before, and changes inside."""
    if isinstance(kept, Restoration):
        return id(statement) in kept.through
    return any(number == id(statement) for number, _ in kept.path[len(kept.home) :])


def is_outermost(kept: Storage, statement: Statement) -> bool:
    return kept.path[len(kept.home)][0] == id(statement)


def starts_at_zero(loop: For) -> bool:
    """Whether the loop's own index can number its iterations: it counts up by one from 0 or a little above."""
    start, step = loop.start, loop.step
    return step == constant(1) and isinstance(start, Constant) and 0 <= start.value <= 2


def first_place(loop: Any) -> int:
    """The element that the first iteration of a loop takes."""
    return loop.start.value if starts_at_zero(loop) else 0


def place_of(array: ResidualArray, iterations: Mapping[int, Operand], builder: Builder, of_next: bool = False) -> Index:
    """Where an iteration finds a value, or what the next iteration has for it. `iterations`: the numbers, by loop."""
    *around, number = (iterations[id(loop)] for loop in array.loops)
    return Index((*around, builder.let(np.add, number, constant(1)) if of_next else number))


def places_beside(array: ResidualArray) -> int:
    """How many elements an array has along its last loop beside those for the iterations.

    What follows the last iteration takes one; it is behind the first place even of a loop that ends before its start.
    """
    return 0 if array.following is None else 1 + first_place(array.loops[-1])


def extent(builder: Builder, loop: Any, terms: Mapping[Value, Operand] | None = None) -> Operand:
    """How many elements the iterations of a loop take; `terms`: what stands for the values in its bounds here."""
    start, stop, step = map_values((loop.start, loop.stop, loop.step), lambda value: (terms or {}).get(value, value))
    if starts_at_zero(loop):
        return at_least_zero(builder, stop)
    return trip_count(builder, start, stop, step)


def room_for(builder: Builder, loop: Any, stop: Operand | Room) -> Operand:
    """How many elements the iterations of a loop take at most; `stop`: as a plan has it (`ResidualArray.stops`)."""
    if isinstance(stop, Room):
        length = reduce(partial(builder.let, min), (integer(form, builder) for form in stop.forms))
        return trip_count(builder, constant(0), length, constant(stop.step))
    return extent(builder, replace(loop, stop=stop))
