"""To-be-recorded analysis by element: what is read from or written to an array, and is still there at the end.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def f(x, y):
...     for i in range(1, x.shape[0]):
...         a = y[i - 1]  # all stores that are still to come are elsewhere: it can be read again
...         b = y[i]  # is overwritten
...         y[i] = a * b * x[i]
...     return y[-1]
>>> body = normal_form(f, np.ones(3), np.ones(3)).body
>>> elements = FinalElements(body, Shapes())
>>> lets = {s.value.name: s for s in walk(body) if isinstance(s, Let)}
>>> elements.holder(lets["a"]) is not None, elements.holder(lets["b"]) is not None
(True, False)

So is what a nest reads of an array that an iteration around it was handed (`handed_to_iterations`), if no store of that
iteration has been there before.

The proof: between an access and each store that may run after it, in every order that the loops allow, no integers make
the indices equal (a dependence test; `linear` decides it). Hascoët, Naumann & Pascual (2005), To-be-recorded analysis
in reverse-mode automatic differentiation.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.analysis.aliases import consumes
from pullback.analysis.shapes import Shapes
from pullback.analysis.subscripts import Access, Loops, Places
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Call,
    For,
    If,
    Let,
    Statement,
    Value,
    While,
    blocks_of,
    defined_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.types import Array


class FinalElements:
    """For each load and store of a body: the last version of the array, if that still holds the element."""

    def __init__(self, body: Block, shapes: Shapes) -> None:
        self.places = Places(body, shapes)
        self.accesses: dict[Value, Access] = {}
        self.writes: dict[Value, list[Access]] = {}
        self.last: dict[Value, Value] = {}
        self.known: dict[Value, Value | None] = {}
        self.handed: dict[Value, list[tuple[Value, Access, list[Access]]]] = {}
        for block, loops in _iterations(body, ()):
            made = {v for s in block.statements for v in results_of(s)}
            for origin in _origins(block):
                if not loops or origin in made:
                    self.note(block, loops, origin)
                else:
                    self.note_handed(block, loops, origin)

    def note(self, block: Block, loops: Loops, origin: Value) -> None:
        """Take in an array that is there in a block, or made in it: all accesses to it."""
        chain = _Chain(len(loops))
        last = chain.follow(block, origin, loops)
        if last is not None and last is not origin:
            writes = [access for access in chain.accesses if access.statement.function is not primitives.load]
            for access in chain.accesses:
                value = access.statement.value
                self.accesses[value], self.writes[value], self.last[value] = access, writes, last

    def holder(self, statement: Let) -> Value | None:
        """The last version of the array that a load or store is about, if no later store can be to the same place."""
        value = statement.value
        access = self.accesses.get(value)
        if access is None:
            return None
        if value not in self.known:
            meets = any(self.places.may_meet(access, write) for write in self.writes[value])
            self.known[value] = None if meets else self.last[value]
        return self.known[value]

    def note_handed(self, block: Block, loops: Loops, origin: Value) -> None:
        """Take in an array that an iteration is handed, and changes: all accesses to it in that iteration."""
        chain = _Chain(len(loops))
        if chain.follow(block, origin, loops) is not None:
            writes = [access for access in chain.accesses if access.statement.function is not primitives.load]
            for access in chain.accesses:
                if access.statement.function is primitives.load and len(access.loops) > len(loops):
                    self.handed.setdefault(access.statement.value, []).append((origin, access, writes))

    def handed_to_iterations(self, load: Let) -> Iterator[Value]:
        """The array of a load as iterations outside of its loop were handed it, if it has the element from there.

        No store of such an iteration that runs before the load can be to the same place.
        """
        for origin, access, writes in self.handed.get(load.value, []):
            if not any(self.places.may_meet(write, access) for write in writes):
                yield origin

    def is_apart(self, load: Let, loop: For) -> bool:
        """Whether no iteration of a loop around a load writes the element that this or another iteration reads."""
        access = self.accesses.get(load.value)
        around = next((k for k, outer in enumerate(access.loops) if outer is loop), None) if access else None
        if access is None or around is None or around < access.own:
            return False
        writes = (
            write for write in self.writes[load.value] if len(write.loops) > around and write.loops[around] is loop
        )
        return not any(self.places.may_meet_in(access, write, around, in_order=False) for write in writes)


def _iterations(block: Block, loops: Loops) -> Iterator[tuple[Block, Loops]]:
    """The block, and the body of each loop in it, in no branch, with the loops around it."""
    yield block, loops
    for statement in block.statements:
        if isinstance(statement, For | While):
            yield from _iterations(statement.body, (*loops, statement))


def _origins(body: Block) -> Iterator[Value]:
    """The arrays that the statements of a body change, each in its first version."""
    inner = {v for s in body.statements for block in blocks_of(s) for v in defined_in(block)}
    versions: set[Value] = set()
    for statement in body.statements:
        changed = [s.operands[0] for s in walk(Block((statement,))) if isinstance(s, Let) and consumes(s)]
        if isinstance(statement, For | While):
            changed += [carried.initial for carried in statement.carried]
        for value in dict.fromkeys(changed):
            if isinstance(value, Value) and isinstance(value.type, Array) and value not in versions | inner:
                versions.add(value)
                yield value
        if not isinstance(statement, Let) or consumes(statement):
            versions.update(results_of(statement))


class _Chain:
    """The versions of one array, from one statement to the next, and the accesses to them."""

    def __init__(self, own: int) -> None:
        self.own = own
        self.accesses: list[Access] = []

    def follow(self, block: Block, version: Value, loops: Loops) -> Value | None:
        """The version at the end of a block; None where an unknown statement takes the array."""
        for statement in block.statements:
            after = self.statement(statement, version, loops)
            if after is None:
                return None
            version = after
        return version

    def statement(self, statement: Statement, version: Value, loops: Loops) -> Value | None:
        match statement:
            case Let():
                return self.let(statement, version, loops)
            case If():
                return self.branches(statement, version, loops)
            case For() | While():
                return self.loop(statement, version, loops)
            case Call() if version in values_in(statement.operands):
                return None
        return version

    def let(self, statement: Let, version: Value, loops: Loops) -> Value | None:
        if not statement.operands or statement.operands[0] is not version:
            return version
        if statement.function is primitives.load:
            self.accesses.append(Access(statement, loops, len(self.accesses), self.own))
        elif consumes(statement):
            if statement.function not in (primitives.store, primitives.add_at):
                return None
            self.accesses.append(Access(statement, loops, len(self.accesses), self.own))
            version = statement.value
        return version

    def branches(self, statement: If, version: Value, loops: Loops) -> Value | None:
        ends = [self.follow(side, version, loops) for side in (statement.then, statement.orelse)]
        if ends == [version, version]:
            return version
        sides = zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True)
        for result, then, orelse in sides:
            if then is ends[0] and orelse is ends[1]:
                return result
        return None

    def loop(self, statement: For | While, version: Value, loops: Loops) -> Value | None:
        taken = [k for k, carried in enumerate(statement.carried) if carried.initial is version]
        if len(taken) > 1:
            return None
        inside = statement.carried[taken[0]].parameter if taken else version
        end: Value | None = inside
        for block in blocks_of(statement):
            end = self.follow(block, end, (*loops, statement)) if end is not None else None
        if not taken:
            return version if end is version else None
        return statement.results[taken[0]] if statement.body.yields[taken[0]] is end else None
