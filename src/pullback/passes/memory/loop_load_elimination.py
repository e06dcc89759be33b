"""Loop load elimination: an element that the iteration before stored, or the one before that, is not loaded again.

It is handed on in a variable, which is scalar replacement across iterations:

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.passes.scalar.simplify import simplify
>>> from pullback.transform.derivative import prepared
>>> def smooth(y, x):
...     for i in range(1, y.shape[0]):
...         y[i] = 0.5 * y[i - 1] + x[i]
>>> function = eliminate_loads(prepared(normal_form(smooth, np.ones(3), np.ones(3))))
>>> function = remove_dead(simplify(function))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def smooth(y, x):
    if 1 < y.shape[0]:
        y_previous = y[0]
    else:
        y_previous = 0.0
    for i in range(1, y.shape[0]):
        y_previous = 0.5 * y_previous + x[i]
        y[i] = y_previous

An iteration would wait for the store of the one before, and a processor takes several times as long for that as for a
product. An addition to an element counts as a load and a store, so that adjoints of recurrences are handed on too. It
is legal where all that is written in between is proved to be other elements. The first elements are loaded before the
loop, if it has iterations; a loop that checks its indices loads nothing before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pullback.analysis.index_arithmetic import arithmetic_of
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    has_effects,
    is_scalar,
    lets_in,
    made_in_iterations,
)
from pullback.ir.rewrite import copied, like, renamed, substituted, with_blocks
from pullback.ir.types import Array, Scalar

MOST_ITERATIONS = 2
"""How many iterations before may have stored an element."""

Place = tuple[Form, ...]


def eliminate_loads(function: Function) -> Function:
    """The same function without such loads."""
    callees = tuple(map(eliminate_loads, function.callees))
    return replace(function, body=_Elimination(function).block(function.body), callees=callees)


@dataclass(frozen=True, slots=True)
class _Access:
    """A statement of an iteration that loads, stores or adds to one element; `number` of those of its loop."""

    number: int
    statement: Let
    place: Place

    @property
    def writes(self) -> bool:
        return self.statement.function in primitives.WRITES

    @property
    def reads(self) -> bool:
        return self.statement.function is not primitives.store


@dataclass(frozen=True, slots=True)
class _Reuse:
    """A statement that reads an element of the array that a loop carries as its k-th value.

    written: the version of the array with which the element was stored, so many iterations before.
    """

    k: int
    statement: Let
    written: Value
    distance: int


class _Elimination:
    """A walk through a function, with what is known of its integers at each point."""

    def __init__(self, function: Function) -> None:
        self.ranges = Ranges(Shapes(function))

    def block(self, block: Block) -> Block:
        facts = len(self.ranges.facts)
        statements: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, Let):
                self.ranges.note(statement)
            statements += self.loop(statement) if isinstance(statement, For) else [self.inside(statement)]
        del self.ranges.facts[facts:]
        return Block(tuple(statements), block.yields)

    def inside(self, statement: Statement) -> Statement:
        return with_blocks(statement, self.block) if isinstance(statement, If | While) else statement

    def loop(self, loop: For) -> list[Statement]:
        """The loop, behind what loads the first of the elements that it hands on."""
        facts = len(self.ranges.facts)
        self.ranges.facts += self.ranges.loop_facts(loop)
        made = replace(loop, body=self.block(loop.body))
        found: list[_Reuse] = []
        if loop.step in (constant(1), constant(-1)) and not (loop.exits or loop.parallel or has_effects(loop.body)):
            found = [reuse for k in range(len(loop.carried)) for reuse in self.reuses(made, k)]
        del self.ranges.facts[facts:]
        return _HandingOn(made, found).made() if found else [made]

    def reuses(self, loop: For, k: int) -> Iterator[_Reuse]:
        """The accesses of a carried array that read what an earlier iteration stored."""
        accesses = self.accesses(loop, k)
        for read in accesses:
            reuse = self.reuse(read, accesses, loop, k) if read.reads else None
            if reuse is not None:
                yield reuse

    def accesses(self, loop: For, k: int) -> list[_Access]:
        """The accesses of an iteration to elements of a carried array, in order; none if it writes it otherwise."""
        version = loop.carried[k].parameter
        if not isinstance(version.type, Array) or loop.carried[k].private:
            return []
        lets = lets_in(loop.body)
        changing = made_in_iterations(loop) - {loop.index}
        found: list[_Access] = []
        for statement in loop.body.statements:
            if not isinstance(statement, Let) or not statement.operands or statement.operands[0] is not version:
                continue
            if statement.function in primitives.ACCESSES:
                place = self.place(statement, lets, changing)
                if place is not None:
                    found.append(_Access(len(found), statement, place))
                elif statement.function in primitives.WRITES:
                    return []
            if statement.function in primitives.WRITES:
                version = statement.value
        return found if loop.body.yields[k] is version else []

    def place(self, statement: Let, lets: dict[Value, Let], changing: set[Value]) -> Place | None:
        """Where an access of one number is, in terms of the index and of what is outside of the loop."""
        array, path, *written = statement.operands
        items: tuple[Operand, ...] = getattr(path[0], "items", ()) if len(path) == 1 and not is_advanced(path) else ()
        if len(items) != array.type.ndim or not all(map(is_scalar, items)):
            return None
        if any(getattr(value.type, "dtype", None) != array.type.dtype for value in written):
            return None
        forms = tuple(map(self.ranges.form, items))
        if any((term[0] if isinstance(term, tuple) else term) in changing for form in forms for term, _ in form.terms):
            return None
        return forms if arithmetic_of(items, lets, changing) is not None else None

    def reuse(self, read: _Access, accesses: list[_Access], loop: For, k: int) -> _Reuse | None:
        """What an access reads of an iteration before, if that was the last to write the element."""
        for distance in range(MOST_ITERATIONS + 1):
            for write in reversed(accesses if distance else accesses[: read.number]):
                if write.writes:
                    is_same = self.is_same(read.place, _moved(write.place, loop, -distance), write.place)
                    if is_same:
                        return _Reuse(k, read.statement, write.statement.value, distance) if distance else None
                    if is_same is None:
                        return None
        return None

    def is_same(self, one: Place, other: Place, in_range: Place) -> bool | None:
        """Whether two places are the same element; None where that is not known.

        in_range: the other place as it is in an iteration that the facts at hand are about.
        """
        differences = [a.plus(b, -1) for a, b in zip(one, other, strict=True)]
        if all(difference == Form(0) for difference in differences):
            return True
        for axis, difference in enumerate(differences):
            is_apart = not difference.terms and difference.constant
            if is_apart and all(map(self.ranges.is_never_negative, (one[axis], in_range[axis]))):
                return False
        return None


def _moved(place: Place, loop: For, iterations: int) -> Place:
    """The place of an access so many iterations later."""
    by = iterations * _direction(loop)
    return tuple(form.moved(form.of(loop.index) * by) for form in place)


def _direction(loop: For) -> int:
    """By how much the index changes from one iteration to the next."""
    return int(loop.step.value) * (-1 if loop.reverse else 1)


class _HandingOn:
    """Builds the loop that hands elements on.

    For each write whose element is read later, it carries what was stored one iteration before, and what two. On entry
    that is what the first iteration reads, or the second one where the first does not.
    """

    def __init__(self, loop: For, reuses: list[_Reuse]) -> None:
        self.loop, self.builder = loop, Builder()
        self.builder.location = loop.location
        self.reuses = {reuse.statement.value: reuse for reuse in reuses}
        self.first_read: dict[tuple[Value, int], _Reuse] = {}
        for reuse in sorted(reuses, key=lambda reuse: reuse.distance):
            for distance in range(1, reuse.distance + 1):
                self.first_read.setdefault((reuse.written, distance), reuse)
        self.parameters = {key: self.parameter(*key) for key in self.first_read}

    def parameter(self, written: Value, distance: int) -> Value:
        """What stands for an element in the iteration: the value of the statement that loaded it, if there was one."""
        for value, reuse in self.reuses.items():
            if (reuse.written, reuse.distance) == (written, distance) and isinstance(value.type, Scalar):
                return value
        return self.element(written)

    def element(self, array: Value) -> Value:
        return Value(f"{array.name}_previous" if array.is_named else "previous", Scalar(array.type.dtype))

    def made(self) -> list[Statement]:
        """What loads the first elements, and the loop."""
        loop = self.loop
        initial = self.first_elements()
        statements, stored, terms = self.body()
        after = [
            self.parameters[written, distance - 1] if distance > 1 else stored[written]
            for written, distance in self.parameters
        ]
        block = substituted(Block(tuple(statements), (*loop.body.yields, *after)), terms)
        carried = tuple(Carried(parameter, initial[key]) for key, parameter in self.parameters.items())
        results = tuple(map(like, self.parameters.values()))
        made = replace(loop, carried=(*loop.carried, *carried), body=block, results=(*loop.results, *results))
        return [*self.builder.statements, made]

    def body(self) -> tuple[list[Statement], dict[Value, Operand], dict[Value, Operand]]:
        """The statements of an iteration, what each write stores, and what stands for what is loaded twice."""
        statements: list[Statement] = []
        stored: dict[Value, Operand] = {}
        terms: dict[Value, Operand] = {}
        for statement in self.loop.body.statements:
            reuse = self.reuses.get(statement.value) if isinstance(statement, Let) else None
            handed = self.parameters[reuse.written, reuse.distance] if reuse is not None else None
            if isinstance(statement, Let) and statement.function is primitives.load and handed is not None:
                terms |= {statement.value: handed} if handed is not statement.value else {}
            elif isinstance(statement, Let) and (handed is not None or (statement.value, 1) in self.parameters):
                statements += self.write(statement, handed, stored)
            else:
                statements.append(statement)
        return statements, stored, terms

    def write(self, statement: Let, handed: Value | None, stored: dict[Value, Operand]) -> Iterator[Statement]:
        """A write whose old element is handed to it, or whose new one is handed on."""
        array, path, value = statement.operands
        if statement.function is primitives.add_at:
            total = Value("", Scalar(array.type.dtype))
            if handed is None:
                handed = like(total)
                yield Let(handed, primitives.load, (array, path), location=statement.location)
            yield Let(total, np.add, (handed, value), location=statement.location)
            statement, value = replace(statement, function=primitives.store, operands=(array, path, total)), total
        stored[statement.value] = value
        yield statement

    def first_elements(self) -> dict[tuple[Value, int], Value]:
        """What is read of elements that no iteration stored: in the first iteration, or in the second one."""
        found: dict[tuple[Value, int], Value] = {}
        begin, end = self.span()
        for ahead in range(MOST_ITERATIONS):
            reads = {key: reuse for key, reuse in self.first_read.items() if reuse.distance - key[1] == ahead}
            if reads:
                by = ahead * _direction(self.loop)
                start = begin if not ahead else self.builder.let(np.add, begin, constant(by))
                found |= zip(reads, self.elements_at(start, end, list(reads.values())), strict=True)
        return found

    def elements_at(self, start: Operand, end: Operand, reuses: list[_Reuse]) -> tuple[Value, ...]:
        """What the iteration with this index reads, if there is one."""
        loop, builder = self.loop, self.builder
        compared = (start, end) if _direction(loop) > 0 else (end, start)
        exists = builder.let(np.less, *compared)
        lets, changing = lets_in(loop.body), made_in_iterations(loop) - {loop.index}
        terms: dict[Value, Operand] = {loop.index: start}
        with builder.block() as then:
            needed = arithmetic_of(tuple(reuse.statement.operands[1] for reuse in reuses), lets, changing) or set()
            for statement in (made for value, made in lets.items() if value in needed):
                builder.add(copied(statement, terms))
            paths = [renamed(reuse.statement.operands[1], terms) for reuse in reuses]
            arrays = [loop.carried[reuse.k].initial for reuse in reuses]
            elements = tuple(map(builder.load, arrays, paths))
        results = tuple(self.element(reuse.written) for reuse in reuses)
        zeros = tuple(Constant(np.zeros((), result.type.dtype).item(), result.type) for result in results)
        builder.add(If(exists, Block(tuple(then), elements), Block((), zeros), results, loop.location))
        return results

    def span(self) -> tuple[Operand, Operand]:
        """The first index, and the one that would come after the last."""
        loop = self.loop
        if not loop.reverse:
            return loop.start, loop.stop
        begin, end = (self.builder.let(np.subtract, bound, loop.step) for bound in (loop.stop, loop.start))
        return begin, end
