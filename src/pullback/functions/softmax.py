"""The softmax of rows, its logarithm and the cross-entropy: one operation on a tape, a text in others elsewhere."""

from __future__ import annotations

import inspect
import math

import numpy as np

from pullback import runtime
from pullback.functions.declare import behind_choice, known, vjp
from pullback.runtime import masked_product


def everywhere(ranks):
    """Whether the text stands for a call: always, so that its loops are fused with others."""
    return True


for function in (runtime.softmax, runtime.log_softmax, runtime.softmax_cross_entropy):
    known(function, text=inspect.unwrap(function), text_when=everywhere)


@vjp(runtime.softmax)
def softmax(x, axis, *, y, y_bar):
    """x̄ = y (ȳ - Σ ȳ y)."""
    return y * (y_bar - np.sum(y_bar * y, axis=axis, keepdims=True))


@behind_choice(runtime.softmax)
def softmax_behind(x, axis, *, y, y_bar):
    total = np.sum(masked_product(y_bar, y), axis=axis, keepdims=True)
    return masked_product(y_bar - total, y)


@vjp(runtime.log_softmax)
def log_softmax(x, axis, *, y, y_bar):
    """x̄ = ȳ - exp(y) Σ ȳ."""
    return y_bar - np.exp(y) * np.sum(y_bar, axis=axis, keepdims=True)


@behind_choice(runtime.log_softmax)
def log_softmax_behind(x, axis, *, y, y_bar):
    return y_bar - masked_product(np.sum(y_bar, axis=axis, keepdims=True), np.exp(y))


@vjp(runtime.softmax_cross_entropy)
def softmax_cross_entropy(logits, labels, *, y_bar):
    """With r = -ȳ / rows and l = log softmax(logits):  l̄ = r labels, and labels̄ = r l."""
    shape = np.broadcast_shapes(np.shape(logits), np.shape(labels))
    share = -y_bar / math.prod(shape[:-1])
    logarithms = runtime.log_softmax(logits, -1)
    of_logarithms = runtime.sum_to(np.broadcast_to(share * labels, shape), np.shape(logits))
    return log_softmax(logits, -1, y=logarithms, y_bar=of_logarithms), share * logarithms


@behind_choice(runtime.softmax_cross_entropy)
def softmax_cross_entropy_behind(logits, labels, *, y_bar):
    shape = np.broadcast_shapes(np.shape(logits), np.shape(labels))
    share = -y_bar / math.prod(shape[:-1])
    logarithms = runtime.log_softmax(logits, -1)
    of_logarithms = runtime.sum_to(np.broadcast_to(masked_product(share, labels), shape), np.shape(logits))
    of_logits = log_softmax_behind(logits, -1, y=logarithms, y_bar=of_logarithms)
    return of_logits, masked_product(share, logarithms)
