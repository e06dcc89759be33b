"""Initialisers of variables: called with a shape, they draw or make its first elements. Keras has the same ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.random.draws import normal_from, truncated_normal_from, uniform_from
from pullback.tf.seeds import generator
from pullback.tf.values import convert_to_tensor, extents


class Initializer:
    """What initialisers have in common: a subclass says what `__call__(shape, dtype)` returns.

    >>> import pullback.tf as tf
    >>> isinstance(tf.initializers.Zeros(), tf.keras.initializers.Initializer)
    True
    """

    def __call__(self, shape: Any, dtype: Any = None, **keywords: Any) -> Tensor:
        """A tensor of a shape and a dtype, float32 by default."""
        return self.draw(extents(shape), np.dtype(np.float32 if dtype is None else dtype))

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        """The tensor that a subclass makes."""
        raise NotImplementedError


class _Seeded(Initializer):
    """One that draws the same numbers each time, as those of Keras do, also where it chooses a seed by itself."""

    seed: Any = None
    draws_others = False
    """Whether it has no seed where none is given."""

    def rng(self) -> np.random.Generator:
        """The generator to draw from."""
        if self.seed is None and self.draws_others:
            return generator()
        if self.seed is None:
            self.seed = int(generator().integers(2**31))
        return np.random.default_rng(abs(int(self.seed)))


class Zeros(Initializer):
    """Zeros.

    >>> import pullback.tf as tf
    >>> tf.initializers.Zeros()([2])
    <Tensor [0. 0.], float32>
    """

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        return Tensor(np.zeros(shape, dtype)[()])


class Ones(Initializer):
    """Ones.

    >>> import pullback.tf as tf
    >>> tf.initializers.Ones()([2])
    <Tensor [1. 1.], float32>
    """

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        return Tensor(np.ones(shape, dtype)[()])


class Constant(Initializer):
    """The `value`, a number or what has the shape, everywhere.

    >>> import pullback.tf as tf
    >>> tf.initializers.Constant(3.0)([2])
    <Tensor [3. 3.], float32>
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        return Tensor(np.broadcast_to(convert_to_tensor(self.value, dtype)._value, shape).copy()[()])


class RandomNormal(_Seeded):
    """Normally distributed numbers. mean, stddev: their mean and standard deviation. seed: None for one that it draws.

    >>> import pullback.tf as tf
    >>> tf.initializers.RandomNormal(mean=1.0, stddev=0.0)([2])
    <Tensor [1. 1.], float32>
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        return normal_from(self.rng(), shape, self.mean, self.stddev, dtype)


class TruncatedNormal(RandomNormal):
    """Normally distributed numbers at most two times `stddev` from `mean`. seed: None for one that it draws.

    >>> import pullback.tf as tf
    >>> tf.initializers.TruncatedNormal(mean=1.0, stddev=0.0)([2])
    <Tensor [1. 1.], float32>
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        super().__init__(mean, stddev, seed)

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        return truncated_normal_from(self.rng(), shape, self.mean, self.stddev, dtype)


class RandomUniform(_Seeded):
    """Evenly distributed numbers from `minval` to below `maxval`. seed: None for one that it draws.

    >>> import pullback.tf as tf
    >>> tf.initializers.RandomUniform(1.0, 1.0)([2])
    <Tensor [1. 1.], float32>
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        return uniform_from(self.rng(), shape, self.minval, self.maxval, dtype)


class random_normal_initializer(RandomNormal):
    """`RandomNormal` with `mean` and `stddev`, which draws others each time where `seed` is None.

    >>> import pullback.tf as tf
    >>> tf.random_normal_initializer(mean=1.0, stddev=0.0)([2])
    <Tensor [1. 1.], float32>
    """

    draws_others = True


class random_uniform_initializer(RandomUniform):
    """`RandomUniform` from `minval` to below `maxval`, which draws others each time where `seed` is None.

    >>> import pullback.tf as tf
    >>> tf.random_uniform_initializer(1.0, 1.0)([2])
    <Tensor [1. 1.], float32>
    """

    draws_others = True


class VarianceScaling(_Seeded):
    """Numbers whose variance is `scale` over a count: of inputs, of outputs, or the mean of both.

    mode: 'fan_in', 'fan_out' or 'fan_avg'. distribution: 'truncated_normal', 'untruncated_normal' or 'uniform'. seed:
    None for one that it draws.

    >>> import pullback.tf as tf
    >>> bool(tf.reduce_max(tf.abs(tf.initializers.VarianceScaling(3.0, distribution="uniform")([4, 4]))) < 1.5)
    True
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: Any = None
    ) -> None:
        if scale <= 0:
            raise ValueError(f"a scale is positive, not {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"there is no mode {mode!r}")
        distribution = "truncated_normal" if distribution.lower() == "normal" else distribution.lower()
        if distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            raise ValueError(f"there is no distribution {distribution!r}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        inputs, outputs = fans(shape)
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            bound = math.sqrt(3 * variance)
            return uniform_from(self.rng(), shape, -bound, bound, dtype)
        if self.distribution == "untruncated_normal":
            return normal_from(self.rng(), shape, 0.0, math.sqrt(variance), dtype)
        # A normal distribution that is cut off at two has this standard deviation.
        return truncated_normal_from(self.rng(), shape, 0.0, math.sqrt(variance) / 0.87962566103423978, dtype)


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs and outputs each place of weights of this shape has.

    >>> fans((3, 3, 4, 8))
    (36, 72)
    """
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    size = math.prod(shape[:-2])
    return shape[-2] * size, shape[-1] * size


# The scale, the mode, the distribution, and who it is from.
_SCALED = {
    "GlorotNormal": (1.0, "fan_avg", "truncated_normal", "Glorot and Bengio (2010)"),
    "GlorotUniform": (1.0, "fan_avg", "uniform", "Glorot and Bengio (2010)"),
    "HeNormal": (2.0, "fan_in", "truncated_normal", "He et al. (2015)"),
    "HeUniform": (2.0, "fan_in", "uniform", "He et al. (2015)"),
    "LecunNormal": (1.0, "fan_in", "truncated_normal", "LeCun et al. (1998)"),
    "LecunUniform": (1.0, "fan_in", "uniform", "LeCun et al. (1998)"),
}


def _scaled(name: str, scale: float, mode: str, distribution: str, source: str) -> type[VarianceScaling]:
    def __init__(self: Any, seed: Any = None) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    doc = f"""`VarianceScaling({scale}, {mode!r}, {distribution!r})`. {source}. seed: None for one that it draws.

    >>> import pullback.tf as tf
    >>> tf.initializers.{name}()([4, 4]).shape
    (4, 4)
    """
    return type(name, (VarianceScaling,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})


_CLASSES = {name: _scaled(name, *row) for name, row in _SCALED.items()}
GlorotNormal, GlorotUniform = _CLASSES["GlorotNormal"], _CLASSES["GlorotUniform"]
HeNormal, HeUniform = _CLASSES["HeNormal"], _CLASSES["HeUniform"]
LecunNormal, LecunUniform = _CLASSES["LecunNormal"], _CLASSES["LecunUniform"]


class Orthogonal(_Seeded):
    """`gain` times a random matrix whose columns, or rows, are orthonormal. seed: None for one that it draws.

    >>> import pullback.tf as tf
    >>> q = tf.initializers.Orthogonal(gain=2.0)([4, 4])
    >>> bool(tf.reduce_max(tf.abs(tf.transpose(q) @ q - 4.0 * tf.eye(4))) < 1e-5)
    True
    """

    def __init__(self, gain: float = 1.0, seed: Any = None) -> None:
        self.gain, self.seed = gain, seed

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        if len(shape) < 2:
            raise ValueError(f"an orthogonal matrix has two axes or more, not the shape {shape}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        q, r = np.linalg.qr(self.rng().standard_normal((max(rows, columns), min(rows, columns))))
        q = q * np.sign(np.diagonal(r))
        return Tensor((self.gain * (q if rows >= columns else q.T)).reshape(shape).astype(dtype))


class Identity(Initializer):
    """`gain` times the unit matrix.

    >>> import pullback.tf as tf
    >>> tf.initializers.Identity()([2, 2])[0]
    <View [1. 0.], float32>
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        if len(shape) != 2:
            raise ValueError(f"a unit matrix has two axes, not the shape {shape}")
        return Tensor((self.gain * np.eye(*shape)).astype(dtype))


NAMES: dict[str, Callable[..., Initializer]] = {
    "constant": Constant,
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": HeNormal,
    "he_uniform": HeUniform,
    "identity": Identity,
    "lecun_normal": LecunNormal,
    "lecun_uniform": LecunUniform,
    "ones": Ones,
    "orthogonal": Orthogonal,
    "random_normal": RandomNormal,
    "random_uniform": RandomUniform,
    "truncated_normal": TruncatedNormal,
    "variance_scaling": VarianceScaling,
    "zeros": Zeros,
}
globals().update(NAMES)


def get(identifier: Any) -> Any:
    """The initialiser of this name, of either spelling, or `identifier` itself if it can be called; None for None.

    >>> import pullback.tf as tf
    >>> tf.keras.initializers.get("zeros")([2])
    <Tensor [0. 0.], float32>
    """
    if isinstance(identifier, str):
        classes = NAMES | {one.__name__: one for one in NAMES.values()}
        if identifier not in classes:
            raise ValueError(f"there is no initialiser {identifier!r}: there are {', '.join(sorted(NAMES))}")
        return classes[identifier]()
    if isinstance(identifier, type):
        return identifier()
    if identifier is not None and not callable(identifier):
        raise ValueError(f"a {type(identifier).__name__} is no initialiser")
    return identifier


__all__ = [
    *NAMES,
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "get",
]
