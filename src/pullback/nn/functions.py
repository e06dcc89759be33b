"""Activations and losses, written in NumPy's functions: they serve arrays, tensors and differentiable functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from pullback import runtime


def linear(x: Any) -> Any:
    """x itself: the activation of a layer without one.

    >>> import pullback as pb
    >>> pb.nn.linear(2.0)
    2.0
    """
    return x


def relu(x: Any) -> Any:
    """max(x, 0) of the elements of x, with the derivative 0 at 0.

    >>> import numpy as np, pullback as pb
    >>> pb.nn.relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return np.where(x > 0, x, 0)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)) of the elements of x.

    >>> import pullback as pb
    >>> float(pb.nn.sigmoid(0.0))
    0.5
    """
    return scipy.special.expit(x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent of the elements of x.

    >>> import pullback as pb
    >>> float(pb.nn.tanh(0.0))
    0.0
    """
    return np.tanh(x)


def softplus(x: Any) -> Any:
    """log(1 + exp(x)) of the elements of x, without overflow.

    >>> import pullback as pb
    >>> float(pb.nn.softplus(1000.0))
    1000.0
    """
    return np.logaddexp(x, 0)


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) over its sum along an `axis` of the array `x`; large elements do not overflow.

    >>> import numpy as np, pullback as pb
    >>> pb.nn.softmax(np.array([[0.0, 0.0], [0.0, 1000.0]]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    return runtime.softmax(x, axis)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax` of the array `x` along an `axis`, also where that is 0.

    >>> import numpy as np, pullback as pb
    >>> pb.nn.log_softmax(np.array([0.0, 1000.0]))
    array([-1000.,     0.])
    """
    return runtime.log_softmax(x, axis)


def mean_squared_error(predicted: Any, wanted: Any) -> Any:
    """The mean of the squared differences of two arrays, `predicted` and `wanted`, of one shape.

    >>> import numpy as np, pullback as pb
    >>> float(pb.nn.mean_squared_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])))
    2.0
    """
    return np.mean((predicted - wanted) ** 2)


def softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean over rows of -log softmax(logits)[label].

    logits: (n, classes). labels: (n,) integers, or (n, classes) probabilities.

    >>> import numpy as np, pullback as pb
    >>> float(pb.nn.softmax_cross_entropy(np.array([[0.0, 1000.0]]), np.array([0])))
    1000.0
    """
    if np.ndim(labels) == 1:
        return -np.mean(log_softmax(logits)[np.arange(np.shape(labels)[0]), labels])
    return runtime.softmax_cross_entropy(logits, labels)


def sigmoid_cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean of -log of the probability that sigmoid(logits) gives to labels.

    logits, labels: arrays of one shape; labels lie between 0 and 1.

    >>> import numpy as np, pullback as pb
    >>> float(pb.nn.sigmoid_cross_entropy(np.array([1000.0]), np.array([0.0])))
    1000.0
    """
    return np.mean(np.logaddexp(logits, 0) - labels * logits)


ACTIVATIONS: dict[str | None, Callable[[Any], Any]] = {
    None: linear,
    "linear": linear,
    "relu": relu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "softplus": softplus,
    "tanh": tanh,
}


def activation_of(name: str | Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """The activation of this name, or the function itself. ValueError for another name."""
    if callable(name):
        return name
    if name not in ACTIVATIONS:
        raise ValueError(f"there is no activation {name!r}: there are {', '.join(sorted(filter(None, ACTIVATIONS)))}")
    return ACTIVATIONS[name]
