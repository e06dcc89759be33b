"""Arithmetic with the elements of small arrays: elementwise functions, products, sums, norms, and small systems.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.aggregates.replacement import replace_aggregates
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> def centred(x):
...     v = np.ones(2)
...     for t in range(x.shape[0]):
...         v = np.where(v > 0, np.sin(v) - np.mean(v), x[t])
...     return v @ v
>>> function = remove_dead(replace_aggregates(normal_form(centred, np.ones(3))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    for") : text.index("    return")], end="")
    for t in range(x.shape[0]):
        quotient = (v_0 + v_1) / 2.0
        x_t = x[t]
        v_0 = np.sin(v_0) - quotient if v_0 > 0 else x_t
        v_1 = np.sin(v_1) - quotient if v_1 > 0 else x_t
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from pullback.ir import primitives
from pullback.ir.arguments import arguments_of
from pullback.ir.nodes import Block, Call, Constant, If, Let, Operand, Value
from pullback.ir.types import Array, Scalar
from pullback.passes.aggregates.elements import (
    FLOAT,
    Elements,
    Whole,
    is_kept,
    made_of,
    named_part,
    number,
    result_of,
    small_tables,
    tables_of,
)
from pullback.passes.aggregates.elimination import determinant, factored, sign_and_logarithm, solved

MOST_ROWS = 3
"""So many rows a system may have whose elements are eliminated one by one."""

_OF_TRUTH_VALUES = {np.logical_and, np.logical_or, np.logical_not}
"""For Python's truth values these are what they are for arrays of them; a sum is another one."""


def elementwise(known: Whole, statement: Let) -> Elements | None:
    shape = known.shape(statement.value)
    if shape is None or statement.keywords or is_kept(known, statement):
        return None
    operands = statement.operands
    of_truth_values = any(isinstance(o.type, Array) and o.type.dtype == "bool" for o in operands)
    tables = None if of_truth_values and statement.function not in _OF_TRUTH_VALUES else tables_of(known, operands)
    if tables is None:
        return None
    type_ = Scalar(statement.value.type.dtype)
    made = partial(known.builder.let, statement.function, type_=type_, by=statement.by)
    names = partial(named_part, statement.value)
    items = [made(*operands, name=names(place)) for place, operands in _side_by_side(shape, tables)]
    return Elements(shape, tuple(items))


def _side_by_side(shape: tuple[int, ...], tables: list[Any]) -> list[tuple[tuple[int, ...], list[Operand]]]:
    spread = [np.broadcast_to(table, shape) for table in tables]
    return [(place, [table[place] for table in spread]) for place in np.ndindex(shape)]


def chosen(known: Whole, statement: Let) -> Elements | None:
    """np.where with three operands."""
    shape = known.shape(statement.value)
    dtypes = statement.value.type.dtype, statement.operands[0].type.dtype
    if shape is None or dtypes != ("float64", "bool") or is_kept(known, statement):
        return None
    tables = tables_of(known, statement.operands) if len(statement.operands) == 3 else None
    if tables is None:
        return None
    select = partial(known.builder.let, primitives.select, type_=FLOAT)
    items = [
        select(condition, *(as_float(known, side) for side in sides), name=named_part(statement.value, place))
        for place, (condition, *sides) in _side_by_side(shape, tables)
    ]
    return Elements(shape, tuple(items))


def as_float(known: Whole, item: Operand) -> Operand:
    """A number as one of an array of floats."""
    return as_element(known, item, "float64")


def as_element(known: Whole, item: Operand, dtype: str) -> Operand:
    """A number or truth value as one of an array."""
    return item if item.type == Scalar(dtype) else known.builder.cast(item, dtype)


def product(known: Whole, statement: Let) -> Elements | Operand | None:
    tables = None if statement.keywords else small_tables(known, statement, 2)
    if tables is None:
        return None
    a, b = tables
    if not a.ndim or not b.ndim or a.shape[-1] != b.shape[0]:
        return None
    rows, columns = a.reshape(-1, a.shape[-1]), b.reshape(b.shape[0], -1)
    table = np.empty((len(rows), columns.shape[1]), object)
    for i, j in np.ndindex(table.shape):
        table[i, j] = _sum_of_products(known, rows[i], columns[:, j])
    return result_of(statement, table.reshape((*a.shape[:-1], *b.shape[1:])))


def product_of_vectors(known: Whole, statement: Let) -> Elements | Operand | None:
    """np.inner and np.vdot, of vectors."""
    return product(known, statement) if all(o.type.ndim == 1 for o in statement.operands) else None


def _sum_of_products(known: Whole, row: Any, column: Any) -> Operand:
    multiply = partial(known.builder.let, np.multiply)
    return _folded(known, np.add, [multiply(a, b) for a, b in zip(row, column, strict=True)])


def _folded(known: Whole, function: Any, items: Any) -> Operand:
    """One number of several, from left to right."""
    return reduce(partial(known.builder.let, function), items)


def outer(known: Whole, statement: Let) -> Elements | None:
    tables = None if statement.keywords else small_tables(known, statement, 2)
    if tables is None or known.shape(statement.value) is None:
        return None
    items = [known.builder.let(np.multiply, a, b) for a in tables[0].ravel() for b in tables[1].ravel()]
    return Elements((tables[0].size, tables[1].size), tuple(items))


def reduction(function: Any, is_mean: bool = False) -> Callable[[Whole, Let], Elements | Operand | None]:
    """The rule of a reduction over all axes or one, by a function of two numbers."""

    def rule(known: Whole, statement: Let) -> Elements | Operand | None:
        tables = small_tables(known, statement, 1)
        _, given = arguments_of(statement)
        values = {name: operand.value for name, operand in given.items() if isinstance(operand, Constant)}
        axis, keepdims = values.get("axis"), values.get("keepdims", False)
        is_plain = len(values) == len(given) and values.keys() <= {"axis", "keepdims"}
        if tables is None or not is_plain or not (axis is None or type(axis) is int):
            return None
        table = tables[0]
        if axis is None:
            lines, shape = table.reshape(1, -1), (1,) * table.ndim if keepdims else ()
        else:
            moved = np.moveaxis(table, axis, -1)
            lines = moved.reshape(-1, moved.shape[-1])
            shape = np.expand_dims(moved[..., 0], axis).shape if keepdims else moved.shape[:-1]
        results = np.empty(len(lines), object)
        for k, line in enumerate(lines):
            total = _folded(known, function, line)
            results[k] = known.builder.let(np.true_divide, total, number(float(len(line)))) if is_mean else total
        return result_of(statement, results.reshape(shape))

    return rule


def of_truth_values(function: Any) -> Callable[[Whole, Let], Operand | None]:
    """The rule of np.any and np.all, by a function of two truth values."""

    def rule(known: Whole, statement: Let) -> Operand | None:
        (array, *rest) = statement.operands
        is_plain = not rest and isinstance(array.type, Array) and array.type.dtype == "bool"
        found = known.parts(array) if is_plain else None
        fold = partial(known.builder.let, function, type_=statement.value.type)
        return None if found is None else reduce(fold, found.items)

    return rule


def accumulation(known: Whole, statement: Let) -> Elements | None:
    """np.cumsum of a vector."""
    tables = None if statement.keywords else small_tables(known, statement, 1)
    if tables is None or tables[0].ndim != 1:
        return None
    first, *rest = tables[0]
    totals = [first]
    for item in rest:
        totals.append(known.builder.let(np.add, totals[-1], item))
    return Elements((len(totals),), tuple(totals))


def trace(known: Whole, statement: Let) -> Operand | None:
    tables = None if statement.keywords else small_tables(known, statement, 1)
    return None if tables is None or tables[0].ndim != 2 else _folded(known, np.add, np.diag(tables[0]))


def norm(known: Whole, statement: Let) -> Operand | None:
    """The root of the sum of squares; of zeros it is 0, and so is its derivative."""
    tables = None if statement.keywords else small_tables(known, statement, 1)
    if tables is None:
        return None
    builder = known.builder
    squares = _sum_of_products(known, tables[0].ravel(), tables[0].ravel())
    zero, result = number(0.0), Value(statement.value.name, FLOAT)
    is_zero = builder.let(np.equal, squares, zero)
    with builder.block() as statements:
        root = builder.let(np.sqrt, squares)
    builder.add(If(is_zero, Block((), (zero,)), Block(tuple(statements), (root,)), (result,), builder.location))
    return result


def solution(known: Whole, statement: Let) -> Elements | None:
    tables = None if statement.keywords else small_tables(known, statement, 2)
    if tables is None or known.shape(statement.value) is None:
        return None
    a, b = tables
    if a.shape != (len(b), len(b)) or len(a) > MOST_ROWS:
        return None
    return made_of(solved(known.builder, a, b.reshape(len(b), -1)).reshape(b.shape))


def inverse(known: Whole, statement: Let) -> Elements | None:
    table = _square_table(known, statement)
    if table is None:
        return None
    n = len(table)
    identity = np.empty((n, n), object)
    for place in np.ndindex(n, n):
        identity[place] = number(float(place[0] == place[1]))
    return made_of(solved(known.builder, table, identity))


def cholesky(known: Whole, statement: Let) -> Elements | None:
    table = _square_table(known, statement)
    return None if table is None else made_of(factored(known.builder, table))


def determinant_of(known: Whole, statement: Let) -> Operand | None:
    table = _square_table(known, statement)
    return None if table is None else determinant(known.builder, table)


def signs_and_logarithms(known: Whole, call: Call) -> tuple[Operand, ...] | None:
    """The numbers that a call of slogdet returns; None where it, or another one, takes a whole array."""
    table = _square_table(known, call) if call.function is np.linalg.slogdet else None
    return None if table is None else sign_and_logarithm(known.builder, table)


def _square_table(known: Whole, statement: Let | Call) -> Any:
    """The elements of the one operand, a small matrix of as many rows as columns; None if it is another one."""
    tables = None if statement.keywords else small_tables(known, statement, 1)
    is_square = tables is not None and tables[0].ndim == 2 and tables[0].shape == tables[0].shape[::-1]
    return tables[0] if tables is not None and is_square and len(tables[0]) <= MOST_ROWS else None
