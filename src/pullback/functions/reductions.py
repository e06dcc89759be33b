"""Reductions and scans: the cotangent of the result is spread along the axes that were reduced."""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import REDUCTION, helper, known, linear, vjp
from pullback.functions.operands import needs_norm


@linear(
    np.sum,
    has_dtype=True,
    compiled=helper(runtime.sum_over, axis=None, keepdims=False),
    **REDUCTION,
)
def sum_(a, axis=None, keepdims=False, *, y_bar):
    return runtime.broadcast_along(y_bar, np.shape(a), axis, keepdims)


@linear(
    np.mean,
    is_method=True,
    is_reduction=True,
    has_dtype=True,
    compiled=helper(runtime.mean_over, axis=None, keepdims=False),
)
def mean(a, axis=None, keepdims=False, *, y_bar):
    return runtime.broadcast_along(y_bar / count_along(np.shape(a), axis), np.shape(a), axis, keepdims)


@vjp(np.nansum, is_reduction=True, compiled=helper(runtime.nansum_over, axis=None, keepdims=False))
def nansum(a, axis=None, keepdims=False, *, y_bar):
    """0 for an element that is NaN, which stands for 0."""
    return np.where(np.isnan(a), 0, runtime.broadcast_along(y_bar, np.shape(a), axis, keepdims))


@linear(runtime.broadcast_along, is_view=True)
def broadcast_along(a, shape, axis=None, keepdims=False, *, y_bar):
    return np.sum(y_bar, axis=axis, keepdims=keepdims)


@linear(runtime.sum_to, is_view=True)
def sum_to(a, shape, *, y_bar):
    return np.broadcast_to(y_bar, np.shape(a))


@vjp(np.max, np.min)
def extremum(a, axis=None, keepdims=False, *, y, y_bar):
    """All elements equal to the extremum share the cotangent."""
    ties = a == beside(y, axis, keepdims)
    count = np.sum(ties, axis=axis, keepdims=keepdims).astype(a.dtype)
    return np.where(ties, beside(y_bar / count, axis, keepdims), 0)


known(
    np.max,
    spellings=(np.amax,),
    compiled=helper(runtime.max_over, axis=None, keepdims=False),
    **REDUCTION,
)
known(
    np.min,
    spellings=(np.amin,),
    compiled=helper(runtime.min_over, axis=None, keepdims=False),
    **REDUCTION,
)


known(runtime.greater_of, runtime.lesser_of, is_elementwise=True, typed_by=0)


@vjp(
    np.var,
    renamed={"correction": "ddof"},
    is_method=True,
    is_reduction=True,
    compiled=helper(runtime.var_over, axis=None, ddof=0, keepdims=False),
)
def var(a, axis=None, ddof=0, keepdims=False, *, y_bar):
    """From y = Σ (a - m)² / (n - ddof):  ā = 2 ȳ (a - m) / (n - ddof); the part through the mean m adds up to 0."""
    scale = 2 * y_bar / (count_along(np.shape(a), axis) - ddof)
    return beside(scale, axis, keepdims) * conjugated(a - np.mean(a, axis=axis, keepdims=True))


@vjp(
    np.std,
    renamed={"correction": "ddof"},
    is_method=True,
    is_reduction=True,
    compiled=helper(runtime.std_over, axis=None, ddof=0, keepdims=False),
)
def std(a, axis=None, ddof=0, keepdims=False, *, y, y_bar):
    """From y² = var(a):  ā = ȳ (a - m) / (y (n - ddof)); 0 if all elements are equal: a subgradient."""
    scale = y_bar / ((y + (y == 0)) * (count_along(np.shape(a), axis) - ddof))
    return beside(scale, axis, keepdims) * conjugated(a - np.mean(a, axis=axis, keepdims=True))


@vjp(
    np.prod,
    has_dtype=True,
    compiled=helper(runtime.prod_over, axis=None, keepdims=False),
    **REDUCTION,
)
def prod(a, axis=None, keepdims=False, *, y_bar):
    """Each element gets the product of all others, so that zeros need no case of their own."""
    if np.ndim(a) == 0:
        return y_bar
    if axis is None:
        return y_bar * np.reshape(product_of_others(np.reshape(a, (-1,))), a.shape)
    if isinstance(axis, tuple):
        front = tuple([k for k, _ in enumerate(axis)])
        moved = np.moveaxis(a, axis, front)
        others = product_of_others(np.reshape(moved, (-1,) + moved.shape[len(axis) :]))
        return beside(y_bar, axis, keepdims) * np.moveaxis(np.reshape(others, moved.shape), front, axis)
    if axis == 0:
        return beside(y_bar, axis, keepdims) * product_of_others(a)
    return beside(y_bar, axis, keepdims) * np.moveaxis(product_of_others(np.moveaxis(a, axis, 0)), 0, axis)


@linear(
    np.cumsum,
    has_dtype=True,
    compiled=helper(runtime.cumsum_along, axis=None),
    **REDUCTION,
)
def cumsum(a, axis=None, *, y_bar):
    """An element is in all later sums: the sums of the cotangents from the end."""
    if axis is None:
        return np.reshape(np.flip(np.cumsum(np.flip(y_bar))), np.shape(a))
    return np.flip(np.cumsum(np.flip(y_bar, axis), axis=axis), axis)


@vjp(
    np.cumprod,
    has_dtype=True,
    compiled=helper(runtime.cumprod_along, axis=None),
    **REDUCTION,
)
def cumprod(a, axis=None, *, y, y_bar):
    """From y[k] = y[k-1] a[k], backwards without a division:  ȳ[k-1] += a[k] ȳ[k],  ā[k] = y[k-1] ȳ[k]."""
    if axis is None:
        return np.reshape(cumprod_first(np.reshape(a, (-1,)), y, y_bar), np.shape(a))
    if axis == 0:
        return cumprod_first(a, y, y_bar)
    first = cumprod_first(np.moveaxis(a, axis, 0), np.moveaxis(y, axis, 0), np.moveaxis(y_bar, axis, 0))
    return np.moveaxis(first, 0, axis)


@vjp(
    np.linalg.norm,
    compiled=helper(runtime.norm_over, when=needs_norm, as_text=("ord",), ord=None, axis=None, keepdims=False),
)
def norm(x, ord=None, axis=None, keepdims=False, *, y, y_bar):
    """Norms of vectors and matrices; 0 at 0, and the mean over what is largest: subgradients."""
    if ord is not None and ord != "fro" and (isinstance(axis, tuple) or (axis is None and np.ndim(x) > 1)):
        along = (-2, -1) if axis is None else axis
        whole = y if keepdims else np.expand_dims(y, along)
        whole_bar = y_bar if keepdims else np.expand_dims(y_bar, along)
        moved = [np.moveaxis(array, along, (-2, -1)) for array in (x, whole, whole_bar)]
        return np.moveaxis(matrix_norm(moved[0], ord, moved[1], moved[2]), (-2, -1), along)
    norm_of, y_bar_of = beside(y, axis, keepdims), beside(y_bar, axis, keepdims)
    if ord is None or ord == 2 or ord == "fro":
        return conjugated(x) * (y_bar_of / (norm_of + (norm_of == 0)))
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return y_bar_of * conjugated(np.sign(x))
    if ord == np.inf or ord == -np.inf:
        ties = np.abs(x) == norm_of
        count = np.maximum(np.sum(ties, axis=axis, keepdims=True), 1).astype(x.dtype)
        return np.where(ties, conjugated(np.sign(x)) * (y_bar_of / count), 0)
    return y_bar_of * conjugated(np.sign(x)) * (np.abs(x) / (norm_of + (norm_of == 0))) ** (ord - 1)


def matrix_norm(x, ord, y, y_bar):
    """The cotangent of matrices in the last two axes, from those of their norms, which have both axes too."""
    if ord in (1, -1, np.inf, -np.inf):
        across = -2 if ord in (1, -1) else -1
        ties = np.sum(np.abs(x), axis=across, keepdims=True) == y
        count = np.maximum(np.sum(ties, axis=(-2, -1), keepdims=True), 1)
        return np.where(ties, conjugated(np.sign(x)) * (y_bar / count), 0)
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    if ord == "nuc":
        return conjugated(u @ vt) * y_bar
    ties = (s == (s[..., :1] if ord == 2 else s[..., -1:]))[..., None, :]
    count = np.maximum(np.sum(ties, axis=-1, keepdims=True), 1)
    return conjugated((u * (ties * (y_bar / count))) @ vt)


def beside(y, axis, keepdims):
    """The result of a reduction, or its cotangent, in a shape that broadcasts with the array that was reduced."""
    if axis is None or keepdims:
        return y
    return np.expand_dims(y, axis)


def count_along(shape, axis):
    """How many elements a reduction of an array of `shape` over `axis` makes into one."""
    count = 1
    if axis is None:
        for extent in shape:
            count = count * extent
    elif isinstance(axis, tuple):
        for k in axis:
            count = count * shape[k]
    else:
        count = shape[axis]
    return count


def product_of_others(a):
    """For each element the product of all others along the first axis: of those before it times of those after it."""
    turned = a[::-1]
    before = np.cumprod(np.concatenate((np.ones_like(a[:1]), a[:-1])), axis=0)
    after = np.cumprod(np.concatenate((np.ones_like(a[:1]), turned[:-1])), axis=0)
    return before * after[::-1]


def cumprod_first(a, y, y_bar):
    """The cotangent of `a` for y = cumprod(a, axis=0)."""
    total = runtime.recurrence(a, y_bar)
    return total * np.concatenate((np.ones_like(y[:1]), y[:-1]))


@vjp(runtime.recurrence)
def recurrence(a, b, *, y, y_bar):
    """From y[k] = b[k] + a[k+1] y[k+1]:  b̄[k] = ȳ[k] + a[k] b̄[k-1],  ā[k] = b̄[k-1] y[k]."""
    b_bar = forward_recurrence(runtime.recurrence, a, y_bar)
    return np.concatenate((np.zeros_like(a[:1]), b_bar[:-1] * y[1:])), b_bar


@vjp(runtime.masked_recurrence)
def masked_recurrence(a, b, *, y, y_bar):
    """As of `recurrence`, with 0 for a coefficient that is masked, as in the partials of a masked product."""
    return recurrence(np.where((y != 0) | np.isfinite(a), a, 0), b, y=y, y_bar=y_bar)


def forward_recurrence(backward, a, b):
    """x[k] = b[k] + a[k] x[k-1], from the first: the coefficients of the reversed recurrence stand one place later."""
    return np.flip(backward(np.roll(np.flip(a, 0), 1, 0), np.flip(b, 0)), 0)


known(
    np.sum,
    np.mean,
    np.nansum,
    np.var,
    np.std,
    np.prod,
    np.cumsum,
    np.cumprod,
    np.linalg.norm,
    runtime.broadcast_along,
    runtime.sum_to,
    runtime.recurrence,
    runtime.masked_recurrence,
    of_complex=True,
)
