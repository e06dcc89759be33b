"""Functions that are linear between kinks: their second derivatives are 0, as TensorFlow has them, not None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor, custom_gradient

Map = Callable[[Any], Any]


def piecewise(x: Tensor, y: Any, slope: Any) -> Any:
    """The elements y that were computed of those of x, with the derivative `slope`.

    A slope of booleans is 0 or 1; where it is 0, so is the gradient, whatever it is multiplied by.

    >>> import pullback.tf as tf
    >>> x = tf.constant([2.0, -3.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = piecewise(x, np.abs(x.numpy()), np.sign(x.numpy()))
    >>> tape.gradient(y, x)
    <Tensor [ 1. -1.], float32>
    """

    def scaled(elements: Any) -> Any:
        return np.where(slope, elements, 0) if slope.dtype == bool else elements * slope

    @custom_gradient
    def function(x: Tensor) -> Any:
        return Tensor(y), lambda y_bar: linear_beside(y_bar, x, scaled, scaled)

    return function(x)


def linear_beside(v: Tensor, x: Tensor, forwards: Map, backwards: Map) -> Any:
    """The linear map `forwards` of v, whose transpose is `backwards`, with the derivative 0 by x, which it was made of.

    Both maps take arrays and return them.
    """

    @custom_gradient
    def function(v: Tensor, x: Tensor) -> Any:
        def gradient(y_bar: Tensor) -> Any:
            return linear_beside(y_bar, x, backwards, forwards), np.zeros(x.shape, x.dtype)

        return Tensor(forwards(v._value)), gradient

    return function(v, x)
