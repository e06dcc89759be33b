"""Products into destinations: products of matrices and vectors are written into arrays, or added, without new memory.

They become a part of their caller's machine code, which may know their sizes, as loops that the compiler unrolls; where
there are many, they are called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pullback.runtime.blas.calls import multiply_vector
from pullback.runtime.blas.matrices import blas_product_into
from pullback.runtime.blas.products import is_float_array
from pullback.runtime.codegen.borrowed_arguments import overload_with_borrowed
from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.codegen.reassociation import plus
from pullback.runtime.memory.strided import address

# Numbers of multiplications up to which plain loops take less time than a call does.
FEW = 128


def product_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """out[...] = a @ b, for two vectors np.outer(a, b); or that is added to `out`. No operand shares memory with `out`.

    Raises ValueError if the shapes do not fit.
    """
    shared = np.shares_memory(out, a) or np.shares_memory(out, b)
    assert not shared, "a product is written over one of its factors"
    value = np.outer(a, b) if np.ndim(a) == np.ndim(b) == 1 else np.matmul(a, b)
    if value.shape != out.shape:
        raise ValueError("matmul: the result has another shape than the array that it is written into")
    if added:
        out += value
    else:
        out[...] = value


def small_product_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """The same for a product of few multiplications, or of a few for each element: no other way is looked at."""
    product_into(out, a, b, added)


def called_product_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """The same as one piece of machine code for all calls."""
    product_into(out, a, b, added)


def none_for_products(out: Any, a: Any, b: Any, added: Any) -> Any:
    if not all(is_float_array(t, 1, 2) and t.dtype == out.dtype for t in (out, a, b)):
        return None
    return types.none if out.ndim == (a.ndim + b.ndim - 2 or 2) else None


def small_product_for(out: Any, a: Any, b: Any, added: Any) -> Any:
    """The implementation that suits the operands."""
    match a.ndim, b.ndim:
        case 2, 2:
            return product_by_rows_into if b.layout == "C" else product_by_dots_into
        case 2, 1:
            return matrix_vector_into
        case 1, 2:
            return vector_matrix_into
    return outer_into


overload_with_borrowed(small_product_into, none_for_products, small_product_for, 4, "inlined")


def product_by_rows_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """Four elements of a row at a time: those of `b` stand side by side."""
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    if inner != b.shape[0] or rows != out.shape[0] or columns != out.shape[1]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
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
            if added:
                s0, s1, s2, s3 = out[i, j] + s0, out[i, j + 1] + s1, out[i, j + 2] + s2, out[i, j + 3] + s3
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = s0, s1, s2, s3
        for j in range(whole, columns):
            s0 = zero
            for k in range(inner):
                s0 += a[i, k] * b[k, j]
            out[i, j] = out[i, j] + s0 if added else s0


def product_by_dots_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """Each element as the product of a row and a column."""
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    if inner != b.shape[0] or rows != out.shape[0] or columns != out.shape[1]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    for i in range(rows):
        for j in range(columns):
            total = a.dtype.type(0)
            for k in range(inner):
                total = plus(total, a[i, k] * b[k, j])
            out[i, j] = out[i, j] + total if added else total


def matrix_vector_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """a b for a vector `b`."""
    rows, inner = a.shape
    if inner != b.shape[0] or rows != out.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    for i in range(rows):
        total = a.dtype.type(0)
        for k in range(inner):
            total = plus(total, a[i, k] * b[k])
        out[i] = out[i] + total if added else total


def vector_matrix_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """a b for a vector `a`."""
    inner, columns = b.shape
    if inner != a.shape[0] or columns != out.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands differ")
    for j in range(columns):
        total = a.dtype.type(0)
        for k in range(inner):
            total = plus(total, a[k] * b[k, j])
        out[j] = out[j] + total if added else total


def outer_into(out: Any, a: Any, b: Any, added: bool) -> None:
    if a.size != out.shape[0] or b.size != out.shape[1]:
        raise ValueError("outer: the array has another shape than the result")
    for i in range(a.size):
        x = a[i]
        for j in range(b.size):
            out[i, j] = out[i, j] + x * b[j] if added else x * b[j]


def any_product_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """Many multiplications are BLAS's, where it takes the arrays; a step of an array is counted in its elements."""
    if out.size * a.shape[-1] <= FEW or not blas_product_into(out, a, b, added):
        small_product_into(out, a, b, added)


def any_vector_product_into(out: Any, a: Any, b: Any, added: bool) -> None:
    """The same for a matrix and a vector, where the call takes little more time than the product."""
    if out.size * a.shape[-1] <= FEW or not large_vector_product_into(out, a, b, added):
        small_product_into(out, a, b, added)


def product_for(out: Any, a: Any, b: Any, added: Any) -> Any:
    if a.ndim == b.ndim == 1:
        return outer_into
    return any_product_into if a.ndim == b.ndim else any_vector_product_into


overload_with_borrowed(product_into, none_for_products, product_for, 4, "inlined")
overload_with_borrowed(called_product_into, none_for_products, product_for, 4)


def large_vector_product_into(out: Any, a: Any, b: Any, added: bool) -> bool:
    """Whether a product of a matrix and a vector has been written: their elements have to lie side by side."""
    product_into(out, a, b, added)
    return True


@compiled(large_vector_product_into, inlined=True)
def _large_vector_product_into(out: Any, a: Any, b: Any, added: Any) -> Any:
    if a.ndim == 1:
        return multiply_vector_with_matrix
    return multiply_matrix_with_vector


def multiply_matrix_with_vector(out: Any, a: Any, b: Any, added: bool) -> bool:
    sizes = out.shape[0], a.shape[0], a.shape[1], b.shape[0]
    places = address(out), out.strides[0], address(a), a.strides[0], a.strides[1], address(b), b.strides[0]
    return multiply_vector(a.dtype.type(0), *sizes, *places, added)


def multiply_vector_with_matrix(out: Any, a: Any, b: Any, added: bool) -> bool:
    sizes = out.shape[0], b.shape[1], b.shape[0], a.shape[0]
    places = address(out), out.strides[0], address(b), b.strides[1], b.strides[0], address(a), a.strides[0]
    return multiply_vector(a.dtype.type(0), *sizes, *places, added)
