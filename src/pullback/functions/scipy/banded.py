"""Factors of symmetric matrices that are given by their diagonals: of `scipy.linalg`."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from pullback.functions.declare import composes, planning
from pullback.functions.parts import as_array


def lower_of(upper):
    """The diagonals of the transpose: that which stands k above the main one becomes row k."""
    count, columns = upper.shape
    lower = np.zeros_like(upper)
    for k in range(min(count, columns)):
        lower[k, : columns - k] = upper[count - 1 - k, k:]
    return lower


@composes(linalg.cholesky_banded)
def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True):
    """By columns. Raises LinAlgError for a matrix that is not positive definite.   Golub and Van Loan (2013), 4.3.5."""
    ab = as_array(ab)
    factor = ab.copy() if lower else lower_of(ab)
    count, columns = factor.shape
    for j in range(columns):
        if not factor[0, j] > 0:
            raise np.linalg.LinAlgError("the matrix is not positive definite")
        factor[0, j] = np.sqrt(factor[0, j])
        for k in range(1, min(count, columns - j)):
            factor[k, j] /= factor[0, j]
        for k in range(1, min(count, columns - j)):
            for i in range(k, min(count, columns - j)):
                factor[i - k, j + k] -= factor[k, j] * factor[i, j]
    if lower:
        return factor
    upper = ab.copy()
    for k in range(min(count, columns)):
        upper[count - 1 - k, k:] = factor[k, : columns - k]
    return upper


@composes(linalg.cho_solve_banded)
def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """Down with the factor, and up with its transpose."""
    cb, lower = cb_and_lower
    factor, y = as_array(cb) if lower else lower_of(as_array(cb)), as_array(b).copy()
    count, columns = factor.shape
    if columns != y.shape[0]:
        raise ValueError("shapes of cb and b are not compatible.")
    for i in range(columns):
        for k in range(1, min(count, i + 1)):
            y[i] -= factor[k, i - k] * y[i - k]
        y[i] /= factor[0, i]
    for i in range(columns - 1, -1, -1):
        for k in range(1, min(count, columns - i)):
            y[i] -= factor[k, i] * y[i + k]
        y[i] /= factor[0, i]
    return y


@composes(linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d, e, select="a"):
    """Of the whole matrix."""
    all_of_them(select)
    d, e = as_array(d), as_array(e)
    return np.linalg.eigvalsh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))


@composes(linalg.eigvals_banded)
def eigvals_banded(a_band, lower=False, overwrite_a_band=False, select="a"):
    """Of the whole matrix."""
    all_of_them(select)
    factor = as_array(a_band) if lower else lower_of(as_array(a_band))
    whole = np.zeros((factor.shape[1], factor.shape[1]), factor.dtype)
    for k in range(min(factor.shape)):
        for i in range(factor.shape[1] - k):
            whole[i + k, i] = factor[k, i]
            whole[i, i + k] = factor[k, i]
    return np.linalg.eigvalsh(whole)


@planning
def all_of_them(select):
    """Raises NotImplementedError where some eigenvalues are asked for."""
    if select not in ("a", "all", 0):
        raise NotImplementedError("eigenvalues of a banded matrix are followed with select='a'")
