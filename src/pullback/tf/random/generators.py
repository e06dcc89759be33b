"""`tf.random.Generator`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.random.draws import normal_from, truncated_normal_from, uniform_from
from pullback.tf.seeds import generator
from pullback.tf.values import extents


class Generator:
    """Draws random numbers from a state of its own. Made by `from_seed` or `from_non_deterministic_state`.

    rng: a generator of NumPy's.

    >>> import pullback.tf as tf
    >>> a, b = (tf.random.Generator.from_seed(1).normal([2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """One that draws the same numbers for the same `seed`. `alg` has no effect."""
        return cls(np.random.default_rng(abs(int(seed))))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """One that draws others each time. `alg` has no effect."""
        return cls(np.random.default_rng())

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: str | None = None
    ) -> Tensor:
        """See `tf.random.normal`."""
        return normal_from(self._rng, shape, mean, stddev, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: str | None = None
    ) -> Tensor:
        """See `tf.random.truncated_normal`."""
        return truncated_normal_from(self._rng, shape, mean, stddev, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: str | None = None
    ) -> Tensor:
        """See `tf.random.uniform`."""
        return uniform_from(self._rng, shape, minval, maxval, dtype)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = np.int32, name: str | None = None) -> Tensor:
        """How many of `counts` trials succeed, each with the probability `probs`."""
        drawn = self._rng.binomial(np.asarray(counts), np.asarray(probs), extents(shape))
        return Tensor(np.asarray(drawn).astype(dtype)[()])

    def split(self, count: int = 1) -> list[Generator]:
        """So many new ones, which draw other numbers than this one."""
        return [Generator(one) for one in self._rng.spawn(count)]

    def reset_from_seed(self, seed: Any) -> None:
        """Start anew, as one from this `seed` does."""
        self._rng = np.random.default_rng(abs(int(seed)))


class _Chosen:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """The generator that was set, or that of the random operations.

    >>> import pullback.tf as tf
    >>> tf.random.get_global_generator().normal([2]).shape
    (2,)
    """
    return Generator(generator()) if _Chosen.generator is None else _Chosen.generator


def set_global_generator(generator: Generator) -> None:
    """Let `get_global_generator` return this `generator`.

    >>> import pullback.tf as tf
    >>> tf.random.set_global_generator(tf.random.get_global_generator())
    """
    _Chosen.generator = generator
