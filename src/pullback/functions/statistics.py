"""Reductions without NaN, covariances and correlations: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.complex_numbers import conjugated, real_part
from pullback.functions.declare import composes, known, planning
from pullback.functions.masked_reductions import chosen, max_, min_, prod, sum_, var
from pullback.functions.masked_reductions import mean as mean_of_chosen
from pullback.functions.parts import as_array
from pullback.functions.quantiles import has_fractions, real_dtype


@composes(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum, in which 0 stands for NaN, and where a mask is not true."""
    return sum_(in_place_of_nan(a, 0), axis, dtype, None, keepdims, initial, where)


@composes(np.nanprod)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The product, in which 1 stands for NaN, and where a mask is not true."""
    return prod(in_place_of_nan(a, 1), axis, dtype, None, keepdims, initial, where)


@composes(np.nancumsum)
def nancumsum(a, axis=None, dtype=None, out=None):
    """The sums so far, in which 0 stands for NaN."""
    return np.cumsum(in_place_of_nan(a, 0), axis=axis, dtype=dtype)


@composes(np.nancumprod)
def nancumprod(a, axis=None, dtype=None, out=None):
    """The products so far, in which 1 stands for NaN."""
    return np.cumprod(in_place_of_nan(a, 1), axis=axis, dtype=dtype)


def in_place_of_nan(a, value):
    """The array with another number for each NaN."""
    a = as_array(a)
    return np.where(np.isnan(a), value, a) if has_fractions(a.dtype) else a


@composes(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean of the elements that are not NaN, where a mask is true."""
    a = as_array(a)
    if not has_fractions(a.dtype):
        return mean_of_chosen(a, axis, dtype, None, keepdims, where=where)
    total = np.sum(chosen(in_place_of_nan(a, 0), where, 0), axis=axis, dtype=dtype, keepdims=keepdims)
    return total / np.sum(numbers_among(a, where), axis=axis, keepdims=keepdims).astype(total.dtype)


def numbers_among(a, where):
    """Which elements are not NaN, where a mask is true."""
    return chosen(~np.isnan(a), where, False)


@composes(np.nanvar, renamed={"correction": "ddof"})
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    """The variance of the elements that are not NaN, where a mask is true, about their mean or one that is given."""
    a = as_array(a)
    if not has_fractions(a.dtype):
        return var(a, axis, None, None, ddof, keepdims, where=where, mean=mean)
    there = numbers_among(a, where)
    mean = nanmean(a, axis, None, None, True, where=where) if mean is None else mean
    apart = np.where(there, a - mean, 0)
    square = real_part(apart * conjugated(apart)) if np.iscomplexobj(a) else apart**2
    count = np.sum(there, axis=axis, keepdims=keepdims)
    free = np.where(count > ddof, count - ddof, np.nan).astype(square.dtype)
    return np.sum(square, axis=axis, keepdims=keepdims) / free


@composes(np.nanstd, renamed={"correction": "ddof"})
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    """The root of the variance of the elements that are not NaN; its derivative is 0 at 0, a subgradient."""
    variance = nanvar(a, axis, None, None, ddof, keepdims, where=where, mean=mean)
    return np.where(variance > 0, np.sqrt(np.where(variance > 0, variance, 1)), variance)[()]


@composes(np.nanmax)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The largest of a first number and of the elements that are not NaN, where a mask is true."""
    a = as_array(a)
    found = max_(in_place_of_nan(a, -np.inf), axis, None, keepdims, initial, where)
    return of_numbers(found, a, axis, keepdims) if initial is None else found


@composes(np.nanmin)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The smallest of a first number and of the elements that are not NaN, where a mask is true."""
    a = as_array(a)
    found = min_(in_place_of_nan(a, np.inf), axis, None, keepdims, initial, where)
    return of_numbers(found, a, axis, keepdims) if initial is None else found


def of_numbers(extremum, a, axis, keepdims):
    """An extremum, and NaN where all elements are that."""
    if not has_fractions(a.dtype):
        return extremum
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, extremum)[()]


@composes(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Σ w (x - x̄)(x - x̄)ᵀ of the observations, which stand in the rows of variables, by their number less ddof."""
    m, dtype = as_array(m), real_dtype(dtype)
    x = rows_of(m, rowvar, dtype)
    if y is not None:
        y = rows_of(as_array(y), True, dtype)
        x = np.concatenate((x, y if rowvar or y.shape[0] == 1 else y.T), axis=0)
    free = 1 if ddof is None and not bias else 0 if ddof is None else ddof
    if (fweights is None and aweights is None) or x.shape[0] == 0:
        centred = x - np.mean(x, axis=1, keepdims=True)
        count = (x.shape[1] - free) * 1.0
        scaled = centred
    else:
        weights = weights_of(fweights, aweights, x.shape[1])
        whole = np.sum(weights)
        centred = x - np.sum(x * weights, axis=1, keepdims=True) / whole
        scaled = centred * weights
        count = whole
        if free != 0:
            count = whole - (free if aweights is None else free * np.sum(weights * aweights) / whole)
    products = centred @ scaled.T
    covariance = (products * np.true_divide(1.0, np.maximum(count, 0.0))).astype(products.dtype)
    if np.ndim(m) < 2 and y is None:
        return np.reshape(covariance, ())
    if x.shape[0] == 1:
        raise ValueError("np.cov of a matrix with one variable is one number, which only the run knows: pass a vector")
    return covariance


def rows_of(m, rowvar, dtype):
    """The variables as rows, in a dtype."""
    at_most_a_matrix(np.ndim(m))
    m = m.astype(dtype)
    if np.ndim(m) < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar else m.T


@planning
def at_most_a_matrix(rank):
    """Raises ValueError for an array with more axes."""
    if rank > 2:
        raise ValueError("m has more than 2 dimensions")


def weights_of(fweights, aweights, count):
    """The weights of both kinds in one."""
    if fweights is None:
        return checked(as_array(aweights).astype(np.float64), count)
    counts = checked(as_array(fweights).astype(np.float64), count)
    return counts if aweights is None else counts * checked(as_array(aweights).astype(np.float64), count)


def checked(weights, count):
    """Weights of so many, none of which is negative. Raises RuntimeError and ValueError for others."""
    if np.shape(weights)[0] != count:
        raise RuntimeError("incompatible numbers of samples and weights")
    if np.any(weights < 0):
        raise ValueError("weights cannot be negative")
    return weights


@composes(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The covariances by the roots of the variances, from -1 to 1."""
    covariance = cov(x, y, rowvar, dtype=dtype)
    if np.ndim(covariance) == 0:
        return covariance / covariance
    spread = np.sqrt(np.diagonal(covariance))
    return np.clip(covariance / spread[:, None] / spread[None, :], -1, 1)


known(
    np.nanprod,
    np.nancumsum,
    np.nancumprod,
    np.nanmean,
    np.nanvar,
    np.nanstd,
    of_complex=True,
)
