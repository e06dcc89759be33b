"""`tf.function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def function(func: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """The function itself: it runs as it reads, with Python's control flow on the values of tensors.

    Options of TensorFlow's are taken and change nothing, for there is no graph to be traced.
    """
    if func is None:
        return lambda given: given
    return func
