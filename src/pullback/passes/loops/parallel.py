"""Parallel loops: independent iterations run in chunks, and the chunks at the same time, where there is enough to do.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def total(x):
...     s = 0.0
...     for i in range(x.shape[0]):
...         s += np.sin(x[i])
...     return s
>>> function = prepared(normal_form(total, np.ones(3)))
>>> text = emit_module([run_in_parallel(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def total_loop1(x, length, chunk_end, partial_sums):
    for chunk in prange(chunk_end):
        i_start = chunk * length
        s = 0.0
        for i in range(i_start, min(i_start + length, x.shape[0])):
            s += np.sin(x[i])
        partial_sums[chunk] = s
<BLANKLINE>
<BLANKLINE>
def total(x):
    trips = max(x.shape[0], 0)
    if trips * 13 >= 500000:
        length = chunk_length(trips)
        chunk_end = -(-trips // length)
        partial_sums = np.empty((chunk_end,), dtype=np.float64)
        total_loop1(x, length, chunk_end, partial_sums)
        s = 0.0
        for chunk in range(chunk_end):
            s += partial_sums[chunk]
    else:
        s = 0.0
        for i in range(x.shape[0]):
            s += np.sin(x[i])
    return s

A chunk has private buffers of its own. The number of chunks depends on that of the iterations alone, and so does the
order of all additions: results are the same whatever the number of threads. `analysis/dependence.py` says which loops
have independent iterations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.dependence import DataSharing, find_data_sharing
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, Constant, For, Function, If, Index, Operand, Statement, Value
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT, Array, zero_in
from pullback.passes.loops.cost import cost_of_iteration

LEAST_WORK = 500_000
"""What a loop has to do, in additions, to be worth the microseconds in which threads start and meet."""

MOST_AROUND = 1
"""In how many loops that run in a row a parallel one may stand: each takes a third of a second to compile."""


def run_in_parallel(function: Function, in_order: bool = False) -> Function:
    """The same function with its outermost independent loops in parallel, where they have enough to do.

    in_order: sums of the user's are added up in their order.
    """
    return replace(function, body=_block(function.body, 0, in_order))


def _block(block: Block, around: int, in_order: bool) -> Block:
    return Block(tuple(made for s in block.statements for made in _statement(s, around, in_order)), block.yields)


def _statement(statement: Statement, around: int, in_order: bool) -> list[Statement]:
    """What stands in place of a statement that has so many loops around it."""
    if isinstance(statement, For):
        roles = find_data_sharing(statement)
        keeps_order = in_order and not statement.location.is_adjoint
        if roles is not None and not (roles.reductions and keeps_order):
            return _Chunks(statement, roles).statements()
    inside = around if isinstance(statement, If) else around + 1
    if inside > MOST_AROUND:
        return [statement]
    return [with_blocks(statement, lambda block: _block(block, inside, in_order))]


class _Chunks:
    """Makes the two forms of a loop."""

    def __init__(self, loop: For, roles: DataSharing) -> None:
        self.loop, self.roles = loop, roles
        self.builder = Builder()
        self.builder.location = loop.location

    def statements(self) -> list[Statement]:
        """The look at how much there is to do, then the loop in parallel or as it was."""
        builder, loop = self.builder, self.loop
        iterations = trip_count(builder, loop.start, loop.stop, loop.step)
        work = builder.let(np.multiply, iterations, cost_of_iteration(loop, builder))
        is_long = builder.let(np.greater_equal, work, constant(LEAST_WORK))
        with builder.block() as inside:
            ends = self.divided(iterations)
        plain = copied(loop, {})
        then, orelse = Block(tuple(inside), ends), Block((plain,), plain.results)
        builder.add(If(is_long, then, orelse, loop.results, loop.location))
        return builder.statements

    def divided(self, iterations: Operand) -> tuple[Operand, ...]:
        """Add the parallel loop; returns what the carried values are after it."""
        builder, loop, roles = self.builder, self.loop, self.roles
        length = builder.let(runtime.chunk_length, iterations, name="length", type_=INT)
        chunks = builder.let(np.negative, builder.let(np.floor_divide, builder.let(np.negative, iterations), length))
        written = {k: loop.carried[k].initial for k in roles.shared}
        written.update((k, self.empty((chunks,), loop.results[k], "partial_sums")) for k in roles.reductions)
        carried = {k: Carried(Value(v.name, v.type), v) for k, v in written.items()}
        chunk = Value("chunk", INT)
        with builder.block() as inside:
            after = self.chunk(chunk, length, {k: c.parameter for k, c in carried.items()})
        results = {k: like(c.parameter) for k, c in carried.items()}
        body = Block(tuple(inside), tuple(after[k] for k in carried))
        made = For(
            chunk, constant(0), chunks, constant(1), tuple(carried.values()), body, tuple(results.values()),
            location=loop.location, parallel=True,
        )  # fmt: skip
        builder.add(made)
        ends: dict[int, Operand] = {k: loop.carried[k].initial for k in roles.private}
        ends.update((k, results[k]) for k in roles.shared)
        ends.update(self.totals(chunks, results))
        return tuple(ends[k] for k in range(len(loop.carried)))

    def chunk(self, chunk: Value, length: Value, arrays: dict[int, Value]) -> dict[int, Operand]:
        """Add the iterations of one chunk; returns the arrays that it has written to."""
        builder, loop, roles = self.builder, self.loop, self.roles
        ahead: Operand = builder.let(np.multiply, chunk, length)
        by: Operand = length
        if loop.step != constant(1):
            ahead, by = builder.let(np.multiply, ahead, loop.step), builder.let(np.multiply, length, loop.step)
        first = ahead if loop.start == constant(0) else builder.let(np.add, ahead, loop.start)
        last = builder.let(min, builder.let(np.add, first, by), loop.stop, type_=INT)
        initials: dict[int, Operand] = {k: arrays[k] for k in roles.shared}
        for k in roles.private:
            initials[k] = self.empty(builder.dims(loop.carried[k].initial), loop.results[k], loop.results[k].name)
        for k in roles.reductions:
            initials[k] = zero_of(loop.carried[k].parameter)
        carried = tuple(replace(c, initial=initials[k]) for k, c in enumerate(loop.carried))
        made = copied(replace(loop, start=first, stop=last, carried=carried), {})
        builder.add(made)
        after: dict[int, Operand] = {k: made.results[k] for k in roles.shared}
        for k in roles.reductions:
            after[k] = builder.let(
                primitives.store, arrays[k], (Index((chunk,)),), made.results[k], name="partial_sums"
            )
        return after

    def totals(self, chunks: Operand, partials: dict[int, Value]) -> dict[int, Operand]:
        """Add the loop that adds up the sums of all chunks, one after the other."""
        builder, sums = self.builder, self.roles.reductions
        if not sums:
            return {}
        index = Value("chunk", INT)
        carried = tuple(replace(self.loop.carried[k], parameter=like(self.loop.results[k])) for k in sums)
        with builder.block() as inside:
            parts = [builder.let(primitives.load, partials[k], (Index((index,)),)) for k in sums]
            yields = [
                builder.let(np.add, c.parameter, part, name=c.parameter.name, type_=c.parameter.type)
                for c, part in zip(carried, parts, strict=True)
            ]
        results = tuple(like(c.parameter) for c in carried)
        body = Block(tuple(inside), tuple(yields))
        builder.add(For(index, constant(0), chunks, constant(1), carried, body, results, location=self.loop.location))
        return dict(zip(sums, results, strict=True))

    def empty(self, shape: tuple[Operand, ...], like_: Value, name: str) -> Value:
        """An array for elements of the type of a value."""
        dtype = like_.type.dtype
        type_ = Array(dtype, len(shape))
        return self.builder.let(np.empty, shape, Constant(dtype), keywords=("dtype",), name=name, type_=type_)


def zero_of(sum_: Value) -> Constant:
    return Constant(zero_in(sum_.type.dtype), sum_.type)
