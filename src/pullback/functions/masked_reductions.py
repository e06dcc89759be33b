"""Reductions with `where=` and `initial=`, by those without: their texts stand in the place of such calls.

np.sum(a, where=m)              →   np.sum(np.where(m, a, 0))
np.max(a, axis=0, initial=c)    →   np.max of the elements along the axis and c
"""

from __future__ import annotations

import numpy as np

from pullback.functions.complex_numbers import conjugated, real_part
from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, shape_along
from pullback.functions.quantiles import beside_reduced, has_fractions, in_lines, real_dtype


@composes(np.sum)
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum of the elements where a mask is true, and of a first number."""
    total = np.sum(chosen(as_array(a), where, 0), axis=axis, dtype=dtype, keepdims=keepdims)
    return total if initial is None else total + of_its_kind(initial, total)


@composes(np.prod)
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The product of the elements where a mask is true, and of a first number."""
    total = np.prod(chosen(as_array(a), where, 1), axis=axis, dtype=dtype, keepdims=keepdims)
    return total if initial is None else total * of_its_kind(initial, total)


def of_its_kind(initial, total):
    """A first number, of which what is real takes the real part."""
    return np.real(initial) if np.iscomplexobj(initial) and not np.iscomplexobj(total) else initial


def chosen(a, where, value):
    """The elements, with another number where a mask is false."""
    if isinstance(where, bool) and where:
        return a
    found = np.where(where, a, value)
    if np.shape(found) != np.shape(a):
        raise ValueError("the mask of a reduction has more elements than the array along an axis")
    return found


@composes(np.max)
def max_(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The largest of a first number and of the elements where a mask is true."""
    a = as_array(a)
    needs_initial(initial is None and not isinstance(where, bool), "maximum")
    if initial is None:
        return np.max(a, axis=axis, keepdims=keepdims)
    return beside_reduced(np.max(and_initial(a, axis, initial, where), axis=-1), axis, np.ndim(a), keepdims)


@composes(np.min)
def min_(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The smallest of a first number and of the elements where a mask is true."""
    a = as_array(a)
    needs_initial(initial is None and not isinstance(where, bool), "minimum")
    if initial is None:
        return np.min(a, axis=axis, keepdims=keepdims)
    return beside_reduced(np.min(and_initial(a, axis, initial, where), axis=-1), axis, np.ndim(a), keepdims)


@planning
def needs_initial(is_missing, name):
    """Raises ValueError where a mask could leave nothing."""
    if is_missing:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify "
            "'initial'"
        )


def and_initial(a, axis, initial, where):
    """The elements along the axes in a row, and the first number behind them."""
    lines = in_lines(chosen(a, where, initial), axis)
    first = np.broadcast_to(initial, np.shape(lines)[:-1] + (1,)).astype(a.dtype)
    return np.concatenate((lines, first), axis=-1)


@composes(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean of the elements where a mask is true."""
    a = as_array(a)
    total = np.sum(chosen(a, where, 0), axis=axis, dtype=dtype, keepdims=keepdims)
    return total / in_dtype_of(count_of(a, where, axis, keepdims), total)


def count_of(a, where, axis, keepdims):
    """How many elements of a reduction a mask lets in."""
    return np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims)


def in_dtype_of(count, total):
    """A count in the dtype of floats that it divides."""
    return count.astype(total.dtype) if has_fractions(total.dtype) else count


@composes(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    """The variance of the elements where a mask is true, about their mean or a mean that is given."""
    a = as_array(a)
    a = a if has_fractions(a.dtype) else a.astype(np.float64)
    a = a if dtype is None else a.astype(real_dtype(dtype))
    count = count_of(a, where, axis, keepdims)
    if mean is None:
        whole = np.sum(chosen(a, where, 0), axis=axis, keepdims=True)
        mean = whole / in_dtype_of(count_of(a, where, axis, True), whole)
    apart = chosen(a - mean, where, 0)
    total = np.sum(real_part(apart * conjugated(apart)), axis=axis, keepdims=keepdims)
    return total / in_dtype_of(np.maximum(count - ddof, 0), total)


@composes(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    """The root of that variance; its derivative is 0 at 0, a subgradient."""
    variance = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean)
    return np.where(variance > 0, np.sqrt(np.where(variance > 0, variance, 1)), variance)[()]


def is_masked(ranks):
    """Whether a call has a mask."""
    return "where" in ranks


@composes(np.all, text_when=is_masked)
def all_(a, axis=None, out=None, keepdims=False, *, where=True):
    """Whether all elements hold where a mask is true."""
    return np.all(chosen(as_array(a) != 0, where, True), axis=axis, keepdims=keepdims)


@composes(np.any, text_when=is_masked)
def any_(a, axis=None, out=None, keepdims=False, *, where=True):
    """Whether an element holds where a mask is true."""
    return np.any(chosen(as_array(a) != 0, where, False), axis=axis, keepdims=keepdims)


@composes(np.cumulative_sum)
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The sums so far along an axis, from 0 where asked for."""
    x = np.atleast_1d(as_array(x))
    along = only_axis(axis, np.ndim(x))
    sums = np.cumsum(x, axis=along, dtype=dtype)
    return after(0, sums, along) if include_initial else sums


@composes(np.cumulative_prod)
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The products so far along an axis, from 1 where asked for."""
    x = np.atleast_1d(as_array(x))
    along = only_axis(axis, np.ndim(x))
    products = np.cumprod(x, axis=along, dtype=dtype)
    return after(1, products, along) if include_initial else products


def after(first, rest, axis):
    """A number before the elements along an axis."""
    return np.concatenate((np.full(shape_along(rest, axis, 1), first).astype(rest.dtype), rest), axis=axis)


@planning
def only_axis(axis, rank):
    """The axis of a scan. Raises ValueError where it could be any of several."""
    if axis is None and rank > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    return 0 if axis is None else axis


known(
    np.cumulative_sum,
    np.cumulative_prod,
    np.all,
    np.any,
    of_complex=True,
)
