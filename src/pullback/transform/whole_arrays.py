"""Arrays that are kept whole: each iteration of an outer loop keeps an array, and its inner loops no elements of it.

>>> import numpy as np, pullback as pb
>>> def relaxed(x, steps):
...     for _ in range(steps):
...         y = x.copy()
...         for i in range(1, x.shape[0] - 1):
...             x[i] = y[i] * (y[i - 1] + y[i + 1])
...     return np.sum(x)
>>> kept = [line for line in pb.inspect_source(relaxed, np.ones(5), 3).splitlines() if "_saved = np.empty" in line]
>>> print("\\n".join(line.strip() for line in kept))
y_saved = np.empty((max(steps, 0), i_end), dtype=np.float64)

The elements that all its loads have in an iteration of the inner loop would take up to three times that. So would those
of several inner loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pullback.analysis.final import FinalElements
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, For, Let, Statement, Value, While
from pullback.ir.types import Array
from pullback.transform import repeated_arrays, states
from pullback.transform.repeated_arrays import sources_in
from pullback.transform.residual_plan import Path


class Decisions(repeated_arrays.Decisions, Protocol):
    """What is known of the values of a function, and of what is needed of them; see `Residuals`."""

    elements: FinalElements


def is_kept_whole(known: Decisions, array: Value, path: Path) -> bool:
    """Whether keeping an array takes less memory than what a loop loads of it, or it is needed anyway."""
    home = known.paths.get(array, ())
    if not isinstance(array.type, Array) or path[: len(home)] != home:
        return False
    between = loops_around(known.statements, path[len(home) :])
    if len(between) > array.type.ndim:
        return True
    around = loops_around(known.statements, home)
    if not around:
        return False
    inner = _innermost(known.statements, path)
    inside = [block for where, block in known.blocks.items() if where[: len(inner)] == inner]
    loads = [s for block in inside for s in block.statements if _is_load_of(s, array)]
    needed = is_kept_anyway(known, array)
    if needed or not _are_over_all(known, between, array):
        return needed
    return len(loads) > 1 or len(_loops_that_keep(known, array, home)) > 1


def is_kept_anyway(known: Decisions, array: Value) -> bool:
    """Whether an iteration keeps an array that it has, as others in it are made again of that."""
    home = known.paths.get(array, ())
    if array in known.needs.get(home, ()) or states.is_kept_by_the_next(known, array, home):
        return True
    made = (value for value, sources in sources_in(known, home).items() if array in sources)
    return any(_is_loaded_in_loops(known, value, home) for value in made)


def most_loads(block: Block) -> int:
    """How often a block loads of one array: who loads most decides first whether it is kept whole, for all of them."""
    loads = Counter(s.operands[0] for s in block.statements if isinstance(s, Let) and s.function is primitives.load)
    return max(loads.values(), default=0)


def loops_around(statements: Mapping[int, Statement], path: Path) -> list[Any]:
    """The loops that a block stands in, from the outermost one to the innermost."""
    return [s for number, _ in path if isinstance(s := statements[number], For | While)]


def _innermost(statements: Mapping[int, Statement], path: Path) -> Path:
    """The body of the innermost loop that a block stands in."""
    loops = [k for k, (number, _) in enumerate(path) if isinstance(statements[number], For | While)]
    return path[: loops[-1] + 1]


def _loops_that_keep(known: Decisions, array: Value, home: Path) -> set[Path]:
    """The innermost loops in a block that would keep elements which they load of an array."""
    return {
        _innermost(known.statements, path)
        for path, block in known.blocks.items()
        if path[: len(home)] == home and len(path) > len(home)
        for s in block.statements
        if _is_load_of(s, array) and s.value in known.needs.get(path, ())
    }


def _is_loaded_in_loops(known: Decisions, array: Value, home: Path) -> bool:
    inside = (block for path, block in known.blocks.items() if path[: len(home)] == home and len(path) > len(home))
    return any(_is_load_of(statement, array) for block in inside for statement in block.statements)


def _are_over_all(known: Decisions, loops: Sequence[Any], array: Value) -> bool:
    """Whether loops run over all elements of an array but a fixed number."""
    ranges = known.elements.places.ranges
    sizes = [ranges.of_size(size) for size in known.shapes.of(array)]
    if len(loops) != len(sizes) or any(isinstance(loop, While) or loop.exits for loop in loops):
        return False
    trips = [ranges.form(loop.stop).plus(ranges.form(loop.start), -1) for loop in loops if loop.step == constant(1)]
    pairs = zip(trips, sizes, strict=False)
    return len(trips) == len(sizes) and all(s is not None and not s.plus(t, -1).terms for t, s in pairs)


def _is_load_of(statement: Statement, array: Value) -> bool:
    return isinstance(statement, Let) and statement.function is primitives.load and statement.operands[0] is array
