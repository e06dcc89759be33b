"""Outer-loop vectorisation, its legality: whether iterations may run side by side, one piece of their bodies at a time.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> from pullback.transform.derivative import prepared
>>> def f(x, m):
...     s = 0.0
...     for p in range(x.shape[0]):
...         y = x[p]
...         for j in range(m):  # every iteration over p has these iterations
...             y = np.sin(y) * j
...         s += y
...     return s
>>> function = prepared(normal_form(f, np.ones(3), 4))
>>> legality = Legality(next(s for s in function.body.statements if isinstance(s, For)))
>>> legality.can_be_vectorised()
True
>>> [name for name, value in values_by_name(function).items() if value in legality.own - legality.varying]
['j']

A body consists of runs of plain statements with inner loops between them; so do the bodies of those. What has the same
value in all iterations at a time is *uniform*, all else *varying*. An array that every iteration makes for itself is
*private*. What iterations pass to one another must be read and written within one run of the outermost body: its order
then stays.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

import numpy as np

from pullback.analysis.divergent_loops import gains_in_lockstep
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.reductions import adds_to
from pullback.analysis.repeated_arrays import REPEATED, repeated_arrays
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    is_undefined,
    lets_in,
    made_in_iterations,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import without_made
from pullback.ir.types import Array, Scalar, is_float, is_integer

_WIDEST = {"float64", "int64", "bool"}


@dataclass(frozen=True, slots=True)
class Pieces:
    """A block in pieces: `runs[i]` stands before `loops[i]`, and the last run after all of them."""

    runs: tuple[tuple[Statement, ...], ...]
    loops: tuple[For | While, ...]


def pieces_of(block: Block) -> Pieces:
    runs: list[list[Statement]] = [[]]
    loops: list[For | While] = []
    for statement in block.statements:
        if isinstance(statement, For | While):
            loops.append(statement)
            runs.append([])
        else:
            runs[-1].append(statement)
    return Pieces(tuple(map(tuple, runs)), tuple(loops))


class Legality:
    """What decides whether a loop can be vectorised: which of its values vary, and where its pieces meet.

    own: the values that an iteration makes. varying: those that may differ between iterations at a time; others are
    uniform. private: the versions of arrays that an iteration makes for itself. place: by the number of a carried
    value, the run that reads it. in_rows: lanes go along the rows of arrays, where iterations go down columns.
    diverges: lanes leave a loop one by one.
    """

    def __init__(self, loop: For, is_apart: Callable[[Let], bool] = lambda load: False) -> None:
        """is_apart: whether no iteration writes the element that a load of another one reads."""
        self.loop = loop
        self.own = made_in_iterations(loop)
        self.reads = Counter(read_in(loop.body))
        self.walks_columns = walks_columns(loop)
        self.apart = self.read_apart(is_apart) if self.walks_columns else {}
        self.created = [s for s in walk(loop.body) if isinstance(s, Let) and s.function in primitives.CREATING]
        self.private = {s.value for s in self.created}
        parameters = {carried.parameter for carried in loop.carried}
        self.varying = {loop.index, *(parameters - self.apart.keys()), *self.private}
        self.spread()
        self.in_rows = self.walks_columns and not self.private
        self.pieces = pieces_of(loop.body)
        self.diverges = any(isinstance(s, While) for s in walk(loop.body)) and not self.private
        self.place: dict[int, int] = {}

    def read_apart(self, is_apart: Callable[[Let], bool]) -> dict[Value, set[Value]]:
        """The carried arrays of which iterations read only elements that none writes, each with what they load."""
        found: dict[Value, set[Value]] = {}
        lets = [s for s in walk(self.loop.body) if isinstance(s, Let)]
        for array in (c.parameter for c in self.loop.carried if isinstance(c.parameter.type, Array)):
            accesses = [s for s in lets if s.operands and s.operands[0] is array]
            loads = [s for s in accesses if s.function is primitives.load]
            known = all(s.function in primitives.ACCESSES for s in accesses)
            if known and len(accesses) == self.reads[array] and all(map(is_apart, loads)):
                found[array] = {load.value for load in loads}
        return found

    def spread(self) -> None:
        """Mark what depends on what varies, and the versions of private arrays, until nothing is left to mark."""
        while True:
            before = len(self.varying), len(self.private)
            self.mark_block(self.loop.body)
            if before == (len(self.varying), len(self.private)):
                return

    def mark_block(self, block: Block) -> None:
        for statement in block.statements:
            match statement:
                case Let():
                    if statement.function in primitives.WRITES and statement.operands[0] in self.private:
                        self.private.add(statement.value)
                    self.mark(statement.value, statement.operands)
                case If():
                    self.mark_block(statement.then)
                    self.mark_block(statement.orelse)
                    for k, result in enumerate(statement.results):
                        self.mark(result, (statement.condition,))
                        self.join(result, (statement.then.yields[k], statement.orelse.yields[k]))
                case For():
                    for k, carried in enumerate(statement.carried):
                        self.join(carried.parameter, (carried.initial, statement.body.yields[k]))
                        self.join(statement.results[k], (carried.parameter,))
                    self.mark_block(statement.body)
                case While():
                    self.varying.update(statement.results, (carried.parameter for carried in statement.carried))
                    for inner in blocks_of(statement):
                        self.mark_block(inner)

    def mark(self, value: Value, sources: tuple[Operand, ...]) -> None:
        if any(v in self.varying for v in values_in(sources)):
            self.varying.add(value)

    def join(self, value: Value, sources: tuple[Operand, ...]) -> None:
        self.mark(value, sources)
        if any(v in self.private for v in values_in(sources)):
            self.private.add(value)

    # Legality

    def can_be_vectorised(self) -> bool:
        """Whether iterations may run side by side, and may gain from it: legality first, then a crude profitability."""
        loop = self.loop
        if loop.exits or loop.reverse or loop.step != constant(1) or not self.pieces.loops:
            return False
        # A loop that is no chain gains more from its own order where that goes through memory in one direction.
        if not self.private and not self.in_rows and not all(map(_is_chain, self.pieces.loops)):
            return False
        if not self.can_widen(loop.body) or not self.find_places():
            return False
        held = self.held(loop.body, self.pieces, self.last_reads())
        wide, unknown = is_wide(loop.body), maybe_undefined(loop.body)
        return all(isinstance(v.type, Scalar) and (wide or not v.type.weak) and v not in unknown for v in held)

    def weights(self) -> list[int]:
        """For each array of an iteration how much an element counts: one that inner loops go over again more."""
        repeated = repeated_arrays(self.loop.body)
        return [REPEATED if created.value in repeated else 1 for created in self.created]

    def are_large(self, most: int) -> bool:
        """Whether the arrays of an iteration are known to have more elements than that, by their weights."""
        elements = 0
        for created, weight in zip(self.created, self.weights(), strict=True):
            sizes = [size.value if isinstance(size, Constant) else 0 for size in created.operands[0]]
            elements += weight * math.prod(sizes)
        return elements > most

    def can_widen(self, block: Block) -> bool:
        """Whether all iterations can go through a block together: its loops have the same iterations in all of them."""
        pieces = pieces_of(block)
        if any(map(is_undefined, block.yields)):
            return False
        plain = all(self.is_plain(s) for run in pieces.runs for s in run)
        return plain and all(map(self.is_one_version, pieces.runs)) and all(map(self.is_common, pieces.loops))

    def is_plain(self, statement: Statement) -> bool:
        """Whether a statement computes numbers or writes elements; a branch, if all its statements do."""
        match statement:
            case Let():
                if statement.function in primitives.CREATING:
                    return not self.own & set(values_in(statement.operands))
                first, rest = statement.operands[:1], statement.operands[1:]
                if first and isinstance(first[0], Value) and first[0] in self.private:
                    return _is_element(statement) and self.private.isdisjoint(values_in(rest))
                if not self.private.isdisjoint(values_in(statement.operands)):
                    return False
                return not isinstance(statement.function, Identity)
            case If():
                inner = (*statement.then.statements, *statement.orelse.statements)
                return all(self.is_plain(s) and not _creates(s) for s in inner)
        return False

    def is_one_version(self, run: tuple[Statement, ...]) -> bool:
        """Whether what follows a run reads only the last version of each private array that it writes."""
        origins = self.origins(run)
        if origins is None:
            return False
        made = {v for s in run for v in results_of(s)}
        last = {origin: version for version, origin in origins.items() if version in made}
        return all(not self.is_read_after(v, run) for v, origin in origins.items() if last.get(origin) is not v)

    def is_read_after(self, version: Value, run: tuple[Statement, ...]) -> bool:
        return self.reads[version] > Counter(read_in(Block(run)))[version]

    def origins(self, run: tuple[Statement, ...]) -> dict[Value, Value] | None:
        """For each version of a private array that a run makes, the one that it began with; None if it mixes them."""
        found: dict[Value, Value] = {}
        for statement in run:
            match statement:
                case Let() if statement.value in self.private and not _creates(statement):
                    array: Value = statement.operands[0]
                    found[statement.value] = found.get(array, array)
                case If():
                    for side in (statement.then, statement.orelse):
                        inner = self.origins(side.statements)
                        if inner is None:
                            return None
                        found |= {version: found.get(origin, origin) for version, origin in inner.items()}
                    for k, result in enumerate(statement.results):
                        if result in self.private:
                            sides: list[Value] = [side.yields[k] for side in (statement.then, statement.orelse)]
                            roots = {found.get(version, version) for version in sides}
                            if len(roots) > 1:
                                return None
                            found[result] = roots.pop()
        return found

    def is_common(self, loop: For | While) -> bool:
        """Whether all iterations can go through an inner loop together, which carries numbers and private arrays.

        It has the same iterations for all of them, or they leave it one by one; then it carries numbers alone.
        """
        if isinstance(loop, While):
            read = set(read_in(loop.body)) | set(read_in(loop.condition))
            others = {c.parameter for c in self.loop.carried} - self.apart.keys()
            return gains_in_lockstep(loop) and not read & (others | self.private)
        bounds = values_in((loop.start, loop.stop, loop.step))
        if loop.exits or loop.reverse or any(v in self.varying for v in bounds) or not isinstance(loop.step, Constant):
            return False
        if any(is_undefined(carried.initial) for carried in loop.carried):
            return False
        arrays = [c.parameter for c in loop.carried if isinstance(c.parameter.type, Array)]
        if any(array not in self.private for array in arrays):
            return False
        read = {c.parameter for c in self.loop.carried} & set(read_in(loop.body))
        return read <= self.apart.keys() and self.can_widen(loop.body)

    def find_places(self) -> bool:
        """Whether each carried value is read in one run only, which is noted, and its next one is known there."""
        runs, loops = self.pieces.runs, self.pieces.loops
        made_in = {v: i for i, run in enumerate(runs) for s in run for v in results_of(s)}
        made_in |= {v: i + 1 for i, inner in enumerate(loops) for v in inner.results}
        parameters = [carried.parameter for carried in self.loop.carried]
        for k, carried in enumerate(self.loop.carried):
            after = self.loop.body.yields[k]
            if (after is not carried.parameter and after in parameters) or is_undefined(after):
                return False
            apart = self.apart.get(carried.parameter, set())
            reading = [i for i in range(len(runs)) if carried.parameter in _read_by_run(self.pieces, i, apart)]
            if len(reading) > 1:
                return False
            self.place[k] = reading[0] if reading else len(runs) - 1
            if isinstance(after, Value) and (after in self.private or made_in.get(after, 0) > self.place[k]):
                return False
        return True

    # Values that are live between pieces

    def last_reads(self) -> list[set[Value]]:
        """For each run of the outermost body, the next values of what it carries."""
        yields = self.loop.body.yields
        return [
            {v for k, place in self.place.items() if place == i for v in values_in(yields[k])}
            for i in range(len(self.pieces.runs))
        ]

    def held(self, block: Block, pieces: Pieces, last_reads: list[set[Value]]) -> list[Value]:
        """The numbers live between pieces: those that one defines and another reads, or that inner loops carry."""
        found = [v for i in range(len(pieces.runs)) for v in self.crossing(pieces, last_reads, i)]
        for inner in pieces.loops:
            found += [c.parameter for c in inner.carried if c.parameter in self.varying - self.private]
            within = pieces_of(inner.body)
            found += self.held(inner.body, within, last_reads_of(inner.body, within))
        return found

    def crossing(self, pieces: Pieces, last_reads: list[set[Value]], i: int) -> list[Value]:
        """The varying numbers of a run that another piece reads; `last_reads[j]` is what a run reads at its end."""
        others: set[Value] = set()
        for j in range(len(pieces.runs)):
            if j != i:
                others |= _read_by_run(pieces, j) | last_reads[j]
        for inner in pieces.loops:
            for block in blocks_of(inner):
                others |= set(read_in(block))
        made = [v for s in pieces.runs[i] for v in results_of(s)]
        return [v for v in made if v in others and v in self.varying and v not in self.private]


def is_wide(block: Block) -> bool:
    """Whether an array can hold each number of a block, Python's own among them.

    An element of an array is not weak: where other dtypes are near, it would not give the same ones.
    """
    return all(s.value.type.dtype in _WIDEST for s in walk(block) if isinstance(s, Let))


def last_reads_of(block: Block, pieces: Pieces) -> list[set[Value]]:
    """What the runs of an inner body read at their end: the last one, what the body yields."""
    return [*(set() for _ in pieces.loops), set(values_in(block.yields))]


def _read_by_run(pieces: Pieces, i: int, apart: Set[Value] = frozenset()) -> set[Value]:
    """What a run reads, and the loop after it at its start, but for the statements that make `apart`."""
    initial = tuple(c.initial for c in pieces.loops[i].carried) if i < len(pieces.loops) else ()
    return {*read_in(without_made(Block(pieces.runs[i], initial), apart))}


def walks_columns(loop: For) -> bool:
    """Whether its inner loops go down columns, which this loop goes through side by side, more than along rows.

    An element of a matrix is in another line of memory than the one below, and mostly in that of the one beside it.
    """
    lets = lets_in(loop.body)
    columns = rows = 0
    for inner in (s for s in walk(loop.body) if isinstance(s, For)):
        for statement in inner.body.statements:
            if not isinstance(statement, Let) or statement.function not in primitives.ACCESSES:
                continue
            items = [item for step in statement.operands[1] if isinstance(step, Index) for item in step.items]
            *before, last = [_index_near(item, lets) for item in items] or [None]
            columns += last is loop.index and inner.index in before
            rows += last is inner.index and loop.index in before
    return columns > rows


def _index_near(item: object, lets: Mapping[Value, Let]) -> Value | None:
    """What an index is, or is so many before or after."""
    made = lets.get(item) if isinstance(item, Value) else None
    if made is not None and made.function in (np.add, np.subtract) and isinstance(made.operands[1], Constant):
        return _index_near(made.operands[0], lets)
    return item if isinstance(item, Value) else None


def _is_element(statement: Let) -> bool:
    """Whether a statement reads or writes one element of an array."""
    if statement.function not in primitives.ACCESSES:
        return False
    array, path = statement.operands[:2]
    if len(path) != 1 or not isinstance(path[0], Index) or len(path[0].items) != array.type.ndim:
        return False
    return all(isinstance(item, Value | Constant) and _is_integer(item) for item in path[0].items)


def _is_integer(item: Value | Constant) -> bool:
    return isinstance(item.type, Scalar) and is_integer(item.type)


def _creates(statement: Statement) -> bool:
    return isinstance(statement, Let) and statement.function in primitives.CREATING


def _is_chain(inner: For | While) -> bool:
    """Whether a loop carries a float that is no reduction: each iteration has to wait for the one before."""
    if isinstance(inner, While):
        return True
    floats = [k for k, c in enumerate(inner.carried) if is_float(c.parameter.type)]
    return not all(adds_to(inner, [k]) for k in floats)
