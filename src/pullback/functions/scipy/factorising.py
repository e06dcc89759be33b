"""Factorisations under SciPy's names: of `scipy.linalg`. Where it is NumPy's too, the rule is that one's."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from pullback.functions import factorisations
from pullback.functions.declare import composes, known, vjp


@vjp(linalg.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True, *, y, y_bar):
    return factorisations.cholesky(a, not lower, y=y, y_bar=y_bar)


@vjp(linalg.svd)
def svd(
    a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd", *, y, y_bar
):
    return factorisations.svd(a, full_matrices, compute_uv, y=y, y_bar=y_bar)


@composes(linalg.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    return linalg.svd(a, compute_uv=False, check_finite=check_finite)


@vjp(linalg.qr)
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True, *, y, y_bar):
    """Raises NotImplementedError with pivots, and for modes with one result."""
    if pivoting or mode not in ("full", "economic"):
        raise NotImplementedError("the derivative of scipy.linalg.qr is known for two factors, without pivots")
    return factorisations.qr(a, "complete" if mode == "full" else "reduced", y=y, y_bar=y_bar)


@vjp(linalg.eigh)
def eigh(a, b=None, *, lower=True, eigvals_only=False, driver=None, type=1, check_finite=True, y, y_bar):
    """From a v = b v diag(w), vᵀ b v = 1, by what dw and v⁻¹ dv are.   Made symmetric. The eigenvalues must differ."""
    if type != 1:
        raise NotImplementedError("the derivative of scipy.linalg.eigh is known with type=1")
    if eigvals_only:
        w, v = linalg.eigh(a, b, lower=lower)
        w_bar, v_bar = y_bar, None
    else:
        w, v = y
        w_bar, v_bar = y_bar
    inner = np.zeros_like(a) if w_bar is None else w_bar[..., None, :] * np.eye(w.shape[-1])
    across = np.zeros_like(a)
    if v_bar is not None:
        distances = w[..., None, :] - w[..., :, None]
        same = distances == 0
        across = v.mT @ v_bar
        inner = inner + np.where(same, 0, across / np.where(same, 1, distances))
    a_bar = v @ inner @ v.mT
    a_bar = (a_bar + a_bar.mT) / 2
    if b is None:
        return a_bar
    b_bar = -(v @ (inner * w[..., None, :] + 0.5 * across * np.eye(w.shape[-1])) @ v.mT)
    return a_bar, (b_bar + b_bar.mT) / 2


@composes(linalg.eigvalsh)
def eigvalsh(a, b=None, *, lower=True, check_finite=True):
    return linalg.eigh(a, b, lower=lower, eigvals_only=True, check_finite=check_finite)


@vjp(linalg.polar)
def polar(a, side="right", *, y, y_bar):
    """From a = u p: u' is uᵀ's skew part by a Sylvester equation, and what is beside u; p' is that of √(aᵀ a).

    Higham (2008), Functions of matrices, 8.1 and 8.2. Raises NotImplementedError for one that has no p⁻¹.
    """
    u, p = y
    u_bar, p_bar = y_bar
    if side == "left":
        return right_polar_bar(a.T, u.T, p, None if u_bar is None else u_bar.T, p_bar).T
    return right_polar_bar(a, u, p, u_bar, p_bar)


def right_polar_bar(a, u, p, u_bar, p_bar):
    if a.shape[0] < a.shape[1]:
        raise ValueError("the derivative of scipy.linalg.polar is known where the positive factor is the smaller one")
    a_bar = np.zeros_like(a)
    if u_bar is not None:
        along = u.T @ u_bar
        beside = u_bar - u @ along
        a_bar = u @ linalg.solve_sylvester(p, p, along - along.T) + np.linalg.solve(p, beside.T).T
    if p_bar is not None:
        moved = linalg.solve_sylvester(p, p, (p_bar + p_bar.T) / 2)
        a_bar = a_bar + a @ (moved + moved.T)
    return a_bar


known(
    linalg.cholesky,
    linalg.svd,
    linalg.svdvals,
    of_complex=True,
)
