"""Arrays that the backward sweep may make again: new ones, which few cheap operations fill from others.

>>> import numpy as np, pullback as pb
>>> def limited(u, steps):
...     for _ in range(steps):
...         d = np.empty(u.shape[0] - 1)
...         for i in range(u.shape[0] - 1):
...             d[i] = u[i + 1] - u[i]
...         for i in range(1, u.shape[0] - 1):
...             u[i] += 0.1 * d[i] * d[i - 1] * u[i]
...     return np.sum(u)
>>> text = pb.inspect_source(limited, np.ones(5), 3)
>>> print(*(line.strip() for line in text.splitlines() if "_saved = np.empty" in line), sep="\\n")
u_saved = np.empty((max(steps, 0), i_end), dtype=np.float64)

`d` is not kept beside `u`, but made again of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from pullback.analysis.aliases import Aliases
from pullback.analysis.shapes import CREATING
from pullback.ir import primitives
from pullback.ir.nodes import Block, For, If, Let, Value, free_in, walk
from pullback.ir.types import Array
from pullback.transform import states
from pullback.transform.min_cut import can_repeat
from pullback.transform.repeated_branches import Repeatable, live, single_results
from pullback.transform.residual_plan import Path


class Decisions(states.Decisions, Protocol):
    """What is known of the values of a function; see `Residuals`.

    made_of: of each block asked for, what `sources_in` has found.
    """

    aliases: Aliases
    made_of: dict[Path, dict[Value, tuple[Value, ...]]]


MOST_OPERATIONS = 12
"""More than these for an element take longer than to load it, if it was kept."""


def definitions_in(block: Block) -> dict[Value, Repeatable]:
    """What defines a value of a block by itself: for results of a branch or a loop, as much of it as they take."""
    found: dict[Value, Repeatable] = {}
    for statement in block.statements:
        if isinstance(statement, Let):
            found[statement.value] = statement
        elif isinstance(statement, If):
            found |= {one.results[0]: one for one in single_results(statement)}
        elif isinstance(statement, For):
            found |= {one.results[0]: one for one in single_loops(statement)}
    return found


def single_loops(loop: For) -> Iterator[For]:
    """A loop for each array that a loop fills, with the statements that it takes, unless it carries more of it."""
    parameters = {carried.parameter for carried in loop.carried}
    for k, result in enumerate(loop.results):
        if not isinstance(result.type, Array) or loop.exits:
            continue
        body = live(replace(loop.body, yields=(loop.body.yields[k],)))
        if not parameters.intersection(free_in(body)) - {loop.carried[k].parameter}:
            yield replace(loop, carried=(loop.carried[k],), body=body, results=(result,))


def arrays_made_again(definitions: Mapping[Value, Repeatable], is_at_hand: Callable[[Value], bool]) -> Iterator[Value]:
    """The arrays of a block that it makes anew and fills from what is at hand."""
    found: set[Value] = set()
    for value, statement in definitions.items():
        if isinstance(statement, Let):
            is_stored = statement.function is primitives.store and statement.operands[0] in found
            is_again = is_stored or statement.function is np.roll or statement.function in CREATING
        else:
            is_again = isinstance(statement, For) and _fills(statement, found)
        if is_again and all(v in found or is_at_hand(v) for v in free_in(Block((statement,)))):
            found.add(value)
            yield value


def sources_in(known: Decisions, path: Path) -> dict[Value, tuple[Value, ...]]:
    """The arrays of an iteration alone that can be made again, with the other arrays in it that this takes."""
    if path not in known.made_of:
        definitions = definitions_in(known.blocks[path]) if is_in_iterations(known, path) else {}
        again = arrays_made_again(definitions, lambda v: known.paths.get(v) == path or known.aliases.is_intact(v))
        yields = known.blocks[path].yields
        read = {value: tuple(free_in(Block((definitions[value],)))) for value in again if value not in yields}
        known.made_of[path] = {
            value: tuple(v for v in values if isinstance(v.type, Array) and v not in read)
            for value, values in read.items()
        }
    return known.made_of[path]


def is_in_iterations(known: Decisions, path: Path) -> bool:
    """Whether a block is run by the iterations of a loop, which copy what they keep."""
    return bool(known.rooms.nest(path)[1])


def _fills(loop: For, new: set[Value]) -> bool:
    """Whether a loop fills a new array by cheap operations, a few for each element: a sum for each takes longer."""
    inner = list(walk(loop.body))
    loops = [loop, *(s for s in inner if isinstance(s, For))]
    if loop.carried[0].initial not in new or len(inner) > MOST_OPERATIONS or len(loops) > loop.results[0].type.ndim:
        return False
    if any(each.exits or not all(isinstance(result.type, Array) for result in each.results) for each in loops):
        return False
    return all(isinstance(s, For) or (isinstance(s, Let) and _is_cheap(s)) for s in inner)


def _is_cheap(statement: Let) -> bool:
    return statement.function is primitives.store or can_repeat(statement, lambda value: True)
