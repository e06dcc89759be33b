"""`tf.keras.backend`: the dtype and the small number that layers and losses take where none is given."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

import numpy as np


class _Settings:
    floatx = np.dtype(np.float32)
    epsilon = 1e-7
    names: ClassVar[Counter[str]] = Counter()


def floatx() -> str:
    """The name of the dtype of variables where none is given.

    >>> import pullback.tf as tf
    >>> tf.keras.backend.floatx()
    'float32'
    """
    return _Settings.floatx.name


def set_floatx(value: str) -> None:
    """Let variables have the dtype `value` where none is given: 'float32' or 'float64'.

    >>> import pullback.tf as tf
    >>> tf.keras.backend.set_floatx("float32")
    """
    if np.dtype(value).kind != "f":
        raise ValueError(f"variables are floating, not {value}")
    _Settings.floatx = np.dtype(value)


def epsilon() -> float:
    """How far losses keep probabilities from 0 and 1.

    >>> import pullback.tf as tf
    >>> tf.keras.backend.epsilon()
    1e-07
    """
    return _Settings.epsilon


def set_epsilon(value: float) -> None:
    """Let losses keep probabilities so far from 0 and 1 as `value`.

    >>> import pullback.tf as tf
    >>> tf.keras.backend.set_epsilon(1e-7)
    """
    _Settings.epsilon = float(value)


def clear_session(free_memory: bool = True) -> None:
    """Number the names of layers from the start again. `free_memory` has no effect.

    >>> import pullback.tf as tf
    >>> tf.keras.backend.clear_session()
    """
    _Settings.names.clear()


def words_of(name: str) -> str:
    """The words of a name of a class in small letters: 'batch_normalization'."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def next_name(kind: str) -> str:
    """A name for the next layer of this kind: 'dense', 'dense_1' and so on."""
    count = _Settings.names[kind]
    _Settings.names[kind] += 1
    return f"{kind}_{count}" if count else kind


__all__ = ["clear_session", "epsilon", "floatx", "set_epsilon", "set_floatx"]
