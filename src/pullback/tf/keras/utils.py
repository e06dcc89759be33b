"""`tf.keras.utils`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from pullback.tf.seeds import set_seed
from pullback.tf.values import bare


def to_categorical(x: Any, num_classes: int | None = None) -> np.ndarray:
    """A row for each of the classes `x`: 1 at its place among `num_classes` (one more than the largest by default).

    >>> import pullback.tf as tf
    >>> tf.keras.utils.to_categorical([2, 0])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    classes = bare(x).astype(int)
    if classes.ndim > 1 and classes.shape[-1] == 1:
        classes = classes[..., 0]
    return np.eye(int(classes.max(initial=-1)) + 1 if num_classes is None else num_classes)[classes]


def set_random_seed(seed: int) -> None:
    """Start the generators of Python, of NumPy and of random operations anew with this `seed`.

    >>> import pullback.tf as tf
    >>> tf.keras.utils.set_random_seed(0)
    """
    random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)


def normalize(x: Any, axis: int = -1, order: int = 2) -> np.ndarray:
    """`x` over its norms of an `order` along an `axis`; norms of 0 count as 1.

    >>> import pullback.tf as tf
    >>> tf.keras.utils.normalize([[3.0, 4.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    given = bare(x)
    length = np.linalg.norm(given, order, axis, keepdims=True)
    return given / np.where(length == 0, 1, length)


__all__ = ["normalize", "set_random_seed", "to_categorical"]
