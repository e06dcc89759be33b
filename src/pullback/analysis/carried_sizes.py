"""Carried sizes: how long an array is that becomes longer or shorter by as much in each iteration of a loop.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(n, p):
...     y = np.arange(n) * p
...     for i in range(n - 1, 0, -1):
...         y = (y[1:] + y[:-1]) * np.arange(0, i)  # y has i + 1 elements before, and i after it
...     return y
>>> function = normal_form(f, 4, 2.0)
>>> found = find_carried_sizes(function, {}, lambda size: size in function.parameters)
>>> shapes, values = Shapes(function, found.equal), values_by_name(function)
>>> sizes = (shapes.of(values[name])[0] for name in ("y.1", "y.2"))
>>> [size if isinstance(size, Value) else size.constant for size in sizes], shapes.of(function.results[0])
([1, i: int64*], (1,))

The size is guessed to be linear in the index of the loop: by how much it grows, the body tells, if it does; where it
starts, what is there before the loop. The guess is taken if the body, assuming it, makes an array of the size that it
says of the next iteration (induction over the iterations of all loops at once). Sizes are forms then
(`analysis/sizes.py`), and so are those of slices of such arrays, and of slices with steps (`analysis/slice_sizes.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Size, SliceSize
from pullback.analysis.slice_sizes import SliceSizes, ndim_of
from pullback.ir.builder import constant
from pullback.ir.nodes import For, Function, Value, is_undefined, walk

MOST_TRIALS = 4
"""So many guesses of what the loops of a function do are tried; each takes an analysis of its shapes or more."""

MOST_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class FoundSizes:
    """slices: what was found last, and is assumed for it. equal: the sizes that are equal, those given among them."""

    slices: SliceSizes
    equal: dict[Size, Size]


def find_carried_sizes(
    function: Function,
    equal: Mapping[Size, Size],
    given: Callable[[Size], bool] | None = None,
    assumed: Iterable[Form] = (),
) -> FoundSizes:
    """The sizes of slices, of counted numbers and of carried arrays.

    given: as that of `SliceSizes`. assumed: the forms that are assumed not to be negative already.
    """
    settled = _settled(function, equal, given, assumed=assumed)
    loops = [s for s in walk(function.body) if isinstance(s, For) and s.step in (constant(1), constant(-1))]
    guesses = _guesses(loops, settled) if any(map(_carries_arrays, loops)) else {}
    for _ in range(MOST_TRIALS):
        if not guesses:
            break
        growth = {size: candidates[0] for size, candidates in guesses.items()}
        trial = _settled(function, equal, given, growth, settled.slices.assumed)
        if not trial.slices.refuted:
            return trial
        guesses = {
            size: left
            for size, candidates in guesses.items()
            if (left := candidates[1:] if size in trial.slices.refuted else candidates)
        }
    return settled


def shapes_with_carried(function: Function, equal: Mapping[Size, Size] | None = None) -> Shapes:
    """The shapes of a function, in which slices and carried arrays have the sizes that are found; `equal`: others."""
    return Shapes(function, find_carried_sizes(function, equal or {}).equal)


def _settled(
    function: Function,
    equal: Mapping[Size, Size],
    given: Callable[[Size], bool] | None,
    growth: Mapping[Size, int] | None = None,
    assumed: Iterable[Form] = (),
) -> FoundSizes:
    """What is found with these guesses, until no more follows from it."""
    known = dict(equal)
    for _ in range(MOST_ROUNDS):
        slices = SliceSizes(function, Shapes(function, known), given, True, growth, assumed)
        new = {key: size for key, size in slices.found.items() if known.get(key) != size}
        known |= new
        assumed = slices.assumed
        if not (new if growth else any(isinstance(size, Form | Value) for size in new.values())):
            break
    return FoundSizes(slices, known)


def _carries_arrays(loop: For) -> bool:
    return any(ndim_of(carried.parameter) for carried in loop.carried)


def _guesses(loops: list[For], settled: FoundSizes) -> dict[Size, list[int]]:
    """For the size of each carried array that a loop changes: by how much it may grow with the index."""
    shapes, slices = settled.slices.shapes, settled.slices
    found: dict[Size, list[int]] = {}
    for loop in loops:
        _, move = slices.ranges.first_and_move(loop)
        own = {carried.parameter for carried in loop.carried}
        ends = slices.ends[id(loop.body)]
        for carried, after, forms in zip(loop.carried, loop.body.yields, ends, strict=False):
            if not ndim_of(carried.parameter) or is_undefined(carried.initial) or not isinstance(after, Value):
                continue
            for size, next_size, form in zip(shapes.of(carried.parameter), shapes.of(after), forms, strict=True):
                if isinstance(size, tuple) and size[0] in own and size != next_size and size not in found:
                    growths = set(_growths(size, next_size, loop.index, move, settled))
                    growths |= {form.of(loop.index)} - {0} if form is not None else set()
                    found[size] = sorted(growths, key=lambda growth: (abs(growth), growth)) or [0]
    return found


def _growths(size: Size, after: Size, index: Value, move: int, settled: FoundSizes) -> Iterator[int]:
    """By how much a size may grow with the index, from what it is after an iteration, or what is broadcast to that."""
    shapes = settled.slices.shapes
    for met in shapes.met.get(after, (after,)):
        if isinstance(met, SliceSize) and met.size == size and met.leaves_off:
            yield -met.leaves_off * move
        form = None if isinstance(met, SliceSize) else settled.slices.exact(met)
        if form is not None and form.of(index):
            yield form.of(index)
    for parts in shapes.joined.get(after, ()):
        if [part for part in parts if not isinstance(part, int)] == [size]:
            yield sum(part for part in parts if isinstance(part, int)) * move
