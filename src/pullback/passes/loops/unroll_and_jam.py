"""Unroll-and-jam: the few iterations of a short loop around a nest run together, in each iteration of the nest.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def convolve(y, x, kernel):
...     for j in range(3):
...         for c in range(y.shape[0]):
...             y[c] += kernel[j] * x[c + j]
>>> function = prepared(normal_form(convolve, np.ones(5), np.ones(7), np.ones(3)))
>>> text = emit_module([unroll_and_jam(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def convolve(y, x, kernel):
    for c in range(y.shape[0]):
        y_sum = y[c] + kernel[0] * x[c] + kernel[1] * x[c + 1] + kernel[2] * x[c + 2]
        y[c] = y_sum

What is the same in the short loop's iterations is then read and written once. An element that an iteration of the nest
has for itself sees the short loop's iterations in their order; sums that a nest only adds to may see them in another
one. `analysis/unroll_and_jam.py` says where that is legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from pullback.analysis.unroll_and_jam import UnrollAndJam, find_unroll_and_jam
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    operands_of,
    results_of,
    values_in,
)
from pullback.ir.rewrite import copied, like, substituted, with_blocks
from pullback.ir.types import INT, Scalar

Terms = dict[Value, Operand]  # what a value of the loop as it was is called in one of its iterations


def unroll_and_jam(function: Function) -> Function:
    """The same function with such loops unrolled, and the copies of each nest in them jammed into one."""
    callees = tuple(map(unroll_and_jam, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    last: Terms = {}
    for statement in block.statements:
        changed = with_blocks(substituted(statement, last), _block)
        jam = find_unroll_and_jam(changed) if isinstance(changed, For) else None
        if jam is None:
            statements.append(changed)
        else:
            made, results = _UnrollAndJam(jam).made()
            statements += made
            last.update(zip(jam.loop.results, results, strict=True))
    return substituted(Block(tuple(statements), block.yields), last)


class _UnrollAndJam:
    """Copies the body of a loop for all of its iterations at once."""

    def __init__(self, jam: UnrollAndJam) -> None:
        self.jam = jam

    def made(self) -> tuple[list[Statement], list[Operand]]:
        """What stands in the place of the loop, and its results."""
        loop = self.jam.loop
        iterations: list[Terms] = [{loop.index: constant(number)} for number in self.jam.numbers]
        iterations[0].update((carried.parameter, carried.initial) for carried in loop.carried)
        parameters = [carried.parameter for carried in loop.carried]
        statements = self.level(loop.body, iterations, parameters, loop.body.yields)
        for earlier, later in pairwise(iterations):
            _hand_on(earlier, later, parameters, loop.body.yields)
        return statements, [_in_terms(y, iterations[-1]) for y in loop.body.yields]

    def level(
        self, block: Block, iterations: list[Terms], parameters: Sequence[Value], yields: Sequence[Operand]
    ) -> list[Statement]:
        """A block of all iterations; each finds in `parameters` what the iteration before has left in `yields`."""
        at = next((p for p, s in enumerate(block.statements) if isinstance(s, For)), None)
        if at is None:
            return merged_additions(self.one_by_one(block.statements, iterations, parameters, yields))
        before = self.one_by_one(block.statements[:at], iterations, parameters, yields)
        loop = self.loop(block.statements[at], iterations)
        return [*before, loop, *self.one_by_one(block.statements[at + 1 :], iterations, parameters, yields)]

    def one_by_one(
        self,
        piece: Sequence[Statement],
        iterations: list[Terms],
        parameters: Sequence[Value],
        yields: Sequence[Operand],
    ) -> list[Statement]:
        """A piece of a block without loops, iteration after iteration; what is the same in all stands there once."""
        made: list[Statement] = []
        for number, terms in enumerate(iterations):
            if number:
                _hand_on(iterations[number - 1], terms, parameters, yields)
            for statement in piece:
                assert isinstance(statement, Let), "what stands beside a loop are single statements"
                if number and statement.value not in self.jam.varying:
                    terms[statement.value] = iterations[0][statement.value]
                else:
                    made += _copied(statement, terms)
        return made

    def loop(self, loop: Statement, iterations: list[Terms]) -> For:
        """One loop for those of all iterations: what they share is carried once, the rest for each."""
        assert isinstance(loop, For), "a level has one loop"
        index = like(loop.index)
        for terms in iterations:
            terms[loop.index] = index
        shared = [c.parameter in self.jam.shared for c in loop.carried]
        owners = [
            (k, terms) for k, is_shared in enumerate(shared) for terms in (iterations[:1] if is_shared else iterations)
        ]
        carried = []
        for k, terms in owners:
            old = loop.carried[k]
            carried.append(Carried(like(old.parameter), _in_terms(old.initial, terms)))
            terms[old.parameter] = carried[-1].parameter
        parameters = [c.parameter for c, is_shared in zip(loop.carried, shared, strict=True) if is_shared]
        handed = [y for y, is_shared in zip(loop.body.yields, shared, strict=True) if is_shared]
        statements = self.level(loop.body, iterations, parameters, handed)
        yields = [_in_terms(loop.body.yields[k], iterations[-1] if shared[k] else terms) for k, terms in owners]
        results = [like(loop.results[k]) for k, _ in owners]
        for (k, terms), result in zip(owners, results, strict=True):
            for each in iterations if shared[k] else [terms]:
                each[loop.results[k]] = result
        start, stop, step = (_in_terms(bound, iterations[0]) for bound in (loop.start, loop.stop, loop.step))
        body = Block(tuple(statements), tuple(yields))
        bounds = {"start": start, "stop": stop, "step": step}
        return replace(loop, index=index, **bounds, carried=tuple(carried), body=body, results=tuple(results))


def _hand_on(earlier: Terms, later: Terms, parameters: Sequence[Value], yields: Sequence[Operand]) -> None:
    """Let an iteration find what the iteration before it has left so far."""
    for parameter, y in zip(parameters, yields, strict=True):
        if y in earlier:
            later.setdefault(parameter, earlier[y])


def _in_terms(operand: Operand, terms: Terms) -> Operand:
    return terms.get(operand, operand) if isinstance(operand, Value) else operand


def _copied(statement: Let, terms: Terms) -> list[Statement]:
    """A statement in the terms of an iteration; none where it moves an index by nothing."""
    new = copied(statement, terms)
    if new.function in (np.add, np.subtract) and new.value.type == INT:
        a, b = new.operands
        if new.function is np.add and isinstance(a, Constant):
            a, b = b, a
            new = replace(new, operands=(a, b))
        if new.function is np.add and isinstance(b, Constant) and b.value < 0:
            new = replace(new, function=np.subtract, operands=(a, constant(-b.value)))
        if b == constant(0) and a.type == INT:
            terms[statement.value] = a
            return []
    return [new]


def merged_additions(statements: list[Statement]) -> list[Statement]:
    """Statements in which additions to one element that follow one another are a sum, read and written once."""
    uses = Counter(v for s in statements for v in values_in(operands_of(s)))
    runs: dict[Value, list[Let]] = {}
    for s in statements:
        if isinstance(s, Let) and s.function is primitives.add_at and _is_of_one_dtype(s):
            run = runs.get(s.operands[0], [])
            joins = bool(run) and run[-1].operands[1] == s.operands[1] and uses[s.operands[0]] == 1
            runs[s.value] = [*run, s] if joins else [s]
            if joins:
                del runs[s.operands[0]]
    last = {run[-1].value: run for run in runs.values() if len(run) > 1}
    inside = {s.value for run in last.values() for s in run[:-1]}
    builder = Builder()
    for s in statements:
        (value,) = results_of(s)
        builder.location = s.location
        if value in last:
            _add_run(builder, last[value])
        elif value not in inside:
            builder.add(s)
    return builder.statements


def _is_of_one_dtype(addition: Let) -> bool:
    array, _, addend = addition.operands
    return isinstance(addend.type, Scalar) and bool(addend.type.dtype == array.type.dtype)


def _add_run(builder: Builder, run: list[Let]) -> None:
    array, path, _ = run[0].operands
    total = builder.let(primitives.load, array, path)
    for addition in run:
        total = builder.let(np.add, total, addition.operands[2], type_=total.type)
    builder.add(Let(run[-1].value, primitives.store, (array, path, total), location=run[-1].location))
