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
def total_loop1_chunk(x, length, partial_sums, chunk):
    i_start = chunk * length
    s = 0.0
    for i in range(i_start, min(i_start + length, x.shape[0])):
        s += np.sin(x[i])
    partial_sums[chunk] = s
<BLANKLINE>
<BLANKLINE>
def total_loop1(x, length, chunks, partial_sums):
    for chunk in prange(chunks):
        total_loop1_chunk(x, length, partial_sums, chunk)
<BLANKLINE>
<BLANKLINE>
def total(x):
    trips = max(x.shape[0], 0)
    work = trips * 13
    is_long = work >= 500000
    if is_long:
        length = chunk_length(trips)
        chunks = -(-trips // length)
        partial_sums = np.empty((chunks,), dtype=np.float64)
        total_loop1(x, length, chunks, partial_sums)
        s = 0.0
        for chunk in range(chunks):
            s += partial_sums[chunk]
    else:
        s = 0.0
        for i in range(x.shape[0]):
            s += np.sin(x[i])
    return s

A chunk has private buffers of its own, and arrays of its own for what iterations add to an array. The number of chunks
depends on that of the iterations and on sizes alone, and so does the order of all additions: results are the same
whatever the number of threads. Where iterations may raise, each chunk that comes to its end says so, and if one does
not, the loop runs again in a row. `analysis/shared_loops.py` says which loops have independent iterations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.dependence import DataSharing
from pullback.analysis.shared_loops import SharedLoops
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    If,
    Index,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    lets_in,
    made_in_iterations,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import BOOL, INT, Array, zero_in
from pullback.passes.loops import cost
from pullback.runtime.trip_counts import MOST_CHUNKS

WORK_OF_ELEMENT = 96
"""What a chunk has to do for each element of the arrays to which it adds: it sets it to 0, and it is added up."""

FEWEST_CHUNKS = 2
"""So many such chunks a loop must have work for."""
MOST_SUMMING_CHUNKS = 16
"""How many chunks add to arrays of their own at most."""

MOST_AROUND = 1
"""In how many loops that run in a row a parallel one may stand: each takes half a second to compile, or more."""

_RAISED = -1
"""Instead of the number of a carried value: an array that says which chunks did not come to their end."""
_NO_MEMORY = "the threads of a parallel loop need more memory than there is"


def run_in_parallel(function: Function, in_order: bool = False) -> Function:
    """The same function with its outermost independent loops in parallel, where they have enough to do.

    in_order: sums of the user's are added up in their order.
    """
    loops = _Loops(function, in_order)
    return replace(function, body=loops.block(function.body, 0))


class _Loops:
    """Chooses the loops of a function: those that are independent, and as deep as the others but for one level."""

    def __init__(self, function: Function, in_order: bool) -> None:
        self.shared = SharedLoops(function)
        self.deepest = _depth(function.body)
        self.in_order = in_order

    def block(self, block: Block, around: int) -> Block:
        return Block(tuple(made for s in block.statements for made in self.statement(s, around)), block.yields)

    def statement(self, statement: Statement, around: int) -> list[Statement]:
        """What stands in place of a statement that has so many loops around it."""
        if isinstance(statement, For) and around + _depth(Block((statement,))) >= self.deepest - 1:
            roles = self.shared.data_sharing(statement)
            keeps_order = self.in_order and not statement.location.is_adjoint
            if roles is not None and not (keeps_order and (roles.reductions or roles.array_reductions)):
                chunks = _Chunks(statement, roles)
                return [statement] if chunks.is_short() else chunks.statements()
        inside = around if isinstance(statement, If) else around + 1
        if inside > MOST_AROUND:
            return [statement]
        return [with_blocks(statement, lambda block: self.block(block, inside))]


def _depth(block: Block) -> int:
    """How many loops stand in one another in a block."""
    return max(
        (isinstance(s, For | While) + max(map(_depth, blocks_of(s)), default=0) for s in block.statements), default=0
    )


class _Chunks:
    """Makes the two forms of a loop."""

    def __init__(self, loop: For, roles: DataSharing) -> None:
        self.loop, self.roles = loop, roles
        self.builder = Builder()
        self.builder.location = loop.location
        self.most: Operand = constant(MOST_CHUNKS)  # of chunks
        self.iterations = trip_count(self.builder, loop.start, loop.stop, loop.step)
        self.cost = cost.cost_of_iteration(loop, self.builder)

    def is_short(self) -> bool:
        """Whether the loop is known to do too little."""
        both = isinstance(self.iterations, Constant) and isinstance(self.cost, Constant)
        return both and bool(self.iterations.value * self.cost.value < cost.LEAST_WORK)

    def statements(self) -> list[Statement]:
        """The look at how much there is to do, then the loop in parallel or as it was."""
        builder, loop, iterations = self.builder, self.loop, self.iterations
        work = builder.let(np.multiply, iterations, self.cost, name="work")
        is_long = builder.let(np.greater_equal, work, self.least_work(work), name="is_long")
        if self.roles.may_raise:
            return self.run_again(is_long, iterations)
        with builder.block() as inside:
            ends = self.divided(iterations)
        plain = copied(loop, {})
        then, orelse = Block(tuple(inside), ends), Block((plain,), plain.results)
        builder.add(If(is_long, then, orelse, loop.results, loop.location))
        return builder.statements

    def least_work(self, work: Operand) -> Operand:
        """What the loop has to do; with arrays to add up, this also says how many chunks there may be."""
        builder = self.builder
        least: Operand = constant(cost.LEAST_WORK)
        sizes = [self.size_of(self.loop.carried[k].initial) for k in self.roles.array_reductions]
        if not sizes:
            return least
        elements = sizes[0]
        for size in sizes[1:]:
            elements = builder.let(np.add, elements, size)
        of_chunk = builder.let(np.multiply, elements, constant(WORK_OF_ELEMENT))
        of_chunk = builder.let(max, of_chunk, constant(1), name="work_of_chunk", type_=INT)
        worth = builder.let(np.floor_divide, work, of_chunk)
        self.most = builder.let(min, worth, constant(MOST_SUMMING_CHUNKS), type_=INT)
        self.most = builder.let(max, self.most, constant(1), name="most_chunks", type_=INT)
        of_all = builder.let(np.multiply, of_chunk, constant(FEWEST_CHUNKS))
        return builder.let(max, of_all, least, type_=INT)

    def size_of(self, array: Operand) -> Operand:
        size: Operand = constant(1)
        for length in self.builder.dims(array):
            size = length if size == constant(1) else self.builder.let(np.multiply, size, length)
        return size

    def run_again(self, is_long: Operand, iterations: Operand) -> list[Statement]:
        """The loop in parallel if it is long, then as it was if it is not, or if an iteration has raised an error."""
        builder, loop = self.builder, self.loop
        with builder.block() as inside:
            *ends, raised = self.divided(iterations)
            is_done = builder.let(np.logical_not, builder.let(np.any, raised, type_=BOOL))
        divided = Block(tuple(inside), (*ends, is_done))
        undone = Block((), (*(c.initial for c in loop.carried), Constant(False, BOOL)))
        ends_of_chunks = tuple(map(like, loop.results))
        done = Value("is_done", BOOL)
        builder.add(If(is_long, divided, undone, (*ends_of_chunks, done), loop.location))
        carried = tuple(
            replace(c, initial=end) if isinstance(end.type, Array) else c
            for c, end in zip(loop.carried, ends_of_chunks, strict=True)
        )
        plain = copied(replace(loop, carried=carried), {})
        with builder.block() as in_a_row:
            builder.add(plain)
            is_short = builder.let(np.logical_not, is_long)
            builder.effect(primitives.check, is_short, Constant(MemoryError), Constant(_NO_MEMORY))
        then, orelse = Block((), ends_of_chunks), Block(tuple(in_a_row), plain.results)
        builder.add(If(done, then, orelse, loop.results, loop.location))
        return builder.statements

    def divided(self, iterations: Operand) -> tuple[Operand, ...]:
        """Add the parallel loop; returns what the carried values are after it, and what says which chunks raised."""
        builder, loop, roles = self.builder, self.loop, self.roles
        most = () if self.most == constant(MOST_CHUNKS) else (self.most,)
        length = builder.let(runtime.chunk_length, iterations, *most, name="length", type_=INT)
        opposite = builder.let(np.floor_divide, builder.let(np.negative, iterations), length)
        chunks = builder.let(np.negative, opposite, name="chunks")
        written = {k: loop.carried[k].initial for k in roles.shared}
        written.update((k, self.empty((chunks,), loop.results[k], "partial_sums")) for k in roles.reductions)
        written.update((k, self.partial_arrays(chunks, k)) for k in roles.array_reductions)
        carried = {k: Carried(Value(v.name, v.type), v) for k, v in written.items()}
        if roles.may_raise:
            dtype = Constant("bool")
            type_ = Array("bool", 1)
            raised = builder.let(np.ones, (chunks,), dtype, keywords=("dtype",), name="raised", type_=type_)
            carried[_RAISED] = Carried(like(raised), raised)
        chunk = Value("chunk", INT)
        with builder.block() as inside:
            after = self.chunk(chunk, chunks, length, {k: c.parameter for k, c in carried.items()})
        results = {k: like(c.parameter) for k, c in carried.items()}
        body = Block(tuple(inside), tuple(after[k] for k in carried))
        made = For(
            chunk, constant(0), chunks, constant(1), tuple(carried.values()), body, tuple(results.values()),
            location=loop.location, parallel=True, catches_errors=roles.may_raise,
        )  # fmt: skip
        builder.add(made)
        ends: dict[int, Operand] = {k: loop.carried[k].initial for k in roles.private}
        ends.update((k, results[k]) for k in roles.shared)
        ends.update(self.totals(chunks, results))
        return *(ends[k] for k in range(len(loop.carried))), *(results[k] for k in results if k == _RAISED)

    def chunk(self, chunk: Value, chunks: Operand, length: Operand, arrays: dict[int, Value]) -> dict[int, Operand]:
        """Add the iterations of one chunk; returns the arrays that it has written to."""
        builder, loop, roles = self.builder, self.loop, self.roles
        place: Operand = builder.let(runtime.folded, chunk, chunks, type_=INT) if _is_uneven(loop) else chunk
        ahead: Operand = builder.let(np.multiply, place, length)
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
        for k in roles.array_reductions:
            name = loop.results[k].name
            initials[k] = builder.let(primitives.zeros_like, loop.carried[k].initial, name=name)
        carried = tuple(replace(c, initial=initials[k]) for k, c in enumerate(loop.carried))
        made = copied(replace(loop, start=first, stop=last, carried=carried), {})
        builder.add(made)
        after: dict[int, Operand] = {k: made.results[k] for k in roles.shared}
        for k in (*roles.reductions, *roles.array_reductions):
            name = arrays[k].name
            after[k] = builder.let(primitives.store, arrays[k], (Index((place,)),), made.results[k], name=name)
        if _RAISED in arrays:
            none = Constant(False, BOOL)
            after[_RAISED] = builder.let(primitives.store, arrays[_RAISED], (Index((chunk,)),), none, name="raised")
        return after

    def totals(self, chunks: Operand, partials: dict[int, Value]) -> dict[int, Operand]:
        """Add the loop that adds up the sums of all chunks, one after the other."""
        builder, sums = self.builder, (*self.roles.reductions, *self.roles.array_reductions)
        if not sums:
            return {}
        index = Value("chunk", INT)
        carried = tuple(replace(self.loop.carried[k], parameter=like(self.loop.results[k])) for k in sums)
        with builder.block() as inside:
            parts = [builder.let(primitives.load, partials[k], (Index((index,)),)) for k in sums]
            yields = [self.sum_of(c.parameter, part) for c, part in zip(carried, parts, strict=True)]
        results = tuple(like(c.parameter) for c in carried)
        body = Block(tuple(inside), tuple(yields))
        builder.add(For(index, constant(0), chunks, constant(1), carried, body, results, location=self.loop.location))
        return dict(zip(sums, results, strict=True))

    def sum_of(self, total: Value, part: Operand) -> Value:
        function = primitives.accumulate if isinstance(total.type, Array) else np.add
        return self.builder.let(function, total, part, name=total.name, type_=total.type)

    def partial_arrays(self, chunks: Operand, k: int) -> Value:
        """An array for what each chunk adds to a carried array."""
        array = self.loop.carried[k].initial
        shape = (chunks, *self.builder.dims(array))
        type_ = Array(array.type.dtype, len(shape))
        dtype = Constant(array.type.dtype)
        return self.builder.let(np.empty, shape, dtype, keywords=("dtype",), name=f"{array.name}_parts", type_=type_)

    def empty(self, shape: tuple[Operand, ...], like_: Value, name: str) -> Value:
        """An array for elements of the type of a value."""
        dtype = like_.type.dtype
        type_ = Array(dtype, len(shape))
        return self.builder.let(np.empty, shape, Constant(dtype), keywords=("dtype",), name=name, type_=type_)


def zero_of(sum_: Value) -> Constant:
    return Constant(zero_in(sum_.type.dtype), sum_.type)


def _is_uneven(loop: For) -> bool:
    """Whether iterations have inner loops of different lengths."""
    changing, made = made_in_iterations(loop), lets_in(loop.body)
    bounds = (values_in((s.start, s.stop, s.step)) for s in walk(loop.body) if isinstance(s, For))
    return any(v in changing and cost.full_width(made.get(v)) is None for values in bounds for v in values)
