"""Destinations for products: what iterations of a loop make anew, by products, inverses and copies, is written into
buffers, or added where it is summed.

>>> import pullback as pb
>>> def trace(a, x, n):
...     s = 0.0
...     for i in range(n):
...         y = a @ x[i]
...         s += y[i]
...     return s
>>> print(pb.explain(trace, np.ones((9, 9)), np.ones((9, 9)), 2, argnums=0, passes=["products"]))
buffers: products, products, inverses and copies that iterations make are written into buffers, or added in place
  ...
       a_bar: float64[:, :] = zeros((t.3, t.1), dtype='float64')
  +    t.7: int64* = dim(a, 0)
       s.2, a_bar.3 = for i in range(0, n, 1) with (s: float64 = 0.0, a_bar.1: float64[:, :] = a_bar):
           t.4: float64[:] = load(x, ([i]))
  -        y: float64[:] = matmul(a, t.4)
  +        y.1: float64[:] = empty((t.7), dtype='float64')
  +        y: float64[:] = product_into(y.1, a, t.4, False)
           t.5: float64 = load(y, ([i]))
  ...
           y_bar.1: float64[:] = add_at(y_bar, ([i]), 1.0)
  -        t.6: float64[:, :] = outer(y_bar.1, t.4)
  -        a_bar.2: float64[:, :] = accumulate(a_bar.1, t.6)
  +        a_bar.2: float64[:, :] = product_into(a_bar.1, y_bar.1, t.4, True)
           yield s.1, a_bar.2

The buffers are then made before the loop (`passes/memory/allocation_hoisting.py`), so that a product of small matrices
takes no memory. A product is added where it is summed if nothing in between writes its factors.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from pullback.analysis.aliases import consumes, find_aliases
from pullback.analysis.must_write import rank_of
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size, SliceSize
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    made_in_iterations,
    read_in,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, Array, is_real_float
from pullback.passes.memory.destination_passing import WHOLE

_OF_MATRICES = {(2, 2), (2, 1), (1, 2)}
_PRODUCTS = {np.matmul: _OF_MATRICES, np.dot: _OF_MATRICES, np.outer: {(1, 1)}}


def write_products(function: Function) -> Function:
    """The same function with such products in place of new arrays, where their sizes are known before the loop."""
    return replace(function, body=_Writer(function).block(function.body))


def write_copies(function: Function) -> Function:
    """The same for the copies alone, those among them that keep what is read later apart from what is written."""
    return replace(function, body=_Writer(function, copies_alone=True).block(function.body))


def is_product(statement: Statement | None) -> TypeGuard[Let]:
    """Whether a statement multiplies vectors and matrices of one float type, so that the result is an array."""
    if not isinstance(statement, Let) or len(statement.operands) != 2 or statement.keywords:
        return False
    kinds = [getattr(operand, "type", None) for operand in statement.operands]
    if not all(isinstance(t, Array) and is_real_float(t) and t.dtype == statement.value.type.dtype for t in kinds):
        return False
    return tuple(t.ndim for t in kinds if isinstance(t, Array)) in _PRODUCTS.get(statement.function, set())


def is_copy(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement copies an array."""
    if not isinstance(statement, Let) or statement.function is not primitives.copy:
        return False
    return type(statement.value.type) is Array and statement.value.type == statement.operands[0].type


def is_inverse(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement inverts a matrix of floats."""
    if not isinstance(statement, Let) or statement.function is not np.linalg.inv:
        return False
    type_ = statement.operands[0].type
    return type(type_) is Array and type_.ndim == 2 and is_real_float(type_) and statement.value.type == type_


def with_destination(statement: Let, array: Value) -> Let:
    """A product, an inverse or a copy that is written into an array."""
    if is_inverse(statement):
        return replace(statement, function=primitives.inverse_into, operands=(array, *statement.operands))
    if is_copy(statement):
        return replace(statement, function=primitives.store, operands=(array, WHOLE, *statement.operands))
    return replace(statement, function=primitives.product_into, operands=(array, *statement.operands, Constant(False)))


@dataclass(frozen=True, slots=True)
class _Sum:
    """A product that is added to an array: its factors, and the statements that lead from it to the sum."""

    factors: tuple[Value, Value]
    replaced: tuple[Let, ...]
    transposed: bool = False


class _Writer:
    def __init__(self, function: Function, copies_alone: bool = False) -> None:
        self.copies_alone = copies_alone
        self.shapes = Shapes(function)
        self.buffers = find_aliases(function)
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            changed = with_blocks(statement, self.block)
            statements += self.loop(changed) if isinstance(changed, For | While) else [changed]
        return Block(tuple(statements), block.yields)

    def loop(self, loop: For | While) -> list[Statement]:
        """The loop with the products that its own statements make written into buffers, after the sizes of these."""
        sums = {} if self.copies_alone else self.sums_of(loop.body)
        left_out = {id(s) for found in sums.values() for s in found.replaced}
        varying = made_in_iterations(loop)
        before, body = Builder(), Builder()
        for statement in loop.body.statements:
            if id(statement) in left_out:
                continue
            if isinstance(statement, Let) and statement.value in sums:
                self.add_sum(statement, sums[statement.value], body)
            elif self.is_written(statement) and self.has_place(statement.value, loop, varying):
                self.write(statement, before, body)
            else:
                body.add(statement)
        return [*before.statements, replace(loop, body=Block(tuple(body.statements), loop.body.yields))]

    # Products that are not added to anything

    def is_written(self, statement: Statement) -> TypeGuard[Let]:
        return is_copy(statement) or (not self.copies_alone and (is_product(statement) or is_inverse(statement)))

    def has_place(self, value: Value, loop: For | While, varying: set[Value]) -> bool:
        """Whether a buffer for a product can be made before the loop."""
        return value not in loop.body.yields and all(is_from_outside(size, varying) for size in self.shapes.of(value))

    def write(self, statement: Let, before: Builder, body: Builder) -> None:
        with before.at(statement.location), body.at(statement.location):
            shape = tuple(extent_from_outside(size, before) for size in self.shapes.of(statement.value))
            name, type_ = statement.value.name, statement.value.type
            buffer = body.let(np.empty, shape, Constant(type_.dtype), keywords=("dtype",), name=name, type_=type_)
            body.add(with_destination(statement, buffer))

    # Sums

    def add_sum(self, statement: Let, found: _Sum, body: Builder) -> None:
        with body.at(statement.location):
            a, b = found.factors
            if found.transposed:  # (a b)ᵀ = bᵀ aᵀ
                a, b = (transposed(factor, body) for factor in (b, a))
            operands = (statement.operands[0], a, b, Constant(True))
            body.add(replace(statement, function=primitives.product_into, operands=operands))

    def sums_of(self, block: Block) -> dict[Value, _Sum]:
        """For each sum of a block, by what it makes, the product that it can take in."""
        places = {s.value: k for k, s in enumerate(block.statements) if isinstance(s, Let)}
        found: dict[Value, _Sum] = {}
        for k, statement in enumerate(block.statements):
            if not isinstance(statement, Let) or statement.function is not primitives.accumulate:
                continue
            total, addend = statement.operands
            replaced: list[Let] = []
            while addend in places and self.uses[addend] == 1 and addend.type == total.type:
                made = block.statements[places[addend]]
                assert isinstance(made, Let), "only these have places"
                replaced.append(made)
                if is_product(made) and self.may_wait(made, total, block.statements[places[addend] : k]):
                    found[statement.value] = _Sum(made.operands, tuple(replaced), len(replaced) == 2)
                if len(replaced) == 2 or not is_transposing(made):
                    break
                addend = made.operands[0]
        return found

    def may_wait(self, product: Let, total: Value, between: tuple[Statement, ...]) -> bool:
        """Whether a product is the same after some statements, and shares no memory with a sum."""
        read = {self.buffers.root(factor) for factor in product.operands}
        written = {self.buffers.root(value) for value in written_by(between)}
        return not read & {self.buffers.root(total), *written}


def written_by(statements: tuple[Statement, ...]) -> set[Value]:
    """The arrays that statements write, or hand to loops that may write them."""
    found: set[Value] = set()
    for statement in walk(Block(statements)):
        if isinstance(statement, Let) and consumes(statement):
            found.add(statement.operands[0])
        elif isinstance(statement, For | While):
            found |= {c.initial for c in statement.carried if isinstance(c.initial, Value)}
    return found


def is_transposing(statement: Let) -> bool:
    """Whether a statement transposes a matrix."""
    axes = statement.operands[1:]
    return statement.function is np.transpose and axes in ((), ((Constant(1, INT), Constant(0, INT)),))


def transposed(factor: Value, builder: Builder) -> Value:
    """The transpose of a matrix; a vector as it is."""
    axes = (Constant(1, INT), Constant(0, INT))
    return builder.let(np.transpose, factor, axes, type_=factor.type) if rank_of(factor) == 2 else factor


def is_from_outside(size: Size, varying: set[Value]) -> bool:
    """Whether a size is known before a loop whose iterations make these values."""
    if isinstance(size, SliceSize):
        return False
    return isinstance(size, int) or (size if isinstance(size, Value) else size[0]) not in varying


def extent_from_outside(size: Size, builder: Builder) -> Operand:
    """The size as an operand."""
    if isinstance(size, int):
        return Constant(size, INT)
    return size if isinstance(size, Value) else builder.dim(*size)
