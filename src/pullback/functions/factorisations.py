"""Factorisations of matrices, and other functions with several results.

Here `y` and `y_bar` are tuples; the cotangent of a result that nobody needs, or that is no float, may be None.

Formulas: Murray (2016), Differentiation of the Cholesky decomposition, for cholesky; Giles (2008), An extended
collection of matrix derivative results, section 3, for eigenvalues and singular values; Walter and Lehmann (2010),
Algorithmic differentiation of linear algebra functions with application in optimum experimental design, for qr.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import helper, known, vjp
from pullback.functions.operands import is_matrix


@vjp(np.linalg.cholesky)
def cholesky(a, upper=False, *, y, y_bar):
    """From a = y y*ᵀ:  ā = y⁻ᵀ Φ(yᵀ ȳ) y*⁻¹, made Hermitian; Φ halves the diagonal and drops what is above it."""
    if upper:
        y, y_bar = conjugated(y.mT), conjugated(y_bar.mT)
    inner = _lower_half(y.mT @ y_bar)
    half = np.linalg.solve(y.mT, np.linalg.solve(conjugated(y.mT), inner.mT).mT)
    return (half + conjugated(half.mT)) / 2


def _lower_half(square):
    """The lower triangle with half of the diagonal."""
    return np.tril(square) * (1 - np.eye(square.shape[-1]) / 2)


@vjp(np.linalg.eigh)
def eigh(a, UPLO="L", *, y, y_bar):
    """ā = v (diag w̄ + F ∘ vᵀ v̄) vᵀ with F = 1 / (w[j] - w[i]), made symmetric. The eigenvalues must differ."""
    w, v = y
    w_bar, v_bar = y_bar
    if v_bar is None:
        return (conjugated(v) * w_bar[..., None, :]) @ v.mT
    if np.iscomplexobj(a):
        raise NotImplementedError("the eigenvectors of a complex matrix have phases, by which there is no derivative")
    distances = w[..., None, :] - w[..., :, None]
    same = distances == 0
    inverse = np.where(same, 0, 1 / np.where(same, 1, distances))
    inner = inverse * (v.mT @ v_bar)
    if w_bar is not None:
        inner = inner + w_bar[..., None, :] * np.eye(w.shape[-1])
    whole = v @ inner @ v.mT
    return (whole + whole.mT) / 2


@vjp(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L", *, y_bar):
    """ā = v diag(ȳ) vᵀ."""
    v = np.linalg.eigh(a).eigenvectors if UPLO == "L" else np.linalg.eigh(a, UPLO).eigenvectors
    return (conjugated(v) * y_bar[..., None, :]) @ v.mT


@vjp(runtime.real_eig)
def eig(a, *, y, y_bar):
    """ā = v⁻ᵀ (diag w̄ + F ∘ (vᵀ v̄ - vᵀ v diag(vᵀ v̄))) vᵀ with F = 1 / (w[j] - w[i]); vectors have the length 1.

    The eigenvalues must differ.   Boeddeker et al. (2017), On the computation of complex-valued gradients, 4.77.
    """
    w, v = y
    w_bar, v_bar = y_bar
    identity = np.eye(w.shape[-1])
    inner = 0 * v if w_bar is None else w_bar[..., None, :] * identity
    if v_bar is not None:
        distances = w[..., None, :] - w[..., :, None]
        same = distances == 0
        inverse = np.where(same, 0, 1 / np.where(same, 1, distances))
        of_v = v.mT @ v_bar
        inner = inner + inverse * (of_v - (v.mT @ v) * np.sum(v * v_bar, axis=-2)[..., None, :])
    return np.linalg.solve(v.mT, inner @ v.mT)


@vjp(np.linalg.lstsq)
def lstsq(a, b, rcond=None, *, y, y_bar):
    """Of the solution as of a⁺ b for a constant rank, of the sum of squares, and of the singular values.

    Golub and Pereyra (1973), The differentiation of pseudo-inverses, 4.12.
    """
    x, residuals, _, _ = y
    x_bar, residuals_bar, _, s_bar = y_bar
    columns, solution = (b[:, None], x[:, None]) if np.ndim(b) == 1 else (b, x)
    left = columns - a @ solution
    a_bar, b_bar = np.zeros_like(a), np.zeros_like(columns)
    if x_bar is not None:
        of_x = x_bar[:, None] if np.ndim(b) == 1 else x_bar
        inverse = np.linalg.pinv(a)
        moved = inverse.T @ of_x
        b_bar = b_bar + moved
        of_null = of_x - a.T @ moved
        of_range = conjugated(left @ (conjugated(inverse) @ moved).T)
        a_bar = a_bar - moved @ solution.T + of_range + conjugated(moved_of_null(inverse, solution, of_null))
    if residuals_bar is not None and residuals.shape[0] > 0:
        of_left = 2 * residuals_bar * conjugated(left)
        b_bar = b_bar + of_left
        a_bar = a_bar - of_left @ solution.T
    if s_bar is not None:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        a_bar = a_bar + conjugated((u * s_bar) @ vt)
    return a_bar, b_bar[:, 0] if np.ndim(b) == 1 else b_bar


def moved_of_null(inverse, solution, of_null):
    """What the null space of a matrix of fewer rows than columns adds: a⁺*ᵀ a⁺ b (x̄ - aᵀ a⁺ᵀ x̄)ᵀ."""
    return (conjugated(inverse).T @ solution) @ of_null.T


@vjp(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False, *, y, y_bar):
    """ā = u (diag s̄ + …) vᵀ. Raises NotImplementedError for the full matrices of one that is not square."""
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return (conjugated(u) * y_bar[..., None, :]) @ conjugated(vt)
    u, s, vt = y
    u_bar, s_bar, vt_bar = y_bar
    if u_bar is None and vt_bar is None:
        return (conjugated(u[..., : s.shape[-1]]) * s_bar[..., None, :]) @ conjugated(vt[..., : s.shape[-1], :])
    if np.iscomplexobj(a):
        raise NotImplementedError(
            "the singular vectors of a complex matrix have phases, by which there is no derivative"
        )
    if u.shape[-1] != s.shape[-1] or vt.shape[-2] != s.shape[-1]:
        raise NotImplementedError("the derivative of np.linalg.svd is known with full_matrices=False")
    squares = s[..., None, :] ** 2 - s[..., :, None] ** 2
    same = squares == 0
    inverse = np.where(same, 0, 1 / np.where(same, 1, squares))
    across, along = s[..., None, :], s[..., :, None]
    a_bar = np.zeros_like(a) if s_bar is None else (u * s_bar[..., None, :]) @ vt
    if u_bar is not None:
        of_u = inverse * (u.mT @ u_bar)
        beside = u_bar - u @ (u.mT @ u_bar)
        a_bar = a_bar + (u @ ((of_u + of_u.mT) * across) + beside / across) @ vt
    if vt_bar is not None:
        of_v = inverse * (vt @ vt_bar.mT)
        beside = vt_bar - (vt_bar @ vt.mT) @ vt
        a_bar = a_bar + u @ (along * (of_v + of_v.mT) @ vt) + (u / across) @ beside
    return a_bar


@vjp(np.linalg.qr)
def qr(a, mode="reduced", *, y, y_bar):
    """ā = (q̄ + q copyltu(r r̄ᵀ - q̄ᵀ q)) r⁻ᵀ, for a matrix that is not wide.

    One that is wide is (x, z) = q (u, v), and z̄ = q v̄, while q̄ gets z v̄ᵀ: Roberts and Roberts (2020), QR and LQ
    decomposition matrix backpropagation algorithms for square, wide, and deep matrices.
    """
    if mode == "r":
        return qr_bars(a, np.linalg.qr(a)[0], y, None, y_bar)
    if mode == "raw":
        raise NotImplementedError("the derivative of np.linalg.qr is not known for its raw mode")
    q, r = y
    q_bar, r_bar = y_bar
    if mode == "complete" and a.shape[-2] > a.shape[-1]:
        raise NotImplementedError("the derivative of np.linalg.qr is known for its reduced mode where a matrix is tall")
    return qr_bars(a, q, r, q_bar, r_bar)


def qr_bars(a, q, r, q_bar, r_bar):
    """The cotangent of a matrix, of whose factors one may have none."""
    rows, columns = a.shape[-2], a.shape[-1]
    if rows >= columns:
        return tall_qr(q, r, q_bar, r_bar)
    if r_bar is None:
        of_first = tall_qr(q, r[..., :rows], q_bar, None)
        return np.concatenate((of_first, np.zeros_like(a[..., rows:])), axis=-1)
    of_rest = r_bar[..., rows:]
    moved = conjugated(a[..., rows:] @ of_rest.mT)
    of_first = tall_qr(q, r[..., :rows], moved if q_bar is None else q_bar + moved, r_bar[..., :rows])
    return np.concatenate((of_first, conjugated(q) @ of_rest), axis=-1)


def tall_qr(q, r, q_bar, r_bar):
    if q_bar is None:
        inner, q_bar = r @ r_bar.mT, np.zeros_like(q)
    elif r_bar is None:
        inner = -(q_bar.mT @ q)
    else:
        inner = r @ r_bar.mT - q_bar.mT @ q
    symmetric = conjugated(np.tril(inner)) + np.tril(inner, -1).mT
    if np.iscomplexobj(r):
        symmetric = symmetric + 1j * np.imag(inner) * np.eye(inner.shape[-1])  # the diagonal of r is real
    return np.linalg.solve(r, (q_bar + conjugated(q) @ symmetric).mT).mT


@vjp(np.linalg.slogdet, compiled=helper(runtime.sign_and_logarithm, when=is_matrix))
def slogdet(a, *, y, y_bar):
    """ā = ȳ a⁻ᵀ for the logarithm; a real sign is constant, and a complex one turns by Im tr a⁻¹ȧ."""
    sign_bar, logarithm_bar = y_bar
    if np.iscomplexobj(a) and sign_bar is not None:
        turn = 1j * np.imag(sign_bar * y[0])
        logarithm_bar = turn if logarithm_bar is None else logarithm_bar + turn
    if logarithm_bar is None:
        return np.zeros_like(a)
    if np.ndim(a) == 2:
        return logarithm_bar * np.linalg.inv(a).T
    return logarithm_bar[..., None, None] * np.linalg.inv(a).mT


@vjp(np.modf, compiled=helper(runtime.modf))
def modf(x, *, y_bar):
    """The fractional part moves with x, the whole part does not."""
    return np.zeros_like(x) if y_bar[0] is None else y_bar[0]


@vjp(np.frexp, compiled=helper(runtime.frexp))
def frexp(x, *, y, y_bar):
    """From x = mantissa 2^exponent, with an exponent that does not move."""
    return np.zeros_like(x) if y_bar[0] is None else y_bar[0] / np.exp2(1.0 * y[1])


known(
    np.linalg.cholesky,
    np.linalg.eigh,
    np.linalg.eigvalsh,
    np.linalg.lstsq,
    np.linalg.svd,
    np.linalg.qr,
    np.linalg.slogdet,
    of_complex=True,
)
