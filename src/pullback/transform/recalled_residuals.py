r"""The backward sweep, which reads again, computes again, or recalls from residual arrays what it needs.

>>> import pullback as pb
>>> def last(x):
...     while x < 10.0:
...         x = x * x + 1.0
...     return x
>>> backward = pb.source(last, 2.0).split("\n\n\n")[-1]
>>> print("\n".join(line for line in backward.splitlines() if "#" not in line))
def last_backward(trips, x_saved, x_bar):
    for k in range(trips - 1, -1, -1):
        x = x_saved[k]
        x_bar *= 2 * x
    return x_bar
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import CREATING
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
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
)
from pullback.ir.rewrite import copied, like, substituted, with_blocks
from pullback.ir.trip_counts import iteration_number
from pullback.ir.types import INT
from pullback.transform.residual_places import extent, passes_through, place_of, starts_at_zero
from pullback.transform.residual_plan import Counter, Overwritten, Path, ResidualArray, Restoration
from pullback.transform.residuals import Residuals


class Recall:
    def __init__(self, residuals: Residuals) -> None:
        self.plan, self.sweep = residuals.plan, residuals.sweep
        self.undone: list[Counter | Restoration] = [*self.plan.counters, *self.plan.restorations]
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
            env.update({r.present: counts[id(r)] for r in self.plan.restorations if id(r) in counts})
            self.recall(path, env, counts)
            for statement in block.statements:
                self.statement(statement, path, env, counts)
            for restoration in self.plan.restorations:
                self.restore(restoration, restoration.at_end.get(path, ()), env, counts)
            yields = self.mapped(block.yields, env)
        return Block(tuple(statements), yields)

    def mapped(self, operand: Operand, env: dict[Value, Operand]) -> Any:
        return map_values(operand, lambda value: env.get(value, value))

    def count_back(self, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        for counter in self.plan.counters:
            if counter.path == path and not counter.blocks and counter.loop is None:
                counts[id(counter)] = self.counted_back(counter, counts, constant(1))

    def counted_back(self, counter: Counter, counts: dict[int, Operand], fewer: Operand) -> Value:
        """The counter before so many iterations or elements."""
        return self.builder.let(np.subtract, counts[id(counter)], fewer, name=counter.final.name)

    def recall(self, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        for item in self.plan.recalls.get(path, ()):
            match item:
                case Let():
                    value = Value(item.value.name, item.value.type, (item.value, ""))
                    again = replace(item, value=value, operands=self.mapped(item.operands, env))
                    is_new = item.function in CREATING  # no array of the user any more
                    self.builder.add(replace(again, location=item.location.on_the_way_back()) if is_new else again)
                    env[item.value] = value
                case If() | For():
                    terms = dict(env)
                    self.builder.add(copied(item, terms, lambda value: Value(value.name, value.type, (value, ""))))
                    (result,) = item.results
                    env[result] = terms[result]
                case ResidualArray():
                    restored = self.restored(item, env, counts)
                    env[item.value] = restored.called("", (item.value, ""))
                    if item.following is not None:
                        env[item.following] = self.following(item, env).called("", (item.following, ""))
                case Restoration():
                    self.restore(item, item.at_begin[path], env, counts)
                case (value, outside):
                    env[value] = env.get(outside, outside)

    def restore(
        self, array: Restoration, stores: Sequence[Overwritten], env: dict[Value, Operand], counts: dict[int, Operand]
    ) -> None:
        """Put elements of an array back that stores have overwritten."""
        for one in stores:
            self.builder.location = one.store.location
            _, place = self.mapped(one.element.operands, env)
            element, name = self.mapped(one.element.value, env), array.final.name
            counts[id(array)] = self.builder.let(primitives.store, counts[id(array)], place, element, name=name)

    def restored(self, array: ResidualArray, env: dict[Value, Operand], counts: dict[int, Operand]) -> Value:
        final: Operand = env.get(array.final, array.final)
        name, type_ = array.value.name, array.value.type
        if array.counter is None:
            index = place_of(array, self.iterations, self.builder)
            return self.builder.let(primitives.load, final, (index,), name=name, type_=type_)
        if not array.counter.blocks:
            count = counts[id(array.counter)]
            if array.counter.loop is not None:
                count = self.builder.let(np.add, count, self.iterations[id(array.counter.loop)])
            index = Index((count,))
            return self.builder.let(primitives.load, final, (index,), name=name, type_=type_)
        shape = self.mapped(array.extents, env)
        size: Operand = constant(1)
        for count in shape:
            size = self.builder.let(np.multiply, size, count)
        top = counts[id(array.counter)] = self.counted_back(array.counter, counts, size)
        return self.builder.let(runtime.block_of, final, top, shape, name=name, type_=type_)

    def following(self, array: ResidualArray, env: dict[Value, Operand]) -> Value:
        """What the next iteration has for a value, from the array that has both."""
        assert array.following is not None, "an array of one value has nothing else"
        index = place_of(array, self.iterations, self.builder, of_next=True)
        name, type_ = array.following.name, array.following.type
        return self.builder.let(primitives.load, env.get(array.final, array.final), (index,), name=name, type_=type_)

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
                env[statement.value] = self.mapped(self.plan.sizes[statement.value], env)
            case Let() | Call() | Effect():
                self.builder.add(replace(statement, operands=self.mapped(statement.operands, env)))

    def branches(self, statement: If, path: Path, env: dict[Value, Operand], counts: dict[int, Operand]) -> None:
        mirrored = self.sweep.mirror_of(statement) or statement
        passing = [c for c in self.undone if id(c) in counts and passes_through(c, mirrored)]
        blocks = []
        for side, block in enumerate((statement.then, statement.orelse)):
            inner = dict(counts)
            made = self.block(block, (*path, (id(mirrored), side)), env, inner)
            blocks.append(Block(made.statements, (*made.yields, *(inner[id(c)] for c in passing))))
        results = [like(c.final) for c in passing]
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
        passing = [c for c in self.undone if passes_through(c, mirrored)]
        whole = [c for c in self.plan.counters if c.loop is mirrored]
        for counter in (*passing, *whole):
            counts.setdefault(id(counter), env.get(counter.final, counter.final))
        for counter in whole:
            taken = extent(self.builder, mirrored, env)
            left = self.builder.let(np.subtract, counts[id(counter)], taken)
            # The larger of it and 0 is it: passes see from that where kept values lie.
            counts[id(counter)] = self.builder.let(max, left, constant(0), name=counter.final.name, type_=INT)
        parameters = [like(c.final) for c in passing]
        inner_counts = {**counts, **{id(c): p for c, p in zip(passing, parameters, strict=True)}}
        inner = dict(env)
        before: list[Statement]
        with self.builder.block() as before:
            self.number_iteration(statement, mirrored, inner)
        body = self.block(statement.body, (*path, (id(mirrored), 0)), inner, inner_counts)
        extra = [Carried(p, counts[id(c)]) for p, c in zip(parameters, passing, strict=True)]
        yields = (*body.yields, *(inner_counts[id(c)] for c in passing))
        results = [like(c.final) for c in passing]
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
            number = iteration_number(self.builder, index, start, step)
        self.iterations[id(mirrored)] = number
