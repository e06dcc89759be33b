"""Small products: a product of matrices of a few elements, whose sizes are known, is loops of constant lengths.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.memory.products import write_products
>>> from pullback.transform.derivative import prepared
>>> def traces(x, n):
...     a = np.zeros((2, 2))
...     s = 0.0
...     for k in range(n):
...         a[0, 1] = x
...         p = a @ a.T
...         s += p[0, 0]
...     return s
>>> function = write_products(prepared(normal_form(traces, 0.5, 3)))
>>> text = emit_module([write_out_products(function, long=0)], compiled=False, comments=False)
>>> print(text[text.index("        p = ") : text.index("        s += ")], end="")
        p = np.empty((2, 2), dtype=np.float64)
        for i in range(2):
            for j in range(2):
                total = 0.0
                for k in range(2):
                    total += a[i, k] * a[j, k]
                p[i, j] = total

LLVM unrolls them, and computes neighbouring elements at once. That is done in long functions: their machine code is
made part by part (`emission/parts.py`), and of an array that is handed to a part, LLVM does not know the sizes. In
others it knows those of arrays on the stack, and a call takes less time to compile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pullback.analysis.equal_sizes import SMALL
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    is_scalar,
    lets_in,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, Scalar
from pullback.passes.memory.products import is_transposing

LONG = 500
"""So many statements a function has that is divided into parts."""


def write_out_products(function: Function, long: int = LONG) -> Function:
    """The same function with loops in place of such products, if it has more statements than `long`."""
    is_long = sum(1 for _ in walk(function.body)) > long
    if not is_long or not any(s.function is primitives.product_into for s in lets_in(function.body).values()):
        return function
    return replace(function, body=_Products(function).block(function.body))


@dataclass(frozen=True, slots=True)
class _Factor:
    """An array whose elements have some indices first, and the others in their order or the opposite one."""

    array: Value
    first: tuple[Operand, ...] = ()
    turned: bool = False

    def at(self, builder: Builder, *indices: Operand) -> Value:
        others = indices[::-1] if self.turned else indices
        return builder.load(self.array, (Index((*self.first, *others)),))


class _Products:
    def __init__(self, function: Function) -> None:
        self.shapes, self.lets = Shapes(function), lets_in(function.body)

    def block(self, block: Block) -> Block:
        return Block(tuple(s for each in block.statements for s in self.statement(each)), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, Let) or statement.function is not primitives.product_into:
            return [with_blocks(statement, self.block)]
        out, a, b, added = statement.operands
        sizes = [self.shapes.of(array) for array in (out, a, b)]
        if not isinstance(added, Constant) or not _fit(*sizes):
            return [statement]
        builder = Builder()
        builder.location = statement.location
        _Nest(builder, statement, self.factor(a), self.factor(b)).add(sizes)
        return builder.statements

    def factor(self, value: Value) -> _Factor:
        """Where the elements of a factor are that may be the transpose of a matrix, or one of several."""
        made = self.lets.get(value)
        if made is not None and is_transposing(made):
            factor = self.factor(made.operands[0])
            return replace(factor, turned=not factor.turned)
        if made is not None and made.function is primitives.load and len(made.operands[1]) == 1:
            (step,) = made.operands[1]
            if isinstance(step, Index) and all(map(_is_place, step.items)):
                return _Factor(made.operands[0], step.items)
        return _Factor(value)


class _Nest:
    """The loops of a product."""

    def __init__(self, builder: Builder, product: Let, a: _Factor, b: _Factor) -> None:
        self.builder, self.product, self.a, self.b = builder, product, a, b

    def add(self, sizes: list[tuple[Any, ...]]) -> None:
        (out, _, _, added), (of_out, of_a, of_b) = self.product.operands, sizes
        self.function = primitives.add_at if added.value else primitives.store
        self.inner = of_a[-1] if len(of_a) + len(of_b) > 2 else None
        self.rank_of_a, self.rank_of_b = len(of_a), len(of_b)
        self.level(of_out, out, self.product.value, ())

    def level(self, sizes: tuple[int, ...], array: Value, result: Value, indices: tuple[Value, ...]) -> None:
        """The loop over the next axis of the product, which makes `result` of `array`."""
        index, parameter = Value("ij"[len(indices)], INT), Value(array.name, array.type)
        indices = (*indices, index)
        with self.builder.block() as statements:
            last = Value(array.name, array.type)
            if len(indices) < len(sizes):
                self.level(sizes, parameter, last, indices)
            else:
                operands = (parameter, (Index(indices),), self.element(indices))
                self.builder.add(Let(last, self.function, operands, location=self.product.location))
        self.loop(index, sizes[len(indices) - 1], Carried(parameter, array), statements, last, result)

    def element(self, indices: tuple[Value, ...]) -> Value:
        rows, columns = indices[: self.rank_of_a - 1], indices[len(indices) - self.rank_of_b + 1 :]
        if self.inner is None:
            return self.builder.let(
                np.multiply, self.a.at(self.builder, indices[0]), self.b.at(self.builder, indices[1])
            )
        type_ = Scalar(self.product.value.type.dtype)
        index, parameter, result = Value("k", INT), Value("total", type_), Value("total", type_)
        with self.builder.block() as statements:
            factors = self.a.at(self.builder, *rows, index), self.b.at(self.builder, index, *columns)
            last = self.builder.let(np.add, parameter, self.builder.let(np.multiply, *factors), name="total")
        zero = Constant(0.0, type_)
        self.loop(index, self.inner, Carried(parameter, zero), statements, last, result)
        return result

    def loop(
        self, index: Value, size: int, carried: Carried, statements: list[Statement], last: Value, result: Value
    ) -> None:
        body = Block(tuple(statements), (last,))
        location = self.product.location
        self.builder.add(
            For(index, constant(0), constant(size), constant(1), (carried,), body, (result,), location=location)
        )


def _fit(out: tuple[Any, ...], a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether sizes are known, few, and those of a product."""
    if not all(isinstance(size, int) for size in (*out, *a, *b)):
        return False
    if len(a) == len(b) == 1:
        return out == (*a, *b) and math.prod(out) <= SMALL
    return a[-1] == b[0] and out == (*a[:-1], *b[1:]) and math.prod((*a, *b[1:])) <= SMALL


def _is_place(item: Operand | Slice) -> bool:
    return not isinstance(item, Slice) and is_scalar(item)
