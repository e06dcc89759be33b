"""TensorFlow's linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.operation import operation
from pullback.tf.values import axes, convert_to_tensor, operands


@operation("MatMul")
def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: str | None = None) -> Tensor:
    """The product of matrices, or of stacks of them. ValueError for operands with less than two axes."""
    a, b = operands(a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"matmul takes matrices, not shapes {a.shape} and {b.shape}: see tf.linalg.matvec")
    return (a.mT if transpose_a else a) @ (b.mT if transpose_b else b)


def matvec(a: Any, b: Any, transpose_a: bool = False, name: str | None = None) -> Tensor:
    """The product of matrices and vectors."""
    a, b = operands(a, b)
    return ((a.mT if transpose_a else a) @ b[..., None])[..., 0]


def matrix_transpose(a: Any, name: str | None = None) -> Tensor:
    """With the last two axes exchanged."""
    return convert_to_tensor(a).mT


def einsum(equation: str, *inputs: Any) -> Tensor:
    """The contraction that the equation says, as np.einsum."""
    made: Tensor = np.einsum(equation, *operands(*inputs))
    return made


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The contraction over the last axes of `a` and the first of `b`, or over pairs of axes."""
    return np.tensordot(*operands(a, b), axes)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The norm of the elements: 'euclidean', 1, 2, np.inf, or another power. Its gradient at 0 is NaN."""
    x, along = convert_to_tensor(tensor), axes(axis)
    if ord == 2 and isinstance(along, tuple):
        raise ValueError("the spectral norm is not known: use ord='euclidean' for the root of the squares' sum")
    if ord in ("euclidean", "fro", 2):
        return np.sqrt(np.sum(x * x, axis=along, keepdims=keepdims))
    if ord == np.inf:
        return np.max(np.abs(x), axis=along, keepdims=keepdims)
    powers = np.sum(np.abs(x) if ord == 1 else np.abs(x) ** ord, axis=along, keepdims=keepdims)
    return powers if ord == 1 else powers ** (1 / ord)


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices. LinAlgError where there is none."""
    inverse = np.linalg.inv(convert_to_tensor(input))
    return inverse.mT if adjoint else inverse


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of square matrices."""
    return np.linalg.det(convert_to_tensor(input))


def slogdet(input: Any, name: str | None = None) -> Any:
    """(sign, logabsdet): the sign of the determinant, and the logarithm of its absolute value."""
    return np.linalg.slogdet(convert_to_tensor(input))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices."""
    return np.linalg.slogdet(convert_to_tensor(matrix))[1]


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution x of matrix @ x = rhs."""
    a, b = operands(matrix, rhs)
    return np.linalg.solve(a.mT if adjoint else a, b)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular factor of positive definite matrices. LinAlgError where there is none."""
    return np.linalg.cholesky(convert_to_tensor(input))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """(q, r)."""
    return np.linalg.qr(convert_to_tensor(input), "complete" if full_matrices else "reduced")


def eigh(tensor: Any, name: str | None = None) -> Any:
    """(eigenvalues, eigenvectors) of symmetric matrices, the eigenvalues in rising order."""
    return tuple(np.linalg.eigh(convert_to_tensor(tensor)))


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of symmetric matrices in rising order."""
    return np.linalg.eigvalsh(convert_to_tensor(tensor))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) vᵀ, or s alone."""
    x = convert_to_tensor(tensor)
    if not compute_uv:
        return np.linalg.svd(x, compute_uv=False)
    u, s, vt = np.linalg.svd(x, full_matrices=full_matrices)
    return s, u, vt.mT


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal of matrices."""
    return einsum("...ii->...", x)


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of matrices."""
    return einsum("...ii->...i", input)


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Matrices with these diagonals and zeros beside them."""
    x = convert_to_tensor(diagonal)
    return x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)
