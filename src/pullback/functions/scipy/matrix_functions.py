"""Functions of matrices, and equations for matrices: of `scipy.linalg`.

A function f of a matrix of blocks (a, e; 0, a) has the derivative of f at a along e beside its diagonal: Mathias
(1996), A chain rule for matrix functions; its transpose stands there for (aᵀ, ȳ; 0, aᵀ).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from pullback.functions.declare import composes, known, vjp


def blocks(a, e):
    """(a, e; 0, a)."""
    above = np.concatenate((a, e), axis=-1)
    return np.concatenate((above, np.concatenate((np.zeros_like(a), a), axis=-1)), axis=-2)


def beside(whole, n):
    """The block beside the diagonal."""
    return whole[..., :n, n:]


@vjp(linalg.expm)
def expm(A, *, y_bar):
    return beside(linalg.expm(blocks(A.mT, y_bar)), A.shape[-1])


@composes(linalg.expm_frechet)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    derivative = beside(linalg.expm(blocks(A, E)), A.shape[-1])
    return (linalg.expm(A), derivative) if compute_expm else derivative


@vjp(linalg.logm)
def logm(A, *, y_bar):
    return beside(linalg.logm(blocks(A.mT, y_bar)), A.shape[-1])


@vjp(linalg.cosm)
def cosm(A, *, y_bar):
    return beside(linalg.cosm(blocks(A.mT, y_bar)), A.shape[-1])


@vjp(linalg.sinm)
def sinm(A, *, y_bar):
    return beside(linalg.sinm(blocks(A.mT, y_bar)), A.shape[-1])


@vjp(linalg.coshm)
def coshm(A, *, y_bar):
    return beside(linalg.coshm(blocks(A.mT, y_bar)), A.shape[-1])


@vjp(linalg.sinhm)
def sinhm(A, *, y_bar):
    return beside(linalg.sinhm(blocks(A.mT, y_bar)), A.shape[-1])


@vjp(linalg.sqrtm)
def sqrtm(A, *, y, y_bar):
    """From y y = a:  yᵀ ā + ā yᵀ = ȳ.   Higham (2008), Functions of matrices, 6.1."""
    return linalg.solve_sylvester(y.T, y.T, y_bar)


@vjp(linalg.solve_sylvester)
def solve_sylvester(a, b, q, *, y, y_bar):
    """From a y + y b = q:  aᵀ q̄ + q̄ bᵀ = ȳ,  ā = -q̄ yᵀ,  b̄ = -yᵀ q̄."""
    q_bar = linalg.solve_sylvester(a.T, b.T, y_bar)
    return -(q_bar @ y.T), -(y.T @ q_bar), q_bar


@vjp(linalg.solve_continuous_lyapunov, linalg.solve_lyapunov)
def solve_continuous_lyapunov(a, q, *, y, y_bar):
    """From a y + y aᵀ = q:  aᵀ q̄ + q̄ a = ȳ,  ā = -q̄ yᵀ - q̄ᵀ y."""
    q_bar = linalg.solve_continuous_lyapunov(a.T, y_bar)
    return -(q_bar @ y.T) - q_bar.T @ y, q_bar


@vjp(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a, q, method=None, *, y, y_bar):
    """From y = a y aᵀ + q:  q̄ = aᵀ q̄ a + ȳ,  ā = q̄ a yᵀ + q̄ᵀ a y."""
    q_bar = linalg.solve_discrete_lyapunov(a.T, y_bar)
    return q_bar @ a @ y.T + q_bar.T @ a @ y, q_bar


@vjp(linalg.solve_continuous_are)
def solve_continuous_are(a, b, q, r, *, y, y_bar):
    """By the Lyapunov equation of the closed loop a - b k with k = r⁻¹ bᵀ y.   Kao and Hennequin (2020), 3.2."""
    gain = np.linalg.solve(r, b.T @ y)
    q_bar = linalg.solve_continuous_lyapunov(a - b @ gain, -(y_bar + y_bar.T) / 2)
    return 2 * y @ q_bar, -2 * y @ q_bar @ gain.T, q_bar, gain @ q_bar @ gain.T


@vjp(linalg.solve_discrete_are)
def solve_discrete_are(a, b, q, r, *, y, y_bar):
    """By the Lyapunov equation of the closed loop a - b k with k = (r + bᵀ y b)⁻¹ bᵀ y a."""
    gain = np.linalg.solve(r + b.T @ y @ b, b.T @ y @ a)
    closed = a - b @ gain
    q_bar = linalg.solve_discrete_lyapunov(closed, (y_bar + y_bar.T) / 2)
    moved = 2 * y @ closed @ q_bar
    return moved, -(moved @ gain.T), q_bar, gain @ q_bar @ gain.T


known(
    linalg.expm,
    linalg.logm,
    linalg.cosm,
    linalg.sinm,
    linalg.coshm,
    linalg.sinhm,
    linalg.sqrtm,
    linalg.expm_frechet,
    linalg.solve_sylvester,
    of_complex=True,
)
