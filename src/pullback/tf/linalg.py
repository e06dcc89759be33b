"""TensorFlow's linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.operation import operation
from pullback.tf.values import axes, convert_to_tensor, operands


@operation("MatMul")
def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: str | None = None) -> Tensor:
    """The product of the matrices `a` and `b`, or of stacks of them: shapes (…, n, k) and (…, k, m) give (…, n, m).

    transpose_a, transpose_b: the last two axes of an operand change places before. ValueError for operands with fewer
    than two axes.

    >>> import pullback.tf as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True)
    <Tensor [[11.]], float32>
    """
    a, b = operands(a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"matmul takes matrices, not shapes {a.shape} and {b.shape}: see tf.linalg.matvec")
    return (a.mT if transpose_a else a) @ (b.mT if transpose_b else b)


def matvec(a: Any, b: Any, transpose_a: bool = False, name: str | None = None) -> Tensor:
    """The product of matrices `a`, (…, n, k), and vectors `b`, (…, k).

    transpose_a: the last two axes of `a` change places before.

    >>> import pullback.tf as tf
    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    <View [3. 7.], float32>
    """
    a, b = operands(a, b)
    return ((a.mT if transpose_a else a) @ b[..., None])[..., 0]


def matrix_transpose(a: Any, name: str | None = None) -> Tensor:
    """`a` with its last two axes exchanged.

    >>> import pullback.tf as tf
    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]])
    <View [[1 3]
     [2 4]], int32>
    """
    return convert_to_tensor(a).mT


def einsum(equation: str, *inputs: Any) -> Tensor:
    """The sum of products of `inputs` that `equation` says, as np.einsum.

    >>> import pullback.tf as tf
    >>> tf.einsum("ij,j->i", [[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0])
    <View [21. 43.], float32>
    """
    made: Tensor = np.einsum(equation, *operands(*inputs))
    return made


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over the last `axes` axes of `a` and the first of `b`, or over two lists of axes.

    >>> import pullback.tf as tf
    >>> tf.tensordot([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0], 1)
    <Tensor [21. 43.], float32>
    """
    return np.tensordot(*operands(a, b), axes)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The norm of the elements of `tensor` over `axis` (one, a pair, or all by default). Its gradient at 0 is NaN.

    ord: 'euclidean', 'fro', 1, 2, np.inf, or another power. keepdims: the axes stay, with length one. ValueError for
    the spectral norm, `ord=2` over a pair of axes.

    >>> import pullback.tf as tf
    >>> tf.norm([3.0, 4.0]), tf.norm([3.0, 4.0], ord=1)
    (<Tensor 5.0, float32>, <Tensor 7.0, float32>)
    """
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
    """The inverse of square matrices `input`, (…, n, n), transposed if `adjoint`. LinAlgError where there is none.

    >>> import pullback.tf as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    <Tensor [[0.5  0.  ]
     [0.   0.25]], float32>
    """
    inverse = np.linalg.inv(convert_to_tensor(input))
    return inverse.mT if adjoint else inverse


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of square matrices `input`, (…, n, n).

    >>> import pullback.tf as tf
    >>> tf.linalg.det([[2.0, 0.0], [0.0, 4.0]])
    <Tensor 8.0, float32>
    """
    return np.linalg.det(convert_to_tensor(input))


def slogdet(input: Any, name: str | None = None) -> Any:
    """(sign, logabsdet): the sign of the determinant of `input`, (…, n, n), and the logarithm of its absolute value.

    >>> import pullback.tf as tf
    >>> tf.linalg.slogdet([[1.0, 0.0], [0.0, -1.0]]).sign
    <Tensor -1.0, float32>
    """
    return np.linalg.slogdet(convert_to_tensor(input))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices `matrix`, (…, n, n).

    >>> import pullback.tf as tf
    >>> tf.linalg.logdet(tf.eye(2))
    <Tensor 0.0, float32>
    """
    return np.linalg.slogdet(convert_to_tensor(matrix))[1]


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution x of matrix @ x = rhs. LinAlgError where `matrix` is singular.

    matrix: (…, n, n), transposed before if `adjoint`. rhs: (…, n, k).

    >>> import pullback.tf as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])
    <Tensor [[1. ]
     [0.5]], float32>
    """
    a, b = operands(matrix, rhs)
    return np.linalg.solve(a.mT if adjoint else a, b)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular factor of positive definite matrices `input`, (…, n, n). LinAlgError where there is none.

    >>> import pullback.tf as tf
    >>> tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
    <Tensor [[2. 0.]
     [0. 3.]], float32>
    """
    return np.linalg.cholesky(convert_to_tensor(input))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """(q, r) with input = q r: columns that are orthonormal, and an upper triangle.

    input: (…, n, m). full_matrices: q is (…, n, n); it has min(n, m) columns by default.

    >>> import pullback.tf as tf
    >>> tf.linalg.qr([[3.0], [4.0]]).R.shape
    (1, 1)
    """
    return np.linalg.qr(convert_to_tensor(input), "complete" if full_matrices else "reduced")


def eigh(tensor: Any, name: str | None = None) -> Any:
    """(eigenvalues, eigenvectors) of symmetric matrices `tensor`, (…, n, n), the eigenvalues in rising order.

    >>> import pullback.tf as tf
    >>> tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])[0]
    <Tensor [1. 2.], float32>
    """
    return tuple(np.linalg.eigh(convert_to_tensor(tensor)))


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of symmetric matrices `tensor`, (…, n, n), in rising order.

    >>> import pullback.tf as tf
    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]])
    <Tensor [1. 2.], float32>
    """
    return np.linalg.eigvalsh(convert_to_tensor(tensor))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) vᵀ and `s` in falling order, or `s` alone where `compute_uv` is False.

    tensor: (…, n, m). full_matrices: u and v are square; they have min(n, m) columns by default, and only then a
    gradient.

    >>> import pullback.tf as tf
    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)
    <Tensor [4. 3.], float32>
    """
    x = convert_to_tensor(tensor)
    if not compute_uv:
        return np.linalg.svd(x, compute_uv=False)
    u, s, vt = np.linalg.svd(x, full_matrices=full_matrices)
    return s, u, vt.mT


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal of matrices `x`, (…, n, n).

    >>> import pullback.tf as tf
    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]])
    <Tensor 5.0, float32>
    """
    return einsum("...ii->...", x)


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of matrices `input`, (…, n, n).

    >>> import pullback.tf as tf
    >>> tf.linalg.diag_part([[1.0, 2.0], [3.0, 4.0]])
    <View [1. 4.], float32>
    """
    return einsum("...ii->...i", input)


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Matrices with the rows of `diagonal`, (…, n), as their diagonals, and zeros beside them.

    >>> import pullback.tf as tf
    >>> tf.linalg.diag([1.0, 2.0])
    <Tensor [[1. 0.]
     [0. 2.]], float32>
    """
    x = convert_to_tensor(diagonal)
    return x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)
