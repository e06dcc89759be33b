"""Rules behind a choice, as `np.where` is one: a cotangent of exactly 0 stays 0 also beside infinity and NaN.

Products of elements are masked one by one. A product of two matrices leaves out what is infinite or NaN in rows and
columns that belong to no element of the result with another cotangent than 0: it is in whole rows or columns of the
result. Only that is left out, for second derivatives: a cotangent may be 0 at one point and not beside it.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions import linalg, reductions
from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import behind_choice, known, partials, vjp
from pullback.runtime import masked_columns, masked_product, masked_rows


@behind_choice(np.matmul)
def matmul(x1, x2, *, y_bar):
    if x1.ndim == 1 and x2.ndim == 1:
        return masked_product(y_bar, x2), masked_product(y_bar, x1)
    if x1.ndim == 1 and x2.ndim == 2:
        return np.sum(masked_product(y_bar, x2), axis=1), masked_product(y_bar, x1[:, None])
    if x1.ndim == 2 and x2.ndim == 1:
        column = y_bar[:, None]
        return masked_product(column, x2), np.sum(masked_product(column, x1), axis=0)
    if x1.ndim == 1 or x2.ndim == 1:
        return linalg.matmul(x1, x2, y_bar=y_bar)
    return y_bar @ masked_columns(x2, y_bar).mT, masked_rows(x1, y_bar).mT @ y_bar


@behind_choice(np.dot)
def dot(a, b, *, y_bar):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return masked_product(y_bar, b), masked_product(y_bar, a)
    if b.ndim > 2:
        return linalg.dot(a, b, y_bar=y_bar)
    return matmul(a, b, y_bar=y_bar)


@behind_choice(np.inner)
def inner(a, b, *, y_bar):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return masked_product(y_bar, b), masked_product(y_bar, a)
    if a.ndim > 2 or b.ndim > 2:
        return linalg.inner(a, b, y_bar=y_bar)
    if b.ndim == 1:
        return matmul(a, b, y_bar=y_bar)
    a_bar, transposed = matmul(a, b.T, y_bar=y_bar)
    return a_bar, transposed.T


@behind_choice(np.outer)
def outer(a, b, *, y_bar):
    a_bar = np.sum(masked_product(y_bar, np.ravel(b)), axis=1)
    b_bar = np.sum(masked_product(y_bar, np.ravel(a)[:, None]), axis=0)
    return np.reshape(a_bar, np.shape(a)), np.reshape(b_bar, np.shape(b))


@behind_choice(np.vdot)
def vdot(a, b, *, y_bar):
    a_bar = masked_product(y_bar, np.reshape(b, np.shape(a)))
    return conjugated(a_bar), masked_product(y_bar, conjugated(np.reshape(a, np.shape(b))))


@behind_choice(np.var)
def var(a, axis=None, ddof=0, keepdims=False, *, y_bar):
    return kept_zero(reductions.var(a, axis, ddof, keepdims, y_bar=y_bar), a, axis, keepdims, y_bar)


@behind_choice(np.std)
def std(a, axis=None, ddof=0, keepdims=False, *, y, y_bar):
    return kept_zero(reductions.std(a, axis, ddof, keepdims, y=y, y_bar=y_bar), a, axis, keepdims, y_bar)


@behind_choice(np.prod)
def prod(a, axis=None, keepdims=False, *, y_bar):
    return kept_zero(reductions.prod(a, axis, keepdims, y_bar=y_bar), a, axis, keepdims, y_bar)


@behind_choice(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False, *, y, y_bar):
    """What is infinite or NaN in a row shows in its norm, whose own derivatives are NaN then."""
    x_bar = reductions.norm(x, ord, axis, keepdims, y=y, y_bar=y_bar)
    of_norm = [runtime.broadcast_along(array, np.shape(x), axis, keepdims) for array in (y, y_bar)]
    return np.where((of_norm[1] != 0) | np.isfinite(of_norm[0]), x_bar, 0)


@behind_choice(np.cumprod)
def cumprod(a, axis=None, *, y, y_bar):
    if axis is None:
        return np.reshape(cumprod_first(np.reshape(a, (-1,)), y, y_bar), np.shape(a))
    if axis == 0:
        return cumprod_first(a, y, y_bar)
    first = cumprod_first(np.moveaxis(a, axis, 0), np.moveaxis(y, axis, 0), np.moveaxis(y_bar, axis, 0))
    return np.moveaxis(first, 0, axis)


def kept_zero(a_bar, a, axis, keepdims, y_bar):
    """The cotangent of an array that is reduced, without infinity and NaN where the result has the cotangent 0."""
    spread = runtime.broadcast_along(y_bar, np.shape(a), axis, keepdims)
    return np.where((spread != 0) | np.isfinite(a_bar), a_bar, 0)


def cumprod_first(a, y, y_bar):
    total = runtime.masked_recurrence(a, y_bar)
    return masked_product(total, np.concatenate((np.ones_like(y[:1]), y[:-1])))


@behind_choice(runtime.recurrence, runtime.masked_recurrence)
def recurrence(a, b, *, y, y_bar):
    b_bar = reductions.forward_recurrence(runtime.masked_recurrence, a, y_bar)
    return np.concatenate((np.zeros_like(a[:1]), masked_product(b_bar[:-1], y[1:]))), b_bar


# For second derivatives. A cotangent that is 0 at one point and not beside it has a derivative: only where it meets
# infinity or NaN is something left out.
partials(
    masked_product,
    lambda x1, x2: (runtime.where((x1 != 0) | np.isfinite(x2), x2, 0), x1),
    chosen=slice(None),
    is_elementwise=False,
)


@vjp(masked_rows, chosen=slice(0, 1))
def rows(x, cotangent, *, y_bar):
    return np.where(np.any(cotangent != 0, axis=-1, keepdims=True) | np.isfinite(x), y_bar, 0), None


@vjp(masked_columns, chosen=slice(0, 1))
def columns(x, cotangent, *, y_bar):
    return np.where(np.any(cotangent != 0, axis=-2, keepdims=True) | np.isfinite(x), y_bar, 0), None


known(
    masked_product,
    masked_rows,
    masked_columns,
    of_complex=True,
)
