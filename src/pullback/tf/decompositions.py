"""Triangular factors of matrices, and matrices with three diagonals or a band."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy

from pullback.errors import MissingRuleError
from pullback.tape import Tensor, custom_gradient
from pullback.tf.matrices import band_part, diag
from pullback.tf.solvers import triangular_solve
from pullback.tf.values import bare, floats, number


class Lu(NamedTuple):
    """`lu` has both factors in one matrix, `p` the row of the matrix that became each of their product's."""

    lu: Tensor
    p: Tensor


def lu(input: Any, output_idx_type: Any = np.int32, name: str | None = None) -> Lu:
    """(lu, p) with input[p] = l u for square matrices `input`, (…, n, n): both triangles are in one matrix.

    The diagonal is that of u; that of l consists of ones. As in TensorFlow, there is no gradient. ValueError for
    singular matrices.

    output_idx_type: the dtype of the positions p.

    >>> import pullback.tf as tf
    >>> tf.linalg.lu([[1.0, 2.0], [2.0, 2.0]]).lu
    <Tensor [[2.  2. ]
     [0.5 1. ]], float32>
    """
    (a,) = floats(input)
    if a.ndim < 2 or a.shape[-2] != a.shape[-1]:
        raise ValueError(f"square matrices are wanted, not the shape {a.shape}")
    return Lu(*_factors(a, np.dtype(output_idx_type)))


@custom_gradient
def _factors(a: Tensor, kind: Any) -> Any:
    n = a.shape[-1]
    factors, order = np.empty_like(a._value), np.empty(a.shape[:-1], kind)
    (factorise,) = scipy.linalg.get_lapack_funcs(("getrf",), (a._value,))
    for place in np.ndindex(a.shape[:-2]) if n else ():
        rows = np.arange(n)
        factors[place], exchanged, singular = factorise(a._value[place])
        if singular:
            raise ValueError("a matrix is not invertible")
        for i, j in enumerate(exchanged):
            rows[[i, j]] = rows[[j, i]]
        order[place] = rows

    def gradient(*_: Tensor) -> Any:
        raise MissingRuleError("tf.linalg.lu has no gradient", None, "use tf.linalg.solve, inv or det of the matrix")

    return (Tensor(factors), Tensor(order)), gradient


def _permuted(a: Any, order: np.ndarray) -> Any:
    """Matrices with their rows in another order."""
    shape = np.broadcast_shapes(order.shape[:-1], a.shape[:-2])
    places = np.broadcast_to(order[..., None], (*shape, order.shape[-1], a.shape[-1]))
    return np.take_along_axis(np.broadcast_to(a, (*shape, *a.shape[-2:])), places.astype(np.intp), axis=-2)


def _triangles(factors: Tensor) -> tuple[Tensor, Tensor]:
    """The lower triangle, with ones on its diagonal, and the upper one."""
    return np.tril(factors, -1) + np.eye(factors.shape[-1], dtype=factors.dtype), np.triu(factors)


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrices whose `tf.linalg.lu` are `lower_upper` and `perm`. `validate_args` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [2.0, 2.0]]))
    <Tensor [[1. 2.]
     [2. 2.]], float32>
    """
    lower, upper = _triangles(*floats(lower_upper))
    return _permuted(lower @ upper, np.argsort(bare(perm), axis=-1))


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The solution x of a @ x = rhs, where `lower_upper` and `perm` are `tf.linalg.lu(a)`. rhs: (…, n, k).

    `validate_args` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.lu_solve(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]]), [[2.0], [4.0]])
    <Tensor [[1.]
     [1.]], float32>
    """
    factors, b = floats(lower_upper, rhs)
    lower, upper = _triangles(factors)
    return triangular_solve(upper, triangular_solve(lower, _permuted(b, bare(perm))), lower=False)


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverse of a, where `lower_upper` and `perm` are `tf.linalg.lu(a)`. `validate_args` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]]))
    <Tensor [[0.   0.25]
     [0.5  0.  ]], float32>
    """
    (factors,) = floats(lower_upper)
    return lu_solve(factors, perm, np.eye(factors.shape[-1], dtype=factors.dtype))


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """The product of matrices with three diagonals and `rhs`, (…, n, k).

    `diagonals` and `diagonals_format` are those of `tf.linalg.tridiagonal_solve`.

    >>> import pullback.tf as tf
    >>> tf.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]], [[1.0], [1.0]])
    <Tensor [[3.]
     [7.]], float32>
    """
    if diagonals_format == "matrix":
        a, b = floats(diagonals, rhs)
        return band_part(a, 1, 1) @ b
    if diagonals_format == "sequence":
        upper, main, lower, b = floats(*diagonals, rhs)
    elif diagonals_format == "compact":
        given, b = floats(diagonals, rhs)
        upper, main, lower = given[..., 0, :], given[..., 1, :], given[..., 2, :]
    else:
        raise ValueError(f"diagonals_format is 'compact', 'sequence' or 'matrix', not {diagonals_format!r}")
    beside = [(0, 0)] * (b.ndim - 2)
    above = np.pad(upper[..., :-1, None] * b[..., 1:, :], [*beside, (0, 1), (0, 0)])
    below = np.pad(lower[..., 1:, None] * b[..., :-1, :], [*beside, (1, 0), (0, 0)])
    return above + main[..., None] * b + below


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution x of a @ x = rhs for triangular matrices a with some diagonals. rhs: (…, n, k).

    bands: (…, m, n), the diagonals from the highest to the lowest: the main one is first where `lower`, and the first
    numbers of shorter ones do not count; else it is last, and the last numbers do not. adjoint: a is transposed.

    >>> import pullback.tf as tf
    >>> tf.linalg.banded_triangular_solve([[2.0, 4.0], [0.0, 2.0]], [[2.0], [4.0]])
    <Tensor [[1. ]
     [0.5]], float32>
    """
    rows, b = floats(bands, rhs)
    count = rows.shape[-2]
    a = diag(rows, k=(1 - count, 0) if lower else (0, count - 1), align="LEFT_RIGHT")
    return triangular_solve(a, b, lower, adjoint)


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues, in rising order, of the symmetric matrix with the diagonals `alpha` and, beside it, `beta`.

    eigvals_only: without the eigenvectors, else (eigenvalues, eigenvectors). select: all of them, 'a'; those at the
    positions of `select_range`, first and last, 'i'; those above its first number and not above the last, 'v'. `tol`
    has no effect.

    >>> import pullback.tf as tf
    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0])
    <Tensor [1. 3.], float32>
    """
    if select not in ("a", "i", "v"):
        raise ValueError(f"select is 'a', 'i' or 'v', not {select!r}")
    main, beside = floats(alpha, beta)
    a = diag(main) + diag(beside, k=-1) + diag(beside, k=1)
    values, vectors = (np.linalg.eigvalsh(a), None) if eigvals_only else np.linalg.eigh(a)
    first, last = 0, main.shape[-1]
    if select == "i":
        first, last = number(select_range[0]), number(select_range[1]) + 1
    elif select == "v":
        first, last = (int(n) for n in np.searchsorted(values._value, bare(select_range), side="right"))
    chosen = values[first:last] if select != "a" else values
    return chosen if vectors is None else (chosen, vectors[:, first:last] if select != "a" else vectors)
