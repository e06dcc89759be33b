"""TensorFlow's functions of matrices that solve systems, and series of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from pullback.tape import Tensor, custom_gradient
from pullback.tf.matrices import band_part, diag
from pullback.tf.values import bare, convert_to_tensor, floats


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices `input`, (…, n, n), transposed if `adjoint`. LinAlgError where there is none.

    >>> import pullback.tf as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    <Tensor [[0.5  0.  ]
     [0.   0.25]], float32>
    """
    inverse = np.linalg.inv(*floats(input))
    return inverse.mT if adjoint else inverse


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution x of matrix @ x = rhs. LinAlgError where `matrix` is singular.

    matrix: (…, n, n), transposed before if `adjoint`. rhs: (…, n, k). ValueError where only one of them is a stack.

    >>> import pullback.tf as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])
    <Tensor [[1. ]
     [0.5]], float32>
    """
    a, b = floats(matrix, rhs)
    if a.shape[:-2] != b.shape[:-2] or a.ndim != b.ndim:
        raise ValueError(f"a matrix and a right-hand side of the shapes {a.shape} and {b.shape} are not stacks alike")
    return np.linalg.solve(a.mT if adjoint else a, b)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution x of matrix @ x = rhs, where only a triangle of `matrix` counts.

    matrix: (…, n, n); the triangle is the lower one, or the upper one where `lower` is False, and is transposed after
    that if `adjoint`. rhs: (…, n, k).

    >>> import pullback.tf as tf
    >>> tf.linalg.triangular_solve([[2.0, 9.0], [2.0, 4.0]], [[2.0], [2.0]])
    <Tensor [[1.]
     [0.]], float32>
    """
    a, b = floats(matrix, rhs)
    if b.ndim < 2:
        raise ValueError(f"a right-hand side is a matrix, not of shape {b.shape}")
    part = band_part(a, -1, 0) if lower else band_part(a, 0, -1)
    return np.linalg.solve(part.mT if adjoint else part, b)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solution x of a @ x = rhs, where `chol` is the Cholesky factor of a. rhs: (…, n, k).

    >>> import pullback.tf as tf
    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]])
    <Tensor [[1.]
     [3.]], float32>
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """The x with the least ‖matrix @ x - rhs‖² + l2_regularizer ‖x‖²; of several, the shortest.

    matrix: (…, m, n) of full rank. rhs: (…, m, k). fast: by the normal equations, else by the pseudoinverse, where
    `l2_regularizer` has no effect.

    >>> import pullback.tf as tf
    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]])
    <Tensor [[2.]], float32>
    """
    a, b = floats(matrix, rhs)
    if not fast:
        return np.linalg.pinv(a) @ b
    tall = a.shape[-2] >= a.shape[-1]
    square = a.mT @ a if tall else a @ a.mT
    square = square + np.eye(square.shape[-1], dtype=a.dtype) * a.dtype.type(l2_regularizer)
    return np.linalg.solve(square, a.mT @ b) if tall else a.mT @ np.linalg.solve(square, b)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudoinverse of matrices `a`, (…, n, m).

    rcond: singular values below so much of the largest count as 0; with it there is no gradient, and without it those
    that rounding leaves count so. `validate_args` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.pinv([[2.0], [0.0]])
    <Tensor [[0.5 0. ]], float32>
    """
    (given,) = floats(a)
    return np.linalg.pinv(given) if rcond is None else np.linalg.pinv(given, rcond)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The rank of matrices `a`, (…, n, m): how many singular values exceed `tol`. `validate_args` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]])
    <Tensor 1, int32>
    """
    given = floats(a)[0]._value
    singular = np.linalg.svd(given, compute_uv=False)
    if tol is None:
        tol = np.finfo(given.dtype).eps * max(given.shape[-2:]) * np.max(singular, axis=-1, keepdims=True)
    return Tensor(np.sum(singular > bare(tol), axis=-1, dtype=np.int32))


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solution x of a @ x = rhs for matrices a with three diagonals.

    diagonals: (…, 3, n) in the format 'compact', where the last number of the first row, the superdiagonal, and
    the first of the last row, the subdiagonal, do not count; three tensors for 'sequence'; matrices for 'matrix':
    `diagonals_format`. rhs: (…, n) or (…, n, k), transposed before if `transpose_rhs`. `conjugate_rhs`,
    `partial_pivoting` and `perturb_singular` change nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.tridiagonal_solve([[0.0, 0.0], [2.0, 4.0], [0.0, 0.0]], [2.0, 2.0])
    <View [1.  0.5], float32>
    """
    if diagonals_format == "sequence":
        upper, main, lower = (convert_to_tensor(one) for one in diagonals)
    elif diagonals_format == "compact":
        given = convert_to_tensor(diagonals)
        upper, main, lower = given[..., 0, :], given[..., 1, :], given[..., 2, :]
    elif diagonals_format != "matrix":
        raise ValueError(f"diagonals_format is 'compact', 'sequence' or 'matrix', not {diagonals_format!r}")
    if diagonals_format == "matrix":
        a = band_part(diagonals, 1, 1)
    else:
        n = main.shape[-1]
        above = upper[..., : n - 1]
        below = lower if lower.shape[-1] < n else lower[..., 1:]
        a = diag(main) + diag(above, k=1) + diag(below, k=-1) if n > 1 else diag(main)
    a, b = floats(a, rhs)
    vector = b.ndim == a.ndim - 1
    b = b[..., None] if vector else b.mT if transpose_rhs else b
    x = np.linalg.solve(a, b)
    return x[..., 0] if vector else x


def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential Σ aᵏ / k! of square matrices `input`, (…, n, n).

    >>> import pullback.tf as tf
    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])
    <Tensor [[1. 1.]
     [0. 1.]], float32>
    """
    return _expm(*floats(input))


@custom_gradient
def _expm(a: Tensor) -> Any:
    """exp [[aᵀ, ȳ], [0, aᵀ]] has ā in its upper right.   Mathias (1996), Theorem 2.1."""
    n = a.shape[-1]

    def gradient(y_bar: Any) -> Any:
        top = np.concatenate([a.mT, y_bar], axis=-1)
        low = np.concatenate([np.zeros(a.shape, a.dtype), a.mT], axis=-1)
        return _expm(np.concatenate([top, low], axis=-2))[..., :n, n:]

    return Tensor(np.asarray(scipy.linalg.expm(a._value)).astype(a.dtype)), gradient


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The square root of square matrices `input`, (…, n, n), that have a real one: y with y @ y = input.

    >>> import pullback.tf as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])
    <Tensor [[2. 0.]
     [0. 3.]], float32>
    """
    return _sqrtm(*floats(input))


@custom_gradient
def _sqrtm(a: Tensor) -> Any:
    """yᵀ ā + ā yᵀ = ȳ, from y y = a."""
    n = a.shape[-1]
    stack = np.reshape(a._value, (-1, n, n))
    roots = [scipy.linalg.sqrtm(one) for one in stack]
    if any(np.iscomplexobj(root) for root in roots):
        raise ValueError("a matrix has no real square root")
    found = np.reshape(np.array(roots).astype(a.dtype), a.shape)

    def gradient(y_bar: Any) -> Any:
        y, one = _sqrtm(a), np.eye(n, dtype=a.dtype)
        system = np.einsum("...ji,kl->...ikjl", y, one) + np.einsum("ij,...kl->...ikjl", one, y)
        rows = np.reshape(system, (*a.shape[:-2], n * n, n * n))
        return np.reshape(np.linalg.solve(rows, np.reshape(y_bar, (*a.shape[:-2], n * n, 1))), a.shape)

    return Tensor(found), gradient
