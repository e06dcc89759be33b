"""Products and solutions with a sparse matrix that is given by its elements, their columns, and where rows begin."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, dtype_of, is_array
from pullback.runtime.python.libraries import call_library

SOLUTION = "scipy.sparse.linalg.spsolve(scipy.sparse.{}((_0, _2, _3), shape=(_3.size - 1, _3.size - 1)), _1)"
KINDS = ("csr_array", "csc_array")


def sparse_product(data: Any, x: Any, indices: Any, indptr: Any) -> Any:
    """The product with a vector or a matrix."""
    return _matrix("csr_array", data, indices, indptr, (indptr.size - 1, x.shape[0])) @ x


def sparse_product_transposed(data: Any, x: Any, indices: Any, indptr: Any, count: Any) -> Any:
    """The product of the transpose, which has so many rows."""
    return _matrix("csc_array", data, indices, indptr, (count, x.shape[0])) @ x


def _matrix(kind: str, data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    return getattr(importlib.import_module("scipy.sparse"), kind)((data, indices, indptr), shape=shape)


def sparse_solution(data: Any, b: Any, indices: Any, indptr: Any, is_transposed: Any) -> Any:
    """What the matrix, or its transpose for 1, makes the right-hand side of."""
    matrix = _matrix(KINDS[int(is_transposed)], data, indices, indptr, (indptr.size - 1, indptr.size - 1))
    return importlib.import_module("scipy.sparse.linalg").spsolve(matrix, b)


def _is_vector(x: Any) -> bool | None:
    """Whether an argument is a vector; None where it is no vector and no matrix."""
    return x.ndim == 1 if is_array(x) and x.ndim in (1, 2) else None


@compiled(sparse_product, prefer_literal=False)
def _sparse_product(data: Any, x: Any, indices: Any, indptr: Any) -> Any:
    is_vector = _is_vector(x)
    if is_vector is None:
        return None

    def of_vector(data: Any, x: Any, indices: Any, indptr: Any) -> Any:
        y = np.zeros(indptr.size - 1, x.dtype)
        for i in range(y.size):
            total = y[i]
            for k in range(indptr[i], indptr[i + 1]):
                total += data[k] * x[indices[k]]
            y[i] = total
        return y

    def of_matrix(data: Any, x: Any, indices: Any, indptr: Any) -> Any:
        y = np.zeros((indptr.size - 1, x.shape[1]), x.dtype)
        for i in range(y.shape[0]):
            for k in range(indptr[i], indptr[i + 1]):
                for j in range(x.shape[1]):
                    y[i, j] += data[k] * x[indices[k], j]
        return y

    return of_vector if is_vector else of_matrix


@compiled(sparse_product_transposed, prefer_literal=False)
def _sparse_product_transposed(data: Any, x: Any, indices: Any, indptr: Any, count: Any) -> Any:
    is_vector = _is_vector(x)
    if is_vector is None:
        return None

    def of_vector(data: Any, x: Any, indices: Any, indptr: Any, count: Any) -> Any:
        y = np.zeros(count, x.dtype)
        for i in range(x.size):
            for k in range(indptr[i], indptr[i + 1]):
                y[indices[k]] += data[k] * x[i]
        return y

    def of_matrix(data: Any, x: Any, indices: Any, indptr: Any, count: Any) -> Any:
        y = np.zeros((count, x.shape[1]), x.dtype)
        for i in range(x.shape[0]):
            for k in range(indptr[i], indptr[i + 1]):
                for j in range(x.shape[1]):
                    y[indices[k], j] += data[k] * x[i, j]
        return y

    return of_vector if is_vector else of_matrix


@compiled(sparse_solution, prefer_literal=False)
def _sparse_solution(data: Any, b: Any, indices: Any, indptr: Any, is_transposed: Any) -> Any:
    """Python makes the call, under its lock."""
    is_vector = _is_vector(b)
    if is_vector is None:
        return None
    names = [f"{dtype_of(t).name}[{', '.join(':' * t.ndim)}]" for t in (data, b, indices, indptr)]
    of_types = f": ({', '.join(names)}) -> {names[1]}"
    plain, transposed = (SOLUTION.format(kind) + of_types for kind in KINDS)

    def solved(data: Any, b: Any, indices: Any, indptr: Any, is_transposed: Any) -> Any:
        if is_transposed == 0:
            return call_library(plain, data, b, indices, indptr)
        return call_library(transposed, data, b, indices, indptr)

    return solved
