"""Strip distribution: an innermost loop that finds its elements by indices of the run is strip-mined, and each strip is
distributed into a loop that loads, one that computes, and one that stores.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def forces(x, near):
...     force = np.zeros(x.shape[0])
...     for p in range(near.shape[0]):
...         d = x[near[p]] - x[p]
...         force[near[p]] += d * np.exp(-d * d)
...     return force
>>> function = prepared(normal_form(forces, np.ones(3), np.zeros(2, int)))
>>> text = emit_module([distribute_strips(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def forces(x, near):
    force = np.zeros(x.shape)
    trips = max(near.shape[0], 0)
    strips = (trips + 63) // 64
    for k in range(strips):
        scaled_k = k * 64
        width = min(64, trips - scaled_k)
        elements = np.empty((64,), dtype=np.int64)
        elements2 = np.empty((64,), dtype=np.float64)
        elements3 = np.empty((64,), dtype=np.float64)
        for k2 in range(width):
            t1 = scaled_k + k2
            element = near[t1]
            elements[k2] = element
            elements2[k2] = x[element]
            elements3[k2] = x[t1]
        products = np.empty((64,), dtype=np.float64)
        for k3 in range(width):
            d = elements2[k3] - elements3[k3]
            products[k3] = d * np.exp(-d * d)
        for k4 in range(width):
            force[elements[k4]] += products[k4]
    return force

LLVM does not vectorise a loop in which it cannot tell what is loaded from what is stored; the loop in the middle only
has arrays of 64 numbers of its own (scalar expansion), which stay in the nearest cache. It is legal where iterations
load from arrays that they do not write. What may raise stays in the first loop, in its order, and nobody outside of the
function sees the arrays that the third one writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import find_aliases
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.outer_vectorisation import is_wide
from pullback.analysis.reductions import adds_to
from pullback.analysis.straight_loops import computes_numbers, is_simple
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
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
    is_scalar,
    made_in_iterations,
    operands_of,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT, Array
from pullback.passes.vector.strips import WIDTH, strips_of_all, width_of_strip

MOST_BUFFERS = 24
LEAST_WORK = 3
"""So many operations the loop in the middle must have for each number that is passed on; a division or a root counts as
four of them, a function of the vector math library as sixteen."""
_DIVIDING = {np.divide, np.sqrt}
_WRITES = {primitives.store, primitives.add_at}
_RAISING = {getattr(runtime, name) for name in dir(runtime) if name.startswith("checked_")}
_CHECKS = {runtime.check_index, runtime.check_span}
_AFFINE = {np.add, np.subtract, np.multiply}
_AFFINE_AND_CHECKED = _AFFINE | {runtime.checked_add, runtime.checked_subtract, runtime.checked_multiply}


def distribute_strips(function: Function) -> Function:
    """The same function with such loops distributed."""
    aliases = cache(lambda: find_aliases(function))
    unset = cache(lambda: maybe_undefined(function.body))
    given = [parameter for parameter in function.parameters if isinstance(parameter.type, Array)]

    def roots(arrays: Iterable[Value]) -> set[Value]:
        return {aliases().root(array) for array in arrays}

    def statement(whole: Statement, around: frozenset[Value]) -> list[Statement]:
        inside = around | made_in_iterations(whole) if isinstance(whole, For | While) else around
        changed = with_blocks(whole, partial(block, around=inside))
        stages = _stages(changed, unset, around) if isinstance(changed, For) else None
        if stages is None or roots(stages.written) & roots((*given, *stages.loaded)):
            return [changed]
        return _Distribution(stages).made()

    def block(inner: Block, around: frozenset[Value]) -> Block:
        return Block(tuple(made for s in inner.statements for made in statement(s, around)), inner.yields)

    callees = tuple(map(distribute_strips, function.callees))
    return replace(function, body=block(function.body, frozenset()), callees=callees)


@dataclass(slots=True)
class _Stages:
    """A loop in three parts.

    cheap: what each part computes by itself, from the index and from outside. written: the arrays, as they are before
    the loop, that the last part writes; loaded: those that the others load from.
    """

    loop: For
    cheap: list[Let] = field(default_factory=list)
    loads: list[Statement] = field(default_factory=list)
    arithmetic: list[Statement] = field(default_factory=list)
    stores: list[Let] = field(default_factory=list)

    @property
    def written(self) -> list[Value]:
        return [c.initial for c in self.loop.carried if isinstance(c.parameter.type, Array)]

    @property
    def loaded(self) -> list[Value]:
        parts = Block((*self.loads, *self.arithmetic))
        return [s.operands[0] for s in walk(parts) if isinstance(s, Let) and s.function is primitives.load]

    @property
    def numbers(self) -> list[int]:
        return [k for k, c in enumerate(self.loop.carried) if is_scalar(c.parameter)]

    def passed(self) -> tuple[list[Value], list[Value]]:
        """What the first part passes on to the others, and the second one to the third."""
        after = {*_read(self.arithmetic), *(self.loop.body.yields[k] for k in self.numbers)}
        last = set(_read(self.stores))
        first = [v for s in self.loads for v in results_of(s) if v in after | last]
        return first, [v for s in self.arithmetic for v in results_of(s) if v in last]


def _read(statements: Iterable[Statement]) -> set[Value]:
    return set(read_in(Block(tuple(statements))))


def _stages(loop: For, unset: Callable[[], set[Value]], around: Set[Value]) -> _Stages | None:
    """The parts of a loop, where it may be distributed and gains from it.

    unset: what may be undefined. around: what the iterations of loops around it make.
    """
    if loop.exits or loop.reverse or loop.parallel or loop.step != constant(1) or _may_be_short(loop, around):
        return None
    if not all(_is_known(s) for s in loop.body.statements) or not is_wide(loop.body):
        return None
    stages = _divided(loop)
    if stages is None or not stages.stores or not _finds_elements(stages):
        return None
    passed = [v for values in stages.passed() for v in values]
    if len(passed) > MOST_BUFFERS or _work(stages.arithmetic) < LEAST_WORK * len(passed):
        return None
    return None if any(v in unset() or not is_scalar(v) for v in passed) else stages


def _may_be_short(loop: For, around: Set[Value]) -> bool:
    """Whether a loop has few iterations, or as many as one around it says, such as over the neighbours of a node."""
    bounds = loop.start, loop.stop
    if all(isinstance(bound, Constant) for bound in bounds):
        return len(range(*(bound.value for bound in bounds if isinstance(bound, Constant)))) < WIDTH
    return any(value in around for value in values_in(bounds))


def _is_known(statement: Statement) -> bool:
    match statement:
        case Effect():
            return statement.function in _CHECKS
        case If():
            return computes_numbers(statement.then) and computes_numbers(statement.orelse)
        case Let():
            return statement.function in _RAISING or is_simple(statement)
    return False


def _divided(loop: For) -> _Stages | None:
    """The statements of a loop, divided; None where iterations load what they write, or wait for each other."""
    stages = _Stages(loop)
    if not adds_to(loop, stages.numbers):
        return None
    totals = {loop.carried[k].parameter for k in stages.numbers}
    own = made_in_iterations(loop)
    cheap: set[Value] = {loop.index}
    versions = {c.parameter for c in loop.carried if isinstance(c.parameter.type, Array)}
    others: list[Statement] = []
    for statement in loop.body.statements:
        if isinstance(statement, Let) and statement.function in _WRITES and statement.operands[0] in versions:
            versions.add(statement.value)
            stages.stores.append(statement)
        elif isinstance(statement, Let) and statement.function in _AFFINE and _is_cheap(statement, cheap, own):
            cheap.add(statement.value)
            stages.cheap.append(statement)
        else:
            others.append(statement)
    early = _needed_early(others, stages.stores)
    for statement in others:
        (stages.loads if early(statement) else stages.arithmetic).append(statement)
    if versions & _read(others) or totals & _read((*stages.loads, *stages.stores)):
        return None
    return stages


def _is_cheap(statement: Let, cheap: set[Value], own: set[Value]) -> bool:
    is_integer = statement.value.type == INT
    return is_integer and all(v in cheap or v not in own for v in values_in(statement.operands))


def _needed_early(statements: list[Statement], stores: list[Let]) -> Callable[[Statement], bool]:
    """Whether a statement loads an element, may raise, or computes where an element is or what is checked."""
    needed = {v for s in stores for v in values_in((s.operands[1],))}
    early: set[int] = set()
    for statement in reversed(statements):
        is_load = isinstance(statement, Let) and statement.function is primitives.load
        may_raise = isinstance(statement, Effect) or (isinstance(statement, Let) and statement.function in _RAISING)
        if is_load or may_raise or needed & set(results_of(statement)):
            early.add(id(statement))
            needed |= set(values_in(operands_of(statement))) | _read((statement,))
    return lambda statement: id(statement) in early


def _finds_elements(stages: _Stages) -> bool:
    """Whether an element is found by what an iteration loads or computes, other than from its index alone."""
    own = {v for s in (*stages.loads, *stages.arithmetic) for v in results_of(s)}
    for statement in stages.loads:
        is_counted = isinstance(statement, Let) and statement.function in _AFFINE_AND_CHECKED
        if is_counted and not own & set(values_in(operands_of(statement))):
            own -= set(results_of(statement))
    accesses = [s for s in stages.loads if isinstance(s, Let) and s.function is primitives.load]
    return any(v in own for s in (*accesses, *stages.stores) for v in values_in((s.operands[1],)))


def _work(statements: list[Statement]) -> int:
    work = 0
    for statement in walk(Block(tuple(statements))):
        if isinstance(statement, Let) and isinstance(statement.function, np.ufunc):
            is_vector = record_of(statement.function).vector is True
            work += 16 if is_vector else 4 if statement.function in _DIVIDING else 1
    return work


class _Distribution:
    """Builds the loop over strips."""

    def __init__(self, stages: _Stages) -> None:
        self.stages, self.loop, self.builder = stages, stages.loop, Builder()
        self.builder.location = self.loop.location
        self.offset: Operand = constant(0)
        self.width: Operand = constant(WIDTH)
        self.buffers: dict[Value, Value] = {}

    def made(self) -> list[Statement]:
        loop, builder = self.loop, self.builder
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        strips = strips_of_all(trips, WIDTH, builder)
        number = Value("", INT)
        carried = tuple(Carried(like(c.parameter), c.initial, c.private) for c in loop.carried)
        with builder.block() as body:
            done = builder.let(np.multiply, number, constant(WIDTH), type_=INT)
            self.width = width_of_strip(trips, done, constant(WIDTH), builder)
            is_zero = loop.start == constant(0)
            self.offset = done if is_zero else builder.let(np.add, loop.start, done, type_=INT)
            yields = self.strip([c.parameter for c in carried])
        block = Block(tuple(body), tuple(yields))
        builder.add(replace(loop, index=number, start=constant(0), stop=strips, carried=carried, body=block))
        return builder.statements

    def strip(self, versions: list[Value]) -> list[Value]:
        """The three loops; the next versions of what the loop carries."""
        stages, after = self.stages, list(versions)
        numbers = stages.numbers
        arrays = [k for k in range(len(versions)) if k not in numbers]
        first, second = stages.passed()
        for value in (*first, *second):
            dtype = Constant(value.type.dtype)
            type_ = Array(value.type.dtype, 1)
            self.buffers[value] = self.builder.let(
                np.empty, (constant(WIDTH),), dtype, keywords=("dtype",), name=value.name, type_=type_
            )
        self.lanes(stages.loads, first, [], versions)
        for k, result in zip(numbers, self.lanes(stages.arithmetic, second, numbers, versions), strict=True):
            after[k] = result
        for k, result in zip(arrays, self.lanes(list(stages.stores), [], arrays, versions), strict=True):
            after[k] = result
        return after

    def lanes(
        self, part: list[Statement], passed: list[Value], places: list[int], versions: list[Value]
    ) -> list[Value]:
        """A loop over the lanes that runs a part, and passes these numbers on; what it carries, afterwards."""
        if not part:
            return [versions[k] for k in places]
        loop, lane = self.loop, Value("", INT)
        parameters = [loop.carried[k].parameter for k in places]
        inside = [*map(like, parameters), *(like(self.buffers[v]) for v in passed)]
        outside = [*(versions[k] for k in places), *(self.buffers[v] for v in passed)]
        with self.builder.block() as body:
            terms = self.terms(part, lane) | dict(zip(parameters, inside, strict=False))
            for statement in part:
                self.builder.add(copied(statement, terms))
            stored = [
                self.builder.let(primitives.store, array, (Index((lane,)),), terms[v], type_=array.type)
                for v, array in zip(passed, inside[len(places) :], strict=True)
            ]
        yields = (*(_version(loop.body.yields[k], terms) for k in places), *stored)
        results = tuple(map(like, inside))
        carried = tuple(map(Carried, inside, outside))
        block = Block(tuple(body), yields)
        self.builder.add(
            For(lane, constant(0), self.width, constant(1), carried, block, results, location=loop.location)
        )
        self.buffers |= dict(zip(passed, results[len(places) :], strict=True))
        return list(results[: len(places)])

    def terms(self, part: list[Statement], lane: Value) -> dict[Value, Operand]:
        """What stands for the values that a part reads: the index and what is cheap are computed, others loaded."""
        read, needed = _read(part), []
        for statement in reversed(self.stages.cheap):
            if statement.value in read:
                needed.append(statement)
                read |= set(values_in(statement.operands))
        terms: dict[Value, Operand] = {}
        own = {v for s in part for v in results_of(s)}
        if self.loop.index in read:
            terms[self.loop.index] = self.builder.let(np.add, self.offset, lane, type_=INT)
        for statement in reversed(needed):
            self.builder.add(copied(statement, terms))
        for value, buffer in self.buffers.items():
            if value in read and value not in own:
                made = like(value)
                self.builder.add(Let(made, primitives.load, (buffer, (Index((lane,)),)), location=self.loop.location))
                terms[value] = made
        return terms


def _version(operand: Operand, terms: dict[Value, Operand]) -> Operand:
    return terms.get(operand, operand) if isinstance(operand, Value) else operand
