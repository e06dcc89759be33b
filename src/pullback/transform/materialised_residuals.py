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

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    map_values,
    results_of,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.trip_counts import at_least_zero, iteration_number, trip_count
from pullback.ir.types import INT, Stack
from pullback.transform.residuals import Counter, Path, ResidualArray, Residuals

Storage = ResidualArray | Counter


def materialise(residuals: Residuals, results: tuple[Operand, ...]) -> tuple[list[Statement], Block]:
    """The forward statements with what they keep, and the backward block with what it recalls."""
    _plan, backward = residuals.decide(results)
    forward = _Forward(residuals).block(residuals.body, (), {})
    return forward, _Backward(residuals).block(backward, (), {}, {})


def _passes(kept: Storage, statement: Statement) -> bool:
    """Whether an array or counter goes through a statement: it is made before, and changes inside."""
    return any(number == id(statement) for number, _ in kept.path[len(kept.home) :])


def _is_outermost(kept: Storage, statement: Statement) -> bool:
    return kept.path[len(kept.home)][0] == id(statement)


def starts_at_zero(loop: For) -> bool:
    """Whether the loop's own index can number its iterations: it counts up by one from 0 or above."""
    start, step = loop.start, loop.step
    return step == constant(1) and isinstance(start, Constant) and 0 <= start.value <= 2


def extent(builder: Builder, loop: Any, terms: Mapping[Value, Operand] | None = None) -> Operand:
    """How many elements the iterations of a loop take; `terms`: what stands for the values in its bounds here."""
    start, stop, step = map_values((loop.start, loop.stop, loop.step), lambda value: (terms or {}).get(value, value))
    if starts_at_zero(loop):
        return at_least_zero(builder, stop)
    return trip_count(builder, start, stop, step)


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

    def block(
        self, block: Block, path: Path, env: dict[int, Operand], parameters: tuple[Value, ...] = ()
    ) -> list[Statement]:
        """The statements of a block and what they keep; `env` holds the present version of each array and counter."""
        statements: list[Statement]
        with self.builder.block() as statements:
            defined = {v for s in block.statements for v in self.defined_by(s)}
            for value in parameters:
                self.note(value)
            self.save([t for t in self.plan.saves.get(path, []) if t.value not in defined], path, env)
            for statement in block.statements:
                self.builder.location = statement.location
                for kept in self.kept:
                    if kept.home == path and _is_outermost(kept, statement):
                        env[id(kept)] = self.made(kept)
                whole = [c for c in self.plan.counters if c.loop is statement and c.path == path]
                for counter in whole:
                    self.make_room(counter, env)
                self.statement(statement, path, env)
                for counter in whole:
                    env[id(counter)] = self.builder.let(np.add, env[id(counter)], self.taken[id(counter)], name="count")
                results = self.defined_by(statement)
                for value in results:
                    self.note(value)
                self.save([t for t in self.plan.saves.get(path, []) if t.value in results], path, env)
            for counter in self.plan.counters:
                if counter.path == path and not counter.blocks and counter.loop is None:
                    env[id(counter)] = self.builder.let(np.add, env[id(counter)], constant(1), name="count")
        return statements

    def make_room(self, counter: Counter, env: dict[int, Operand]) -> None:
        """Room for all iterations of a loop in the buffers that it fills."""
        assert counter.loop is not None, "a counter that takes a whole loop's iterations knows the loop"
        self.taken[id(counter)] = extent(self.builder, counter.loop)
        end = self.builder.let(np.add, env[id(counter)], self.taken[id(counter)])
        for kept in self.kept:
            if isinstance(kept, ResidualArray) and kept.counter is counter:
                buffer = env[id(kept)]
                env[id(kept)] = self.builder.let(
                    runtime.reserve, buffer, end, name=kept.final.name, type_=kept.final.type
                )

    def defined_by(self, statement: Statement) -> tuple[Value, ...]:
        """What a statement defines, with its trip count if it is counted, and the sizes noted of its results."""
        trips = self.trip_counts.get(id(statement))
        results = results_of(statement) if trips is None else (*results_of(statement), trips)
        return (*results, *(note.value for value in results for note in self.notes.get(value, ())))

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
        sizes: list[Operand] = [constant(0)]
        if kept.sizes is not None:
            room = self.sweep.room
            sizes = [room[id(loop)] if id(loop) in room else extent(self.builder, loop) for loop in kept.loops]
            sizes += [self.builder.dim(*size) if isinstance(size, tuple) else size for size in kept.sizes]
        return self.builder.let(
            np.empty, tuple(sizes), dtype, keywords=("dtype",), name=kept.final.name, type_=kept.final.type
        )

    def save(self, arrays: list[ResidualArray], path: Path, env: dict[int, Operand]) -> None:
        for array in arrays:
            version, name = env[id(array)], array.final.name
            if array.counter is None:
                index = Index(tuple(self.iterations[id(loop)] for loop in array.loops))
                env[id(array)] = self.builder.let(primitives.store, version, (index,), array.value, name=name)
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
                env[id(array.counter)] = self.builder.let(np.add, count, size, name="count")

    def statement(self, statement: Statement, path: Path, env: dict[int, Operand]) -> None:
        match statement:
            case If():
                self.branches(statement, path, env)
            case For() | While():
                self.loop(statement, path, env)
            case _:
                self.builder.add(statement)

    def branches(self, statement: If, path: Path, env: dict[int, Operand]) -> None:
        passing = [kept for kept in self.kept if _passes(kept, statement)]
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
            return Value(f"{kept.value.name or 't'}_stack", Stack(kept.value.type.dtype, 1))
        return Value(kept.final.name, kept.final.type)

    def result(self, kept: Storage, statement: Statement) -> Value:
        """The version of an array or counter after a loop: after the outermost one, what the backward sweep reads."""
        is_last = _is_outermost(kept, statement) and not (isinstance(kept, ResidualArray) and kept.is_stack)
        return kept.final if is_last else self.version(kept)

    def loop(self, statement: For | While, path: Path, env: dict[int, Operand]) -> None:
        passing = [kept for kept in self.kept if _passes(kept, statement)]
        parameters = [self.version(kept) for kept in passing]
        inner = {**env, **{id(kept): p for kept, p in zip(passing, parameters, strict=True)}}
        extra = [Carried(p, env[id(kept)]) for kept, p in zip(passing, parameters, strict=True)]
        numbering = isinstance(statement, For) and not starts_at_zero(statement)
        before: list[Statement]
        with self.builder.block() as before:
            if isinstance(statement, For):
                self.iterations[id(statement)] = (
                    iteration_number(self.builder, statement) if numbering else statement.index
                )
        carried = tuple(c.parameter for c in statement.carried)
        body = [*before, *self.block(statement.body, (*path, (id(statement), 0)), inner, carried)]
        yields = [inner[id(kept)] for kept in passing]
        results = [self.result(kept, statement) for kept in passing]
        env.update({id(kept): result for kept, result in zip(passing, results, strict=True)})
        trips = self.trip_counts.get(id(statement))
        if trips is not None:
            count = Value("trips", INT)
            extra.append(Carried(count, constant(0)))
            with self.builder.into(body):
                yields.append(self.builder.let(np.add, count, constant(1), name="trips"))
            results.append(trips)
        self.builder.add(_extended(statement, extra, body, yields, results))
        for kept in passing:
            if isinstance(kept, ResidualArray) and kept.is_stack and _is_outermost(kept, statement):
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


class _Backward:
    def __init__(self, residuals: Residuals) -> None:
        self.plan, self.sweep = residuals.plan, residuals.sweep
        self.builder = Builder()
        self.iterations: dict[int, Operand] = {}

    def block(self, block: Block, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> Block:
        """A block of the backward sweep: loads and repeated statements, then its own in those terms."""
        env = dict(env)
        statements: list[Statement]
        with self.builder.block() as statements:
            if block.statements:
                self.builder.location = block.statements[0].location
            self.count_back(path, env, counts)
            self.recall(path, env, counts)
            for statement in block.statements:
                self.statement(statement, path, env, counts)
            yields = self.mapped(block.yields, env)
        return Block(tuple(statements), yields)

    def mapped(self, operand: Operand, env: dict[Value, Operand]) -> Any:
        return map_values(operand, lambda value: env.get(value, value))

    def count_back(self, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        for counter in self.plan.counters:
            if counter.path == path and not counter.blocks and counter.loop is None:
                counts[id(counter)] = self.builder.let(np.subtract, counts[id(counter)], constant(1), name="count")

    def recall(self, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        for item in self.plan.recalls.get(path, ()):
            match item:
                case Let():
                    value = Value(item.value.name, item.value.type)
                    self.builder.add(replace(item, value=value, operands=self.mapped(item.operands, env)))
                    env[item.value] = value
                case ResidualArray():
                    env[item.value] = self.restored(item, env, counts)
                case (value, outside):
                    env[value] = env.get(outside, outside)

    def restored(self, array: ResidualArray, env: dict[Value, Operand], counts: dict[int, Operand]) -> Operand:
        final: Operand = env.get(array.final, array.final)
        name, type_ = array.value.name, array.value.type
        if array.counter is None:
            index = Index(tuple(self.iterations[id(loop)] for loop in array.loops))
            return self.builder.let(primitives.load, final, (index,), name=name, type_=type_)
        if not array.counter.blocks:
            count = counts[id(array.counter)]
            if array.counter.loop is not None:
                count = self.builder.let(np.add, count, self.iterations[id(array.counter.loop)])
            index = Index((count,))
            return self.builder.let(primitives.load, final, (index,), name=name, type_=type_)
        shape = tuple(env[extent] for extent in array.extents)
        size: Operand = constant(1)
        for extent in shape:
            size = self.builder.let(np.multiply, size, extent)
        top = self.builder.let(np.subtract, counts[id(array.counter)], size, name="count")
        counts[id(array.counter)] = top
        return self.builder.let(runtime.block_of, final, top, shape, name=name, type_=type_)

    def statement(
        self, statement: Statement, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]
    ) -> None:
        match statement:
            case If():
                self.branches(statement, path, env, counts)
            case For() if self.sweep.mirror_of(statement) is not None:
                self.loop(statement, path, env, counts)
            case For() | While():
                self.own_loop(statement, path, env, counts)
            case Let() if statement.value in self.plan.sizes:
                size = self.plan.sizes[statement.value]
                env[statement.value] = env.get(size, size)
            case Let() | Call() | Effect():
                self.builder.add(replace(statement, operands=self.mapped(statement.operands, env)))

    def branches(self, statement: If, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        mirrored = self.sweep.mirror_of(statement) or statement
        passing = [c for c in self.plan.counters if id(c) in counts and _passes(c, mirrored)]
        blocks = []
        for side, block in enumerate((statement.then, statement.orelse)):
            inner = dict(counts)
            made = self.block(block, (*path, (id(mirrored), side)), env, inner)
            blocks.append(Block(made.statements, (*made.yields, *(inner[id(c)] for c in passing))))
        results = [Value("count", INT) for _ in passing]
        counts.update({id(c): r for c, r in zip(passing, results, strict=True)})
        condition = self.mapped(statement.condition, env)
        everything = (*statement.results, *results)
        self.builder.add(replace(statement, condition=condition, then=blocks[0], orelse=blocks[1], results=everything))

    def own_loop(
        self, statement: For | While, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]
    ) -> None:
        """A loop inside a rule's body, or in a segment that runs again."""
        inner = (*path, (id(statement), 0))
        self.builder.add(substituted(with_blocks(statement, lambda b: self.block(b, inner, env, counts)), env))

    def loop(self, statement: For, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        mirrored = self.sweep.mirror_of(statement)
        assert isinstance(mirrored, For | While), "a loop of the backward sweep's own has no mirror"
        passing = [c for c in self.plan.counters if _passes(c, mirrored)]
        whole = [c for c in self.plan.counters if c.loop is mirrored]
        for counter in (*passing, *whole):
            counts.setdefault(id(counter), env.get(counter.final, counter.final))
        for counter in whole:
            taken = extent(self.builder, mirrored, env)
            counts[id(counter)] = self.builder.let(np.subtract, counts[id(counter)], taken, name="count")
        parameters = [Value("count", INT) for _ in passing]
        inner_counts = {**counts, **{id(c): p for c, p in zip(passing, parameters, strict=True)}}
        inner = dict(env)
        before: list[Statement]
        with self.builder.block() as before:
            self.number_iteration(statement, mirrored, inner)
        body = self.block(statement.body, (*path, (id(mirrored), 0)), inner, inner_counts)
        extra = [Carried(p, counts[id(c)]) for p, c in zip(parameters, passing, strict=True)]
        yields = (*body.yields, *(inner_counts[id(c)] for c in passing))
        results = [Value("count", INT) for _ in passing]
        counts.update({id(c): r for c, r in zip(passing, results, strict=True)})
        carried = tuple(Carried(c.parameter, self.mapped(c.initial, env)) for c in statement.carried)
        start, stop, step = self.mapped((statement.start, statement.stop, statement.step), env)
        self.builder.add(
            replace(
                statement,
                start=start,
                stop=stop,
                step=step,
                carried=(*carried, *extra),
                body=Block((*before, *body.statements), yields),
                results=(*statement.results, *results),
            )
        )

    def number_iteration(self, statement: For, mirrored: Statement, env: dict[Value, Operand]) -> None:
        """The forward loop's index in terms of the backward one's, and the number of the iteration."""
        index = statement.index
        if not isinstance(mirrored, For):
            self.iterations[id(mirrored)] = index
            return
        start, step = self.mapped((mirrored.start, mirrored.step), env)
        if mirrored.exits:
            offset = index if step == constant(1) else self.builder.let(np.multiply, index, step)
            env[mirrored.index] = offset if start == constant(0) else self.builder.let(np.add, offset, start)
            self.iterations[id(mirrored)] = index
            return
        env[mirrored.index] = index
        number: Operand = index
        if not starts_at_zero(mirrored):
            number = self.builder.let(np.subtract, index, start)
            if step != constant(1):
                number = self.builder.let(np.floor_divide, number, step)
        self.iterations[id(mirrored)] = number
