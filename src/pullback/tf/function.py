"""`tf.function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def function(func: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """`func` itself: it runs as it reads, with Python's control flow on the values of tensors.

    `options` of TensorFlow's are taken and change nothing, for there is no graph to be traced.

    >>> import pullback.tf as tf
    >>> @tf.function(jit_compile=True)
    ... def relu(x):
    ...     return x if x > 0 else 0 * x
    >>> relu(tf.constant(-2.0))
    <Tensor -0.0, float32>
    """
    if func is None:
        return lambda given: given
    return func
