"""Elimination with the elements of small matrices: the solution of a x = b, factors, and determinants, in numbers.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.aggregates.replacement import replace_aggregates
>>> def reflected(angles):
...     v = np.array([1.0, 0.5])
...     for k in range(angles.shape[0]):
...         v = np.linalg.solve(np.array([[0.2, 1.0], [1.0, angles[k]]]), v)
...     return v[1]
>>> function = replace_aggregates(normal_form(reflected, np.ones(3)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("        is_greater") : text.index("        k2")], end="")
        is_greater = abs(t3) > abs(t1)
        chosen = t3 if is_greater else t1
        chosen2 = angles_k if is_greater else t2
        chosen3 = v_1 if is_greater else v_0
        if chosen == 0.0:
            raise LinAlgError('Singular matrix')
        quotient = (t1 if is_greater else t3) / chosen
        difference = (t2 if is_greater else angles_k) - quotient * chosen2
        if difference == 0.0:
            raise LinAlgError('Singular matrix')
        v_1 = ((v_0 if is_greater else v_1) - quotient * chosen3) / difference
        v_0 = (chosen3 - chosen2 * v_1) / chosen

The row with the larger pivot is chosen number by number, as LAPACK's getrf exchanges whole rows, so that a system is
singular where it is for NumPy. Derivatives follow those of the arithmetic; which row is chosen does not matter to them.
The logarithm of a determinant is that of the product of the pivots, or the sum of theirs where that might not be a
float.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, Constant, If, Operand, Value
from pullback.ir.types import BOOL
from pullback.passes.aggregates.elements import FLOAT, number

_SMALLEST, _LARGEST = 1e-290, 1e290
"""Between these a product of pivots has all its digits."""


def solved(builder: Builder, a: Any, b: Any) -> Any:
    """The solution as a table of operands, from tables of both sides; `b` has two axes. It raises as NumPy does."""
    n = len(a)
    rows = [[*a[i], *b[i]] for i in range(n)]
    for k in range(n):
        _choose_pivot(builder, rows, k)
        is_regular = builder.let(np.not_equal, rows[k][k], number(0.0))
        error, text = Constant(np.linalg.LinAlgError), Constant("Singular matrix")
        builder.effect(primitives.check, is_regular, error, text)
        _eliminate(builder, rows, k)
    for k in reversed(range(n)):
        for j in range(n, len(rows[k])):
            for i in range(k + 1, n):
                rows[k][j] = _less(builder, rows[k][j], rows[k][i], rows[i][j])
            rows[k][j] = builder.let(np.divide, rows[k][j], rows[k][k])
    table = np.empty(b.shape, object)
    for i, j in np.ndindex(b.shape):
        table[i, j] = rows[i][n + j]
    return table


def factored(builder: Builder, a: Any) -> Any:
    """The lower triangular factor (Cholesky) as a table, from the lower triangle of a. It raises as NumPy does."""
    n = len(a)
    a = [[_halved(builder, a[i][j], a[j][i]) if j < i else a[i][j] for j in range(i + 1)] for i in range(n)]
    table = np.full((n, n), number(0.0), object)
    for j in range(n):
        rest = a[j][j]
        for k in range(j):
            rest = _less(builder, rest, table[j, k], table[j, k])
        is_definite = builder.let(np.greater, rest, number(0.0))
        error, text = Constant(np.linalg.LinAlgError), Constant("Matrix is not positive definite")
        builder.effect(primitives.check, is_definite, error, text)
        table[j, j] = builder.let(np.sqrt, rest)
        for i in range(j + 1, n):
            item = a[i][j]
            for k in range(j):
                item = _less(builder, item, table[i, k], table[j, k])
            table[i, j] = builder.let(np.divide, item, table[j, j])
    return table


def _halved(builder: Builder, item: Operand, mirrored: Operand) -> Value:
    """An element below the diagonal, half of whose adjoint is that of the mirrored one: the adjoint is symmetric."""
    half = builder.let(np.multiply, builder.let(np.subtract, mirrored, item), number(0.5))
    nothing = builder.let(np.subtract, half, builder.let(runtime.stop_gradient, half, type_=FLOAT))
    return builder.let(np.add, item, nothing)


def sign_and_logarithm(builder: Builder, a: Any) -> tuple[Value, Value]:
    """The sign of the determinant, and the logarithm of its absolute value: 0 and -inf of a singular matrix."""
    rows = [[*row] for row in a]
    exchanges: list[Value] = []
    for k in range(len(rows)):
        exchanges += _choose_pivot(builder, rows, k)
        _eliminate(builder, rows, k)
    pivots = [rows[k][k] for k in range(len(rows))]
    signs = [builder.let(primitives.select, e, number(-1.0), number(1.0), type_=FLOAT) for e in exchanges]
    product = _product(builder, [*pivots, *signs])
    size = builder.let(np.absolute, product)
    is_large, is_small = (
        builder.let(np.greater, size, number(_SMALLEST)),
        builder.let(np.less, size, number(_LARGEST)),
    )
    is_plain = builder.let(np.logical_and, is_large, is_small, type_=BOOL)
    with builder.block() as statements:
        of_product = builder.let(np.copysign, number(1.0), product), builder.let(np.log, size)
    then = Block(tuple(statements), of_product)
    with builder.block() as statements:
        of_pivots = _of_extremes(builder, pivots, signs, _sum(builder, [item for row in a for item in row]))
    orelse = Block(tuple(statements), of_pivots)
    results = Value("sign", FLOAT), Value("logarithm", FLOAT)
    builder.add(If(is_plain, then, orelse, results, builder.location))
    return results


def _of_extremes(
    builder: Builder, pivots: list[Operand], signs: list[Value], total: Operand
) -> tuple[Operand, Operand]:
    """The sign and the logarithm where the product of the pivots is none or may be rounded.

    Where one is 0, those after it are NaN; so is the derivative of what is computed of the total of the elements.
    """
    zeros = [builder.let(np.equal, pivot, number(0.0)) for pivot in pivots]
    is_singular = reduce(lambda a, b: builder.let(np.logical_or, a, b, type_=BOOL), zeros)
    with builder.block() as statements:
        nothing = builder.let(np.multiply, builder.let(np.absolute, total), number(0.0))
        singular: tuple[Operand, Operand] = number(0.0), builder.let(np.log, nothing)
    then = Block(tuple(statements), singular)
    with builder.block() as statements:
        logarithms = [builder.let(np.log, builder.let(np.absolute, pivot)) for pivot in pivots]
        of_pivots = [builder.let(np.copysign, number(1.0), pivot) for pivot in pivots]
        regular = _product(builder, [*of_pivots, *signs]), _sum(builder, logarithms)
    orelse = Block(tuple(statements), regular)
    results = Value("sign", FLOAT), Value("logarithm", FLOAT)
    builder.add(If(is_singular, then, orelse, results, builder.location))
    return results


def determinant(builder: Builder, a: Any) -> Operand:
    """By cofactors of the first row: its derivatives are right where the matrix is singular, too."""
    if len(a) == 1:
        return a[0][0]
    total: Operand | None = None
    for j in range(len(a)):
        minor = determinant(builder, np.delete(a[1:], j, axis=1))
        term = builder.let(np.multiply, a[0][j], minor)
        total = term if total is None else builder.let(np.subtract if j % 2 else np.add, total, term)
    assert total is not None, "a matrix has a row"
    return total


def _product(builder: Builder, factors: list[Operand]) -> Operand:
    return reduce(lambda a, b: builder.let(np.multiply, a, b), factors)


def _sum(builder: Builder, terms: list[Operand]) -> Operand:
    return reduce(lambda a, b: builder.let(np.add, a, b), terms)


def _eliminate(builder: Builder, rows: list[list[Operand]], k: int) -> None:
    """Take as much of row k from those below as leaves them 0 in column k."""
    for row in rows[k + 1 :]:
        factor = builder.let(np.divide, row[k], rows[k][k])
        for j in range(k + 1, len(row)):
            row[j] = _less(builder, row[j], factor, rows[k][j])


def _choose_pivot(builder: Builder, rows: list[list[Operand]], k: int) -> list[Value]:
    """Exchange row k with a later one, number by number, wherever that one has the larger element in column k.

    Returns the conditions of the exchanges.
    """
    conditions: list[Value] = []
    for other in rows[k + 1 :]:
        sizes = [builder.let(np.absolute, row[k]) for row in (other, rows[k])]
        is_larger = builder.let(np.greater, *sizes)
        for j in range(k, len(other)):
            pair = rows[k][j], other[j]
            rows[k][j], other[j] = _chosen(builder, is_larger, *pair[::-1]), _chosen(builder, is_larger, *pair)
        conditions.append(is_larger)
    return conditions


def _chosen(builder: Builder, condition: Value, one: Operand, other: Operand) -> Value:
    return builder.let(primitives.select, condition, one, other, type_=FLOAT)


def _less(builder: Builder, value: Operand, factor: Operand, other: Operand) -> Value:
    return builder.let(np.subtract, value, builder.let(np.multiply, factor, other))
