"""Strip distribution: an innermost loop that finds its elements by indices of the run is strip-mined, and each strip is
distributed into a loop that loads, one that computes, and one that stores.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def forces(x, near):
...     force = np.zeros(x.shape[0])
...     for p in range(near.shape[0]):
...         d = x[near[p]] - x[p]
...         force[near[p]] += d * np.exp(-d * d)
...     return force
>>> function = prepared(normal_form(forces, np.ones(3), np.zeros(2, int)))
>>> text = emit_module([distribute_strips(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def forces(x, near):
    force = np.zeros(x.shape)
    trips = max(near.shape[0], 0)
    strips = (trips + 63) // 64
    for k in range(strips):
        scaled_k = k * 64
        width = min(64, trips - scaled_k)
        elements = np.empty((64,), dtype=np.int64)
        elements2 = np.empty((64,), dtype=np.float64)
        elements3 = np.empty((64,), dtype=np.float64)
        for k2 in range(width):
            t1 = scaled_k + k2
            element = near[t1]
            elements[k2] = element
            elements2[k2] = x[element]
            elements3[k2] = x[t1]
        products = np.empty((64,), dtype=np.float64)
        for k3 in range(width):
            d = elements2[k3] - elements3[k3]
            products[k3] = d * np.exp(-d * d)
        for k4 in range(width):
            force[elements[k4]] += products[k4]
    return force

LLVM does not vectorise a loop in which it cannot tell what is loaded from what is stored; the loop in the middle only
has arrays of 64 numbers of its own (scalar expansion), which stay in the nearest cache. It is legal where iterations
load from arrays that they do not write. What may raise stays in the first loop, in its order, and nobody outside of the
function sees the arrays that the third one writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import cache, partial

import numpy as np

from pullback import runtime
from pullback.analysis.loop_flow import may_load_written
from pullback.analysis.outer_vectorisation import is_wide
from pullback.analysis.shapes import Shapes
from pullback.analysis.straight_loops import RAISING, is_simple, work_of
from pullback.analysis.subscripts import Places
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Effect,
    For,
    Function,
    If,
    Let,
    Statement,
    Value,
    is_scalar,
    operands_of,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import like
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT
from pullback.passes.vector.branch_distribution import AFFINE
from pullback.passes.vector.loop_predication import PredicatedLoops, predicated
from pullback.passes.vector.stages import LoadsFirst, StageLoops, Stages, divided
from pullback.passes.vector.strips import (
    WIDTH,
    Unset,
    distributed,
    has_few_iterations,
    may_be_short,
    strips_of_all,
    width_of_strip,
)

MOST_BUFFERS = 24
LEAST_WORK = 3
"""So many operations the loop in the middle must have for each number that is passed on."""

LEAST_WORK_OF_SHORT = 8
"""The same where a loop may have few iterations, such as over the neighbours of a node: its strips are not full."""

BRANCH = 8
"""A branch counts as so many operations: where one iteration is done at a time, it may be mispredicted."""
_CHECKS = {runtime.check_index, runtime.check_span}
_AFFINE_AND_CHECKED = AFFINE | {runtime.checked_add, runtime.checked_subtract, runtime.checked_multiply}


def distribute_strips(function: Function) -> Function:
    """The same function with such loops distributed."""
    places = cache(lambda: Places(function.body, Shapes(function)))

    def loads_first(loop: For, versions: Mapping[Value, int]) -> bool:
        return not may_load_written(loop, versions, places())

    callees = tuple(map(distribute_strips, function.callees))
    return replace(distributed(function, partial(_stages, loads_first=loads_first), _distributed), callees=callees)


def _stages(loop: For, unset: Unset, around: Set[Value], loads_first: LoadsFirst) -> Stages | None:
    """The parts of a loop, where it may be distributed and gains from it.

    unset: what may be undefined. around: what the iterations of loops around it make. loads_first: see `divided`.
    """
    if loop.exits or loop.parallel or loop.step != constant(1) or has_few_iterations(loop):
        return None
    if not all(map(_is_known, walk(loop.body))) or not is_wide(loop.body):
        return None
    stages = divided(loop, loads_first)
    if stages is None or not (stages.stores or any(isinstance(s, Effect) for s in stages.loads)):
        return None
    is_short = may_be_short(loop, around)
    accessing = Block(tuple(stages.stores if is_short else [*stages.loads, *stages.stores]))
    if not _finds_elements(stages, accessing):
        return None
    passed = [v for values in stages.passed() for v in values]
    branches = sum(isinstance(s, If) for s in walk(Block(tuple(stages.arithmetic))))
    work = work_of(stages.arithmetic) + BRANCH * branches
    least = LEAST_WORK_OF_SHORT if is_short else LEAST_WORK
    if len(passed) > MOST_BUFFERS or work < least * len(passed):
        return None
    return None if any(v in unset() or not is_scalar(v) for v in passed) else stages


def _is_known(statement: Statement) -> bool:
    match statement:
        case Effect():
            return statement.function in _CHECKS
        case Let():
            return statement.function in RAISING or is_simple(statement)
    return isinstance(statement, If)


def _finds_elements(stages: Stages, accessing: Block) -> bool:
    """Whether one of the statements accesses an element that an iteration finds by more than its index."""
    own = {v for s in (*stages.loads, *stages.arithmetic) for v in results_of(s)}
    for statement in stages.loads:
        is_counted = isinstance(statement, Let) and statement.function in _AFFINE_AND_CHECKED
        if is_counted and not own & set(values_in(operands_of(statement))):
            own -= set(results_of(statement))
    accesses = [s for s in walk(accessing) if isinstance(s, Let) and s.function in primitives.ACCESSES]
    return any(v in own for s in accesses for v in values_in((s.operands[1],)))


def _distributed(stages: Stages) -> list[Statement]:
    """The loop over strips."""
    loop, builder = stages.loop, Builder()
    builder.location = loop.location
    trips = trip_count(builder, loop.start, loop.stop, loop.step)
    strips = strips_of_all(trips, WIDTH, builder)
    number = Value("", INT)
    carried = tuple(Carried(like(c.parameter), c.initial, c.private) for c in loop.carried)
    with builder.block() as body:
        done = builder.let(np.multiply, number, constant(WIDTH), type_=INT)
        width = width_of_strip(trips, done, constant(WIDTH), builder)
        is_zero = loop.start == constant(0)
        offset = done if is_zero else builder.let(np.add, loop.start, done, type_=INT)
        parts = predicated(stages)
        plain = StageLoops(stages, builder, offset, width)
        loops = plain if parts is None else PredicatedLoops(stages, parts, builder, offset, width)
        yields = loops.made([c.parameter for c in carried])
    block = Block(tuple(body), tuple(yields))
    builder.add(replace(loop, index=number, start=constant(0), stop=strips, carried=carried, body=block))
    return builder.statements
