"""TensorFlow's random operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import GradientTape, Tensor
from pullback.tf.random.draws import normal_from, truncated_normal_from, uniform_from
from pullback.tf.seeds import generator
from pullback.tf.special import igamma, recorded
from pullback.tf.values import bare, convert_to_tensor, extents, number, operands


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers of a `shape` and a `dtype`, with gradients along `mean` and `stddev`.

    seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> tf.random.normal([2, 3], mean=5.0, stddev=0.0)[0]
    <View [5. 5. 5.], float32>
    """
    return normal_from(generator(seed), shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers of a `shape` and a `dtype`, at most two times `stddev` from `mean`.

    seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> bool(tf.reduce_max(tf.abs(tf.random.truncated_normal([100]))) <= 2.0)
    True
    """
    return truncated_normal_from(generator(seed), shape, mean, stddev, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Evenly distributed numbers of a `shape` and a `dtype` from `minval` to below `maxval`: 1 by default for floats.

    seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> tf.random.uniform([3], 4, 5, dtype=tf.int32)
    <Tensor [4 4 4], int32>
    """
    return uniform_from(generator(seed), shape, minval, maxval, dtype)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The parts of `value` along its first axis in a random order. seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> tf.sort(tf.random.shuffle([1, 2, 3]))
    <Tensor [1 2 3], int32>
    """
    given = convert_to_tensor(value)
    return given[generator(seed).permutation(given.shape[0])]


def categorical(
    logits: Any, num_samples: Any, dtype: Any = np.int64, seed: int | None = None, name: str | None = None
) -> Tensor:
    """`num_samples` classes for each row of `logits`, drawn with probabilities softmax(logits), as a `dtype`.

    seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> tf.random.categorical([[0.0, 1000.0]], 3)
    <Tensor [[1 1 1]], int64>
    """
    rows = bare(logits)
    if rows.ndim != 2:
        raise ValueError(f"logits have two axes, not the shape {rows.shape}")
    noise = generator(seed).gumbel(size=(rows.shape[0], int(number(num_samples)), rows.shape[1]))
    return Tensor(np.argmax(rows[:, None, :] + noise, axis=-1).astype(dtype))


def poisson(shape: Any, lam: Any, dtype: Any = np.float32, seed: int | None = None, name: str | None = None) -> Tensor:
    """Numbers of a Poisson distribution with the rate `lam`, of the shape `shape` followed by that of `lam`.

    dtype: that of the numbers, which have no gradient. seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> tf.random.poisson([2], 0.0)
    <Tensor [0. 0.], float32>
    """
    rate = bare(lam)
    return Tensor(np.asarray(generator(seed).poisson(rate, extents(shape) + rate.shape)).astype(dtype)[()])


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Numbers of a gamma distribution, of the shape `shape` followed by that of its parameters, which get gradients.

    alpha: its form. beta: its rate, 1 by default. dtype: that of the numbers. seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> bool(tf.random.gamma([], 2.0) > 0.0)
    True
    """
    form, rate = operands(convert_to_tensor(alpha, dtype), convert_to_tensor(1.0 if beta is None else beta, dtype))
    form = np.broadcast_to(form, np.broadcast_shapes(form.shape, rate.shape))
    whole = extents(shape) + form.shape
    z = np.asarray(generator(seed).standard_gamma(form._value, whole)).astype(form.dtype)

    def partials(y: Any, a: Tensor) -> tuple[Any]:
        """-∂P/∂a over the density, of the distribution function P. Figurnov et al. (2018)."""
        x = Tensor(y._value)
        by_order, density = _slopes(a, x)
        return (-by_order / density,)

    return recorded(lambda a: z, partials, np.broadcast_to(form, whole)) / rate


def _slopes(a: Tensor, x: Tensor) -> tuple[Any, Any]:
    """The derivatives of `tf.math.igamma` by its two arguments, as arrays."""
    order, at = Tensor(a._value.astype(float)), Tensor(x._value.astype(float))
    with GradientTape() as tape:
        tape.watch([order, at])
        y = igamma(order, at)
    slopes = tape.gradient(y, [order, at])
    return tuple(one._value.astype(x.dtype) for one in slopes)


def _seeded(seed: Any) -> np.random.Generator:
    """The generator for a seed of two integers."""
    return np.random.default_rng([abs(int(n)) for n in bare(seed).ravel()])


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    alg: str = "auto_select",
    name: str | None = None,
) -> Tensor:
    """The numbers of `tf.random.normal` that belong to a `seed` of two integers.

    `shape`, `mean`, `stddev` and `dtype` are those that it has. `alg` has no effect.

    >>> import pullback.tf as tf
    >>> a, b = (tf.random.stateless_normal([2], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """
    return normal_from(_seeded(seed), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """The numbers of `tf.random.truncated_normal` that belong to a `seed` of two integers.

    `shape`, `mean`, `stddev` and `dtype` are those that it has. `alg` has no effect.

    >>> import pullback.tf as tf
    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    (2,)
    """
    return truncated_normal_from(_seeded(seed), shape, mean, stddev, dtype)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """The numbers of `tf.random.uniform` that belong to a `seed` of two integers.

    `shape`, `minval`, `maxval` and `dtype` are those that it has. `alg` has no effect.

    >>> import pullback.tf as tf
    >>> tf.random.stateless_uniform([2], seed=[1, 2]).shape
    (2,)
    """
    return uniform_from(_seeded(seed), shape, minval, maxval, dtype)
