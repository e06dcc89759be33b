"""The derivatives of factorisations and contractions, whose results are several or whose arguments are any number.

Formulas: Murray (2016), Differentiation of the Cholesky decomposition, for cholesky; Giles (2008), An extended
collection of matrix derivative results, section 3, for eigenvalues and singular values; Walter and Lehmann (2010),
Algorithmic differentiation of linear algebra functions with application in optimum experimental design, for qr.
"""

from __future__ import annotations

import string

import numpy as np

from pullback.tape.rules import linear, vjp


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
    distances = w[..., None, :] - w[..., :, None]
    same = distances == 0
    inverse = np.where(same, 0, 1 / np.where(same, 1, distances))
    inner = w_bar[..., None, :] * np.eye(w.shape[-1]) + inverse * (v.mT @ v_bar)
    whole = v @ inner @ v.mT
    return (whole + whole.mT) / 2


@vjp(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L", *, y_bar):
    """ā = v diag(ȳ) vᵀ."""
    v = np.linalg.eigh(a, UPLO).eigenvectors
    return (v * y_bar[..., None, :]) @ v.mT


@vjp(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False, *, y, y_bar):
    """ā = u (diag s̄ + …) vᵀ. Raises NotImplementedError for the full matrices of one that is not square."""
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return (u * y_bar[..., None, :]) @ vt
    u, s, vt = y
    u_bar, s_bar, vt_bar = y_bar
    if u.shape[-1] != s.shape[-1] or vt.shape[-2] != s.shape[-1]:
        raise NotImplementedError("the derivative of np.linalg.svd is known with full_matrices=False")
    v, v_bar, identity = vt.mT, vt_bar.mT, np.eye(s.shape[-1])
    squares = s[..., None, :] ** 2 - s[..., :, None] ** 2
    same = squares == 0
    inverse = np.where(same, 0, 1 / np.where(same, 1, squares))
    of_u, of_v = inverse * (u.mT @ u_bar), inverse * (v.mT @ v_bar)
    across, along = s[..., None, :], s[..., :, None]
    inner = (of_u + of_u.mT) * across + along * (of_v + of_v.mT) + s_bar[..., None, :] * identity
    a_bar = u @ inner @ vt
    if u.shape[-2] > u.shape[-1]:
        beside = u_bar - u @ (u.mT @ u_bar)
        a_bar = a_bar + (beside / across) @ vt
    if v.shape[-2] > v.shape[-1]:
        beside = v_bar - v @ (v.mT @ v_bar)
        a_bar = a_bar + (u / across) @ beside.mT
    return a_bar


@vjp(np.linalg.qr)
def qr(a, mode="reduced", *, y, y_bar):
    """ā = (q̄ + q copyltu(r r̄ᵀ - q̄ᵀ q)) r⁻ᵀ. Raises NotImplementedError for wide matrices and other modes."""
    if mode != "reduced" or a.shape[-2] < a.shape[-1]:
        raise NotImplementedError("the derivative of np.linalg.qr is known for its reduced mode and tall matrices")
    q, r = y
    q_bar, r_bar = y_bar
    inner = r @ r_bar.mT - q_bar.mT @ q
    symmetric = np.tril(inner) + np.tril(inner, -1).mT
    return np.linalg.solve(r, (q_bar + q @ symmetric).mT).mT


@vjp(np.linalg.slogdet)
def slogdet(a, *, y_bar):
    """ā = ȳ a⁻ᵀ for the logarithm; the sign is constant."""
    _, logarithm_bar = y_bar
    return logarithm_bar[..., None, None] * np.linalg.inv(a).mT


def contraction(operands, terms, result):
    """np.einsum of operands whose subscripts are `terms`, with an explicit result and no ellipsis."""
    return np.einsum(",".join(terms) + "->" + result, *operands)


@linear(contraction)
def contraction_vjp(operands, terms, result, *, y_bar):
    """Each operand gets the contraction of the cotangent with all others.

    What only this operand has is spread by ones; a subscript that it has twice gets a diagonal.
    """
    cotangents = []
    for k, term in enumerate(terms):
        others = [(t, x) for j, (t, x) in enumerate(zip(terms, operands, strict=True)) if j != k]
        known = set("".join([result, *(t for t, _ in others)]))
        unused = iter(sorted(set(string.ascii_letters) - set("".join([result, *terms]))))
        wanted = ""
        for letter, extent in zip(term, operands[k].shape, strict=True):
            if letter in wanted:
                other = next(unused)
                others.append((letter + other, np.eye(extent, dtype=y_bar.dtype)))
                letter = other
            elif letter not in known:
                others.append((letter, np.ones(extent, y_bar.dtype)))
            wanted += letter
        subscripts = ",".join([result, *(t for t, _ in others)]) + "->" + wanted
        cotangents.append(np.einsum(subscripts, y_bar, *(x for _, x in others)))
    return (tuple(cotangents),)
