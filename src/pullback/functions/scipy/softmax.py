"""Reductions of `scipy.special` by texts in NumPy's functions."""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback import runtime
from pullback.functions.declare import behind_choice, composes, helper, vjp
from pullback.functions.parts import as_array
from pullback.functions.reductions import beside
from pullback.runtime import masked_product


@vjp(special.logsumexp, is_reduction=True, compiled=helper(runtime.logsumexp_over, axis=None, keepdims=False))
def logsumexp(a, axis=None, keepdims=False, *, y, y_bar):
    """ā = ȳ exp(a - y); 0 where all elements are -∞, and so is their sum."""
    total = beside(np.where(y == -np.inf, 0, y), axis, keepdims)
    return beside(y_bar, axis, keepdims) * np.exp(a - total)


@behind_choice(special.logsumexp)
def chosen_logsumexp(a, axis=None, keepdims=False, *, y, y_bar):
    """The same, where a cotangent of exactly 0 stays 0 beside infinity and NaN."""
    total = beside(np.where(y == -np.inf, 0, y), axis, keepdims)
    return masked_product(beside(y_bar, axis, keepdims), np.exp(a - total))


@composes(special.logsumexp)
def weighted_logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """log |Σ b exp a|, and the sign of the sum; without it, NaN for one below 0. What is taken off moves nothing."""
    if b is None:
        whole = special.logsumexp(a, axis=axis, keepdims=keepdims)
        return (whole, np.sign(np.exp(whole))) if return_sign else whole
    shifted = np.where(b == 0, -np.inf, a)
    largest = runtime.stop_gradient(np.max(shifted, axis=axis, keepdims=True))
    largest = np.where(np.isfinite(largest), largest, 0)
    total = np.sum(b * np.exp(shifted - largest), axis=axis, keepdims=keepdims)
    offset = largest if keepdims else np.reshape(largest, np.shape(total))
    if return_sign:
        return np.log(np.abs(total)) + offset, np.sign(total)
    return np.log(total) + offset


@composes(special.softmax)
def softmax(x, axis=None):
    """exp x / Σ exp x. Nothing moves with the largest element, which is taken off first."""
    x = as_array(x)
    largest = runtime.stop_gradient(np.max(x, axis=axis, keepdims=True))
    shifted = np.exp(x - largest)
    return shifted / np.sum(shifted, axis=axis, keepdims=True)


@composes(special.log_softmax)
def log_softmax(x, axis=None):
    """x - log Σ exp x."""
    x = as_array(x)
    largest = runtime.stop_gradient(np.max(x, axis=axis, keepdims=True))
    shifted = x - np.where(np.isfinite(largest), largest, 0)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@composes(special.softplus)
def softplus(x):
    return np.logaddexp(0, x)
