"""TensorFlow's linear algebra: products, norms and factorisations, with what `matrices` and `solvers` have."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.clipping import global_norm
from pullback.tf.creation import eye
from pullback.tf.decompositions import (
    banded_triangular_solve,
    eigh_tridiagonal,
    lu,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    tridiagonal_matmul,
)
from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.matrices import (
    adjoint,
    band_part,
    cross,
    diag,
    diag_part,
    matrix_transpose,
    set_diag,
    tensor_diag,
    tensor_diag_part,
    trace,
)
from pullback.tf.operation import operation
from pullback.tf.solvers import (
    cholesky_solve,
    expm,
    inv,
    lstsq,
    matrix_rank,
    pinv,
    solve,
    sqrtm,
    triangular_solve,
    tridiagonal_solve,
)
from pullback.tf.values import axes, bare, convert_to_tensor, floats, operands

_abs = ELEMENTWISE["abs"]

__all__ = [
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigh_tridiagonal",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None, name: str | None = None
) -> Tensor:
    """The norm of the elements of `tensor` over `axis`: one, a pair, or all by default. The gradient at 0 is NaN.

    ord: 'euclidean', 1, 2, np.inf, or another positive power; of matrices also 'fro', where 2 is the largest singular
    value, 1 the largest sum of a column and np.inf that of a row. keepdims: the axes stay, with length one. ValueError
    for another norm.

    >>> import pullback.tf as tf
    >>> tf.norm([3.0, 4.0]), tf.norm([3.0, 4.0], ord=1)
    (<Tensor 5.0, float32>, <Tensor 7.0, float32>)
    """
    x, along, keep = convert_to_tensor(tensor), axes(axis), bool(keepdims)
    of_matrix = isinstance(along, tuple) and len(along) == 2
    if isinstance(along, tuple) and (not of_matrix or along[0] == along[1]):
        raise ValueError(f"an axis is a number or a pair of different numbers, not {axis!r}")
    allowed = ("euclidean", "fro", 1, 2, np.inf) if of_matrix else ("euclidean", 1, 2, np.inf)
    if ord not in allowed and (of_matrix or isinstance(ord, str) or ord <= 0):
        raise ValueError(f"there is no norm {ord!r} of {'matrices' if of_matrix else 'vectors'}")
    if ord in ("euclidean", "fro") or (ord == 2 and not of_matrix):
        return np.sqrt(np.sum(floats(x)[0] ** 2, axis=along, keepdims=keep))
    if of_matrix:
        return _norm_of_matrix(x, ord, along, keep)
    if ord == np.inf:
        return np.max(_abs(x), axis=along, keepdims=keep)
    powers = np.sum(_abs(x) if ord == 1 else _abs(x) ** ord, axis=along, keepdims=keep)
    return powers if ord == 1 else powers ** (1 / ord)


def _norm_of_matrix(x: Tensor, ord: Any, along: Any, keep: bool) -> Tensor:
    rows, columns = along
    if ord == 2:
        largest = np.max(np.linalg.svd(np.moveaxis(x, along, (-2, -1)), compute_uv=False), axis=-1)
        return np.expand_dims(largest, along) if keep else largest
    if ord == np.inf:
        rows, columns = columns, rows
    found = np.max(np.sum(_abs(x), axis=rows, keepdims=True), axis=columns, keepdims=True)
    return found if keep else np.squeeze(found, along)


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(tensor / norm, norm) of `tensor` over `axis`, for the norm that `ord` says: see `tf.norm`.

    >>> import pullback.tf as tf
    >>> tf.linalg.normalize([3.0, 4.0])[0]
    <Tensor [0.6 0.8], float32>
    """
    x = convert_to_tensor(tensor)
    length = norm(x, ord, axis, keepdims=True)
    return x / length, length


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """`x` over the root of the sum of its squares along `axis` (all by default), which counts as `epsilon` at least.

    >>> import pullback.tf as tf
    >>> tf.math.l2_normalize([3.0, 4.0])
    <Tensor [0.6 0.8], float32>
    """
    (given,) = floats(x)
    squares = np.sum(given * given, axis=axes(axis), keepdims=True)
    least = given.dtype.type(epsilon)
    return given / np.sqrt(np.where(squares >= least, squares, least))


@operation("MatMul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices `a` and `b`, or of stacks of them: shapes (…, n, k) and (…, k, m) give (…, n, m).

    transpose_a, transpose_b, adjoint_a, adjoint_b: the last two axes of an operand change places before. output_type:
    the dtype of the result. `a_is_sparse` and `b_is_sparse` have no effect. ValueError for operands with fewer than two
    axes, and where one is to be transposed twice.

    >>> import pullback.tf as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True)
    <Tensor [[11.]], float32>
    """
    a, b = operands(a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"matmul takes matrices, not shapes {a.shape} and {b.shape}: see tf.linalg.matvec")
    if a.dtype.kind == b.dtype.kind == "b":
        raise ValueError("matmul takes numbers, not booleans")
    if output_type is not None:
        a, b = a.astype(output_type), b.astype(output_type)
    return _turned(a, transpose_a, adjoint_a) @ _turned(b, transpose_b, adjoint_b)


def _turned(a: Tensor, transposed: bool, adjoint: bool) -> Tensor:
    """Matrices, or these transposed. ValueError where they are to be so twice."""
    if transposed and adjoint:
        raise ValueError("matrices are either transposed or adjoint, not both")
    return a.mT if transposed or adjoint else a


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices `a`, (…, n, k), and vectors `b`, (…, k).

    transpose_a, adjoint_a: the last two axes of `a` change places before. `a_is_sparse` and `b_is_sparse` have no
    effect.

    >>> import pullback.tf as tf
    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    <View [3. 7.], float32>
    """
    a, b = operands(a, b)
    return (_turned(a, transpose_a, adjoint_a) @ b[..., None])[..., 0]


def einsum(equation: str, *inputs: Any, optimize: Any = None, name: str | None = None) -> Tensor:
    """The sum of products of `inputs` that `equation` says, as np.einsum. `optimize` has no effect.

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
    return np.tensordot(*operands(a, b), bare(axes).tolist())


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of square matrices `input`, (…, n, n).

    >>> import pullback.tf as tf
    >>> tf.linalg.det([[2.0, 0.0], [0.0, 4.0]])
    <Tensor 8.0, float32>
    """
    return np.linalg.det(*floats(input))


def slogdet(input: Any, name: str | None = None) -> Any:
    """(sign, logabsdet): the sign of the determinant of `input`, (…, n, n), and the logarithm of its absolute value.

    >>> import pullback.tf as tf
    >>> tf.linalg.slogdet([[1.0, 0.0], [0.0, -1.0]]).sign
    <Tensor -1.0, float32>
    """
    return np.linalg.slogdet(*floats(input))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices `matrix`, (…, n, n). LinAlgError for others.

    >>> import pullback.tf as tf
    >>> tf.linalg.logdet(tf.eye(2))
    <Tensor 0.0, float32>
    """
    return 2 * np.sum(np.log(diag_part(cholesky(matrix))), axis=-1)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular factor of positive definite matrices `input`, (…, n, n). LinAlgError where there is none.

    >>> import pullback.tf as tf
    >>> tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
    <Tensor [[2. 0.]
     [0. 3.]], float32>
    """
    return np.linalg.cholesky(*floats(input))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """(q, r) with input = q r: columns that are orthonormal, and an upper triangle.

    input: (…, n, m). full_matrices: q is (…, n, n); it has min(n, m) columns by default.

    >>> import pullback.tf as tf
    >>> tf.linalg.qr([[3.0], [4.0]]).R.shape
    (1, 1)
    """
    return np.linalg.qr(*floats(input), "complete" if full_matrices else "reduced")


def eigh(tensor: Any, name: str | None = None) -> Any:
    """(eigenvalues, eigenvectors) of symmetric matrices `tensor`, (…, n, n), the eigenvalues in rising order.

    Only the lower triangle counts, and only it has a gradient.

    >>> import pullback.tf as tf
    >>> tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])[0]
    <Tensor [1. 2.], float32>
    """
    return tuple(np.linalg.eigh(_from_lower(tensor)))


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of symmetric matrices `tensor`, (…, n, n), in rising order: see `tf.linalg.eigh`.

    >>> import pullback.tf as tf
    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]])
    <Tensor [1. 2.], float32>
    """
    return np.linalg.eigvalsh(_from_lower(tensor))


def _from_lower(tensor: Any) -> Tensor:
    """The symmetric matrices with the lower triangles of a tensor."""
    (a,) = floats(tensor)
    return np.tril(a) + np.tril(a, -1).mT


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) vᵀ and `s` in falling order, or `s` alone where `compute_uv` is False.

    tensor: (…, n, m). full_matrices: u and v are square; they have min(n, m) columns by default, and only then a
    gradient.

    >>> import pullback.tf as tf
    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)
    <Tensor [4. 3.], float32>
    """
    (x,) = floats(tensor)
    if not compute_uv:
        return np.linalg.svd(x, compute_uv=False)
    u, s, vt = np.linalg.svd(x, full_matrices=full_matrices)
    return s, u, vt.mT
