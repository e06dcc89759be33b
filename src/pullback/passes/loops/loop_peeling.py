"""Loop peeling: the first and the last iterations, in which a condition on the index differs, stand by themselves.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.passes.scalar.simplify import simplify
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     y = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         y[i] = x[i] - x[i - 1] if i > 0 else x[i]
...     return y
>>> function = remove_dead(simplify(peel_loops(prepared(normal_form(f, np.ones(3))))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def f(x):
    y = np.empty(x.shape)
    if 0 < x.shape[0]:
        y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = x[i] - x[i - 1]
    return y

The loop of the others is then without the branch: its adjoint is a stencil, and a compiler can vectorise it. The order
of the iterations stays. Peeled are as many as make a comparison of the index, the larger or smaller of two integers, or
a remainder the same in all of the others (Bacon, Graham & Sharp 1994, 6.3), or keep an index from being negative, which
counts from the end: the neighbour of the first element is then the last one, and the others have theirs beside them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pullback.analysis.ranges import Ranges, over
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import is_innermost
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
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
    Statement,
    Value,
    While,
    lets_in,
    read_in,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks, with_number, without
from pullback.ir.types import INT, is_float, is_integer

MOST_ITERATIONS = 4
"""So many iterations are peeled at either end."""

MOST_STATEMENTS = 180
"""So many statements all copies of the body of a loop may have together, inner loops included."""


@dataclass(frozen=True, slots=True)
class _Case:
    """What stands for a value where all of these forms are >= 0."""

    forms: tuple[Form, ...]
    meaning: Operand


@dataclass(frozen=True, slots=True)
class _Ends:
    """How many iterations are peeled before and behind the others."""

    first: int = 0
    last: int = 0

    def __or__(self, other: _Ends) -> _Ends:
        return _Ends(max(self.first, other.first), max(self.last, other.last))


def peel_loops(function: Function) -> Function:
    """The same function with such loops peeled."""
    callees = tuple(map(peel_loops, function.callees))
    loops = (s for s in walk(function.body) if isinstance(s, For))
    has_cases = any(_may_be_peeled(loop) and (_read_by_innermost(loop) or _computes_indices(loop)) for loop in loops)
    peeled = peel_these(function, None) if has_cases else function
    return replace(peeled, callees=callees)


def peel_these(function: Function, indices: Container[Value] | None) -> Function:
    """The same function with the loops of these indices, or all, peeled; those of functions that it calls stay."""
    peeling = _Peeling(function, indices)
    body = peeling.block(function.body)
    return replace(function, body=without(body, peeling.always))


def can_be_peeled(loop: For, first: int, last: int, more: int = 0) -> bool:
    """Whether so many iterations of a loop, with some more statements in each, may be peeled at its ends."""
    few = max(first, last) <= MOST_ITERATIONS and not _makes_too_many(loop, _Ends(first, last), more)
    return few and _may_be_peeled(loop)


class _Peeling:
    """Goes through a function in order, with what is known of its integers."""

    def __init__(self, function: Function, only: Container[Value] | None = None) -> None:
        self.ranges = Ranges(Shapes(function))
        self.only = only
        self.always: dict[Value, Operand] = {}  # the results of peeled iterations that run in any case

    def block(self, block: Block) -> Block:
        known = len(self.ranges.facts)
        statements = [made for statement in block.statements for made in self.statement(statement)]
        del self.ranges.facts[known:]
        return Block(tuple(statements), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        if isinstance(statement, Let):
            self.ranges.note(statement)
        if isinstance(statement, Effect) and statement.function is primitives.check:
            self.ranges.facts += self.known(statement.operands[0])
        if isinstance(statement, For):
            return self.loop(statement)
        return [with_blocks(statement, self.block)]

    def known(self, condition: Operand) -> tuple[Form, ...]:
        """What is not negative where a comparison of integers holds."""
        return self.ranges.conditions.get(condition, ()) if isinstance(condition, Value) else ()

    def loop(self, loop: For) -> list[Statement]:
        """A loop between its first and its last iterations, where it is peeled; loops inside it are, too."""
        known = len(self.ranges.facts)
        self.ranges.facts += self.ranges.loop_facts(loop)
        is_asked_for = (self.only is None or loop.index in self.only) and _may_be_peeled(loop)
        cases = self.read_cases(loop) if is_asked_for else {}
        wrapped = self.wrapped_indices(loop) if is_asked_for else []
        ends = self.ends(loop, [*cases.values(), *wrapped])
        meanings = self.between(loop, ends, cases) if ends != _Ends() else {}
        between = replace(loop, body=self.block(without(loop.body, meanings) if meanings else loop.body))
        del self.ranges.facts[known:]
        pays = meanings or self.ends(loop, wrapped) != _Ends()
        return self.peeled(loop, between, ends, cases) if pays else [between]

    def read_cases(self, loop: For) -> dict[Value, list[_Case]]:
        """The cases of the comparisons, choices and remainders of integers that innermost loops read."""
        for statement in walk(loop.body):
            if isinstance(statement, Let):
                self.ranges.note(statement)
        return {statement.value: self.cases(statement) for statement in _read_by_innermost(loop)}

    def wrapped_indices(self, loop: For) -> list[list[_Case]]:
        """The indices of elements that count from the end of an axis in a few iterations: `i - 1` in the first one."""
        indices = dict.fromkeys(value for access in _float_loads(loop) for value in _indices(access))
        forms = [form for value in indices if (form := self.ranges.form(value)).of(loop.index)]
        return [[_Case((form,), constant(0))] for form in forms]

    def ends(self, loop: For, cases: Iterable[list[_Case]]) -> _Ends:
        """How many iterations are peeled; none if that would make too many statements."""
        ends = _Ends()
        for each in cases:
            ends |= next((needed for case in each if (needed := self.needed(loop, case)) is not None), _Ends())
        return _Ends() if _makes_too_many(loop, ends) else ends

    def between(self, loop: For, ends: _Ends, cases: Mapping[Value, list[_Case]]) -> dict[Value, Operand]:
        """What stands for values in all iterations that are not peeled."""
        known = len(self.ranges.facts)
        least, greatest = self.ranges.reach(loop)
        low, high = (ends.last, ends.first) if _goes_down(loop) else (ends.first, ends.last)
        index = self.ranges.form(loop.index)
        self.ranges.facts += [index.plus(least, -1).moved(-low), greatest.plus(index, -1).moved(-high)]
        held = {value: self.held(each) for value, each in cases.items()}
        del self.ranges.facts[known:]
        return {value: meaning for value, meaning in held.items() if meaning is not None}

    def held(self, cases: list[_Case], of: Callable[[Form], Form] = lambda form: form) -> Operand | None:
        """What a value is, where one of its cases is proved of these forms."""
        never_negative = self.ranges.is_never_negative
        return next((c.meaning for c in cases if all(never_negative(of(form)) for form in c.forms)), None)

    def peeled(self, loop: For, between: For, ends: _Ends, cases: Mapping[Value, list[_Case]]) -> list[Statement]:
        """The first iterations, the loop of most, and the last ones."""
        builder = Builder()
        builder.location = loop.location
        before, not_before = (np.greater, np.less_equal) if _goes_down(loop) else (np.less, np.greater_equal)
        versions: list[Operand] = [carried.initial for carried in loop.carried]
        for k in range(ends.first):
            index = _moved(builder, loop.start, k, loop)
            runs = builder.let(before, index, loop.stop)
            versions = self.iteration(builder, loop, index, runs, cases, versions)
        start = _moved(builder, loop.start, ends.first, loop)
        stop = _moved(builder, loop.stop, -ends.last, loop)
        carried = tuple(replace(c, initial=version) for c, version in zip(loop.carried, versions, strict=True))
        results = tuple(map(like, loop.results)) if ends.last else loop.results
        builder.add(replace(between, start=start, stop=stop, carried=carried, results=results))
        versions = list(results)
        for k in range(ends.last, 0, -1):
            index = _moved(builder, loop.stop, -k, loop)
            runs = builder.let(not_before, index, start)
            versions = self.iteration(builder, loop, index, runs, cases, versions, loop.results if k == 1 else None)
        return builder.statements

    def iteration(
        self,
        builder: Builder,
        loop: For,
        index: Operand,
        runs: Value,
        cases: Mapping[Value, list[_Case]],
        versions: list[Operand],
        results: tuple[Value, ...] | None = None,
    ) -> list[Operand]:
        """Add the iteration of an index, where it runs; what the loop carries after it.

        versions: what the loop carries before it. results: the values for what it carries after it.
        """
        known = len(self.ranges.facts)
        for statement in builder.statements:
            if isinstance(statement, Let):
                self.ranges.note(statement)
        span = self.ranges.form(index), self.ranges.form(index)
        always = all(map(self.ranges.is_never_negative, self.ranges.conditions[runs]))
        self.ranges.facts += self.ranges.conditions[runs]
        held = {v: self.held(each, lambda form: over(form, loop.index, span)) for v, each in cases.items()}
        meanings = {value: meaning for value, meaning in held.items() if meaning is not None}
        terms: dict[Value, Operand] = {loop.index: index}
        terms |= zip((carried.parameter for carried in loop.carried), versions, strict=True)
        body = self.wrapped_once(without(loop.body, meanings), lambda form: over(form, loop.index, span))
        del self.ranges.facts[known:]
        then = copied(body, terms)
        if always:
            builder.statements += then.statements
            self.always |= zip(results or (), then.yields, strict=bool(results))
            return list(then.yields)
        results = results or tuple(map(like, loop.results))
        builder.add(If(runs, then, Block((), tuple(versions)), results, location=loop.location))
        return list(results)

    def wrapped_once(self, block: Block, of: Callable[[Form], Form]) -> Block:
        """The block of an iteration with a sum or a difference in place of a remainder that is one."""
        statements: list[Statement] = []
        for statement in block.statements:
            made = with_blocks(statement, lambda inner: self.wrapped_once(inner, of))
            if isinstance(statement, Let) and statement.function is np.remainder and statement.value.type == INT:
                made = self.without_remainder(statement, of)
            statements.append(made)
        return Block(tuple(statements), block.yields)

    def without_remainder(self, statement: Let, of: Callable[[Form], Form]) -> Let:
        """A remainder as a sum or a difference, where it is one."""
        number, size = map(self.ranges.form, statement.operands[:2])
        for function, sign in ((np.add, 1), (np.subtract, -1)):
            moved = of(number.plus(size, sign))
            if all(map(self.ranges.is_never_negative, (moved, of(size).plus(moved, -1).moved(-1)))):
                if moved.terms:
                    return replace(statement, function=function)
                return with_number(statement, constant(moved.constant))
        return statement

    def cases(self, statement: Let) -> list[_Case]:
        """What an integer or a comparison may be, of which none or one holds in all iterations that are not peeled."""
        if statement.function in _COMPARED and statement.value not in self.ranges.conditions:
            return []
        a, b = statement.operands[:2]
        more = self.ranges.form(a).plus(self.ranges.form(b), -1)
        less = Form(0).plus(more, -1)
        yes, no = (Constant(truth, statement.value.type) for truth in (True, False))
        match statement.function:
            case np.equal | np.not_equal:
                differs = no if statement.function is np.equal else yes
                return [_Case((more.moved(-1),), differs), _Case((less.moved(-1),), differs)]
            case np.remainder:
                chosen = [_Case((self.ranges.form(a), less.moved(-1)), a)]
            case builtins.max:
                chosen = [_Case((more,), a), _Case((less,), b)]
            case builtins.min:
                chosen = [_Case((less,), a), _Case((more,), b)]
            case _:
                true, false = self.ranges.conditions[statement.value], self.ranges.refuted[statement.value]
                return [_Case(true, yes), _Case(false, no)]
        return [case for case in chosen if case.meaning.type == statement.value.type]

    def needed(self, loop: For, case: _Case) -> _Ends | None:
        """How many iterations are to be peeled so that a case is that of all others; None where that is not known."""
        ends = _Ends()
        for form in case.forms:
            coefficient, least = form.of(loop.index), over(form, loop.index, self.ranges.reach(loop))
            if abs(coefficient) > 1:
                return None
            if self.ranges.is_never_negative(least):
                continue
            if least.terms or not coefficient or -least.constant > MOST_ITERATIONS:
                return None
            grows = (coefficient > 0) is not _goes_down(loop)
            ends |= _Ends(first=-least.constant) if grows else _Ends(last=-least.constant)
        return ends


_COMPARED: set[Callable[..., Any]] = {np.less, np.less_equal, np.greater, np.greater_equal}
_DECIDED = _COMPARED | {np.equal, np.not_equal, np.remainder, max, min}


def _makes_too_many(loop: For, ends: _Ends, more: int = 0) -> bool:
    """Whether a loop and the iterations peeled from it have too many statements."""
    return (1 + ends.first + ends.last) * (len(list(walk(loop.body))) + more) > MOST_STATEMENTS


def _may_be_peeled(loop: For) -> bool:
    """Whether a loop counts by one, always comes to its end, and is not short."""
    if loop.exits or loop.reverse or loop.parallel or loop.checkpoints is not None:
        return False
    if loop.step not in (constant(1), constant(-1)) or any(carried.private for carried in loop.carried):
        return False
    bounds = [bound.value for bound in (loop.start, loop.stop, loop.step) if isinstance(bound, Constant)]
    if len(bounds) == 3 and len(range(*bounds)) <= 2 * MOST_ITERATIONS:
        return False
    return not any(isinstance(s, While) for s in walk(loop.body))


def _read_by_innermost(loop: For) -> list[Let]:
    """The comparisons, choices and remainders of integers that are read by loops without others inside."""
    loops = [loop, *(s for s in walk(loop.body) if isinstance(s, For))]
    read = {value for one in filter(is_innermost, loops) for value in read_in(one.body)}
    lets = [s for s in walk(loop.body) if isinstance(s, Let) and s.function in _DECIDED and s.value in read]
    return [s for s in lets if all(is_integer(operand.type) for operand in s.operands[:2])]


def _float_loads(loop: For) -> Iterator[Let]:
    """The loads of single floats in every iteration of a loop, and of those in it."""
    for statement in loop.body.statements:
        if isinstance(statement, For):
            yield from _float_loads(statement)
        elif isinstance(statement, Let) and statement.function is primitives.load and is_float(statement.value.type):
            yield statement


def _computes_indices(loop: For) -> bool:
    """Whether an iteration reads an element by an integer that is not an index of a loop."""
    made = lets_in(loop.body)
    return any(value in made for load in _float_loads(loop) for value in _indices(load))


def _indices(load: Let) -> Iterator[Value]:
    """The integers that are computed to find an element."""
    for step in load.operands[1]:
        if isinstance(step, Index):
            yield from (item for item in step.items if isinstance(item, Value) and is_integer(item.type))


def _goes_down(loop: For) -> bool:
    return isinstance(loop.step, Constant) and loop.step.value < 0


def _moved(builder: Builder, bound: Operand, iterations: int, loop: For) -> Operand:
    """A bound of a loop so many iterations later."""
    by = -iterations if _goes_down(loop) else iterations
    if isinstance(bound, Constant) or not by:
        return constant(bound.value + by) if isinstance(bound, Constant) else bound
    return builder.let(np.add if by > 0 else np.subtract, bound, constant(abs(by)), type_=INT)
