"""Rank-k updates: outer products that iterations of the backward sweep add to a matrix are added 64 at a time.

>>> import pullback as pb
>>> def trace(a, x, n):
...     s = 0.0
...     for i in range(n):
...         y = a @ x[i]
...         s += y[i]
...     return s
>>> given = np.ones((9, 9)), np.ones((2, 9)), 2
>>> print(pb.explain(trace, *given, argnums=0, passes=["rank_k_updates"]))
buffers: rank_k_updates, outer products that iterations add to a matrix are collected, and added as one product
  ...
       t.4: int64* = dim(a, 0)
  -    s.2, a_bar.3 = for i in range(0, n, 1) with (s: float64 = 0.0, a_bar.1: float64[:, :] = a_bar):
  +    t.7: int64* = dim(a_bar, 0)
  +    rows: float64[:, :] = empty((64, t.7), dtype='float64')
  +    t.8: int64* = dim(a_bar, 1)
  +    rows.1: float64[:, :] = empty((64, t.8), dtype='float64')
  +    t.9: int64* = subtract(n, 1)
  +    s.2, a_bar.3, rows.6, rows.7 = for i in range(0, n, 1) with (...):
  +        row: int64* = remainder(i, 64)
           t.5: float64[:] = load(x, ([i]))
  ...
           y_bar.1: float64[:] = add_at(y_bar, ([i]), 1.0)
  -        a_bar.2: float64[:, :] = product_into(a_bar.1, y_bar.1, t.5, True)
  -        yield s.1, a_bar.2
  +        rows.4: float64[:, :] = store(rows.2, ([row]), y_bar.1)
  +        rows.5: float64[:, :] = store(rows.3, ([row]), t.5)
  +        t.10: bool* = equal(row, 63)
  +        t.11: bool* = equal(i, t.9)
  +        t.12: bool* = logical_or(t.10, t.11)
  +        a_bar.5 = if t.12:
  +            t.13: int64* = add(row, 1)
  +            part: float64[:, :] = load(rows.4, ([:t.13]))
  +            part.1: float64[:, :] = load(rows.5, ([:t.13]))
  +            t.14: float64[:, :] = transpose(part, (1, 0))
  +            a_bar.4: float64[:, :] = product_into(a_bar.1, t.14, part.1, True)
  +            yield a_bar.4
  +        else:
  +            yield a_bar.1
  +        yield s.1, a_bar.5, rows.4, rows.5
       return s.2, a_bar.3

A product of matrices reads and writes each element of the sum once for 64 iterations, and not in each of them. The
vectors are copied into the rows of two matrices, whose product is added when these are full, and in the last iteration.
It is legal where an iteration does nothing else with the sum, and the sums are then added up in another order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from pullback.analysis.iteration_order import is_reversible
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size
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
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    read_in,
)
from pullback.ir.rewrite import like, with_blocks
from pullback.ir.types import BOOL, INT, Array
from pullback.passes.memory.products import transposed

ROWS = 64
_SMALL = 64
"""Up to so many elements a sum is faster where it is."""


def update_by_matrices(function: Function, in_parallel: bool = False) -> Function:
    """The same function, where loops collect what they add to such sums.

    in_parallel: not those whose iterations can be shared by threads.
    """
    shapes = cache(lambda: Shapes(function))
    return replace(function, body=_block(function.body, shapes, in_parallel))


def _block(block: Block, shapes: Callable[[], Shapes], in_parallel: bool) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, lambda inner: _block(inner, shapes, in_parallel))
        collects = isinstance(changed, For) and not (in_parallel and is_reversible(changed))
        statements += _updated(changed, shapes) if isinstance(changed, For) and collects else [changed]
    return Block(tuple(statements), block.yields)


def _updated(loop: For, shapes: Callable[[], Shapes]) -> list[Statement]:
    sums = _sums(loop, shapes)
    return _Updates(loop, sums).made() if sums else [loop]


@dataclass(frozen=True, slots=True)
class _Sum:
    """Carried value number k, to which an iteration adds these outer products, one after the other."""

    k: int
    products: tuple[Let, ...]

    @property
    def factors(self) -> list[tuple[Value, Value]]:
        return [product.operands[1:3] for product in self.products]


def _sums(loop: For, shapes: Callable[[], Shapes]) -> list[_Sum]:
    if loop.exits or loop.step not in (constant(1), constant(-1)):
        return []
    products = {s.value: s for s in loop.body.statements if isinstance(s, Let) and _is_update(s)}
    if not products:
        return []
    uses = Counter(read_in(loop.body))
    found: list[_Sum] = []
    for k, carried in enumerate(loop.carried):
        chain: list[Let] = []
        version = loop.body.yields[k]
        while version in products and uses[version] == 1:
            chain.append(products[version])
            version = products[version].operands[0]
        if chain and version is carried.parameter and uses[version] == 1 and not _is_small(shapes().of(version)):
            found.append(_Sum(k, tuple(reversed(chain))))
    return found


def _is_small(sizes: Sequence[Size]) -> bool:
    known = [size for size in sizes if isinstance(size, int)]
    return len(known) == len(sizes) and math.prod(known) <= _SMALL


def _is_update(statement: Let) -> bool:
    """Whether a statement of the backward sweep adds the outer product of two vectors."""
    if statement.function is not primitives.product_into or not statement.location.is_adjoint:
        return False
    _, a, b, added = statement.operands
    is_outer: bool = a.type.ndim == b.type.ndim == 1
    return is_outer and added == Constant(True)


class _Updates:
    """Builds a loop that collects the factors of such sums.

    rows: for each factor, the number of the carried array whose rows hold it.
    """

    def __init__(self, loop: For, sums: list[_Sum]) -> None:
        self.loop, self.sums, self.builder = loop, sums, Builder()
        self.builder.location = sums[0].products[0].location
        self.rows: dict[Value, int] = {}

    def made(self) -> list[Statement]:
        loop, builder = self.loop, self.builder
        arrays = self.arrays()
        first, last = self.ends()
        inside = [like(array) for array in arrays]
        with builder.block() as body:
            upward = loop.reverse == (loop.step == constant(-1))
            number: Operand = loop.index
            if not upward or first != constant(0):
                number = builder.let(np.subtract, *((number, first) if upward else (first, number)), type_=INT)
            row = builder.let(np.remainder, number, constant(ROWS), name="row", type_=INT)
            kept = self.collected(inside, row)
            is_full = builder.let(np.equal, row, constant(ROWS - 1), type_=BOOL)
            is_last = builder.let(np.equal, loop.index, last, type_=BOOL)
            results = self.added(builder.let(np.logical_or, is_full, is_last, type_=BOOL), kept, row)
        yields = list(loop.body.yields)
        for found, result in zip(self.sums, results, strict=True):
            yields[found.k] = result
        builder.add(
            replace(
                loop,
                carried=(*loop.carried, *map(Carried, inside, arrays)),
                body=Block(tuple(body), (*yields, *kept)),
                results=(*loop.results, *map(like, arrays)),
            )
        )
        return builder.statements

    def ends(self) -> tuple[Operand, Operand]:
        """The first and the last index of a loop that has iterations."""
        loop = self.loop
        end = self.builder.let(np.subtract, loop.stop, loop.step, type_=INT)
        return (end, loop.start) if loop.reverse else (loop.start, end)

    def arrays(self) -> list[Value]:
        """A matrix for each factor."""
        made: list[Value] = []
        for found in self.sums:
            matrix = self.loop.carried[found.k].initial
            for axis, factor in ((axis, factor) for pair in found.factors for axis, factor in enumerate(pair)):
                if factor not in self.rows:
                    self.rows[factor] = len(made)
                    sizes = (constant(ROWS), self.builder.dim(matrix, axis))
                    made.append(self.builder.empty(sizes, Array(factor.type.dtype, 2), name="rows"))
        return made

    def collected(self, arrays: list[Value], row: Value) -> list[Value]:
        """The statements of the body, with rows in place of sums; the versions of the arrays after it."""
        kept = list(arrays)
        left: set[Value] = set(self.rows)
        products = {id(product) for found in self.sums for product in found.products}
        for statement in self.loop.body.statements:
            if not isinstance(statement, Let) or id(statement) not in products:
                self.builder.add(statement)
                continue
            for factor in statement.operands[1:3]:
                if factor in left:
                    left.remove(factor)
                    k = self.rows[factor]
                    operands = (kept[k], (Index((row,)),), factor)
                    kept[k] = self.builder.let(primitives.store, *operands, name=kept[k].name, type_=kept[k].type)
        return kept

    def added(self, condition: Value, arrays: list[Value], row: Value) -> tuple[Value, ...]:
        """The sums, with what is collected where the condition holds."""
        builder = self.builder
        before = [self.loop.carried[found.k].parameter for found in self.sums]
        after: list[Value] = []
        with builder.block() as products:
            filled = (Index((Slice(None, builder.let(np.add, row, constant(1), type_=INT), None),)),)
            parts = {factor: builder.load(arrays[k], filled, name="part") for factor, k in self.rows.items()}
            for found, matrix in zip(self.sums, before, strict=True):
                for a, b in found.factors:
                    operands: tuple[Operand, ...] = (matrix, transposed(parts[a], builder), parts[b], Constant(True))
                    matrix = builder.let(primitives.product_into, *operands, name=matrix.name, type_=matrix.type)
                after.append(matrix)
        results = tuple(map(like, before))
        builder.add(If(condition, Block(tuple(products), tuple(after)), Block((), tuple(before)), results))
        return results
