"""Products of tall matrices: where an axis has a few elements, a product is arithmetic of columns, or sums of it.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> def fitted(x, y):
...     X = np.column_stack((x, x * x))
...     return X @ (X.T @ y)
>>> function = remove_dead(expand_tall_products(normal_form(fitted, np.ones(9), np.ones(9))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    x_squared") :], end="")
    x_squared = x * x
    array = np.empty((2,), dtype=np.float64)
    array[0] = np.sum(x * y)
    array[1] = np.sum(x_squared * y)
    return x * array[0] + x_squared * array[1]

A library packs matrices first, which takes longer than the product if that has three columns; and columns that were put
together for it, as in a regression, need not be. What is computed row by row joins the loops around.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from pullback.analysis.aliases import consumed_in
from pullback.analysis.shape_rules import JOINING
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Constant, Function, Index, Let, Slice, Statement, Value, lets_in
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array, is_float
from pullback.passes.lowering.constant_sizes import LONGEST, PRODUCTS
from pullback.passes.lowering.sizes import Sizes
from pullback.passes.memory.products import is_transposing

_ALL = Slice(None, None, None)
_NEW = Constant(None)
LEAST = 64
"""So many elements an axis has that counts as long, if their number is known."""


def expand_tall_products(function: Function) -> Function:
    """The same function with the products of floats written out that have one long axis, and else a few elements.

    It begins with checks of what it assumes of sizes, which raise SizesDiffer.
    """
    lets = lets_in(function.body)
    if not any(map(_is_product, lets.values())):
        return function
    sizes = Sizes(function)
    assumes = not sizes.least  # what else is assumed then is for arrays that are lengthened
    body = _Products(function, lets, sizes.shapes if assumes else Shapes(function)).block(function.body)
    if body == function.body:
        return function
    guards = sizes.guards() if assumes else []
    return replace(function, body=replace(body, statements=(*guards, *body.statements)))


class _Products:
    def __init__(self, function: Function, lets: Mapping[Value, Let], shapes: Shapes) -> None:
        self.shapes, self.parts, self.builder = shapes, _Parts(function, lets, shapes), Builder()

    def block(self, block: Block) -> Block:
        return Block(tuple(s for each in block.statements for s in self.statement(each)), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        if not _is_product(statement):
            return [with_blocks(statement, self.block)]
        if any(operand.type.ndim > 2 for operand in statement.operands):
            return self.batch(statement)
        (*rows, inner), (other, *columns) = map(self.shapes.of, statement.operands)
        outer = [*rows, *columns]
        if inner != other or not outer:
            return [statement]
        self.parts.loaded.clear()
        with self.builder.block() as made, self.builder.at(statement.location):
            others = [size for size in outer if not _is_short(size)]
            if _is_short(inner) and len(others) == 1 and _is_long(others[0]):
                a, b = statement.operands
                self.add_up(statement, (self.outer_factors(a, b, k) for k in range(inner)))
            elif _is_long(inner) and not others:
                self.add_sums(statement, rows, columns)
        return made or [statement]

    def batch(self, product: Let) -> list[Statement]:
        """The products of many small matrices."""
        a, b = product.operands
        (*first, rows, inner), (*second, other, columns) = map(self.shapes.of, (a, b))
        is_known = inner == other and all(map(_is_short, (rows, inner, columns)))
        if not is_known or (first and second and first != second) or not any(map(_is_long, (*first, *second))):
            return [product]
        with self.builder.block() as made, self.builder.at(product.location):
            self.add_up(product, (self.column_and_row(a, b, k) for k in range(inner)))
        return made

    def column_and_row(self, a: Value, b: Value, k: int) -> tuple[Value, Value]:
        """Of each of many matrices a column, and of each of the others a row, as matrices."""
        only = Slice(constant(k), constant(k + 1), None)
        before = [(_ALL,) * (array.type.ndim - 2) for array in (a, b) if isinstance(array.type, Array)]
        paths = (Index((*before[0], _ALL, only)),), (Index((*before[1], only, _ALL)),)
        return self.builder.load(a, paths[0]), self.builder.load(b, paths[1])

    def outer_factors(self, a: Any, b: Any, k: int) -> tuple[Value, Value]:
        """A column of one factor and a row of the other, of which an outer product can be made."""
        column, row = self.parts.of(a, k, a.type.ndim - 1, self.builder), self.parts.of(b, k, 0, self.builder)
        if a.type.ndim < 2 or b.type.ndim < 2:
            return column, row
        return self.builder.load(column, (Index((_ALL, _NEW)),)), self.builder.load(row, (Index((_NEW, _ALL)),))

    def add_up(self, product: Let, factors: Iterable[tuple[Value, Value]]) -> None:
        """The product as a sum of products of arrays."""
        total: Value | None = None
        for pair in factors:
            term = self.builder.let(np.multiply, *pair)
            total = term if total is None else self.builder.let(np.add, total, term)
        self.finish(product)

    def add_sums(self, product: Let, rows: Sequence[int], columns: Sequence[int]) -> None:
        """The product as an array of inner products, which are computed first: they are one loop."""
        a, b = product.operands
        left = [self.parts.of(a, k, 0, self.builder) for k in range(*rows)] if rows else [a]
        right = [self.parts.of(b, k, 1, self.builder) for k in range(*columns)] if columns else [b]
        sums: dict[tuple[Value, Value], Value] = {}
        for pair in itertools.product(left, right):
            if pair[::-1] not in sums:
                sums[pair] = self.builder.let(np.sum, self.builder.let(np.multiply, *pair))
        array = self.builder.empty(tuple(map(constant, (*rows, *columns))), product.value.type, product.value.name)
        for place, pair in zip(np.ndindex(*rows, *columns), itertools.product(left, right), strict=True):
            total = sums.get(pair) or sums[pair[::-1]]
            operands = array, (Index(tuple(map(constant, place))),), total
            array = self.builder.let(primitives.store, *operands, name=product.value.name)
        self.finish(product)

    def finish(self, product: Let) -> None:
        """Let the last statement make what the product is."""
        last = self.builder.statements.pop()
        assert isinstance(last, Let), "a product is written out as statements that make values"
        self.builder.add(replace(last, value=product.value))


class _Parts:
    """Rows and columns of arrays, as they were before they were put together.

    loaded: those that the product at hand loads.
    """

    def __init__(self, function: Function, lets: Mapping[Value, Let], shapes: Shapes) -> None:
        self.lets, self.shapes, self.consumed = lets, shapes, consumed_in(function.body)
        self.loaded: dict[tuple[Value, int, int], Value] = {}

    def of(self, array: Any, k: int, axis: int, builder: Builder) -> Value:
        """An element of a vector, or a row (along axis 0) or column (1) of a matrix."""
        made = self.lets.get(array)
        if made is not None and is_transposing(made) and array.type.ndim == 2:
            return self.of(made.operands[0], k, 1 - axis, builder)
        found = self.found(array, k, axis) if array.type.ndim == 2 else None
        if found is not None and found not in self.consumed:
            return found
        if (array, k, axis) not in self.loaded:
            self.loaded[(array, k, axis)] = builder.load(array, (Index((_ALL,) * axis + (constant(k),)),))
        return self.loaded[(array, k, axis)]

    def found(self, array: Value, k: int, axis: int) -> Value | None:
        """A vector that a matrix was put together of; None if a part of it has to be loaded."""
        made = self.lets.get(array)
        if made is None:
            return None
        if is_transposing(made):
            return self.found(made.operands[0], k, 1 - axis)
        if made.function is primitives.cast and made.operands[0].type == array.type:
            return self.found(made.operands[0], k, axis)
        if made.function is np.reshape or made.function is primitives.load:
            return self.only(made, axis)
        if made.function not in JOINING and made.function is not np.stack:
            return None
        parts = self.parts(made, axis)
        if parts is None or len({self.shapes.of(part) for part in parts}) != 1:
            return None
        return parts[k] if made.function is np.stack else self.found(parts[k], 0, axis)

    def parts(self, made: Let, axis: int) -> tuple[Value, ...] | None:
        """The arrays of one element along an axis each that are joined along it."""
        parts, *given = made.operands
        along = given[0] if given else constant(int(made.function is np.hstack))
        is_known = isinstance(along, Constant) and along.value in (axis, axis - 2) and isinstance(parts, tuple)
        if not is_known or any(not isinstance(p, Value) or type(p.type) is not Array for p in parts):
            return None
        rank = 1 if made.function is np.stack else 2
        of_type = all(p.type == Array(made.value.type.dtype, rank) for p in parts)
        return parts if of_type and len(parts) == self.shapes.of(made.value)[axis] else None

    def only(self, made: Let, axis: int) -> Value | None:
        """The vector that a matrix has in its only row or column."""
        vector = made.operands[0]
        if vector.type != Array(made.value.type.dtype, 1):
            return None
        if made.function is primitives.load:
            items = (_ALL, _NEW) if axis else (_NEW, _ALL)
            return vector if made.operands[1] == (Index(items),) else None
        size = self.shapes.of(vector)
        return vector if self.shapes.of(made.value) == ((*size, 1) if axis else (1, *size)) else None


def _is_product(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement is a product of matrices, or of one with a vector, of floats of one type.

    Of many matrices, too, which are in arrays of more axes.
    """
    if not isinstance(statement, Let) or statement.function not in PRODUCTS or statement.keywords:
        return False
    types = [operand.type for operand in statement.operands]
    if len(types) != 2 or not all(type(type_) is Array and is_float(type_) for type_ in types):
        return False
    ranks = sorted(type_.ndim for type_ in types)
    is_batch = statement.function is np.matmul and ranks[0] > 1
    return types[0].dtype == types[1].dtype and (ranks in ([1, 2], [2, 2]) or is_batch)


def _is_long(size: Size) -> bool:
    """Whether an axis is one of a tall matrix; products of a few known elements are left to others."""
    return not isinstance(size, int) or size >= LEAST


def _is_short(size: Size) -> bool:
    return isinstance(size, int) and 1 <= size <= LONGEST
