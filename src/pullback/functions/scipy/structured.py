"""Matrices of a structure: made of vectors, made of blocks, and given by their diagonals: of `scipy.linalg`."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import composes, known, vjp
from pullback.functions.parts import as_array


@composes(linalg.toeplitz)
def toeplitz(c, r=None):
    """c[i - j] below and on the diagonal, r[j - i] above, which is its conjugate without one."""
    c = np.ravel(as_array(c))
    r = conjugated(c) if r is None else np.ravel(as_array(r))
    values = np.concatenate((np.flip(c), r[1:]))
    rows, columns = c.shape[0], r.shape[0]
    return values[np.arange(rows - 1, -1, -1)[:, None] + np.arange(columns)]


@composes(linalg.hankel)
def hankel(c, r=None):
    """c[i + j], and r behind the last of c."""
    c = np.ravel(as_array(c))
    r = np.zeros_like(c) if r is None else np.ravel(as_array(r))
    values = np.concatenate((c, r[1:]))
    return values[np.arange(c.shape[0])[:, None] + np.arange(r.shape[0])]


@composes(linalg.circulant)
def circulant(c):
    """c[(i - j) mod n]."""
    c = as_array(c)
    n = c.shape[-1]
    return c[..., (np.arange(n)[:, None] - np.arange(n)) % n]


@composes(linalg.block_diag)
def block_diag(*arrs):
    """Matrices along the diagonal; a vector is a row."""
    total = 0
    for array in arrs:
        total = total + np.atleast_2d(array).shape[1]
    rows, before = [], 0
    for array in arrs:
        block = np.atleast_2d(array)
        height, width = block.shape[0], block.shape[1]
        left = np.zeros((height, before), dtype=block.dtype)
        right = np.zeros((height, total - before - width), dtype=block.dtype)
        rows.append(np.concatenate((left, block, right), axis=1))
        before = before + width
    return np.concatenate(tuple(rows), axis=0)


@composes(linalg.khatri_rao)
def khatri_rao(a, b):
    """The products of each column with its like."""
    return np.reshape(a[:, None, :] * b[None, :, :], (a.shape[0] * b.shape[0], a.shape[1]))


@composes(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """By elimination; SciPy has Levinson's recursion, which rounds in another way."""
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(linalg.toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(linalg.toeplitz(c_or_cr), b)


# Matrices by their diagonals: ab[u + i - j, j] = a[i, j].


@vjp(linalg.solve_banded, typed_by=2)
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True, *, y, y_bar):
    """From a y = b:  b̄ = a⁻ᵀ ȳ, and on the diagonals ā = -b̄ yᵀ.   Giles (2008), 2.3.1."""
    below_main, above_main = l_and_u
    rows = np.arange(below_main + above_main + 1)
    columns = np.arange(ab.shape[1]) - (below_main - rows)[:, None]
    inside = (columns >= 0) & (columns < ab.shape[1])
    turned = np.where(inside, ab[(below_main + above_main - rows)[:, None], np.where(inside, columns, 0)], 0)
    b_bar = linalg.solve_banded((above_main, below_main), turned, y_bar)
    return None, -products_on_diagonals(b_bar, y, rows - above_main), b_bar


@vjp(linalg.solveh_banded, typed_by=1)
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True, *, y, y_bar):
    """The same for a symmetric matrix, whose elements beside the main diagonal stand for two."""
    b_bar = linalg.solveh_banded(ab, y_bar, lower=lower)
    below = np.arange(ab.shape[0]) - (0 if lower else ab.shape[0] - 1)
    both = products_on_diagonals(b_bar, y, below) + products_on_diagonals(y, b_bar, below)
    return np.where((below == 0)[:, None], -0.5 * both, -both), b_bar


def products_on_diagonals(left, right, below):
    """left[j + d] right[j] for each diagonal, d below the main one, and each column j; 0 where no row is.

    Those of several systems are added up.
    """
    places = np.arange(right.shape[0]) + below[:, None]
    inside = (places >= 0) & (places < right.shape[0])
    products = left[np.where(inside, places, 0)] * right
    return np.where(inside, products if np.ndim(right) == 1 else np.sum(products, axis=-1), 0)


known(
    linalg.toeplitz,
    linalg.hankel,
    linalg.circulant,
    linalg.block_diag,
    linalg.khatri_rao,
    of_complex=True,
)
