"""Subscripts: the places of accesses to arrays as linear forms, and whether two accesses may be to the same element.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir import primitives
>>> from pullback.ir.nodes import walk
>>> def f(y):
...     for i in range(1, y.shape[0]):
...         y[i] = np.sin(y[i - 1])
...     return y
>>> function = normal_form(f, np.ones(3))
>>> (loop,) = (s for s in function.body.statements if isinstance(s, For))
>>> load, store = (
...     Access(s, (loop,), k)
...     for k, s in enumerate(s for s in walk(loop.body) if s.function in (primitives.load, primitives.store))
... )
>>> places = Places(function.body, Shapes(function))
>>> places.may_meet(load, store), places.may_meet(store, load)  # the second one runs later
(False, True)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pullback.analysis.linear import is_impossible
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Index,
    Let,
    Operand,
    Slice,
    Value,
    While,
    blocks_of,
    is_scalar,
    results_of,
)
from pullback.ir.types import is_integer

Loops = tuple[For | While, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store of part of an array, the loops around it, and its place in the order of the program.

    own: in each iteration of so many of the loops, from the outermost on, it is an array of its own.
    """

    statement: Let
    loops: Loops
    order: int
    own: int = 0


class Places:
    """The indices of accesses as linear forms of loop indices and of what is invariant in the loops."""

    def __init__(self, body: Block, shapes: Shapes) -> None:
        self.ranges = Ranges(shapes)
        self.loops: dict[Value, Loops] = {}
        self.survey(body, ())

    def survey(self, block: Block, loops: Loops) -> None:
        """Note the form of each integer, and the loops in which each value is made."""
        for statement in block.statements:
            self.loops.update(dict.fromkeys(results_of(statement), loops))
            if isinstance(statement, Let):
                self.ranges.note(statement)
            inner = loops
            if isinstance(statement, For | While):
                inner = (*loops, statement)
                self.loops.update({carried.parameter: inner for carried in statement.carried})
            if isinstance(statement, For):
                self.loops[statement.index] = inner
            for part in blocks_of(statement):
                self.survey(part, inner)

    def may_meet(self, access: Access, write: Access) -> bool:
        """Whether a write that runs after an access may be to the same element."""
        common = 0
        for mine, other in zip(access.loops, write.loops, strict=False):
            if mine is not other:
                break
            common += 1
        if write.order > access.order and self.may_meet_in(access, write, common):
            return True
        return any(self.may_meet_in(access, write, k) for k in range(access.own, common))

    def may_meet_in(self, access: Access, write: Access, shared: int, in_order: bool = True) -> bool:
        """The same where the `shared` outermost loops are in one iteration for both, and the next is in a later one.

        in_order: it is in a later one for the write; in any for both otherwise.
        """
        same = {id(loop) for loop in access.loops[:shared]}
        sides = [Side("access", access, same, self), Side("write", write, same, self)]
        places = [side.places() for side in sides]
        conditions = [fact for side in sides for fact in (*side.facts(), *side.inside)]
        if (
            in_order
            and shared < len(access.loops)
            and shared < len(write.loops)
            and access.loops[shared] is write.loops[shared]
        ):
            conditions += later(access.loops[shared], *sides)
        equal = [a.plus(b, -1) for a, b in zip(*places, strict=False) if a is not None and b is not None]
        return not is_impossible(equal, conditions)


class Side:
    """One of two accesses: what varies in loops that are not in the same iteration has a term of its own for each.

    inside: what is not negative, since the elements of the slices that the access is to are between their ends.
    """

    def __init__(self, name: str, access: Access, same: set[int], places: Places) -> None:
        self.name, self.access, self.same, self.whole = name, access, same, places
        self.inside: list[Form] = []

    def form(self, operand: Operand) -> Form:
        ranges = self.whole.ranges
        is_sure = all(map(self.is_never_negative, map(self.of_side, ranges.slices_in(operand))))
        return self.of_side(ranges.form(operand) if is_sure else ranges.sure(operand))

    def of_side(self, form: Form) -> Form:
        return Form(form.constant, tuple((self.term(term), c) for term, c in form.terms))

    def term(self, term: Any) -> Any:
        value = term[0] if isinstance(term, tuple) else term
        changes = any(id(loop) not in self.same for loop in self.whole.loops.get(value, ()))
        return (self.name, term) if changes else ("both", term)

    def facts(self) -> list[Form]:
        """The forms that are not negative, since the indices of the loops around the access are within their bounds."""
        found: list[Form] = []
        for loop in self.access.loops:
            if isinstance(loop, For) and isinstance(loop.step, Constant):
                index, (first, last) = self.form(loop.index), map(self.of_side, self.whole.ranges.reach(loop))
                found += [index.plus(first, -1), last.plus(index, -1)]
        sizes = dict.fromkeys(term for form in found for term, _ in form.terms if isinstance(term[1], tuple))
        return found + [Form(0, ((term, 1),)) for term in sizes]

    def is_never_negative(self, form: Form) -> bool:
        """Whether a form of this side is not negative where the access is."""
        return is_impossible([], [*self.facts(), Form(-1).plus(form, -1)])

    def places(self) -> list[Form | None]:
        """The index along each axis, one of several for a slice; None where it may count from the end."""
        path = self.access.statement.operands[1]
        if len(path) != 1 or not isinstance(path[0], Index):
            return []
        found: list[Form | None] = []
        for item in path[0].items:
            if isinstance(item, Slice):
                found.append(self.in_slice(item, len(found)))
            elif is_scalar(item) and is_integer(item.type):
                found.append(self.of_item(item, len(found)))
            else:
                break
        return found

    def of_item(self, item: Operand, axis: int) -> Form | None:
        """The index along an axis; None where it is not known whether it counts from the end."""
        if isinstance(item, Constant) and item.value < 0:
            ranges = self.whole.ranges
            size = ranges.of_size(ranges.shapes.of(self.access.statement.operands[0])[axis])
            return None if size is None else self.of_side(size).moved(item.value)
        form = self.form(item)
        return form if self.is_never_negative(form) else None

    def in_slice(self, part: Slice, axis: int) -> Form | None:
        """Any index of a slice along an axis; None for a slice backwards."""
        step = part.step or constant(1)
        if not isinstance(step, Constant) or step.value < 1:
            return None
        place = Form(0, (((self.name, axis), 1),))
        start, stop = (None if end is None else self.form(end) for end in (part.start, part.stop))
        self.inside.append(place if start is None or not self.is_never_negative(start) else place.plus(start, -1))
        if stop is not None and self.is_never_negative(stop):
            self.inside.append(stop.plus(place, -1).moved(-1))
        return place


def later(loop: For | While, access: Side, write: Side) -> list[Form]:
    """The write is in a later iteration of a loop than the access."""
    if not isinstance(loop, For) or not isinstance(loop.step, Constant):
        return []
    up = 1 if (loop.step.value > 0) is not loop.reverse else -1
    return [Form(-1).plus(write.form(loop.index), up).plus(access.form(loop.index), -up)]


def are_apart(loop: For, some: Iterable[Let], others: Iterable[Let], places: Places) -> bool:
    """Whether none of some accesses in a loop is ever to an element that another one is to, while the loop runs."""
    mine, theirs = _in_loop(loop, some, places), _in_loop(loop, others, places)
    around = len(places.loops[loop.index]) - 1
    return not any(places.may_meet_in(a, b, around, in_order=False) for a in mine for b in theirs)


def may_meet_in_others(loop: For, some: Iterable[Let], others: Iterable[Let], places: Places) -> bool:
    """Whether one of some accesses in a loop may be to an element that another one is to in another iteration."""
    mine, theirs = _in_loop(loop, some, places), _in_loop(loop, others, places)
    around = len(places.loops[loop.index]) - 1
    return any(places.may_meet_in(*pair, around) for a in mine for b in theirs for pair in ((a, b), (b, a)))


def _in_loop(loop: For, statements: Iterable[Let], places: Places) -> list[Access]:
    return [Access(statement, places.loops[loop.index], 0) for statement in statements]
