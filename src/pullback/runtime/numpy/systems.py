"""Inverses, determinants and solutions of small systems by elimination in plain loops; LAPACK serves larger ones.

Elimination takes the largest pivot of each column, as LAPACK's getrf does, so it fails for the same matrices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numba.np.linalg import ensure_lapack

from pullback.runtime.blas.products import is_float_array
from pullback.runtime.codegen.borrowed_arguments import overload_with_borrowed
from pullback.runtime.codegen.compiled import compiled, element_type, kernel, result_dtype
from pullback.runtime.numpy.few_rows import (
    determinant_of_three,
    determinant_of_two,
    invert_two,
    pivots_of_three,
    solve_three,
)

inlined = njit(inline="always")  # one function of many lines compiles faster than many that call each other
FEW_ROWS = 12  # up to which the loops are faster than LAPACK


def inverse_of(a: Any) -> Any:
    """np.linalg.inv of a float matrix. Raises LinAlgError if it is singular or not square."""
    return np.linalg.inv(a)


def inverse_into(out: Any, a: Any) -> None:
    """The same, written into an array that shares no memory with `a`. Raises ValueError if it has another shape."""
    if out.shape != a.shape:
        raise ValueError("inv: the result has another shape than the array that it is written into")
    out[...] = np.linalg.inv(a)


def determinant_of(a: Any) -> Any:
    """np.linalg.det of a float matrix. Raises LinAlgError if it is not square."""
    return np.linalg.det(a)


def sign_and_logarithm(a: Any) -> Any:
    """np.linalg.slogdet of a float matrix. Raises LinAlgError if it is not square."""
    return tuple(np.linalg.slogdet(a))


def solution_of(a: Any, b: Any) -> Any:
    """np.linalg.solve of a float matrix and a vector or matrix of the same type.

    Raises LinAlgError if `a` is singular or not square, ValueError if `b` has another number of rows.
    """
    return np.linalg.solve(a, b)


def solution_of_mixed(a: Any, b: Any) -> Any:
    """np.linalg.solve of a matrix and a vector or matrix of different dtypes, both of floats or complex numbers."""
    return np.linalg.solve(a, b)


@compiled(solution_of_mixed)
def _solution_of_mixed(a: Any, b: Any) -> Any:
    dtype = element_type(result_dtype(a, b))
    return lambda a, b: np.linalg.solve(a.astype(dtype), b.astype(dtype))


def square_type(a: Any) -> Any:
    return types.Array(a.dtype, 2, "C") if is_float_array(a, 2) else None


def element_of(a: Any) -> Any:
    return a.dtype if is_float_array(a, 2) else None


def pair_of_elements(a: Any) -> Any:
    return types.UniTuple(a.dtype, 2) if is_float_array(a, 2) else None


def solution_type(a: Any, b: Any) -> Any:
    if not (is_float_array(a, 2) and is_float_array(b, 1, 2) and a.dtype == b.dtype):
        return None
    return types.Array(b.dtype, b.ndim, "C")


def none_for_inverse(out: Any, a: Any) -> Any:
    return types.none if is_float_array(out, 2) and is_float_array(a, 2) and out.dtype == a.dtype else None


def inverse_of_borrowed(a: Any) -> Any:
    out = np.empty(a.shape, a.dtype)
    invert(a, out)
    return out


def inverse_into_borrowed(out: Any, a: Any) -> None:
    if out.shape != a.shape:
        raise ValueError("inv: the result has another shape than the array that it is written into")
    invert(a, out)


def determinant_of_borrowed(a: Any) -> Any:
    if a.shape == (2, 2):
        return determinant_of_two(a)
    if a.shape == (3, 3):
        return determinant_of_three(a)
    work = square_copy(a)
    return product_of_pivots(work) if len(work) <= FEW_ROWS else determinant_by_lapack(work)


def sign_and_logarithm_borrowed(a: Any) -> Any:
    if a.shape == (3, 3):
        first, second, third = pivots_of_three(a)
        product = float(first) * float(second) * float(third)
        if 1e-290 < abs(product) < 1e290:
            sign, logarithm = math.copysign(1.0, product), math.log(abs(product))
        else:
            sign, logarithm = sign_and_logarithm_of((first, second, third))
    else:
        work = square_copy(a)
        sign = factor_in_place(work)
        sign_of_diagonal, logarithm = sign_and_logarithm_of(np.diag(work))
        sign *= sign_of_diagonal
    return a.dtype.type(sign), a.dtype.type(logarithm)


def solution_of_borrowed(a: Any, b: Any) -> Any:
    out = b.copy()
    solve_square(a, columns_of(out))
    return out


overload_with_borrowed(inverse_of, square_type, lambda a: inverse_of_borrowed, 1)
overload_with_borrowed(inverse_into, none_for_inverse, lambda out, a: inverse_into_borrowed, 2)
overload_with_borrowed(determinant_of, element_of, lambda a: determinant_of_borrowed, 1)
overload_with_borrowed(sign_and_logarithm, pair_of_elements, lambda a: sign_and_logarithm_borrowed, 1)
overload_with_borrowed(solution_of, solution_type, lambda a, b: solution_of_borrowed, 2)


def columns_of(b: Any) -> Any:
    """A vector as a matrix of one column, a matrix as it is."""
    return b[:, None] if b.ndim == 1 else b


@compiled(columns_of)
def _columns_of(b: Any) -> Any:
    return (lambda b: b.reshape((b.size, 1))) if b.ndim == 1 else (lambda b: b)


@kernel
def invert(a: Any, out: Any) -> None:
    if a.shape == (2, 2):
        invert_two(a, out)
    else:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[i, j] = i == j
        solve_square(a, out)


@kernel
def solve_square(a: Any, b: Any) -> None:
    """The matrix `b` becomes the solution x of a x = b."""
    if a.shape == (3, 3) and len(b) == 3:
        solve_three(a, b)
        return
    work = square_copy(a)
    if len(work) != len(b):
        raise ValueError("solve: the operands differ in their number of rows")
    if len(work) <= FEW_ROWS:
        solve_in_place(work, b)
    else:
        solve_by_lapack(work, b)


@inlined
def square_copy(a: Any) -> Any:
    """A copy of a matrix, C-contiguous; a small one is gone when the function that calls this returns."""
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    out = small_matrix(a, len(a)) if len(a) <= FEW_ROWS else np.empty(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j]
    return out


@intrinsic
def small_matrix(context: Any, like: Any, n: Any) -> Any:
    """A square matrix of n ≤ FEW_ROWS rows, of another one's dtype, that lasts as long as the call that makes it."""
    result = types.Array(like.dtype, 2, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        element = context.get_data_type(like.dtype)
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(element))
        n = arguments[1]
        made = make_array(result)(context, builder)
        populate_array(
            made,
            data=cgutils.alloca_once(builder, element, FEW_ROWS * FEW_ROWS),
            shape=[n, n],
            strides=[builder.mul(n, itemsize), itemsize],
            itemsize=itemsize,
            meminfo=None,
        )
        return made._getvalue()

    return result(like, types.intp), build


@kernel
def swap_for_pivot(a: Any, column: int) -> int:
    """Brings the largest element of a column, from its diagonal on, to the diagonal; the row that it was in."""
    row = column
    for i in range(column + 1, len(a)):
        if abs(a[i, column]) > abs(a[row, column]):
            row = i
    if row != column:
        for k in range(len(a)):
            a[row, k], a[column, k] = a[column, k], a[row, k]
    return row


@kernel
def solve_in_place(a: Any, b: Any) -> None:
    """`b` becomes the solution x of a x = b; `a` is overwritten."""
    n, columns = b.shape
    for i in range(n):
        row = swap_for_pivot(a, i)
        if a[i, i] == 0:
            raise np.linalg.LinAlgError("Singular matrix")
        if row != i:
            for k in range(columns):
                b[row, k], b[i, k] = b[i, k], b[row, k]
        for j in range(i + 1, n):
            factor = a[j, i] / a[i, i]
            for k in range(i + 1, n):
                a[j, k] -= factor * a[i, k]
            for k in range(columns):
                b[j, k] -= factor * b[i, k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(columns):
                b[i, k] -= a[i, j] * b[j, k]
        for k in range(columns):
            b[i, k] /= a[i, i]


@kernel
def product_of_pivots(a: Any) -> Any:
    """The determinant; `a` is overwritten."""
    result = a.dtype.type(1)
    for i in range(len(a)):
        result *= eliminate(a, i) * a[i, i]
        if a[i, i] == 0:
            return a.dtype.type(0)
    return result


@kernel
def factor_in_place(a: Any) -> float:
    """The matrix has the pivots on its diagonal then; -1.0 if they need a sign."""
    sign = 1.0
    if len(a) <= FEW_ROWS:
        for i in range(len(a)):
            sign *= eliminate(a, i)
    else:
        pivots = np.empty(len(a), np.int32)
        getrf(a, pivots)
        for i in range(len(a)):
            sign *= 1.0 if pivots[i] == i + 1 else -1.0
    return sign


@kernel
def eliminate(a: Any, column: int) -> Any:
    """Brings the pivot of a column to the diagonal and takes its row off those below; -1 if rows change places."""
    sign = a.dtype.type(1 if swap_for_pivot(a, column) == column else -1)
    if a[column, column] != 0:
        for j in range(column + 1, len(a)):
            factor = a[j, column] / a[column, column]
            for k in range(column + 1, len(a)):
                a[j, k] -= factor * a[column, k]
    return sign


@kernel
def sign_and_logarithm_of(factors: Any) -> Any:
    """The sign of a product, and the logarithm of its absolute value. Factors are multiplied as long as that fits."""
    sign, product, logarithm = 1.0, 1.0, 0.0
    for factor in factors:
        size = abs(float(factor))
        if factor == 0:
            return 0.0, -np.inf
        if factor < 0:
            sign = -sign
        if 1e-150 < size < 1e150:
            product *= size
        else:
            logarithm += np.log(size)
        if not 1e-150 < product < 1e150:
            logarithm += np.log(product)
            product = 1.0
    return sign, logarithm + np.log(product)


@kernel
def solve_by_lapack(a: Any, b: Any) -> None:
    """`b` becomes the solution x of a x = b; `a` is overwritten."""
    columns = transposed_copy(b)
    if gesv(transposed_copy(a), np.empty(len(a), np.int32), columns) != 0:
        raise np.linalg.LinAlgError("Singular matrix")
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] = columns[j, i]


@kernel
def determinant_by_lapack(a: Any) -> Any:
    """The determinant, which is that of the transpose, too; `a` is overwritten."""
    result = a.dtype.type(factor_in_place(a))
    for i in range(len(a)):
        result *= a[i, i]
    return result


@kernel
def transposed_copy(a: Any) -> Any:
    out = np.empty((a.shape[1], a.shape[0]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]
    return out


def lapack(name: str, arrays: Any, sizes: tuple[int, ...]) -> Any:
    """What an intrinsic returns that calls this function of LAPACK's; its result is 0 if all went well.

    arrays: their types; LAPACK reads the transposes of C-contiguous matrices. sizes: for each of LAPACK's sizes and
    arrays in turn, -1 - k for array number k itself, k for its number of rows.
    """
    ensure_lapack()
    kind = ord("s" if arrays[0].dtype == types.float32 else "d")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = [make_array(t)(context, builder, value) for t, value in zip(arrays, arguments, strict=True)]
        given = [ir.Constant(ir.IntType(8), kind)]
        for k in sizes:
            if k < 0:
                given.append(builder.bitcast(made[-1 - k].data, cgutils.voidptr_t))
            else:
                given.append(builder.extract_value(made[k].shape, 0))
        type_ = ir.FunctionType(ir.IntType(32), [value.type for value in given])
        return builder.call(cgutils.get_or_insert_function(builder.module, type_, name), given)

    return types.int32(*arrays), build


@intrinsic
def gesv(context: Any, a: Any, pivots: Any, b: Any) -> Any:
    """Solves a x = b; for C-contiguous matrices aᵀ and bᵀ. `b` becomes the solution, `a` its factors."""
    return lapack("numba_xgesv", (a, pivots, b), (0, 2, -1, 0, -2, -3, 0))


@intrinsic
def getrf(context: Any, a: Any, pivots: Any) -> Any:
    """Factors a square matrix in place."""
    return lapack("numba_xxgetrf", (a, pivots), (0, 0, -1, 0, -2))
