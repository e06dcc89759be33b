"""`tf.config.experimental`."""

from __future__ import annotations

from typing import Any


def set_memory_growth(device: Any, enable: bool) -> None:
    """No effect, for any `device` and `enable`.

    >>> import pullback.tf as tf
    >>> tf.config.experimental.set_memory_growth(None, True)
    """


def enable_op_determinism() -> None:
    """No effect: operations give the same results each time.

    >>> import pullback.tf as tf
    >>> tf.config.experimental.enable_op_determinism()
    """


__all__ = ["enable_op_determinism", "set_memory_growth"]
