"""Densities of several variables of `scipy.stats`, by texts in NumPy's functions."""

from __future__ import annotations

import numpy as np
from scipy import linalg, special, stats

from pullback.functions.declare import composes
from pullback.functions.scipy.laws import wide


@composes(stats.multivariate_normal.logpdf)
def normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    """By the Cholesky factor of the covariance. Raises LinAlgError unless that is positive definite.

    Without a vector or matrix among the parameters, each number of `x` is a place; else each of its rows.
    """
    if allow_singular:
        raise NotImplementedError("the derivative of a normal density is known for a covariance that is not singular")
    mean, cov, x = wide(0.0 if mean is None else mean), wide(cov), wide(x)
    if np.ndim(mean) == 0 and np.ndim(cov) == 0:
        return -0.5 * ((x - mean) ** 2 / cov + np.log(cov)) - 0.9189385332046727  # log √(2 π)
    count = np.shape(cov)[0] if np.ndim(cov) > 0 else np.shape(mean)[0]
    if np.ndim(x) == 0 or np.shape(x)[-1] != count:
        raise ValueError("the last axis of 'x' must have the variables of the distribution")
    deviations = x - mean
    if np.ndim(cov) < 2:
        squares = np.sum(deviations * deviations / cov, axis=-1)
        return -0.5 * (squares + np.sum(np.log(cov) + np.zeros(count))) - 0.9189385332046727 * count
    factor = np.linalg.cholesky(cov)
    rows = np.reshape(deviations, (-1, count))
    scaled = linalg.solve_triangular(factor, rows.T, lower=True)
    squares = np.reshape(np.sum(scaled * scaled, axis=0), np.shape(deviations)[:-1])
    return -0.5 * squares - np.sum(np.log(np.diag(factor))) - 0.9189385332046727 * count


@composes(stats.multivariate_normal.pdf)
def normal_pdf(x, mean=None, cov=1, allow_singular=False):
    return np.exp(stats.multivariate_normal.logpdf(x, mean, cov, allow_singular))


@composes(stats.dirichlet.logpdf)
def dirichlet_logpdf(x, alpha):
    """Variables along the first axis, of which the last may be left out: it is what is missing to 1."""
    x, alpha = wide(x), wide(alpha)
    if np.shape(x)[0] + 1 == np.shape(alpha)[0]:
        x = np.concatenate((x, np.expand_dims(1 - np.sum(x, axis=0), 0)))
    if np.any(alpha <= 0):
        raise ValueError("All parameters must be greater than 0")
    if np.shape(x)[0] != np.shape(alpha)[0]:
        raise ValueError("Vector 'x' must have either the same number of entries as, or one entry fewer than, 'alpha'")
    if np.any(x < 0) or np.any(x > 1) or np.any(np.abs(np.sum(x, axis=0) - 1.0) > 10e-10):
        raise ValueError("The input vector 'x' must lie within the normal simplex")
    powers = alpha - 1 if np.ndim(x) == 1 else np.expand_dims(alpha - 1, -1)
    logarithm = np.sum(special.gammaln(alpha)) - special.gammaln(np.sum(alpha))
    return np.sum(special.xlogy(powers, x), axis=0) - logarithm


@composes(stats.dirichlet.pdf)
def dirichlet_pdf(x, alpha):
    return np.exp(stats.dirichlet.logpdf(x, alpha))
