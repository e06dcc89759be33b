"""Sparse matrices of `scipy.sparse` as records of arrays: their products, and systems of equations with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pullback import runtime
from pullback.errors import ShapeError
from pullback.functions.declare import bilinear, planning, vjp
from pullback.functions.objects import stands_for
from pullback.functions.parts import as_array

TITLE = "a sparse matrix"


class Compressed:
    """What matrices have that hold one row, or one column, after the other."""

    __pullback_title__ = TITLE
    data: Any
    shape: Any

    def transpose(self):
        """The matrix of the other kind with the same arrays."""
        raise NotImplementedError

    def __rmatmul__(self, x):
        return (self.T @ as_array(x).T).T

    def __rmul__(self, number):
        return self * number

    def dot(self, x):
        return self @ x

    @property
    def T(self):
        return self.transpose()

    @property
    def nnz(self):
        return self.data.shape[0]

    def toarray(self):
        return self @ np.eye(self.shape[1], dtype=self.data.dtype)


@stands_for(sparse.csr_matrix, sparse.csr_array)
@dataclass
class Rows(Compressed):
    """The elements of one row after the other: those of row i have the numbers indptr[i] to indptr[i + 1]."""

    data: Any
    indices: Any
    indptr: Any
    shape: Any

    def __matmul__(self, x):
        x = factor(x, self.shape[1])
        return runtime.sparse_product(in_common(self.data, x), in_common(x, self.data), self.indices, self.indptr)

    def __mul__(self, number):
        one_number(np.ndim(number))
        return Rows(self.data * number, self.indices, self.indptr, self.shape)

    def __neg__(self):
        return Rows(-self.data, self.indices, self.indptr, self.shape)

    def transpose(self):
        return Columns(self.data, self.indices, self.indptr, (self.shape[1], self.shape[0]))

    def solved(self, b):
        return runtime.sparse_solution(in_common(self.data, b), in_common(b, self.data), self.indices, self.indptr, 0)


@stands_for(sparse.csc_matrix, sparse.csc_array)
@dataclass
class Columns(Compressed):
    """The elements of one column after the other."""

    data: Any
    indices: Any
    indptr: Any
    shape: Any

    def __matmul__(self, x):
        x = factor(x, self.shape[1])
        data, x = in_common(self.data, x), in_common(x, self.data)
        return runtime.sparse_product_transposed(data, x, self.indices, self.indptr, self.shape[0])

    def __mul__(self, number):
        one_number(np.ndim(number))
        return Columns(self.data * number, self.indices, self.indptr, self.shape)

    def __neg__(self):
        return Columns(-self.data, self.indices, self.indptr, self.shape)

    def transpose(self):
        return Rows(self.data, self.indices, self.indptr, (self.shape[1], self.shape[0]))

    def solved(self, b):
        return runtime.sparse_solution(in_common(self.data, b), in_common(b, self.data), self.indices, self.indptr, 1)


@stands_for(sparse.coo_matrix, sparse.coo_array)
@dataclass
class Triples:
    """Elements in any order, each with its row and its column."""

    data: Any
    row: Any
    col: Any
    shape: Any

    __pullback_title__ = TITLE

    def tocsr(self):
        order = np.argsort(self.row, kind="stable")
        starts = np.searchsorted(self.row[order], np.arange(self.shape[0] + 1)).astype(self.row.dtype)
        return Rows(self.data[order], self.col[order], starts, self.shape)

    def __matmul__(self, x):
        return self.tocsr() @ x

    def __rmatmul__(self, x):
        return x @ self.tocsr()

    def dot(self, x):
        return self.tocsr() @ x

    def transpose(self):
        return Triples(self.data, self.col, self.row, (self.shape[1], self.shape[0]))

    @property
    def T(self):
        return self.transpose()

    @property
    def nnz(self):
        return self.data.shape[0]

    def toarray(self):
        return self.tocsr().toarray()

    def solved(self, b):
        return self.tocsr().solved(b)


def factor(x, count):
    """What a matrix with so many columns is multiplied by. Raises ValueError where it has other rows."""
    x = as_array(x)
    vector_or_matrix(np.ndim(x))
    if x.shape[0] != count:
        raise ValueError("dimension mismatch between a sparse matrix and what it is multiplied by")
    return x


def in_common(array, other):
    """An array in the dtype that it and another one are multiplied in."""
    return array.astype(common(array.dtype, other.dtype))


@planning
def common(*dtypes):
    """The dtype that arrays of these are computed with."""
    return np.result_type(*dtypes)


@planning
def vector_or_matrix(rank):
    """Raises NotImplementedError for another factor of a sparse matrix."""
    if rank not in (1, 2):
        raise NotImplementedError(f"a sparse matrix is multiplied by vectors and matrices, not by {rank} axes")


@planning
def one_number(rank):
    """Raises NotImplementedError where a sparse matrix is not multiplied by one number."""
    if rank != 0:
        raise NotImplementedError("'*' of a sparse matrix is followed with a number: write @ for a product")


def rows_of(indptr):
    """The row of each element."""
    return np.repeat(np.arange(indptr.shape[0] - 1), np.diff(indptr))


def products_of(left, right):
    """The sum of products for each row of two arrays, or the products of two vectors."""
    return left * right if np.ndim(left) == 1 else np.sum(left * right, axis=-1)


@bilinear(runtime.sparse_product, typed_by=1)
def sparse_product(data, x, indices, indptr, *, y_bar):
    data_bar = products_of(y_bar[rows_of(indptr)], x[indices])
    return data_bar, runtime.sparse_product_transposed(data, y_bar, indices, indptr, x.shape[0])


@bilinear(runtime.sparse_product_transposed, typed_by=1)
def sparse_product_transposed(data, x, indices, indptr, count, *, y_bar):
    data_bar = products_of(x[rows_of(indptr)], y_bar[indices])
    return data_bar, runtime.sparse_product(data, y_bar, indices, indptr)


@vjp(runtime.sparse_solution, typed_by=1)
def sparse_solution(data, b, indices, indptr, is_transposed, *, y, y_bar):
    """From a y = b:  b̄ = a⁻ᵀ ȳ,  ā = -b̄ yᵀ where a has elements.   Giles (2008), 2.3.1."""
    b_bar = runtime.sparse_solution(data, y_bar, indices, indptr, 1 - is_transposed)
    rows = rows_of(indptr)
    if is_transposed == 1:
        return -products_of(y[rows], b_bar[indices]), b_bar
    return -products_of(b_bar[rows], y[indices]), b_bar


def solution(A, b):
    """What `spsolve` returns. Raises ShapeError for a right-hand side of one column, which becomes a vector there."""
    b = as_array(b)
    if np.ndim(b) == 2 and b.shape[-1] == 1:
        raise ShapeError("spsolve makes a vector of a right-hand side with one column: pass b[:, 0]")
    return A.solved(b)
