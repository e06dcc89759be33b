"""Bounds checks: every element access is proved to be inside its array, or checked; before the loop where that can be
done.

>>> import numpy as np, pullback as pb
>>> def weighted(x, w, places):
...     s = 0.0
...     for i in range(places.shape[0]):
...         s += w[i] * x[places[i]]
...     return s
>>> given = np.ones(3), np.ones(2), np.array([0, 2])
>>> print(pb.explain(weighted, *given, argnums=0, passes=["bounds_checks"]))
checks: bounds_checks, accesses that are not proved to be inside are checked, before the loop where that can be done
  ...
       x_bar: float64[:] = zeros_like(x)
  +    t.5: int64* = dim(places, 0)
  +    t.6: int64* = subtract(t.5, 1)
  +    t.7: int64* = dim(w, 0)
  +    t.8: int64* = dim(places, 0)
  +    check_span(0, t.6, t.7, t.8)
       s.2, x_bar.3 = for i in range(0, t.0, 1) with (s: float64 = 0.0, x_bar.1: float64[:] = x_bar):
  ...
           t.2: int64 = load(places, ([i]))
  +        t.9: int64* = dim(x, 0)
  +        check_index(t.2, t.9)
           t.3: float64 = load(x, ([t.2]))

Machine code is then compiled without checks of its own, which would keep its loops from being vectorised. A check
before a loop stands for accesses that every iteration makes: an IndexError comes earlier than in a plain call, never
where a plain call has none. No check leaves a loop of which the caller would see what it did before.

A loop that writes to an argument is there twice: without the checks that would leave it, where a test before it finds
that none of them fails, and else with all of them in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from pullback import runtime
from pullback.analysis.extents import integer
from pullback.analysis.observable import find_effects
from pullback.analysis.ranges import mentions, over
from pullback.analysis.sizes import Form, Size
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Permute,
    Reshape,
    Slice,
    Statement,
    Step,
    Value,
    While,
    is_scalar,
    results_of,
)
from pullback.ir.rewrite import copied
from pullback.ir.types import Scalar, is_integer
from pullback.passes.loops.element_checks import ElementCheck, element_check, gains
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.range_walk import RangeWalk

ACCESSES = {*primitives.ACCESSES, primitives.load_last}


def check_bounds(function: Function, selections: bool = False) -> Function:
    """The same function with a check for every access that is not proved to be inside.

    selections: with proofs for integers that are the last iteration of a loop in which a condition held, as argument
    selection makes them: without checks, a loop around them may be parallel.
    """
    checker = _Checker(function, selections)
    body = checker.block(function.body)
    made = replace(function, body=body, callees=tuple(map(check_bounds, function.callees)))
    return remove_dead(made) if checker.has_unread else made


@dataclass(slots=True)
class _Span:
    """A check of the first and the last index that loops of so many iterations run through."""

    first: Form
    last: Form
    extent: Form
    iterations: tuple[Form, ...]

    def covers(self, other: _Span) -> bool:
        """Whether the other check cannot fail where this one has not."""
        return self.joined(other) == self and set(self.iterations) <= set(other.iterations)

    def joined(self, other: _Span) -> _Span | None:
        """One check for both; None where it is not known which index comes first."""
        first, last = other.first.plus(self.first, -1), other.last.plus(self.last, -1)
        if self.extent != other.extent or first.terms or last.terms:
            return None
        return _Span(
            other.first if first.constant < 0 else self.first,
            other.last if last.constant > 0 else self.last,
            self.extent,
            self.iterations,
        )


@dataclass(slots=True)
class _Level:
    """A block around the present statement: the loop whose body it is (None where checks may not leave it).

    stands: whether checks may stand right before it.
    """

    loop: For | None
    defined: set[Value]
    stands: bool = True
    spans: list[_Span] = field(default_factory=list)
    elements: list[ElementCheck] = field(default_factory=list)

    def add(self, span: _Span) -> None:
        """Note a check that is to stand before the loop."""
        for k, known in enumerate(self.spans):
            joined = known.joined(span)
            if joined is not None and set(known.iterations) == set(span.iterations):
                self.spans[k] = joined
                return
        self.spans.append(span)


class _Checker(RangeWalk):
    def __init__(self, function: Function, selections: bool) -> None:
        super().__init__(function, selections)
        self.effects = find_effects(function)
        self.levels: list[_Level] = [_Level(None, set(function.parameters))]
        self.spans: list[_Span] = []
        self.elements: list[ElementCheck] = []
        self.read: dict[Value, Let] = {}
        self.twice: For | None = None
        self.leaving: list[_Span] = []
        self.is_twice = False
        self.checked: set[Value] = set()
        self.has_unread = False

    # The walk

    def block(self, block: Block) -> Block:
        spans, elements = len(self.spans), len(self.elements)
        made = super().block(block)
        del self.spans[spans:], self.elements[elements:]
        return made

    def after(self, statement: Statement) -> None:
        self.levels[-1].defined.update(results_of(statement))

    def let(self, statement: Let) -> list[Statement]:
        if statement.function in ACCESSES:
            self.access(statement)
        if statement.function is primitives.load and _is_integer_element(statement):
            self.read[statement.value] = statement
        return [statement]

    def inside(self, block: Block, facts: Sequence[Form], around: For | While | None) -> Block:
        """A block as a level of its own, with the checks that leave it before it; what is in a branch stays there."""
        own = {carried.parameter for carried in around.carried} if around else set()
        if isinstance(around, For):
            own.add(around.index)
        is_seen = around is not None and self.effects.are_in(block)
        lets_out = isinstance(around, For) and not around.exits and (not is_seen or self.twice is not None)
        level = _Level(around if isinstance(around, For) and lets_out else None, own, not is_seen)
        self.levels.append(level)
        made = super().inside(block, facts, around)
        self.levels.pop()
        if around is not None and around is self.twice:
            self.leaving = level.spans
            return made
        for span in level.spans:
            operands = [integer(form, self.builder) for form in (span.first, span.last, span.extent, *span.iterations)]
            self.builder.effect(runtime.check_span, *operands)
        for check in level.elements:
            check.add(self.builder)
        self.spans += level.spans
        self.elements += level.elements
        return made

    # Loops that are there twice

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case For(exits=False, body=body) if not self.is_twice and self.effects.are_writes(body):
                return [self.loop_twice(statement)]
            case Effect(function=primitives.evaluated, operands=(Value() as part,)) if part in self.checked:
                self.has_unread = True
                return []
        return super().statement(statement)

    def loop_twice(self, loop: For) -> Statement:
        """The loop without the checks that leave it, where none of them fails, and else with all of them in it."""
        self.twice, self.leaving, self.is_twice = loop, [], True
        fast = self.count(loop)
        self.twice = None
        made: Statement = fast
        if self.leaving:
            fits = reduce(lambda a, b: self.builder.let(np.logical_and, a, b), map(self.fits, self.leaving))
            then, orelse = (copied(Block((one,), loop.results), {}) for one in (fast, self.count(loop)))
            made = If(fits, then, orelse, loop.results, loop.location)
        self.is_twice = False
        return made

    def fits(self, span: _Span) -> Operand:
        """Whether a check does not fail, in a loop that has iterations."""
        let = self.builder.let
        inside = let(np.less, *(integer(form, self.builder) for form in (span.last, span.extent)))
        start = span.first.plus(span.extent)
        if self.ranges.is_never_negative(start):
            return inside
        return let(np.logical_and, let(np.greater_equal, integer(start, self.builder), constant(0)), inside)

    # One access

    def access(self, statement: Let) -> None:
        for index, size in self.indices(statement.operands[0], statement.operands[1]):
            self.check(index, size)
        if statement.function is primitives.load and _raises_for_places_alone(statement.operands[1]):
            self.checked.add(statement.value)

    def indices(self, array: Value, path: tuple[Step, ...]) -> Iterator[tuple[Operand, Size]]:
        """Each integer index of a path, and the size of the axis that it is for."""
        shape: tuple[Size, ...] | None = self.shapes.of(array)
        checked_elsewhere = is_advanced(path)  # by the helpers for indices that are arrays
        for k, step in enumerate(path[: len(path) - checked_elsewhere]):
            if not k:
                shape = tuple((array, axis) if self.is_unknown(size) else size for axis, size in enumerate(shape or ()))
            elif shape is None or any(map(self.is_unknown, shape)):
                shape = self.measured(array, path[:k])
            match step:
                case Index(items):
                    yield from integers_of(items, shape)
                    shape = self.shapes.indexed(shape, items)
                case Permute(axes):
                    shape = tuple(shape[axis] for axis in axes)
                case Reshape():
                    shape = None  # a size of -1 stands for what is left

    def measured(self, array: Value, path: tuple[Step, ...]) -> tuple[Size, ...]:
        """The shape of a part of an array, taken when the program runs."""
        part = self.builder.load(array, path)
        sizes = tuple(self.builder.dim(part, axis) for axis in range(getattr(part.type, "ndim", 0)))
        self.levels[-1].defined.update((part, *sizes))
        return sizes

    def is_unknown(self, size: Size) -> bool:
        """Whether a size is no sum of others."""
        return self.ranges.of_size(size) is None

    def check(self, index: Operand, size: Size) -> None:
        """Prove that an index is inside, or check it: before the loops that run through it, or here."""
        form, extent = self.ranges.sure(index), self.ranges.of_size(size)
        assert extent is not None, "a size that is no sum of others was measured"
        if self.ranges.is_between(form, extent):
            return
        if not self.check_before(form, extent) and not self.check_elements_before(index, extent):
            operands = (integer(form, self.builder), integer(extent, self.builder))
            self.builder.effect(runtime.check_index, *operands)
        self.ranges.facts += [extent.plus(form, -1).moved(-1), form.plus(extent)]

    def check_before(self, form: Form, extent: Form) -> bool:
        """A check of the first and the last index before the outermost loop that allows it."""
        first, last, iterations = form, form, []
        target = None
        for level in reversed(self.levels):
            loop = level.loop
            if loop is None or loop.step not in (constant(1), constant(-1)):
                break
            reach = self.ranges.reach(loop)
            first, last = over(first, loop.index, reach), over(last, loop.index, reach[::-1])
            iterations.append(reach[1].plus(reach[0], -1).moved(1))
            if any(mentions(f, level.defined) for f in (first, last, extent, *iterations)):
                break
            if level.stands or loop is self.twice:
                target = level, _Span(first, last, extent, tuple(iterations))
        if target is None:
            return False
        level, span = target
        if not any(known.covers(span) for known in self.spans):
            level.add(span)
        return True

    def check_elements_before(self, index: Operand, extent: Form) -> bool:
        """A check of all indices that a loop reads, before loops that do not change them, or where it pays."""
        read = self.read.get(index) if isinstance(index, Value) else None
        k = next((k for k, level in enumerate(self.levels) if read is not None and read.value in level.defined), 0)
        level, *around = self.levels[k::-1]
        if (
            read is None
            or level.loop is None
            or any(inner.loop is None or not inner.stands for inner in self.levels[k:])
        ):
            return False
        check = element_check(read, level.loop, level.defined, self.ranges, extent)
        if check is None:
            return False
        target = level
        for outer in around:
            moved = check.before(outer.loop, outer.defined, self.ranges) if outer.loop and outer.stands else None
            if moved is None:
                break
            target, check = outer, moved
        made = {value for outer in around[:-1] for value in outer.defined}
        if target is level and (level is not self.levels[-1] or not gains(level.loop, self.read, made)):
            return False
        if not any(known.covers(check) for known in self.elements):
            target.elements.append(check)
        return True


def integers_of(items: tuple[Operand | Slice, ...], shape: tuple[Size, ...]) -> Iterator[tuple[Operand, Size]]:
    """The integers among the items of an index, each with the size of its axis."""
    used = sum(not _is_new(item) and not _is_ellipsis(item) for item in items)
    axis = 0
    for item in items:
        if _is_ellipsis(item):
            axis += len(shape) - used
        elif not _is_new(item):
            if _is_integer(item):
                yield item, shape[axis]
            axis += 1


def _is_new(item: object) -> bool:
    return isinstance(item, Constant) and item.value is None


def _is_ellipsis(item: object) -> bool:
    return isinstance(item, Constant) and item.value is Ellipsis


def _is_integer(item: Operand) -> bool:
    return is_scalar(item) and item.type.dtype != "bool"


def _is_integer_element(load: Let) -> bool:
    """Whether an integer is loaded, at scalar indices."""
    path = load.operands[1]
    is_integral = isinstance(load.value.type, Scalar) and is_integer(load.value.type)
    return is_integral and len(path) == 1 and isinstance(path[0], Index) and all(map(_is_index, path[0].items))


def _raises_for_places_alone(path: tuple[Step, ...]) -> bool:
    """Whether a part exists where its integer indices are inside."""
    return not is_advanced(path) and not any(isinstance(step, Reshape) for step in path)


def _is_index(item: Operand | Slice) -> bool:
    return not isinstance(item, Slice) and not _is_new(item) and not _is_ellipsis(item) and _is_integer(item)
