"""`tf.keras.optimizers`."""

from typing import Any

from pullback.tf.keras.optimizers import schedules
from pullback.tf.keras.optimizers.base import Optimizer
from pullback.tf.keras.optimizers.moments import Adam, Adamax, AdamW, Nadam
from pullback.tf.keras.optimizers.momentum import SGD, Lion
from pullback.tf.keras.optimizers.scaled import Adafactor, Lamb
from pullback.tf.keras.optimizers.squares import Adadelta, Adagrad, Ftrl, RMSprop


def get(identifier: Any) -> Any:
    """A new optimizer of this name, or of a dict with `class_name` and `config`, or `identifier` itself.

    >>> import pullback.tf as tf
    >>> type(tf.keras.optimizers.get("adam")).__name__
    'Adam'
    """
    if isinstance(identifier, dict):
        return type(get(identifier["class_name"])).from_config(identifier["config"])
    if not isinstance(identifier, str):
        return identifier
    classes = {one.__name__.lower(): one for one in Optimizer.__subclasses__()} | {"adamw": AdamW}
    if identifier.lower() not in classes:
        raise ValueError(f"there is no optimizer {identifier!r}")
    return classes[identifier.lower()]()


__all__ = [
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lamb",
    "Lion",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "get",
    "schedules",
]
