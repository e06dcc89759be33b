"""Further functions of `scipy.linalg` by texts: least squares, functions of matrices, matrices of coefficients."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from pullback.functions.declare import composes, planning, vjp
from pullback.functions.parts import as_array
from pullback.functions.scipy.matrix_functions import beside, blocks


@composes(linalg.lstsq)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    """As np.linalg.lstsq. The residue of one right-hand side is a number, 0 where SciPy has none."""
    a, b = as_array(a), as_array(b)
    by_singular_values(lapack_driver)
    x, residues, rank, s = np.linalg.lstsq(a, b, cond if cond is not None else spacing_of(a.dtype))
    return x, np.sum(residues) if np.ndim(b) == 1 else residues, rank, s


@planning
def by_singular_values(driver):
    """Raises NotImplementedError for a way that finds no singular values."""
    if driver not in (None, "gelsd", "gelss"):
        raise NotImplementedError("scipy.linalg.lstsq is followed with lapack_driver 'gelsd' and 'gelss'")


@planning
def spacing_of(dtype):
    """The distance of 1 to the next number."""
    return float(np.finfo(dtype if np.dtype(dtype).kind == "f" else np.float64).eps)


@composes(linalg.tanm)
def tanm(A):
    return np.linalg.solve(linalg.cosm(A), linalg.sinm(A))


@composes(linalg.tanhm)
def tanhm(A):
    return np.linalg.solve(linalg.coshm(A), linalg.sinhm(A))


@vjp(linalg.fractional_matrix_power)
def fractional_matrix_power(A, t, *, y_bar):
    """By the matrix, not by the exponent: see `matrix_functions`."""
    return beside(linalg.fractional_matrix_power(blocks(A.T, y_bar), t), A.shape[-1]), None


@composes(linalg.orthogonal_procrustes)
def orthogonal_procrustes(A, B, check_finite=True):
    """The orthogonal matrix that brings one matrix nearest to another.   Schönemann (1966)."""
    u, s, vh = np.linalg.svd((as_array(B).T @ as_array(A)).T)
    return u @ vh, np.sum(s)


@composes(linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """The product with the whole matrix; SciPy transforms, which rounds in another way."""
    if isinstance(c_or_cr, tuple):
        return linalg.toeplitz(c_or_cr[0], c_or_cr[1]) @ as_array(x)
    return linalg.toeplitz(c_or_cr) @ as_array(x)


@composes(linalg.solve_circulant)
def solve_circulant(c, b, singular="raise"):
    """By elimination; SciPy transforms, which rounds in another way. Raises LinAlgError for a singular matrix."""
    must_raise(singular)
    return np.linalg.solve(linalg.circulant(c), as_array(b))


@planning
def must_raise(singular):
    if singular != "raise":
        raise NotImplementedError("scipy.linalg.solve_circulant is followed with singular='raise'")


@composes(linalg.companion)
def companion(a):
    """-a[1:] / a[0] above the identity."""
    a = as_array(a)
    whole = np.eye(a.shape[0] - 1, k=-1) + np.zeros((1, 1), a.dtype)
    whole[0] = -a[1:] / a[0]
    return whole


@composes(linalg.leslie)
def leslie(f, s):
    """f above the diagonal of s."""
    f, s = as_array(f), as_array(s)
    if f.shape[0] != s.shape[0] + 1:
        raise ValueError("The length of s must be one less than the length of f.")
    whole = np.zeros((f.shape[0], f.shape[0])) + 0.0 * f
    whole[0] = f
    for k in range(s.shape[0]):
        whole[k + 1, k] = s[k]
    return whole


@composes(linalg.fiedler)
def fiedler(a):
    """|a[i] - a[j]|."""
    a = as_array(a)
    return np.abs(a[:, None] - a)


@composes(linalg.convolution_matrix)
def convolution_matrix(a, n, mode="full"):
    """The matrix whose product with a vector of n elements is its convolution with a."""
    a, kind = as_array(a), known_extent(mode)
    zeros = np.zeros(n - 1, a.dtype)
    whole = linalg.toeplitz(np.concatenate((a, zeros)), np.concatenate((a[:1], zeros)))
    if kind == "full":
        return whole
    shorter, longer = min(n, a.shape[0]), max(n, a.shape[0])
    if kind == "same":
        first = (shorter - 1) // 2
        return whole[first : first + longer].copy()
    return whole[shorter - 1 : longer].copy()


@planning
def known_extent(mode):
    """How much of a convolution is wanted. Raises ValueError for another mode."""
    if mode not in ("full", "same", "valid"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    return mode
