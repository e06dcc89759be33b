"""Loop skewing, its legality: in which nests of two loops the iterations of an antidiagonal may run side by side.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.transform.derivative import prepared
>>> def f(r, s):
...     for i in range(1, r.shape[0]):
...         for j in range(1, r.shape[1]):
...             r[i, j] = np.sin(r[i - 1, j] * r[i, j - 1])
...     for i in range(1, s.shape[0]):
...         for j in range(s.shape[1] - 1):
...             s[i, j] = np.sin(s[i - 1, j + 1])  # of the antidiagonal itself
...     return r, s
>>> function = prepared(normal_form(f, np.ones((3, 3)), np.ones((3, 3))))
>>> nests = [nest_of(s) for s in function.body.statements if isinstance(s, For)]
>>> places = Places(function.body, Shapes(function))
>>> [has_wavefronts(nest, (), places) for nest in nests]
[True, False]

Iteration (i, j) belongs to the wavefront i + j. Wavefronts run one after the other; in each of them all iterations load
first, then compute, and at last store, in the order of i. That is legal where no distance vector of a dependence goes
back to an earlier wavefront, and where none from a store to a load stays in the same one. What stands before the inner
loop runs for all i before the first wavefront, and what stands behind it after the last one. Lamport (1974), The
parallel execution of DO loops; Allen & Kennedy (2001), 5.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pullback import runtime
from pullback.analysis.distance_vectors import DistanceVectors
from pullback.analysis.reductions import adds_to
from pullback.analysis.straight_loops import RAISING, computes_numbers, is_simple
from pullback.analysis.subscripts import Access, Loops, Places
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Effect,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    made_in_iterations,
    values_in,
    walk,
)
from pullback.ir.types import is_float

_BY_ONE = (constant(1), constant(-1))


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """A loop whose iterations have one inner loop each, with as many iterations, and statements before and behind it.

    versions: of the arrays that the outer loop carries, each with the number of the carried value. The outer loop
    carries nothing else but sums.
    """

    outer: For
    inner: For
    before: tuple[Statement, ...]
    behind: tuple[Statement, ...]
    versions: dict[Value, int] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[tuple[Statement, ...], ...]:
        return self.before, self.inner.body.statements, self.behind

    @property
    def numbers(self) -> list[int]:
        """The numbers that the inner loop carries, by their places."""
        return _numbers(self.inner)

    @property
    def sums(self) -> list[int]:
        """The sums that the outer loop carries, by their places: wavefronts add them up in another order."""
        return _numbers(self.outer)

    def writes(self, part: tuple[Statement, ...]) -> list[int]:
        """The arrays that a part writes, by their places in the outer loop."""
        lets = (s for s in part if isinstance(s, Let) and s.function in primitives.WRITES)
        return sorted({self.versions[s.value] for s in lets})


def _numbers(loop: For) -> list[int]:
    return [k for k, carried in enumerate(loop.carried) if is_scalar(carried.parameter)]


def nest_of(outer: For) -> Nest | None:
    """The nest that a loop is, where nothing but dependences may be against wavefronts; else None."""
    loops = [k for k, s in enumerate(outer.body.statements) if isinstance(s, For)]
    if len(loops) != 1 or not outer.carried:
        return None
    (k,) = loops
    inner = outer.body.statements[k]
    assert isinstance(inner, For), "it was found as one"
    own = made_in_iterations(outer)
    if not _is_counted(outer) or not _is_counted(inner) or own.intersection(values_in((inner.start, inner.stop))):
        return None
    nest = Nest(outer, inner, outer.body.statements[:k], outer.body.statements[k + 1 :])
    is_plain = all(_is_plain(statement) for part in nest.parts for statement in part)
    return nest if is_plain and _may_raise_at_once(nest) and _follow_arrays(nest) else None


def _is_counted(loop: For) -> bool:
    return not (loop.exits or loop.parallel or loop.checkpoints) and loop.step in _BY_ONE


def _may_raise_at_once(nest: Nest) -> bool:
    """Whether all checks of indices are of one line: whichever fails first, nobody can tell."""
    checks = (s for part in nest.parts for s in part if isinstance(s, Effect))
    return len({(check.function, check.location) for check in checks}) < 2


def _is_plain(statement: Statement) -> bool:
    """Whether a statement computes a number, without an error, accesses an element, or checks its index."""
    match statement:
        case Effect():
            return statement.function is runtime.check_index
        case If():
            inner = [s for side in (statement.then, statement.orelse) for s in walk(side)]
            sides = computes_numbers(statement.then) and computes_numbers(statement.orelse)
            return (
                sides
                and all(map(is_scalar, statement.results))
                and all(isinstance(s, If) or _is_plain(s) for s in inner)
            )
        case Let():
            return statement.function not in RAISING and is_simple(statement)
    return False


def _follow_arrays(nest: Nest) -> bool:
    """Whether the outer loop carries arrays, each of which stays one through an iteration, and sums of floats.

    Takes down the versions of the arrays.
    """
    outer, inner, versions = nest.outer, nest.inner, nest.versions
    if any(not is_float(outer.carried[k].parameter.type) for k in nest.sums) or not adds_to(outer, nest.sums):
        return False
    carried = {k: c for k, c in enumerate(outer.carried) if not is_scalar(c.parameter)}
    if any(c.private or not isinstance(c.initial, Value) for c in carried.values()):
        return False
    versions.update({c.parameter: k for k, c in carried.items()})
    if not _follow(nest.before, versions):
        return False
    arrays = [k for k, carried in enumerate(inner.carried) if not is_scalar(carried.parameter)]
    if any(inner.carried[k].private or inner.carried[k].initial not in versions for k in arrays):
        return False
    inside = {inner.carried[k].parameter: versions[inner.carried[k].initial] for k in arrays}
    versions.update(inside)
    if not _follow(inner.body.statements, versions):
        return False
    for k in arrays:
        place = versions[inner.carried[k].parameter]
        if versions.get(inner.body.yields[k]) != place:
            return False
        versions[inner.results[k]] = place
    if not _follow(nest.behind, versions):
        return False
    return all(versions.get(outer.body.yields[k]) == k for k in carried)


def _follow(part: tuple[Statement, ...], versions: dict[Value, int]) -> bool:
    """Take down the versions that a part makes; whether it reads them as arrays of which elements are accessed."""
    for statement in walk(Block(part)):
        if not isinstance(statement, Let):
            continue
        array, *others = statement.operands or (None,)
        if versions.keys() & set(values_in(tuple(others))):
            return False
        if isinstance(array, Value) and array in versions:
            if statement.function not in {*primitives.ACCESSES, primitives.dim}:
                return False
            if statement.function in primitives.WRITES:
                versions[statement.value] = versions[array]
        elif statement.function in primitives.WRITES:
            return False
    return True


def has_wavefronts(nest: Nest, around: Loops, places: Places) -> bool:
    """Whether the dependences of a nest allow wavefronts. around: the loops that the nest stands in."""
    vectors = DistanceVectors(nest.outer, nest.inner, places)
    accesses = list(accesses_of(nest, around))
    return not any(
        _is_against(vectors, source, sink)
        for source in accesses
        for sink in accesses
        if source.array == sink.array and (source.is_write or sink.is_write)
    )


@dataclass(frozen=True, slots=True)
class NestAccess:
    """An access to an array that the nest writes: the number of the array, and of the part that it stands in."""

    access: Access
    array: int
    part: int

    @property
    def is_write(self) -> bool:
        return self.access.statement.function in primitives.WRITES


def accesses_of(nest: Nest, around: Loops) -> Iterator[NestAccess]:
    """The accesses to arrays that are carried, in the order of the program."""
    order = 0
    for part, statements in enumerate(nest.parts):
        loops = (*around, nest.outer, nest.inner) if part == 1 else (*around, nest.outer)
        for statement in walk(Block(statements)):
            if isinstance(statement, Let) and statement.function in primitives.ACCESSES:
                array: Operand = statement.operands[0]
                if array in nest.versions:
                    yield NestAccess(Access(statement, loops, order), nest.versions[array], part)
                    order += 1


def _is_against(vectors: DistanceVectors, source: NestAccess, sink: NestAccess) -> bool:
    """Whether the second access may be to the element of the first, later, and would no longer be so in wavefronts."""
    pair = source.access, sink.access
    if source.part != sink.part:
        return source.part > sink.part and vectors.may_have(*pair, (1, 0, -1))
    if source.part != 1:
        return False
    is_flow = source.is_write and not sink.is_write
    if is_flow and source.access.order < sink.access.order and vectors.may_have(*pair, *_SAME_ITERATION):
        return True
    return vectors.may_have(*pair, (1, 0, -1), (-1, -1, 0 if is_flow else -1))


_SAME_ITERATION = (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)
