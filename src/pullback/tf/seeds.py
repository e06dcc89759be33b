"""The generators that random operations draw from."""

from __future__ import annotations

import numpy as np


class _Global:
    """The generator of operations without a seed of their own, and the seed that `set_seed` gave."""

    seed: int | None = None
    generator = np.random.default_rng()
    drawn = 0


def set_seed(seed: int) -> None:
    """Start the generator of all random operations anew, so that they draw the same numbers again for the same `seed`.

    >>> import pullback.tf as tf
    >>> tf.random.set_seed(3)
    >>> x = tf.random.normal([2])
    >>> tf.random.set_seed(3)
    >>> bool(tf.reduce_all(x == tf.random.normal([2])))
    True
    """
    _Global.seed, _Global.generator, _Global.drawn = seed, np.random.default_rng(seed), 0


def generator(seed: int | None = None) -> np.random.Generator:
    """The global generator; for an operation with a seed one of its own, another one at each call after `set_seed`."""
    if seed is None:
        return _Global.generator
    _Global.drawn += 1
    return np.random.default_rng([abs(int(seed)), _Global.drawn, 0 if _Global.seed is None else _Global.seed + 1])
