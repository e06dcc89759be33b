"""`tf.keras.optimizers`."""

from typing import Any

from pullback.tf.keras.optimizers import schedules
from pullback.tf.keras.optimizers.base import Optimizer
from pullback.tf.keras.optimizers.moments import Adam, Adamax, AdamW, Nadam
from pullback.tf.keras.optimizers.momentum import SGD, Lion
from pullback.tf.keras.optimizers.squares import Adadelta, Adagrad, Ftrl, RMSprop


def get(identifier: Any) -> Any:
    """A new optimizer of this name, or `identifier` itself.

    >>> import pullback.tf as tf
    >>> type(tf.keras.optimizers.get("adam")).__name__
    'Adam'
    """
    if not isinstance(identifier, str):
        return identifier
    classes = {one.__name__.lower(): one for one in Optimizer.__subclasses__()} | {"adamw": AdamW}
    if identifier.lower() not in classes:
        raise ValueError(f"there is no optimizer {identifier!r}")
    return classes[identifier.lower()]()


__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lion",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "get",
    "schedules",
]
