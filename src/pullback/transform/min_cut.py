"""Minimum cut: which values to keep and which to compute again, so that the backward sweep has all that it needs.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(x):
...     a = np.exp(x)  # costs more than to keep it
...     b = a * 2.0
...     c = a + 1.0
...     return np.sin(b) * np.sin(c)
>>> function = normal_form(f, 1.0)
>>> values = values_by_name(function)
>>> definitions = {s.value: s for s in function.body.statements}
>>> choice = choose([values["b"], values["c"]], definitions, set(definitions), lambda value: True)
>>> [value.name for value in choice.kept], [statement.value.name for statement in choice.again]
(['a'], ['b', 'c'])

Vertices are the values of one block. A value can be computed again if its operation is cheap and its operands are at
hand or can be computed again; everything else must be kept. The cut with the least memory traffic is chosen, and among
equal ones that nearest to the need, which computes least again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.nodes import Constant, For, If, Let, Value, is_scalar, read_by, results_of, values_in, walk
from pullback.ir.types import Array, Scalar
from pullback.transform.repeated_branches import MOST_STATEMENTS, Repeatable

CHEAP: set[Callable[..., Any]] = {
    np.add,
    np.subtract,
    np.multiply,
    np.negative,
    np.positive,
    np.absolute,
    np.maximum,
    np.minimum,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.equal,
    np.not_equal,
    np.logical_not,
    np.logical_and,
    np.logical_or,
    np.square,
    np.transpose,
    np.reshape,
    primitives.load,
    primitives.cast,
    primitives.dim,
    primitives.select,
    runtime.block_of,
    runtime.counted,
    runtime.slice_end,
    runtime.where,
}
"""Operations that cost less than a load and a store; a division or an exponential costs more."""

DEAR: set[Callable[..., Any]] = {np.true_divide, np.sqrt}
"""Operations on numbers that take as long as a few loads and stores: again only where no memory is needed then."""

_INTEGER_ONLY = {np.floor_divide, np.remainder, min, max}
_UNLIMITED = 10**6


@dataclass(frozen=True, slots=True)
class Choice:
    """The values to keep, and the statements to run again (rematerialise), in their order."""

    kept: tuple[Value, ...]
    again: tuple[Repeatable, ...]


def choose(
    needed: Iterable[Value],
    definitions: Mapping[Value, Repeatable],
    inside: set[Value],
    is_intact: Callable[[Value], bool],
    free: Collection[Value] = (),
    dear: bool = False,
    anew: Collection[Value] = (),
) -> Choice:
    """Keep or compute again each needed value of a block.

    `definitions` are the block's own statements that define one value, `inside` all values that the block defines,
    `free` those that take no memory. `dear`: quotients and roots of numbers may be computed again, too. `anew`: arrays
    that can be made again.
    """
    needed = [value for value in needed if value in inside]
    again = {
        value: statement
        for value, statement in definitions.items()
        if value in anew or can_repeat(statement, is_intact) or (dear and is_dear(statement))
    }
    involved = _closure(needed, again, inside)
    cut = _minimum_cut(needed, again, inside, involved, free)
    repeated = _closure([v for v in needed if v not in cut], again, inside, stop=cut)
    kept = tuple(v for v in involved if v in cut)
    run = _in_order({v: again[v] for v in definitions if v in repeated and v not in cut})
    return Choice(kept, tuple(run.values()))


def _in_order(again: Mapping[Value, Repeatable]) -> dict[Value, Repeatable]:
    """The statements, each behind those that it reads: a value may be read of an array that it was stored into."""
    ordered: dict[Value, Repeatable] = {}

    def visit(value: Value) -> None:
        if value in again and value not in ordered:
            for operand in read_by(again[value]):
                visit(operand)
            ordered[value] = again[value]

    for value in again:
        visit(value)
    return ordered


def can_repeat(statement: Repeatable, is_intact: Callable[[Value], bool]) -> bool:
    """Whether a statement is cheap and gives the same value when it runs again after the forward sweep."""
    if isinstance(statement, If):
        return is_intact(statement.condition) and _is_cheap_branch(statement, is_intact)
    if isinstance(statement, For):
        return False
    function = statement.function
    if function in _INTEGER_ONLY:
        return statement.value.type.dtype.startswith("int") and isinstance(statement.value.type, Scalar)
    if function not in CHEAP and not _is_short_power(statement) and not _halves(statement):
        return False
    return function is primitives.dim or all(map(is_intact, values_in(statement.operands)))


def is_dear(statement: Repeatable) -> bool:
    """Whether a statement makes a quotient or a root of numbers that it takes longer to compute than to keep."""
    return isinstance(statement, Let) and statement.function in DEAR and all(map(is_scalar, statement.operands))


def _is_cheap_branch(branch: If, is_intact: Callable[[Value], bool]) -> bool:
    """Whether few statements stand in a branch, which compute numbers from numbers alone."""
    inner = [*walk(branch.then), *walk(branch.orelse)]
    if len(inner) > MOST_STATEMENTS or not all(isinstance(s, Let | If) for s in inner):
        return False
    if not all(isinstance(v.type, Scalar) for s in (branch, *inner) for v in (*read_by(s), *results_of(s))):
        return False
    return all(can_repeat(s, is_intact) for s in inner if isinstance(s, Let))


def _is_short_power(statement: Let) -> bool:
    """Whether a statement raises a number to a power that takes one or two multiplications."""
    if statement.function is not np.power or not isinstance(statement.value.type, Scalar):
        return False
    exponent = statement.operands[1]
    is_float = statement.value.type.dtype.startswith("float")
    return is_float and isinstance(exponent, Constant) and exponent.value in (0, 1, 2, 3, 4)


def _halves(statement: Let) -> bool:
    """Whether a statement divides a number by a power of two, for which machines multiply."""
    divisor = statement.operands[1] if statement.function is np.true_divide else None
    is_float = isinstance(statement.value.type, Scalar) and statement.value.type.dtype.startswith("float")
    return is_float and isinstance(divisor, Constant) and abs(math.frexp(divisor.value)[0]) == 0.5


def _closure(
    start: Iterable[Value], again: dict[Value, Repeatable], inside: set[Value], stop: Iterable[Value] = ()
) -> dict[Value, None]:
    """The values inside that the given ones can be traced back to, in a fixed order."""
    found: dict[Value, None] = {}
    stack = [*start]
    stops = set(stop)
    while stack:
        value = stack.pop()
        if value in found:
            continue
        found[value] = None
        if value in again and value not in stops:
            stack += [v for v in read_by(again[value]) if v in inside]
    return found


def _minimum_cut(
    needed: list[Value],
    again: dict[Value, Repeatable],
    inside: set[Value],
    involved: dict[Value, None],
    free: Collection[Value],
) -> set[Value]:
    """The cheapest set of values from which all needed ones can be computed again."""
    if not any(value in again for value in involved):
        return set(involved)
    number = {value: k for k, value in enumerate(involved)}
    source, sink = 2 * len(number), 2 * len(number) + 1
    edges: list[tuple[int, int, int]] = []
    for value, k in number.items():
        edges.append((2 * k, 2 * k + 1, 0 if value in free else _cost(value)))
        if value in again:
            operands = {v for v in read_by(again[value]) if v in inside}
            edges += [(2 * number[v] + 1, 2 * k, _UNLIMITED) for v in operands]
        else:
            edges.append((source, 2 * k, _UNLIMITED))
    edges += [(2 * number[value] + 1, sink, _UNLIMITED) for value in dict.fromkeys(needed)]
    return _cut(edges, source, sink, number)


def _cut(edges: list[tuple[int, int, int]], source: int, sink: int, number: dict[Value, int]) -> set[Value]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    size = sink + 1
    merged: dict[tuple[int, int], int] = {}
    for a, b, capacity in edges:
        merged[(a, b)] = merged.get((a, b), 0) + capacity
    rows, columns = zip(*merged, strict=True)
    capacities = csr_array((np.array([*merged.values()], np.int32), (rows, columns)), shape=(size, size))
    flow = maximum_flow(capacities, source, sink).flow
    left = capacities - flow
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    reaching = set(breadth_first_order(left.T.tocsr(), sink, return_predecessors=False).tolist())
    return {value for value, k in number.items() if 2 * k + 1 in reaching and 2 * k not in reaching}


def _cost(value: Value) -> int:
    if isinstance(value.type, Array):
        return 1000
    return 1 if value.type.dtype == "bool" else 8
