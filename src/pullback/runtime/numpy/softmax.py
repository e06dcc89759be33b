"""The softmax, its logarithm and the cross-entropy of rows: one operation each for those who follow operations.

Nothing moves with the largest element of a row, which is taken off first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.detached import stop_gradient
from pullback.runtime.protocol import dispatched


@dispatched
def softmax(x: Any, axis: int) -> Any:
    """exp(x) over its sum along an axis.

    >>> softmax(np.array([0.0, 0.0]), -1)
    array([0.5, 0.5])
    """
    weights = np.exp(x - stop_gradient(np.max(x, axis=axis, keepdims=True)))
    return weights / np.sum(weights, axis=axis, keepdims=True)


@dispatched
def log_softmax(x: Any, axis: int) -> Any:
    """The logarithm of `softmax`, also where that is 0.

    >>> log_softmax(np.array([0.0, 1000.0]), -1)
    array([-1000.,     0.])
    """
    shifted = x - stop_gradient(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@dispatched
def softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean over rows of -Σ labels log softmax(logits), for labels that are probabilities.

    >>> float(softmax_cross_entropy(np.array([[0.0, 1000.0]]), np.array([[1.0, 0.0]])))
    1000.0
    """
    return -np.mean(np.sum(labels * log_softmax(logits, -1), axis=-1))
