"""Loops over the elements of small arrays: where all of them can be numbers, iterations stand one after the other.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.aggregates.replacement import replace_aggregates
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> def distances(x):
...     total = 0.0
...     d = np.empty(2)
...     for i in range(1, x.shape[0]):
...         for k in range(2):
...             d[k] = x[i, k] - x[i - 1, k]
...         total += np.sqrt(d[0] * d[0] + d[1] * d[1])
...     return total
>>> function = remove_dead(replace_aggregates(normal_form(distances, np.ones((3, 2)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    for") : text.index("    return")], end="")
    for i in range(1, x.shape[0]):
        i_minus_one = i - 1
        difference = x[i, 0] - x[i_minus_one, 0]
        difference2 = x[i, 1] - x[i_minus_one, 1]
        total += np.sqrt(difference * difference + difference2 * difference2)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial

from pullback.ir import primitives
from pullback.ir.nodes import Block, For, Function, Let, Value, defined_in, values_in, walk
from pullback.passes.loops.complete_unrolling import unrolled
from pullback.passes.scalar.simplify import simplify

MOST_STATEMENTS = 250
"""So many statements all iterations of a loop may have together: one or two remain of each."""


def unrolled_over_elements(
    function: Function, is_small: Callable[[Value], bool], candidates: Callable[[Function], Collection[Value]]
) -> Function:
    """The function without the loops that reach for elements of small arrays by their index, where that frees them.

    is_small: whether an array is small. candidates: those of a function whose elements can be numbers.
    """
    reached = {id(loop): _reached(loop, is_small) for loop in _loops(function.body)}
    while reached := {number: arrays for number, arrays in reached.items() if arrays}:
        made = simplify(unrolled(function, partial(_is_among, reached), MOST_STATEMENTS))
        found = candidates(made)
        free = {number: arrays for number, arrays in reached.items() if _frees(arrays, found)}
        if len(free) == len(reached):
            return made
        reached = free
    return function


def _frees(arrays: Mapping[Value, bool], found: Collection[Value]) -> bool:
    """Whether one of the arrays that a loop reaches for has elements that can be numbers, and so do all it writes."""
    return any(array in found for array in arrays) and all(array in found for array in arrays if arrays[array])


def _is_among(numbers: Collection[int], loop: For) -> bool:
    return id(loop) in numbers


def _loops(block: Block) -> Iterator[For]:
    yield from (statement for statement in walk(block) if isinstance(statement, For))


def _reached(loop: For, is_small: Callable[[Value], bool]) -> dict[Value, bool]:
    """The small arrays, as they are before a loop, of which its index chooses elements: whether it writes any."""
    accesses = [s for s in walk(loop.body) if isinstance(s, Let) and s.function in primitives.ACCESSES]
    before = {c.parameter: c.initial for c in loop.carried}
    for inner in _loops(loop.body):
        for c, result in zip(inner.carried, inner.results, strict=True):
            before |= dict.fromkeys((c.parameter, result), c.initial)
    before |= {s.value: s.operands[0] for s in accesses if s.function in primitives.WRITES}
    inside = {loop.index, *defined_in(loop.body)}
    found: dict[Value, bool] = {}
    for statement in accesses:
        array, path = statement.operands[:2]
        if is_small(array) and not inside.isdisjoint(values_in(path)):
            while array in before:
                array = before[array]
            found[array] = found.get(array, False) or statement.function in primitives.WRITES
    return found
