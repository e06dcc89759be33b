"""Elimination written out for matrices of two and three rows, whose elements then stay in registers.

As in `systems.py`, the largest element of a column is its pivot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel


@kernel
def eliminated_two(a: Any) -> Any:
    """The elimination below, written out for two rows: the number of the row with the larger pivot, its elements, what
    the other row takes off of it, and the last pivot.
    """
    first = 1 if abs(a[1, 0]) > abs(a[0, 0]) else 0
    pivot, beside = a[first, 0], a[first, 1]
    factor = a[1 - first, 0] / pivot
    return first, pivot, beside, factor, a[1 - first, 1] - factor * beside


@kernel
def invert_two(a: Any, out: Any) -> None:
    first, pivot, beside, factor, last = eliminated_two(a)
    second = 1 - first
    if pivot == 0 or last == 0:
        raise np.linalg.LinAlgError("Singular matrix")
    out[1, first], out[1, second] = -factor / last, 1 / last
    out[0, first], out[0, second] = (1 - beside * out[1, first]) / pivot, -beside * out[1, second] / pivot


@kernel
def determinant_of_two(a: Any) -> Any:
    """The determinant of a matrix of two rows."""
    first, pivot, _, _, last = eliminated_two(a)
    if pivot == 0:
        return pivot
    return pivot * last if first == 0 else -pivot * last


@kernel
def eliminated_three(a: Any) -> Any:
    """The sign of the exchange of rows, their order, and the factors L (its last row last) and U, row by row."""
    p0, p1, p2, sign = 0, 1, 2, 1
    if abs(a[1, 0]) > abs(a[0, 0]):
        p0, p1, sign = 1, 0, -sign
    if abs(a[p2, 0]) > abs(a[p0, 0]):
        p0, p2, sign = p2, p0, -sign
    u00, u01, u02 = a[p0, 0], a[p0, 1], a[p0, 2]
    l1, l2 = a[p1, 0] / u00, a[p2, 0] / u00
    u11, u12 = a[p1, 1] - l1 * u01, a[p1, 2] - l1 * u02
    v1, v2 = a[p2, 1] - l2 * u01, a[p2, 2] - l2 * u02
    if abs(v1) > abs(u11):
        p1, p2, sign = p2, p1, -sign
        l1, l2, u11, v1, u12, v2 = l2, l1, v1, u11, v2, u12
    l21 = v1 / u11
    return sign, (p0, p1, p2), (l1, l2, l21), (u00, u01, u02), (u11, u12), v2 - l21 * u12


@kernel
def solve_three(a: Any, b: Any) -> None:
    """The matrix `b` of three rows becomes the solution x of a x = b."""
    _, (p0, p1, p2), (l1, l2, l21), (u00, u01, u02), (u11, u12), u22 = eliminated_three(a)
    if u00 == 0 or u11 == 0 or u22 == 0:
        raise np.linalg.LinAlgError("Singular matrix")
    inverse0, inverse1, inverse2 = 1 / u00, 1 / u11, 1 / u22
    for k in range(b.shape[1]):
        y0 = b[p0, k]
        y1 = b[p1, k] - l1 * y0
        x2 = (b[p2, k] - l2 * y0 - l21 * y1) * inverse2
        x1 = (y1 - u12 * x2) * inverse1
        b[0, k], b[1, k], b[2, k] = (y0 - u01 * x1 - u02 * x2) * inverse0, x1, x2


@kernel
def pivots_of_three(a: Any) -> Any:
    """Three numbers whose product is the determinant: 0, where one is 0."""
    sign, _, _, (u00, _, _), (u11, _), u22 = eliminated_three(a)
    if u00 == 0 or u11 == 0:
        return a.dtype.type(0), a.dtype.type(0), a.dtype.type(0)
    return u00, u11, a.dtype.type(sign) * u22


@kernel
def determinant_of_three(a: Any) -> Any:
    u00, u11, u22 = pivots_of_three(a)
    return u00 * u11 * u22
