"""Products of vectors, matrices and stacks of matrices: NumPy bodies and Numba overloads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import register_jitable

from pullback.runtime.blas.products import matrix_product
from pullback.runtime.codegen.compiled import (
    compiled,
    dtype_of,
    element_type,
    is_array,
    is_scalar,
    kernel,
    result_dtype,
)
from pullback.runtime.memory.copying import copy_into
from pullback.runtime.memory.strided import common_shape, flat, permuted, product, shaped
from pullback.runtime.numpy.reductions import elements
from pullback.runtime.numpy.shapes import ravel, transposer


def matmul(a: Any, b: Any) -> Any:
    """a @ b for arrays of rank 1 or more; batch axes broadcast. ValueError if the shapes do not fit."""
    return np.matmul(a, b)


def dot(a: Any, b: Any) -> Any:
    """np.dot(a, b): for higher ranks the sum over the last axis of `a` and the second-to-last of `b`."""
    return np.dot(a, b)


def outer(a: Any, b: Any) -> Any:
    """np.outer(a, b): (a.size, b.size), both flattened."""
    return np.outer(a, b)


def inner(a: Any, b: Any) -> Any:
    """np.inner(a, b): the sum over the last axes of both."""
    return np.inner(a, b)


def vdot(a: Any, b: Any) -> Any:
    """np.vdot(a, b): the sum of the products of elements, of both in C order. ValueError if the sizes differ."""
    return np.vdot(a, b)


def product_of_matrices(a: Any, b: Any) -> Any:
    """a @ b for one dtype and ranks 1 and 2."""
    return a @ b


@compiled(product_of_matrices, prefer_literal=False)
def _product_of_matrices(a: Any, b: Any) -> Any:
    if isinstance(a.dtype, types.Float):
        return lambda a, b: matrix_product(a, b)
    last = a.ndim - 1
    first = b.ndim - 2 if b.ndim > 1 else 0

    def check(a: Any, b: Any) -> Any:
        if a.shape[last] != b.shape[first]:
            raise ValueError("matmul: the inner dimensions of the operands differ")

    checked = register_jitable(check)
    to = a.dtype
    if a.ndim == 1 and b.ndim == 1:

        def vectors(a: Any, b: Any) -> Any:
            checked(a, b)
            total = to(0)
            for k in range(a.shape[0]):
                total = to(total + a[k] * b[k])
            return total

        return vectors
    if a.ndim == 1:

        def vector_matrix(a: Any, b: Any) -> Any:
            checked(a, b)
            out = np.zeros(b.shape[1], to)
            for k in range(b.shape[0]):
                for j in range(b.shape[1]):
                    out[j] += a[k] * b[k, j]
            return out

        return vector_matrix
    if b.ndim == 1:

        def matrix_vector(a: Any, b: Any) -> Any:
            checked(a, b)
            out = np.zeros(a.shape[0], to)
            for i in range(a.shape[0]):
                for k in range(a.shape[1]):
                    out[i] += a[i, k] * b[k]
            return out

        return matrix_vector

    def matrices(a: Any, b: Any) -> Any:
        checked(a, b)
        out = np.zeros((a.shape[0], b.shape[1]), to)
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    out[i, j] += a[i, k] * b[k, j]
        return out

    return matrices


def prepared(a: Any, dtype: np.dtype[Any]) -> Any:
    """Jitable function of an array: the same values as `dtype`."""
    to = element_type(dtype)
    return register_jitable((lambda a: a) if a.dtype == to else (lambda a: a.astype(to)))


@kernel
def batch_position(t: int, batch: Any, shape: Any) -> int:
    """Position among the matrices of a stack of `shape` of the one that belongs to position `t` of `batch`."""
    place, step = 0, 1
    lead = len(batch) - (len(shape) - 2)
    for i in range(len(batch) - 1, -1, -1):
        k = t % batch[i]
        t //= batch[i]
        if i >= lead:
            n = shape[i - lead]
            if n != 1:
                place += k * step
            step *= n
    return place


@compiled(matmul, prefer_literal=False)
def _matmul(a: Any, b: Any) -> Any:
    if not is_array(a) or not is_array(b):
        return None
    if a.ndim == 0 or b.ndim == 0:
        raise TypingError("matmul: operands need at least one dimension")
    dtype = result_dtype(a, b)
    left, right = prepared(a, dtype), prepared(b, dtype)
    if a.ndim <= 2 and b.ndim <= 2:
        return lambda a, b: product_of_matrices(left(a), right(b))
    if a.ndim == 1:
        row, order = (-2, 0), (*range(b.ndim - 2), b.ndim - 1)

        def vector_stack(a: Any, b: Any) -> Any:
            y = matmul(shaped(flat(a), permuted(a.shape, row)), b)
            return shaped(y, permuted(b.shape, order))

        return vector_stack
    if b.ndim == 1:
        column, kept = (0, -2), tuple(range(a.ndim - 1))

        def stack_vector(a: Any, b: Any) -> Any:
            y = matmul(a, shaped(flat(b), permuted(b.shape, column)))
            return shaped(y, permuted(a.shape, kept))

        return stack_vector
    ends = (a.ndim - 2, a.ndim - 1, b.ndim - 2, b.ndim - 1)
    m, p, q, n = ends
    batch_a, batch_b = tuple(range(a.ndim - 2)), tuple(range(b.ndim - 2))
    rank = max(a.ndim, b.ndim) - 2

    def stacks(a: Any, b: Any) -> Any:
        if a.shape[p] != b.shape[q]:
            raise ValueError("matmul: the inner dimensions of the operands differ")
        batch = common_shape(permuted(a.shape, batch_a), permuted(b.shape, batch_b))
        count = product(batch, 0, rank)
        x = shaped(flat(left(a)), (product(a.shape, 0, m), a.shape[m], a.shape[p]))
        y = shaped(flat(right(b)), (product(b.shape, 0, q), b.shape[q], b.shape[n]))
        out = np.empty((count, a.shape[m], b.shape[n]), x.dtype)
        for t in range(count):
            i, j = batch_position(t, batch, a.shape), batch_position(t, batch, b.shape)
            copy_into(out[t], product_of_matrices(x[i], y[j]))
        return shaped(out, (*batch, a.shape[m], b.shape[n]))

    return stacks


@compiled(dot, prefer_literal=False)
def _dot(a: Any, b: Any) -> Any:
    if is_scalar(a) or is_scalar(b):
        return lambda a, b: np.multiply(a, b)
    if not is_array(a) or not is_array(b):
        return None
    if a.ndim == 0 or b.ndim == 0:
        return lambda a, b: np.multiply(a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return lambda a, b: matmul(a, b)
    kept_a = tuple(range(a.ndim - 1))
    if b.ndim == 1:
        last = a.ndim - 1

        def with_vector(a: Any, b: Any) -> Any:
            rows = shaped(flat(a), (product(a.shape, 0, last), a.shape[last]))
            return shaped(matmul(rows, b), permuted(a.shape, kept_a))

        return with_vector
    front = transposer((b.ndim - 2, *range(b.ndim - 2), b.ndim - 1))
    return dot_of_fronts(a, b, front, (*range(b.ndim - 2), b.ndim - 1), b.ndim - 2)


def dot_of_fronts(a: Any, b: Any, front: Any, kept_b: tuple[int, ...], summed: int) -> Any:
    """Implementation of dot or inner: `front` brings the summed axis of `b` to the front."""
    kept_a, last = tuple(range(a.ndim - 1)), a.ndim - 1

    def implementation(a: Any, b: Any) -> Any:
        if a.shape[last] != b.shape[summed]:
            raise ValueError("the summed axes of the operands have different lengths")
        n = a.shape[last]
        x = shaped(flat(a), (product(a.shape, 0, last), n))
        y = shaped(flat(front(b)), (n, product(permuted(b.shape, kept_b), 0, len(kept_b))))
        return shaped(matmul(x, y), permuted(a.shape, kept_a) + permuted(b.shape, kept_b))

    return implementation


@compiled(inner, prefer_literal=False)
def _inner(a: Any, b: Any) -> Any:
    if is_scalar(a) or is_scalar(b):
        return lambda a, b: np.multiply(a, b)
    if not is_array(a) or not is_array(b):
        return None
    if a.ndim == 1 and b.ndim == 1:
        return lambda a, b: matmul(a, b)
    if a.ndim == 2 and b.ndim == 2:
        return lambda a, b: matmul(a, b.T)
    if a.ndim <= 2 and b.ndim <= 2:
        return (lambda a, b: matmul(b, a)) if a.ndim == 1 else (lambda a, b: matmul(a, b))
    front = transposer((b.ndim - 1, *range(b.ndim - 1)))
    return dot_of_fronts(a, b, front, tuple(range(b.ndim - 1)), b.ndim - 1)


@compiled(outer, prefer_literal=False)
def _outer(a: Any, b: Any) -> Any:
    if not (is_array(a) or is_scalar(a)) or not (is_array(b) or is_scalar(b)):
        return None
    to = element_type(result_dtype(a, b))

    def product_table(a: Any, b: Any) -> Any:
        x, y = elements(a), elements(b)
        out = np.empty((x.size, y.size), to)
        for i in range(x.size):
            for j in range(y.size):
                out[i, j] = to(x[i]) * to(y[j])
        return out

    return product_table


@compiled(vdot, prefer_literal=False)
def _vdot(a: Any, b: Any) -> Any:
    is_complex = dtype_of(a).kind == "c"
    if is_scalar(a) and is_scalar(b):
        to = element_type(result_dtype(a, b))
        return (lambda a, b: np.conj(to(a)) * to(b)) if is_complex else lambda a, b: to(a) * to(b)
    return (lambda a, b: dot(np.conj(ravel(a)), ravel(b))) if is_complex else lambda a, b: dot(ravel(a), ravel(b))
