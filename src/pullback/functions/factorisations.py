"""Factorisations of matrices, and other functions with several results.

Here `y` and `y_bar` are tuples; the cotangent of a result that nobody needs, or that is no float, may be None.

Formulas: Murray (2016), Differentiation of the Cholesky decomposition, for cholesky; Giles (2008), An extended
collection of matrix derivative results, section 3, for eigenvalues and singular values; Walter and Lehmann (2010),
Algorithmic differentiation of linear algebra functions with application in optimum experimental design, for qr.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.declare import helper, vjp


@vjp(np.linalg.cholesky)
def cholesky(a, upper=False, *, y, y_bar):
    """From a = y yᵀ:  ā = y⁻ᵀ Φ(yᵀ ȳ) y⁻¹, made symmetric; Φ halves the diagonal and drops what is above it."""
    if upper:
        y, y_bar = y.mT, y_bar.mT
    inner = _lower_half(y.mT @ y_bar)
    half = np.linalg.solve(y.mT, np.linalg.solve(y.mT, inner.mT).mT)
    return (half + half.mT) / 2


def _lower_half(square):
    """The lower triangle with half of the diagonal."""
    return np.tril(square) * (1 - np.eye(square.shape[-1]) / 2)


@vjp(np.linalg.eigh)
def eigh(a, UPLO="L", *, y, y_bar):
    """ā = v (diag w̄ + F ∘ vᵀ v̄) vᵀ with F = 1 / (w[j] - w[i]), made symmetric. The eigenvalues must differ."""
    w, v = y
    w_bar, v_bar = y_bar
    if v_bar is None:
        return (v * w_bar[..., None, :]) @ v.mT
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
    return (v * y_bar[..., None, :]) @ v.mT


@vjp(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False, *, y, y_bar):
    """ā = u (diag s̄ + …) vᵀ. Raises NotImplementedError for the full matrices of one that is not square."""
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return (u * y_bar[..., None, :]) @ vt
    u, s, vt = y
    u_bar, s_bar, vt_bar = y_bar
    if u_bar is None and vt_bar is None:
        return (u[..., : s.shape[-1]] * s_bar[..., None, :]) @ vt[..., : s.shape[-1], :]
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
    """ā = (q̄ + q copyltu(r r̄ᵀ - q̄ᵀ q)) r⁻ᵀ. Raises NotImplementedError for wide matrices and other modes."""
    if mode != "reduced" or a.shape[-2] < a.shape[-1]:
        raise NotImplementedError("the derivative of np.linalg.qr is known for its reduced mode and tall matrices")
    q, r = y
    q_bar, r_bar = y_bar
    if q_bar is None:
        inner, q_bar = r @ r_bar.mT, np.zeros_like(q)
    elif r_bar is None:
        inner = -(q_bar.mT @ q)
    else:
        inner = r @ r_bar.mT - q_bar.mT @ q
    symmetric = np.tril(inner) + np.tril(inner, -1).mT
    return np.linalg.solve(r, (q_bar + q @ symmetric).mT).mT


@vjp(np.linalg.slogdet)
def slogdet(a, *, y_bar):
    """ā = ȳ a⁻ᵀ for the logarithm; the sign is constant."""
    _, logarithm_bar = y_bar
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
