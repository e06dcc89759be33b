"""Products of matrices and vectors of one float type: plain loops where they are small, BLAS where they are large.

Numba's own products cost 0.1 µs a call and more, and compile their code anew at each place that they are called from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numba.np.linalg import call_xxgemv, ensure_blas

from pullback.runtime.blas.matrices import blas_product_into
from pullback.runtime.codegen.borrowed_arguments import overload_with_borrowed
from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.codegen.reassociation import plus
from pullback.runtime.memory.strided import flat, shaped

# Numbers of multiplications up to which the loops are faster than BLAS.
FEW = 512
FEW_OF_DOTS = 4096  # where rows of the first factor and columns of the second are contiguous


def matrix_product(a: Any, b: Any) -> Any:
    """a @ b for matrices and vectors of one float type. Raises ValueError if the shapes do not fit."""
    return np.matmul(a, b)


def vector_outer(a: Any, b: Any) -> Any:
    """np.outer(a, b) for vectors of one float type."""
    return np.outer(a, b)


def is_float_array(t: Any, *ranks: int) -> bool:
    return isinstance(t, types.Array) and isinstance(t.dtype, types.Float) and t.ndim in ranks


def product_type(a: Any, b: Any) -> Any:
    if not (is_float_array(a, 1, 2) and is_float_array(b, 1, 2) and a.dtype == b.dtype):
        return None
    ndim = a.ndim + b.ndim - 2
    return types.Array(a.dtype, ndim, "C") if ndim else a.dtype


def outer_type(a: Any, b: Any) -> Any:
    if not (is_float_array(a, 1) and is_float_array(b, 1) and a.dtype == b.dtype):
        return None
    return types.Array(a.dtype, 2, "C")


def product_for(a: Any, b: Any) -> Any:
    """The implementation that suits two operands."""
    match a.ndim, b.ndim:
        case 2, 2:
            return product_by_rows if b.layout == "C" else product_by_dots
        case 2, 1:
            return product_with_vector
        case 1, 2:
            return product_of_vector
    return product_of_vectors


overload_with_borrowed(matrix_product, product_type, product_for, 2)
overload_with_borrowed(vector_outer, outer_type, lambda a, b: products_of_pairs, 2)


def product_by_rows(a: Any, b: Any) -> Any:
    """Four elements of a row at a time: those of `b` stand side by side."""
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    if inner != b.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    out = np.empty((rows, columns), a.dtype)
    if a.size * columns > FEW:
        large_product(out, a, b)
        return out
    zero = a.dtype.type(0)
    whole = columns // 4 * 4
    for i in range(rows):
        for j in range(0, whole, 4):
            s0 = s1 = s2 = s3 = zero
            for k in range(inner):
                x = a[i, k]
                s0 += x * b[k, j]
                s1 += x * b[k, j + 1]
                s2 += x * b[k, j + 2]
                s3 += x * b[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = s0, s1, s2, s3
        for j in range(whole, columns):
            s0 = zero
            for k in range(inner):
                s0 += a[i, k] * b[k, j]
            out[i, j] = s0
    return out


def product_by_dots(a: Any, b: Any) -> Any:
    """Each element as the product of a row and a column."""
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    if inner != b.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    out = np.empty((rows, columns), a.dtype)
    if a.size * columns > (FEW_OF_DOTS if a.strides[1] == b.strides[0] == a.itemsize else FEW):
        large_product(out, a, b)
        return out
    for i in range(rows):
        for j in range(columns):
            total = a.dtype.type(0)
            for k in range(inner):
                total = plus(total, a[i, k] * b[k, j])
            out[i, j] = total
    return out


def product_with_vector(a: Any, b: Any) -> Any:
    """a b for a vector `b`."""
    rows, inner = a.shape
    if inner != b.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    out = np.empty(rows, a.dtype)
    if a.size > (FEW_OF_DOTS if a.strides[1] == a.itemsize else FEW):
        blas(out, contiguous(a), contiguous(b))
        return out
    for i in range(rows):
        total = a.dtype.type(0)
        for k in range(inner):
            total = plus(total, a[i, k] * b[k])
        out[i] = total
    return out


def product_of_vector(a: Any, b: Any) -> Any:
    """a b for a vector `a`."""
    inner, columns = b.shape
    if inner != a.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    out = np.empty(columns, a.dtype)
    if b.size > (FEW_OF_DOTS if b.strides[0] == b.itemsize else FEW):
        blas(out, contiguous(b).T, contiguous(a))
        return out
    for j in range(columns):
        total = a.dtype.type(0)
        for k in range(inner):
            total = plus(total, a[k] * b[k, j])
        out[j] = total
    return out


def product_of_vectors(a: Any, b: Any) -> Any:
    if a.size != b.size:
        raise ValueError("matmul: the operands differ in length")
    total = a.dtype.type(0)
    for k in range(a.size):
        total = plus(total, a[k] * b[k])
    return total


def products_of_pairs(a: Any, b: Any) -> Any:
    out = np.empty((a.size, b.size), a.dtype)
    for i in range(a.size):
        x = a[i]
        for j in range(b.size):
            out[i, j] = x * b[j]
    return out


def large_product(out: Any, a: Any, b: Any) -> None:
    """out[...] = a @ b by BLAS."""
    out[...] = a @ b


@compiled(large_product)
def _large_product(out: Any, a: Any, b: Any) -> Any:
    def multiplied(out, a, b):
        if not blas_product_into(out, a, b, False):
            blas_product_into(out, contiguous(a), contiguous(b), False)

    return multiplied


def contiguous(a: Any) -> Any:
    """`a`, or a copy of it if it is neither C- nor F-contiguous."""
    return a if a.flags.forc else np.ascontiguousarray(a)


@compiled(contiguous)
def _contiguous(a: Any) -> Any:
    if a.layout == "A":
        return lambda a: shaped(flat(a), a.shape)
    return lambda a: a


@intrinsic
def blas(context: Any, out: Any, a: Any, b: Any) -> Any:
    """out[...] = a @ b for a matrix and a vector, contiguous and of at least one element."""
    ensure_blas()

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = [make_array(t)(context, builder, value) for t, value in zip(signature.args, arguments, strict=True)]
        target, left, right = (
            (t, [builder.extract_value(m.shape, k) for k in range(t.ndim)], m.data)
            for t, m in zip(signature.args, made, strict=True)
        )
        call_xxgemv(context, builder, a.layout == "C", *left, right[2], target[2])
        return context.get_dummy_value()

    return types.none(out, a, b), build
