"""Elimination with the elements of small systems: the solution of a x = b, in numbers.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.lowering.aggregates import replace_aggregates
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
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import Scalar

_FLOAT = Scalar("float64")


def solved(builder: Builder, a: Any, b: Any) -> Any:
    """The solution as a table of operands, from tables of both sides; `b` has two axes. It raises as NumPy does."""
    n = len(a)
    rows = [[*a[i], *b[i]] for i in range(n)]
    for k in range(n):
        _choose_pivot(builder, rows, k)
        is_regular = builder.let(np.not_equal, rows[k][k], Constant(0.0, _FLOAT))
        error, text = Constant(np.linalg.LinAlgError), Constant("Singular matrix")
        builder.effect(primitives.check, is_regular, error, text)
        for row in rows[k + 1 :]:
            factor = builder.let(np.divide, row[k], rows[k][k])
            for j in range(k + 1, len(row)):
                row[j] = _less(builder, row[j], factor, rows[k][j])
    for k in reversed(range(n)):
        for j in range(n, len(rows[k])):
            for i in range(k + 1, n):
                rows[k][j] = _less(builder, rows[k][j], rows[k][i], rows[i][j])
            rows[k][j] = builder.let(np.divide, rows[k][j], rows[k][k])
    table = np.empty(b.shape, object)
    for i, j in np.ndindex(b.shape):
        table[i, j] = rows[i][n + j]
    return table


def _choose_pivot(builder: Builder, rows: list[list[Operand]], k: int) -> None:
    """Exchange row k with a later one, number by number, wherever that one has the larger element in column k."""
    for other in rows[k + 1 :]:
        sizes = [builder.let(np.absolute, row[k]) for row in (other, rows[k])]
        is_larger = builder.let(np.greater, *sizes)
        for j in range(k, len(other)):
            pair = rows[k][j], other[j]
            rows[k][j], other[j] = _chosen(builder, is_larger, *pair[::-1]), _chosen(builder, is_larger, *pair)


def _chosen(builder: Builder, condition: Value, one: Operand, other: Operand) -> Value:
    return builder.let(primitives.select, condition, one, other, type_=_FLOAT)


def _less(builder: Builder, value: Operand, factor: Operand, other: Operand) -> Value:
    return builder.let(np.subtract, value, builder.let(np.multiply, factor, other))
