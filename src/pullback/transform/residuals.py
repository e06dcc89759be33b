"""Residuals: what the backward sweep needs of the forward one is read again, computed again, or kept.

>>> import numpy as np, pullback as pb
>>> def f(x, y):
...     for i in range(y.shape[0]):
...         x = np.sin(x) * y[i]  # y[i] is read again; of x each value is kept, in an array
...     while x > 0.1:
...         x = x * np.exp(-x)  # kept on a stack
...     return x
>>> print(pb.explain(f, 2.0, np.ones(3)).replace("<doctest pullback.transform.residuals[1]>", "f.py"))
f.py:2: for i in range(y.shape[0]):
  runs twice, forwards and backwards; vectorised
  keeps x, 24 bytes: the loop carries it from iteration to iteration
f.py:3: x = np.sin(x) * y[i]  # y[i] is read again; of x each value is kept, in an array
  keeps what it computes, 24 bytes: computing it again takes longer than keeping it
f.py:4: while x > 0.1:
  runs twice, forwards and backwards
  keeps x, 8 bytes an iteration: the loop carries it from iteration to iteration
f.py:5: x = x * np.exp(-x)  # kept on a stack
  keeps what it computes, 8 bytes an iteration: computing it again takes longer than keeping it

A value that is needed in the mirror of the block that defines it is kept
  - in a variable, where no loop stands between (a branch has it as one result more);
  - in an array with a place for every iteration, where the numbers of iterations are known before the outermost loop,
    or that of one loop is affine in the indices around it, as in a triangle: each iteration around it has equal room;
  - in an array that a counter runs through, where a nest can be counted before it runs (`inspection.py`);
  - in a stack, with a counter that runs back, otherwise; in a buffer that grows, where several come at a time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, TypeGuard

from pullback.analysis.aliases import Aliases
from pullback.analysis.extents import integer
from pullback.analysis.final import FinalElements
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Size
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    free_in,
    is_scalar,
    operands_of,
    results_of,
    values_in,
)
from pullback.ir.types import INT, Array, axis_noun
from pullback.transform.min_cut import CHEAP, Choice, choose, is_dear
from pullback.transform.repeated_arrays import arrays_made_again, definitions_in, is_in_iterations
from pullback.transform.repeated_branches import Repeatable
from pullback.transform.repeated_loads import repeated_loads
from pullback.transform.residual_plan import Counter, Path, Plan, ResidualArray, Restoration
from pullback.transform.residual_rooms import Rooms, counts_iterations
from pullback.transform.reverse.sweep import Sweep
from pullback.transform.save_on_kill import find_restorations
from pullback.transform.states import begin_with, following, given_by_results
from pullback.transform.whole_arrays import is_kept_whole, most_loads


class Residuals:
    """Makes every forward value that a backward sweep mentions available where it is mentioned."""

    def __init__(
        self, body: Block, sweep: Sweep, aliases: Aliases, shapes: Shapes, *, keep_everything: bool, restore: bool
    ) -> None:
        self.body, self.sweep, self.aliases, self.shapes = body, sweep, aliases, shapes
        self.keep_everything, self.restores = keep_everything, restore and not keep_everything
        self.blocks: dict[Path, Block] = {}
        self.needs: dict[Path, dict[Value, None]] = {}
        self.plan = Plan()
        self.kept: set[Value] = set()
        self.elements = FinalElements(body, shapes)
        self.rooms = Rooms(body, shapes, self.elements.places.ranges)
        self.paths, self.statements, self.lets = self.rooms.paths, self.rooms.statements, self.rooms.lets
        self.mirrored: set[int] = set()
        self.made_of: dict[Path, dict[Value, tuple[Value, ...]]] = {}

    def decide(self, results: tuple[Operand, ...]) -> tuple[Plan, Block]:
        """The plan, and the backward sweep as a block that yields `results`."""
        self.survey(self.body, ())
        backward = Block(tuple(self.sweep.statements), results)
        self.collect(backward, ())
        if self.restores:
            self.restore(find_restorations(self))
        for path in sorted(self.blocks, key=lambda path: (len(path), most_loads(self.blocks[path])), reverse=True):
            if path:
                self.settle(path)
        return self.plan, backward

    # Where everything is

    def survey(self, block: Block, path: Path) -> None:
        """Note for each value the block that defines it."""
        self.blocks[path] = block
        for statement in block.statements:
            self.statements[id(statement)] = statement
            for value in results_of(statement):
                self.paths[value] = path
            match statement:
                case Let():
                    self.lets[statement.value] = statement
                case If():
                    self.survey(statement.then, (*path, (id(statement), 0)))
                    self.survey(statement.orelse, (*path, (id(statement), 1)))
                case For() | While():
                    inner = (*path, (id(statement), 0))
                    for carried in statement.carried:
                        self.paths[carried.parameter] = inner
                    if isinstance(statement, For):
                        self.paths[statement.index] = inner
                    self.survey(statement.body, inner)
        self.note_trip_counts(block, path)

    def note_trip_counts(self, block: Block, path: Path) -> None:
        for statement in block.statements:
            trips = self.sweep.trip_counts.of(statement)
            if trips is not None:
                self.paths[trips] = path

    def collect(self, block: Block, path: Path) -> None:
        """Note for each forward value that the backward sweep mentions the block whose mirror must have it."""
        for statement in block.statements:
            if _asks_size(statement):
                self.need_size(statement)
            else:
                self.need_all(operands_of(statement))
            mirrored = self.sweep.mirror_of(statement)
            self.mirrored.add(id(mirrored))
            match statement:
                case If():
                    branches = mirrored if mirrored is not None else statement
                    self.collect(statement.then, (*path, (id(branches), 0)))
                    self.collect(statement.orelse, (*path, (id(branches), 1)))
                case For() | While():
                    if isinstance(mirrored, For) and mirrored.exits:
                        self.need_all((mirrored.start, mirrored.step))
                    for inner in blocks_of(statement):
                        self.collect(inner, (*path, (id(mirrored), 0)))
        self.need_all(block.yields)

    def restore(self, restorations: list[Restoration]) -> None:
        """Plan to restore arrays: what is overwritten is needed, and where it was."""
        self.plan.restorations = restorations
        for restoration in restorations:
            self.need(restoration.final)
            for path in self.blocks:
                for overwritten in restoration.overwritten(path):
                    element = overwritten.element
                    if element.value not in self.paths:
                        self.plan.before[id(overwritten.store)] = element
                        self.paths[element.value], self.lets[element.value] = path, element
                    self.need_all((element.value, element.operands[1]))

    def need_size(self, statement: Let) -> None:
        """The backward sweep asks for the size of an array: the forward one notes it, where the array is made."""
        array, axis = statement.operands
        path = self.paths.get(array)
        if path:
            size = self.size(array, axis.value)
            self.plan.sizes[statement.value] = size
            self.need_all(size)

    def size(self, array: Value, axis: int) -> Operand:
        """The size of an array along an axis in the forward sweep: noted of the array that it comes from."""
        size = self.shapes.of(array)[axis]
        if isinstance(size, int):
            return constant(size)
        if isinstance(size, Value) and self.rooms.is_outside(size, self.paths[array]):
            return size
        if isinstance(size, tuple) and self.rooms.is_outside(size[0], self.paths[array]):
            array, axis = size
        known = self.plan.noted.get((array, axis))
        if known is None:
            statement = noted_size(array, axis)
            made = [statement] if not isinstance(size, Form) else _computed(size, statement)
            known, path = statement.value, self.paths.get(array, ())
            self.plan.noted[(array, axis)] = known
            self.plan.notes.setdefault(path, {})[array] = [*self.plan.notes.get(path, {}).get(array, []), *made]
            self.paths |= {let.value: path for let in made}
            self.lets |= {let.value: let for let in made if isinstance(size, Form)}
        return known

    def need_all(self, operands: Operand) -> None:
        for value in values_in(operands):
            self.need(value)

    def need(self, value: Value) -> None:
        path = self.paths.get(value)
        if path:
            self.needs.setdefault(path, {})[value] = None

    # One block: keep or compute again

    def settle(self, path: Path) -> None:
        given = {} if self.keep_everything else given_by_results(self, path)
        recalls = self.plan.recalls.setdefault(path, [])
        recalls += given.items()
        needed = [value for value in self.needs.get(path, ()) if not self.is_index(value, path) and value not in given]
        if not needed:
            return
        definitions = definitions_in(self.blocks[path])
        noted = [statement for made in self.plan.notes.get(path, {}).values() for statement in made]
        restored = [o for restoration in self.plan.restorations for o in restoration.overwritten(path)]
        definitions.update({s.value: s for s in (*noted, *(o.element for o in restored))})
        inside = {v for v, where in self.paths.items() if where == path and not self.is_index(v, path)} - given.keys()
        if self.keep_everything:
            kept: tuple[Value, ...] = tuple(needed)
            again: tuple[Repeatable, ...] = ()
        else:
            read_again = repeated_loads(self, path, definitions)
            arrays = {statement.operands[0] for statement in read_again.values()}
            own, definitions = definitions, definitions | read_again

            def is_at_hand(value: Value) -> bool:
                is_there = value in arrays or self.aliases.is_intact(value) or is_kept_whole(self, value, path)
                return is_there or (value in inside and is_in_iterations(self, path))

            anew = set(arrays_made_again(definitions, is_at_hand))
            # What is read of an array cannot be what that array is made of again.
            definitions.update((value, own[value]) for value, load in read_again.items() if load.operands[0] in anew)
            chosen = partial(choose, needed, definitions, inside, is_at_hand, anew=anew)
            choice = chosen()
            free = begin_with(self, path, choice.kept)
            if free:
                other = chosen(free)
                choice = other if set(free.values()) <= {*other.kept} else choice
            if self.fills_buffer(choice.kept, path):
                other = chosen(dear=True)
                choice = other if self.saves_buffer(other, choice) else choice
            kept, again = choice.kept, choice.again
        after = {} if self.keep_everything else following(self, path, [v for v in kept if v not in self.kept])
        for value in sorted(kept, key=lambda value: value not in after):
            self.keep(value, path, recalls, after.get(value))
        for statement in again:
            if not self.kept.intersection(results_of(statement)):
                recalls.append(statement)
                self.need_all(tuple(free_in(Block((statement,)))))
        recalls += (r for r in self.plan.restorations if path in r.at_begin)

    def fills_buffer(self, kept: tuple[Value, ...], path: Path) -> bool:
        """Whether what a block keeps goes into a buffer in which an innermost loop makes room for its iterations."""
        _, around = self.rooms.nest(path)
        if len(around) < 2 or counts_iterations(around[-1]) or any(isinstance(v.type, Array) for v in kept):
            return False
        return not all(self.rooms.has_places(value, path) for value in kept)

    def saves_buffer(self, other: Choice, choice: Choice) -> bool:
        """Whether a choice keeps nothing, with no more quotients and roots again than the other one keeps values.

        Nor may it need an array of an iteration outside that nobody else does.
        """
        read = free_in(Block(other.again))
        arrays = (value for value in read if isinstance(value.type, Array) and self.paths.get(value))
        if any(array not in self.needs.get(self.paths[array], ()) for array in arrays):
            return False
        return not other.kept and sum(map(is_dear, other.again)) <= len(choice.kept)

    def is_index(self, value: Value, path: Path) -> bool:
        statement = self.statements[path[-1][0]]
        return isinstance(statement, For) and value is statement.index

    def keep(self, value: Value, path: Path, recalls: list[Any], after: Value | None = None) -> None:
        """Plan to keep a value: as one more result of a branch, or in an array over the loops around it.

        after: what the next iteration has for it, to be kept in the same array if that does not grow.
        """
        if value in self.kept:
            return
        self.kept.add(value)
        home, around = self.rooms.nest(path)
        if not around:
            recalls.append(self.export(value, path))
            return
        sizes, stops = self.rooms.places(value, path)
        regular = stops is not None and sizes is not None
        extents: tuple[Operand, ...] = ()
        if not regular and isinstance(value.type, Array):
            extents = tuple(self.size(value, axis) for axis in range(value.type.ndim))
            self.recall_before(extents, path, recalls)
        counter = None if regular else self.counter(value, path, home)
        array = self.residual_array(value, path, home, around, sizes if regular else None, counter, extents)
        array.stops = stops if regular and stops is not None else ()
        array.each = sizes
        if regular and after is not None:
            array.following = after
            self.kept.add(after)
        self.plan.saves.setdefault(path, []).append(array)
        recalls.append(array)

    def recall_before(self, extents: tuple[Operand, ...], path: Path, recalls: list[Any]) -> None:
        """Plan to have the sizes of an array at hand where it is recalled.

        Those of this block are kept now, or computed again where that takes no more than the index of its loop.
        """
        for size in values_in(extents):
            if self.paths.get(size, ()) != path or self.is_index(size, path):
                self.need(size)
            elif (made := self.from_index(size, path)) is not None:
                recalls += [let for let in made if let not in recalls]
                again = {let.value for let in made}
                self.need_all(tuple(v for let in made for v in values_in(let.operands) if v not in again))
            else:
                self.keep(size, path, recalls)

    def from_index(self, size: Value, path: Path) -> list[Let] | None:
        """What computes a size of the index of a loop and of numbers from outside of it; None if that takes more."""
        let = self.lets.get(size)
        if let is None or let.function not in CHEAP or not all(map(is_scalar, let.operands)):
            return None
        made: list[Let] = []
        for value in values_in(let.operands):
            if not self.is_index(value, path) and not self.rooms.is_outside(value, path[:-1]):
                before = self.from_index(value, path) if self.paths.get(value) == path else None
                if before is None:
                    return None
                made += [other for other in before if other not in made]
        return [*made, let]

    def residual_array(
        self,
        value: Value,
        path: Path,
        home: Path,
        loops: tuple[Any, ...],
        sizes: tuple[Size, ...] | None,
        counter: Counter | None,
        extents: tuple[Operand, ...],
    ) -> ResidualArray:
        inner = value.type.ndim if isinstance(value.type, Array) else 0
        rank = len(loops) + inner if sizes is not None else 1
        name, of = value.of_it("_saved")
        final = Value(name, Array(value.type.dtype, rank), of)
        self.paths[final] = home
        self.need(final)
        if sizes is not None:
            for loop in loops:
                self.need_all((loop.start, loop.step))
        return ResidualArray(value, path, home, loops, sizes, final, counter, extents)

    def export(self, value: Value, path: Path) -> tuple[Value, Value]:
        number, side = path[-1]
        outside = Value(value.name, value.type, (value, ""))
        self.plan.exports.setdefault(number, []).append((value, side, outside))
        self.paths[outside] = path[:-1]
        self.need(outside)
        return (value, outside)

    def counter(self, value: Value, path: Path, home: Path) -> Counter:
        """The counter of an irregular nest; an array that is kept has one of its own, which counts elements."""
        blocks = isinstance(value.type, Array)
        loops = [k for k, (number, _) in enumerate(path) if isinstance(self.statements[number], For | While)]
        place = path if blocks else path[: loops[-1] + 1]
        inner = self.statements[place[-1][0]]
        whole = inner if isinstance(inner, For) and not blocks and not inner.exits and len(loops) > 1 else None
        if whole is not None:
            place = place[:-1]
        for known in self.plan.counters:
            if not blocks and not known.blocks and known.path == place and known.loop is whole:
                return known
        trips = self.sweep.trip_counts.of(self.statements[path[loops[0]][0]]) if len(loops) == 1 else None
        name, of = value.of_it("_count") if blocks else ("count", (trips, "") if trips is not None else None)
        made = Counter(place, home, Value(name, INT, of), blocks, whole)
        self.paths[made.final] = home
        self.need(made.final)
        self.plan.counters.append(made)
        return made


def noted_size(array: Value, axis: int) -> Let:
    """The statement that notes the size of an array along an axis, which is named after both."""
    name, of = array.of_it(f"_{axis_noun(array.type, axis)}")
    return Let(Value(name, INT, of), primitives.dim, (array, constant(axis)))


def _computed(size: Form, noted: Let) -> list[Let]:
    """The statements that compute a size which is a linear form, in place of the one that notes it."""
    builder = Builder()
    integer(size, builder)
    *made, last = (statement for statement in builder.statements if isinstance(statement, Let))
    return [*made, replace(last, value=noted.value)]


def _asks_size(statement: Statement) -> TypeGuard[Let]:
    return isinstance(statement, Let) and statement.function is primitives.dim
