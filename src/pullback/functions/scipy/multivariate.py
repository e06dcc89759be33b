"""Densities of several variables of `scipy.stats`, by texts in NumPy's functions."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from pullback.functions.declare import composes
from pullback.functions.parts import as_array
from pullback.functions.scipy.laws import wide


@composes(stats.multivariate_normal.logpdf)
def normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    """By the Cholesky factor of the covariance. Raises LinAlgError unless that is positive definite."""
    if allow_singular:
        raise NotImplementedError("the derivative of a normal density is known for a covariance that is not singular")
    mean = np.atleast_1d(wide(0.0 if mean is None else mean))
    cov = wide(cov)
    count = np.shape(cov)[0] if np.ndim(cov) > 0 else np.shape(mean)[0]
    if np.ndim(cov) < 2:
        cov = cov * np.eye(count)
    x = wide(x)
    x = x[..., None] if np.ndim(x) < 2 and is_row(x, count) else np.atleast_1d(x)
    deviations = x - mean
    factor = np.linalg.cholesky(cov)
    shape = np.shape(deviations)
    columns = np.reshape(deviations, (-1, shape[-1])).T
    scaled = np.linalg.solve(factor, columns)
    squares = np.reshape(np.sum(scaled * scaled, axis=0), shape[:-1])
    logarithm = np.sum(np.log(np.linalg.diagonal(factor)))
    return -0.5 * squares - logarithm - 0.9189385332046727 * count  # log √(2 π)
