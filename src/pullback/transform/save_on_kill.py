"""Save on kill: the backward sweep restores an array that a nest writes in place, and loads what the nest has loaded.

>>> import numpy as np, pullback as pb
>>> def relaxed(A, x, sweeps):
...     for _ in range(sweeps):
...         for i in range(x.shape[0]):
...             field = 0.0
...             for j in range(x.shape[0]):
...                 field += A[i, j] * x[j]
...             x[i] = np.tanh(field)
...     return np.sum(x)
>>> lines = pb.source(relaxed, np.ones((3, 3)), np.ones(3), 2).splitlines()
>>> print("\\n".join(line.strip() for line in lines if "x_i_saved[" in line))
x_i_saved[k, i] = x2[i]
x[i] = x_i_saved[k, i]

An iteration of the second loop keeps the one element that it overwrites. What the innermost loop loads would be as many
elements as the matrix has. The stores of a block are undone where its mirror begins, those before a loop that writes
the array where it ends. Giering & Kaminski (1998), Recipes for adjoint code construction; Hascoët & Pascual (2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Protocol

from pullback.analysis.final import FinalElements
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    For,
    If,
    Index,
    Let,
    Statement,
    Value,
    While,
    is_scalar,
    results_of,
    values_in,
)
from pullback.ir.rewrite import like
from pullback.ir.types import Array, Scalar
from pullback.transform.residual_plan import Overwritten, Path, Restoration
from pullback.transform.whole_arrays import loops_around

Step = tuple[Statement, Value]
"""A statement that makes a version of an array, and the version that it makes that of."""


class Decisions(Protocol):
    """What is known of the values of a function, and of what the backward sweep needs of them; see `Residuals`."""

    body: Block
    elements: FinalElements
    blocks: dict[Path, Block]
    statements: dict[int, Statement]
    needs: dict[Path, dict[Value, None]]
    lets: dict[Value, Let]
    mirrored: set[int]


def find_restorations(known: Decisions) -> list[Restoration]:
    """The arrays that outermost loops write, where the loops in them need elements that are overwritten."""
    found = []
    for statement in known.body.statements:
        if isinstance(statement, For | While):
            for result in statement.results:
                chain = _Chain(known, Restoration(result, like(result))) if isinstance(result.type, Array) else None
                if chain is not None and chain.before(statement, (), result) is not None and chain.pays():
                    found.append(chain.restoration)
    return found


class _Chain:
    """The versions of one array, from the last one back, as the backward sweep comes by them."""

    def __init__(self, known: Decisions, restoration: Restoration) -> None:
        self.known, self.restoration = known, restoration

    def block(self, path: Path, last: Value) -> Value | None:
        """The version that a block starts with, of the one that it ends with; None if that cannot be restored."""
        now, steps, others = last, list[Step](), list[tuple[Statement, Value]]()
        for statement in reversed(self.known.blocks[path].statements):
            if now in results_of(statement):
                before = self.before(statement, path, now)
                if before is None:
                    return None
                steps.append((statement, before))
                now = before
            elif isinstance(statement, If | For | While):
                others.append((statement, now))
        late = [*takewhile(_is_store, steps)]
        early = [*takewhile(_is_store, reversed(steps[len(late) :]))]
        nests = steps[len(late) : len(steps) - len(early)]
        if any(map(_is_store, nests)):
            return None
        self.note(path, late, early[::-1])
        first = late[-1][1] if late else last
        self.restoration.versions[path] = None if late else last
        there = {first, *(before for _, before in nests)}
        for statement, version in others:
            for side in (0, 1):
                inner = (*path, (id(statement), side))
                self.restoration.versions[inner] = version if version in there else None
        return now

    def before(self, statement: Statement, path: Path, now: Value) -> Value | None:
        """The version that a statement makes another one of."""
        match statement:
            case Let() if _is_undone(statement):
                array: Value = statement.operands[0]
                return array
            case If() if id(statement) in self.known.mirrored:
                k = statement.results.index(now)
                sides = enumerate((statement.then.yields[k], statement.orelse.yields[k]))
                starts = {self.block((*path, (id(statement), side)), last) for side, last in sides}
                self.restoration.through.add(id(statement))
                return starts.pop() if len(starts) == 1 else None
            case For() | While() if id(statement) in self.known.mirrored:
                k = statement.results.index(now)
                start = self.block((*path, (id(statement), 0)), statement.body.yields[k])
                self.restoration.through.add(id(statement))
                carried = statement.carried[k]
                return carried.initial if start is carried.parameter else None
        return None

    def note(self, path: Path, late: Sequence[Step], early: Sequence[Step]) -> None:
        """What the stores of a block overwrite, in the order in which they are undone."""
        for steps, undone in ((late, self.restoration.at_begin), (early, self.restoration.at_end)):
            stores = [statement for statement, _ in steps if isinstance(statement, Let)]
            if stores:
                undone[path] = [Overwritten(store, self.element(path, store)) for store in stores]

    def element(self, path: Path, store: Let) -> Let:
        """What loads the element that a store overwrites: a statement of its block, if there is one."""
        operands = store.operands[:2]
        loads = (s for s in self.known.blocks[path].statements if isinstance(s, Let) and s.function is primitives.load)
        known = next((load for load in loads if load.operands == operands), None)
        if known is not None:
            return known
        array: Any = store.value.type
        return Let(Value("", Scalar(array.dtype)), primitives.load, operands, (), store.location)

    def pays(self) -> bool:
        """Whether a loop inside of those around the stores needs what it loads, which nothing else still has."""
        undone = [*self.restoration.at_begin, *self.restoration.at_end]
        deepest = max(map(self.depth, undone), default=0)
        return bool(undone) and any(
            self.depth(path) > deepest and self.restoration.has(load, path)
            for path in self.known.blocks
            for load in self.needed_loads(path)
            if self.known.elements.holder(load) is None
        )

    def depth(self, path: Path) -> int:
        return len(loops_around(self.known.statements, path))

    def needed_loads(self, path: Path) -> Iterator[Let]:
        """The loads of a block that what the backward sweep needs of it follows from."""
        lets = {s.value: s for s in self.known.blocks[path].statements if isinstance(s, Let)}
        found, rest = set[Value](), [*self.known.needs.get(path, ())]
        while rest:
            value = rest.pop()
            if value in found or value not in lets:
                continue
            found.add(value)
            if lets[value].function is primitives.load:
                yield lets[value]
            else:
                rest += values_in(lets[value].operands)


def _is_store(step: Step) -> bool:
    return isinstance(step[0], Let)


def _is_undone(statement: Let) -> bool:
    """Whether a statement changes one element of an array."""
    if statement.function not in (primitives.store, primitives.add_at):
        return False
    array, place = statement.operands[:2]
    if len(place) != 1 or not isinstance(place[0], Index):
        return False
    return len(place[0].items) == array.type.ndim and all(map(is_scalar, place[0].items))
