"""Materialised residuals: the forward sweep stores what the plan of `residuals` keeps, and the backward sweep loads it.

>>> import pullback as pb
>>> def f(x):
...     for i in range(3):
...         x = np.sin(x)
...     return x
>>> print(pb.explain(f, 1.0, passes=["both_sweeps"]))
differentiation: both_sweeps
  ...
  -f(x: float64*):
  -    x.3 = for i in range(0, 3, 1) with (x.1: float64 = x):
  +f_value_and_grad(x: float64*):
  +    x_saved: float64[:] = empty((3), dtype='float64')
  +    x.3, x_saved.3 = for i in range(0, 3, 1) with (x.1: float64 = x, x_saved.1: float64[:] = x_saved):
  +        x_saved.2: float64[:] = store(x_saved.1, ([i]), x.1)
           x.2: float64 = sin(x.1)
  -        yield x.2
  -    return x.3
  +        yield x.2, x_saved.2
  +    x_bar.2 = for i.1 in range(0, 3, 1) reversed with (x_bar: float64 = 1.0):
  +        x.4: float64 = load(x_saved.3, ([i.1]))
  +        t.0: float64 = cos(x.4)
  +        x_bar.1: float64 = multiply(x_bar, t.0)
  +        yield x_bar.1
  +    return x.3, x_bar.2

Arrays are made before the outermost loop around the value; stacks and buffers that grow have a counter, which the
backward sweep counts down.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.extents import size_before_loops
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Carried,
    Constant,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    free_in,
    results_of,
)
from pullback.ir.rewrite import like
from pullback.ir.trip_counts import iteration_number
from pullback.ir.types import INT, Stack
from pullback.transform.inspection import inspection_of
from pullback.transform.recalled_residuals import Recall
from pullback.transform.residual_places import (
    Storage,
    extent,
    first_place,
    is_outermost,
    passes_through,
    place_of,
    places_beside,
    room_for,
    starts_at_zero,
)
from pullback.transform.residual_plan import Counter, Path, ResidualArray
from pullback.transform.residuals import Residuals


def materialise(residuals: Residuals, results: tuple[Operand, ...]) -> tuple[list[Statement], Block]:
    """The forward statements with what they keep, and the backward block with what it recalls."""
    _plan, backward = residuals.decide(results)
    arguments = tuple(v for v in residuals.plan.notes.get((), ()) if v not in residuals.paths)
    forward = _Forward(residuals).block(residuals.body, (), {}, arguments)
    recalling, given = Recall(residuals).block(backward, (), {}, {}), set(free_in(backward))
    left = [value for value in free_in(recalling) if residuals.paths.get(value) and value not in given]
    assert not left, f"what is computed again reads {left[0]!r}, which is neither kept nor computed again itself"
    return forward, recalling


class _Forward:
    def __init__(self, residuals: Residuals) -> None:
        self.plan, self.sweep = residuals.plan, residuals.sweep
        self.trip_counts = residuals.sweep.trip_counts
        self.kept: list[Storage] = [
            *(array for arrays in self.plan.saves.values() for array in arrays),
            *self.plan.counters,
        ]
        self.notes = {v: made for notes in self.plan.notes.values() for v, made in notes.items()}
        self.builder = Builder()
        self.iterations: dict[int, Operand] = {}
        self.taken: dict[int, Operand] = {}
        inspections = {id(counter): inspection_of(counter, residuals) for counter in self.plan.counters}
        self.inspections = {number: found for number, found in inspections.items() if found is not None}
        self.totals: dict[int, Operand] = {}

    def block(
        self, block: Block, path: Path, env: dict[int, Operand], parameters: tuple[Value, ...] = ()
    ) -> list[Statement]:
        """The statements of a block and what they keep; `env` holds the present version of each array and counter."""
        statements: list[Statement]
        with self.builder.block() as statements:
            defined = {v for s in block.statements for v in (*self.defined_by(s), *self.loaded_before(s))}
            for value in parameters:
                self.note(value)
            saves = self.plan.saves.get(path, [])
            at_once = [array for array in saves if array.following is None]
            self.save([array for array in at_once if array.value not in defined], path, env)
            for statement in block.statements:
                self.builder.location = statement.location
                for kept in self.kept:
                    if kept.home == path and is_outermost(kept, statement):
                        env[id(kept)] = self.made(kept)
                whole = [c for c in self.plan.counters if c.loop is statement and c.path == path]
                for counter in whole:
                    self.make_room(counter, env)
                before = self.loaded_before(statement)
                if before:
                    self.builder.add(self.plan.before[id(statement)])
                    self.save([array for array in at_once if array.value in before], path, env)
                self.statement(statement, path, env)
                self.builder.location = statement.location
                for counter in whole:
                    env[id(counter)] = self.counted(counter, env[id(counter)], self.taken[id(counter)])
                results = self.defined_by(statement)
                for value in results:
                    self.note(value)
                self.save([array for array in at_once if array.value in results], path, env)
            for counter in self.plan.counters:
                if counter.path == path and not counter.blocks and counter.loop is None:
                    env[id(counter)] = self.counted(counter, env[id(counter)], constant(1))
            self.save([array for array in saves if array.following is not None], path, env)
        return statements

    def counted(self, counter: Counter, before: Operand, more: Operand) -> Value:
        """The counter after so many more iterations or elements."""
        return self.builder.let(np.add, before, more, name=counter.final.name)

    def make_room(self, counter: Counter, env: dict[int, Operand]) -> None:
        """Room for all iterations of a loop in the buffers that it fills."""
        assert counter.loop is not None, "a counter that takes a whole loop's iterations knows the loop"
        self.taken[id(counter)] = extent(self.builder, counter.loop)
        if id(counter) in self.inspections:
            return
        end = self.builder.let(np.add, env[id(counter)], self.taken[id(counter)])
        for kept in self.kept:
            if isinstance(kept, ResidualArray) and kept.counter is counter:
                buffer = env[id(kept)]
                env[id(kept)] = self.builder.let(
                    runtime.reserve, buffer, end, name=kept.final.name, type_=kept.final.type
                )

    def defined_by(self, statement: Statement) -> tuple[Value, ...]:
        """What a statement defines, with its trip count if it is counted, and the sizes noted of its results."""
        trips = self.trip_counts.of(statement)
        results = results_of(statement) if trips is None else (*results_of(statement), trips)
        return (*results, *(note.value for value in results for note in self.notes.get(value, ())))

    def loaded_before(self, statement: Statement) -> tuple[Value, ...]:
        """The element that a store overwrites, where it is loaded to be kept alone."""
        element = self.plan.before.get(id(statement))
        return () if element is None else (element.value,)

    def note(self, value: Value) -> None:
        for statement in self.notes.get(value, ()):
            self.builder.add(statement)

    def made(self, kept: Storage) -> Operand:
        """An array or a counter as it is made, before the first value is kept."""
        if isinstance(kept, Counter):
            return constant(0)
        dtype = Constant(kept.value.type.dtype)
        if kept.is_stack:
            stack = self.version(kept)
            return self.builder.let(runtime.growing, dtype, name=stack.name, type_=stack.type)
        sizes: list[Operand] = [self.total(kept.counter)]
        if kept.sizes is not None:
            room = self.sweep.room
            loops = zip(kept.loops, kept.stops, strict=True)
            sizes = [room[id(loop)] if id(loop) in room else room_for(self.builder, loop, stop) for loop, stop in loops]
            if kept.following is not None:
                sizes[-1] = self.builder.let(np.add, sizes[-1], constant(places_beside(kept)))
            sizes += [size_before_loops(size, self.builder) for size in kept.sizes]
        with self.builder.at(self.builder.location.on_the_way_back()):
            return self.builder.let(
                np.empty, tuple(sizes), dtype, keywords=("dtype",), name=kept.final.name, type_=kept.final.type
            )

    def total(self, counter: Counter | None) -> Operand:
        """How many iterations a counter will have counted, where that can be found out before; else 0."""
        if counter is None or id(counter) not in self.inspections:
            return constant(0)
        if id(counter) not in self.totals:
            self.totals[id(counter)] = self.inspections[id(counter)].count(self.builder)
        return self.totals[id(counter)]

    def save(self, arrays: list[ResidualArray], path: Path, env: dict[int, Operand]) -> None:
        for array in arrays:
            version, name = env[id(array)], array.final.name
            if array.counter is None:
                index = place_of(array, self.iterations, self.builder, of_next=array.following is not None)
                env[id(array)] = self.builder.let(primitives.store, version, (index,), array.saved, name=name)
                continue
            count = env[id(array.counter)]
            if array.counter.loop is not None:
                place = self.builder.let(np.add, count, self.iterations[id(array.counter.loop)])
                env[id(array)] = self.builder.let(primitives.store, version, (Index((place,)),), array.value, name=name)
                continue
            function = runtime.push_block if array.counter.blocks else runtime.keep
            env[id(array)] = self.builder.let(
                function, version, count, array.value, name=version.name, type_=version.type
            )
            if array.counter.blocks:
                size: Operand = constant(1)
                for extent in array.extents:
                    size = self.builder.let(np.multiply, size, extent)
                env[id(array.counter)] = self.counted(array.counter, count, size)

    def save_first(self, array: ResidualArray, env: dict[int, Operand]) -> None:
        """Store what the first iteration of a loop has for a value that is kept along with what follows it."""
        *around, loop = array.loops
        index = Index((*(self.iterations[id(outer)] for outer in around), constant(first_place(loop))))
        (initial,) = (c.initial for c in loop.carried if c.parameter is array.value)
        env[id(array)] = self.builder.let(
            primitives.store, env[id(array)], (index,), initial, name=array.final.name, type_=array.final.type
        )

    def statement(self, statement: Statement, path: Path, env: dict[int, Operand]) -> None:
        match statement:
            case If():
                self.branches(statement, path, env)
            case For() | While():
                self.loop(statement, path, env)
            case _:
                self.builder.add(statement)

    def branches(self, statement: If, path: Path, env: dict[int, Operand]) -> None:
        passing = [kept for kept in self.kept if passes_through(kept, statement)]
        exports = self.plan.exports.get(id(statement), [])
        blocks = []
        for side, block in enumerate((statement.then, statement.orelse)):
            inner = dict(env)
            statements = self.block(block, (*path, (id(statement), side)), inner)
            yields = [*block.yields, *(inner[id(kept)] for kept in passing)]
            yields += [v if side == where else Constant(UNDEFINED, v.type) for v, where, _ in exports]
            blocks.append(Block(tuple(statements), tuple(yields)))
        results = [self.version(kept) for kept in passing]
        env.update({id(kept): result for kept, result in zip(passing, results, strict=True)})
        everything = (*statement.results, *results, *(outside for _, _, outside in exports))
        self.builder.add(replace(statement, then=blocks[0], orelse=blocks[1], results=everything))

    def version(self, kept: Storage) -> Value:
        if isinstance(kept, ResidualArray) and kept.is_stack:
            name, of = kept.value.of_it("_stack")
            return Value(name, Stack(kept.value.type.dtype, 1), of)
        return like(kept.final)

    def result(self, kept: Storage, statement: Statement) -> Value:
        """The version of an array or counter after a loop: after the outermost one, what the backward sweep reads."""
        is_last = is_outermost(kept, statement) and not (isinstance(kept, ResidualArray) and kept.is_stack)
        return kept.final if is_last else self.version(kept)

    def loop(self, statement: For | While, path: Path, env: dict[int, Operand]) -> None:
        passing = [kept for kept in self.kept if passes_through(kept, statement)]
        for kept in passing:
            if isinstance(kept, ResidualArray) and kept.following is not None and kept.loops[-1] is statement:
                self.save_first(kept, env)
        parameters = [self.version(kept) for kept in passing]
        inner = {**env, **{id(kept): p for kept, p in zip(passing, parameters, strict=True)}}
        extra = [Carried(p, env[id(kept)]) for kept, p in zip(passing, parameters, strict=True)]
        numbering = isinstance(statement, For) and not starts_at_zero(statement)
        before: list[Statement]
        with self.builder.block() as before:
            if isinstance(statement, For):
                bounds = statement.index, statement.start, statement.step
                number = iteration_number(self.builder, *bounds) if numbering else statement.index
                self.iterations[id(statement)] = number
        carried = tuple(c.parameter for c in statement.carried)
        body = [*before, *self.block(statement.body, (*path, (id(statement), 0)), inner, carried)]
        yields = [inner[id(kept)] for kept in passing]
        results = [self.result(kept, statement) for kept in passing]
        env.update({id(kept): result for kept, result in zip(passing, results, strict=True)})
        trips = self.trip_counts.of(statement)
        if trips is not None:
            count = Value("trips", INT)
            extra.append(Carried(count, constant(0)))
            with self.builder.into(body):
                yields.append(self.builder.let(np.add, count, constant(1), name="trips"))
            results.append(trips)
        self.builder.add(_extended(statement, extra, body, yields, results))
        for kept in passing:
            if isinstance(kept, ResidualArray) and kept.is_stack and is_outermost(kept, statement):
                assert kept.counter is not None, "values on a stack are counted"
                self.builder.add(Let(kept.final, runtime.contents, (env[id(kept)], kept.counter.final)))


def _extended(
    statement: For | While, extra: list[Carried], body: list[Statement], yields: list[Operand], results: list[Value]
) -> For | While:
    """A loop that carries more; the flag that leaves it stays last."""
    count = len(statement.carried)
    old = statement.body.yields
    block = Block(tuple(body), (*old[:count], *yields, *old[count:]))
    return replace(statement, carried=(*statement.carried, *extra), body=block, results=(*statement.results, *results))
