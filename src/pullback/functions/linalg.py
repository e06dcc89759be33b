"""Linear algebra: products, traces, determinants, inverses and solutions of systems.

Formulas: Giles (2008), An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation, section 2. Ranks are known before the run, so each `if` on them is decided by the reader.
Stacks of matrices broadcast; what broadcasting added is summed out by the transform.
"""

from __future__ import annotations

import operator

import numpy as np

from pullback import runtime
from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import bilinear, helper, known, linear, vjp
from pullback.functions.operands import (
    are_matrix_and_right_sides,
    are_mixed_matrix_and_right_sides,
    are_vectors,
    are_vectors_or_matrices,
    is_matrix,
)


@bilinear(
    np.matmul,
    operator="MatMult",
    on_numbers=operator.matmul,
    compiled=helper(runtime.matrix_product, when=are_vectors_or_matrices) + helper(runtime.matmul),
)
def matmul(x1, x2, *, y_bar):
    """From y = x1 x2:  x̄1 = ȳ x2ᵀ,  x̄2 = x1ᵀ ȳ.   Giles (2008), 2.2.1."""
    if x1.ndim == 1 and x2.ndim == 1:
        return y_bar * x2, x1 * y_bar
    if x1.ndim == 1 and x2.ndim == 2:
        return x2 @ y_bar, np.outer(x1, y_bar)
    if x1.ndim == 1:
        return np.matmul(x2, y_bar[..., None])[..., 0], x1[:, None] * y_bar[..., None, :]
    if x1.ndim == 2 and x2.ndim == 1:
        return np.outer(y_bar, x2), y_bar @ x1
    if x2.ndim == 1:
        return y_bar[..., None] * x2, np.matmul(y_bar[..., None, :], x1)[..., 0, :]
    return y_bar @ x2.mT, x1.mT @ y_bar


@bilinear(
    np.dot,
    is_method=True,
    parameters=("a", "b"),
    compiled=helper(runtime.matrix_product, when=are_vectors_or_matrices) + helper(runtime.dot),
)
def dot(a, b, *, y_bar):
    """As for matmul; a scalar factor multiplies. Raises NotImplementedError if `b` has more than two axes."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return y_bar * b, a * y_bar
    if b.ndim > 2:
        raise NotImplementedError("the derivative of np.dot is known for a second factor of at most 2 dimensions")
    return matmul(a, b, y_bar=y_bar)


@bilinear(np.inner, parameters=("a", "b"), compiled=helper(runtime.inner))
def inner(a, b, *, y_bar):
    """From y = a bᵀ:  ā = ȳ b,  b̄ = ȳᵀ a. Raises NotImplementedError if a factor has more than two axes."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return y_bar * b, a * y_bar
    if a.ndim > 2 or b.ndim > 2:
        raise NotImplementedError("the derivative of np.inner is known for factors of at most 2 dimensions")
    if a.ndim == 1 and b.ndim == 1:
        return y_bar * b, a * y_bar
    if a.ndim == 1:
        return y_bar @ b, np.outer(y_bar, a)
    if b.ndim == 1:
        return np.outer(y_bar, b), y_bar @ a
    return y_bar @ b, y_bar.T @ a


@bilinear(np.outer, compiled=helper(runtime.vector_outer, when=are_vectors) + helper(runtime.outer))
def outer(a, b, *, y_bar):
    """From y[i, j] = a[i] b[j], both flattened:  ā = ȳ b,  b̄ = ȳᵀ a."""
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return y_bar @ b, a @ y_bar
    a_bar, b_bar = y_bar @ np.ravel(b), np.ravel(a) @ y_bar
    return np.reshape(a_bar, np.shape(a)), np.reshape(b_bar, np.shape(b))


@bilinear(np.vdot, compiled=helper(runtime.vdot), parameters=("a", "b"))
def vdot(a, b, *, y_bar):
    """From y = Σ a* b:  ā = (ȳ b)*,  b̄ = ȳ a*."""
    return conjugated(y_bar * np.reshape(b, np.shape(a))), y_bar * conjugated(np.reshape(a, np.shape(b)))


@linear(np.trace, is_method=True)
def trace(a, offset=0, *, y_bar):
    """ȳ on the diagonal. Giles (2008), 2.2.4 with A = 1. Raises NotImplementedError for a stack of matrices."""
    if a.ndim != 2:
        raise NotImplementedError("the derivative of np.trace is known for 2-dimensional arrays")
    return y_bar * np.eye(a.shape[0], a.shape[1], offset, dtype=a.dtype)


@vjp(np.linalg.det, compiled=helper(runtime.determinant_of, when=is_matrix))
def det(a, *, y, y_bar):
    """ā = ȳ y a⁻ᵀ.   Giles (2008), 2.2.4. Raises LinAlgError if `a` is singular."""
    if a.ndim == 2:
        return y_bar * y * np.linalg.inv(a).T
    return (y_bar * y)[..., None, None] * np.linalg.inv(a).mT


@vjp(np.linalg.inv, compiled=helper(runtime.inverse_of, when=is_matrix))
def inv(a, *, y, y_bar):
    """ā = -yᵀ ȳ yᵀ.   Giles (2008), 2.2.3."""
    return -(y.mT @ y_bar @ y.mT)


@vjp(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False, *, rtol=None, y, y_bar):
    """ā = -yᵀ ȳ yᵀ + ((1 - a y) ȳᵀ y y*ᵀ + y*ᵀ y ȳᵀ (1 - y a))*, for a constant rank.

    Golub and Pereyra (1973), The differentiation of pseudo-inverses, 4.12.
    """
    of_range = y_bar.mT @ y @ conjugated(y.mT)
    of_null = conjugated(y.mT) @ y @ y_bar.mT
    return conjugated(of_range - a @ (y @ of_range) + of_null - (of_null @ y) @ a) - y.mT @ y_bar @ y.mT


@vjp(
    np.linalg.solve,
    compiled=helper(runtime.solution_of, when=are_matrix_and_right_sides)
    + helper(runtime.solution_of_mixed, when=are_mixed_matrix_and_right_sides),
)
def solve(a, b, *, y, y_bar):
    """Cotangents of `y = solve(a, b)`.

    a: (..., n, n), b: (n,) or (..., n, k), floating. Raises LinAlgError if `a` is singular, as the primal does.
    From a y = b:  b̄ = a⁻ᵀ ȳ,  ā = -b̄ yᵀ.   Giles (2008), 2.3.1.
    """
    if a.ndim == 2 and b.ndim == 1:
        b_bar = np.linalg.solve(a.T, y_bar)
        return -np.outer(b_bar, y), b_bar
    if b.ndim == 1:
        column = np.linalg.solve(a.mT, y_bar[..., None])
        return -column * y[..., None, :], column[..., 0]
    b_bar = np.linalg.solve(a.mT, y_bar)
    return -(b_bar @ y.mT), b_bar


known(
    np.matmul,
    np.dot,
    np.inner,
    np.outer,
    np.vdot,
    np.trace,
    np.linalg.det,
    np.linalg.inv,
    np.linalg.pinv,
    np.linalg.solve,
    of_complex=True,
)
