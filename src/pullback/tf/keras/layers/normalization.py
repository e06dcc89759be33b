"""Layers that move and scale their inputs to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import stop_gradient
from pullback.tf.keras.backend import epsilon
from pullback.tf.keras.layers.base import Layer
from pullback.tf.linalg import l2_normalize
from pullback.tf.values import bare


class _Affine(Layer):
    """With weights that scale, `gamma`, and move, `beta`, what is normalised."""

    keeps_mask = True
    gamma: Any = None
    beta: Any = None
    scale: bool
    center: bool
    settings: dict[str, tuple[Any, Any, Any]]

    def add_affine(self, shape: tuple[int, ...]) -> None:
        """Make the weights of this shape."""
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            if wanted:
                start, regularizer, constraint = self.settings[name]
                made = self.add_weight(shape, start, name=name, regularizer=regularizer, constraint=constraint)
                setattr(self, name, made)

    def affine(self, x: Any, shape: tuple[int, ...]) -> Any:
        """x scaled and moved by the weights, which have this shape beside it."""
        if self.gamma is not None:
            x = x * np.reshape(self.gamma, shape)
        return x if self.beta is None else x + np.reshape(self.beta, shape)


class BatchNormalization(_Affine):
    """(x - mean) / √(variance + epsilon) for each place along an `axis`, times gamma plus beta.

    Mean and variance are those of the batch while a model is trained, and else the running means of these, which a step
    keeps with a share `momentum`. center, scale: False without beta or gamma. beta_initializer, gamma_initializer,
    moving_mean_initializer, moving_variance_initializer: see `tf.keras.initializers`. beta_regularizer,
    gamma_regularizer, beta_constraint, gamma_constraint: see `add_weight`. synchronized has no effect. keywords: those
    of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> layer = tf.keras.layers.BatchNormalization(epsilon=0.0)
    >>> layer([[1.0], [3.0]], training=True)[:, 0]
    <View [-1.  1.], float32>
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        synchronized: bool = False,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        self.settings = {
            "beta": (beta_initializer, beta_regularizer, beta_constraint),
            "gamma": (gamma_initializer, gamma_regularizer, gamma_constraint),
        }
        self.moving = moving_mean_initializer, moving_variance_initializer

    def build(self, input_shape: Any) -> None:
        """Make the variables, of the length of the axis."""
        shape = (int(input_shape[self.axis]),)
        self.add_affine(shape)
        self.moving_mean = self.add_weight(shape, self.moving[0], trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(shape, self.moving[1], trainable=False, name="moving_variance")

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The normalised inputs."""
        k = self.axis % inputs.ndim
        beside = tuple(n if j == k else 1 for j, n in enumerate(inputs.shape))
        if training and self.trainable:
            over = tuple(j for j in np.arange(inputs.ndim).tolist() if j != k)
            mean, variance = _moments(inputs, over, mask)
            self._follow(self.moving_mean, mean)
            self._follow(self.moving_variance, variance)
        else:
            mean, variance = np.reshape(self.moving_mean, beside), np.reshape(self.moving_variance, beside)
        return self.affine((inputs - mean) / np.sqrt(variance + self.epsilon), beside)

    def _follow(self, moving: Any, now: Any) -> None:
        value = stop_gradient(np.reshape(now, (-1,)))
        moving.assign((moving._value * self.momentum + value._value * (1 - self.momentum)).astype(moving.dtype))


def _moments(x: Any, over: tuple[int, ...], mask: Any) -> tuple[Any, Any]:
    """Mean and variance along axes, of what a mask shows."""
    if mask is None:
        return np.mean(x, axis=over, keepdims=True), np.var(x, axis=over, keepdims=True)
    shown = np.broadcast_to(bare(mask)[..., None].astype(bool), x.shape)
    count = x.dtype.type(epsilon()) + np.sum(shown.astype(x.dtype), axis=over, keepdims=True)
    mean = np.sum(np.where(shown, x, x.dtype.type(0)), axis=over, keepdims=True) / count
    far = np.where(shown, x - mean, x.dtype.type(0))
    return mean, np.sum(far**2, axis=over, keepdims=True) / count


class LayerNormalization(_Affine):
    """(x - mean) / √(variance + epsilon) of each row along an `axis`, or several, times gamma plus beta.

    center, scale: False without beta or gamma. beta_initializer, gamma_initializer: see `tf.keras.initializers`.
    beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint: see `add_weight`. rms_scaling: neither
    the mean nor beta. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.LayerNormalization(epsilon=0.0)([[1.0, 3.0]])
    <Tensor [[-1.  1.]], float32>
    """

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        rms_scaling: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.axis, self.epsilon, self.rms_scaling = axis, epsilon, rms_scaling
        self.center, self.scale = center and not rms_scaling, scale
        self.settings = {
            "beta": (beta_initializer, beta_regularizer, beta_constraint),
            "gamma": (gamma_initializer, gamma_regularizer, gamma_constraint),
        }

    def _over(self, rank: int) -> tuple[int, ...]:
        given = (self.axis,) if isinstance(self.axis, int) else tuple(self.axis)
        return tuple(k % rank for k in given)

    def build(self, input_shape: Any) -> None:
        """Make the variables, of the lengths of the axes."""
        self.add_affine(tuple(int(input_shape[k]) for k in self._over(len(input_shape))))

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        over = self._over(inputs.ndim)
        beside = tuple(n if k in over else 1 for k, n in enumerate(inputs.shape))
        if self.rms_scaling:
            return self.affine(inputs / np.sqrt(np.var(inputs, axis=over, keepdims=True) + self.epsilon), beside)
        mean, variance = np.mean(inputs, axis=over, keepdims=True), np.var(inputs, axis=over, keepdims=True)
        return self.affine((inputs - mean) / np.sqrt(variance + self.epsilon), beside)


class GroupNormalization(_Affine):
    """(x - mean) / √(variance + epsilon) of each group of channels in a row, times gamma plus beta. Wu and He (2018).

    groups: how many groups there are, -1 for one for each channel. axis: that of the channels. center, scale: False
    without beta or gamma. beta_initializer, gamma_initializer: see `tf.keras.initializers`. beta_regularizer,
    gamma_regularizer, beta_constraint, gamma_constraint: see `add_weight`. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.GroupNormalization(groups=2, epsilon=0.0)([[1.0, 3.0, 5.0, 9.0]])
    <Tensor [[-1.  1. -1.  1.]], float32>
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.groups, self.axis, self.epsilon, self.center, self.scale = groups, axis, epsilon, center, scale
        self.settings = {
            "beta": (beta_initializer, beta_regularizer, beta_constraint),
            "gamma": (gamma_initializer, gamma_regularizer, gamma_constraint),
        }

    def build(self, input_shape: Any) -> None:
        """Make the variables, of the length of the axis. ValueError where the groups are not equally large."""
        channels = int(input_shape[self.axis])
        self.groups = channels if self.groups == -1 else self.groups
        if channels % self.groups:
            raise ValueError(f"{channels} channels are no {self.groups} groups of one size")
        self.add_affine((channels,))

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        k, shape = self.axis % inputs.ndim, inputs.shape
        parted = np.reshape(inputs, (*shape[:k], self.groups, shape[k] // self.groups, *shape[k + 1 :]))
        over = tuple(j for j in np.arange(1, parted.ndim).tolist() if j != k)
        mean, variance = np.mean(parted, axis=over, keepdims=True), np.var(parted, axis=over, keepdims=True)
        found = np.reshape((parted - mean) / np.sqrt(variance + self.epsilon), shape)
        return self.affine(found, tuple(n if j == k else 1 for j, n in enumerate(shape)))


class RMSNormalization(Layer):
    """Rows over the root of the mean of their squares plus `epsilon` along an `axis`, times a weight.

    Zhang and Sennrich (2019). keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.RMSNormalization(epsilon=0.0)([[2.0, -2.0]])
    <Tensor [[ 1. -1.]], float32>
    """

    def __init__(self, axis: int = -1, epsilon: float = 1e-6, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape: Any) -> None:
        """Make the weight, of the length of the axis."""
        self.scale = self.add_weight((int(input_shape[self.axis]),), "ones", name="scale")

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        k = self.axis % inputs.ndim
        beside = tuple(n if j == k else 1 for j, n in enumerate(inputs.shape))
        size = np.sqrt(np.mean(inputs**2, axis=k, keepdims=True) + self.epsilon)
        return inputs / size * np.reshape(self.scale, beside)


class UnitNormalization(Layer):
    """Each row over its Euclidean norm along an `axis`. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.UnitNormalization()([[3.0, 4.0]])
    <Tensor [[0.6 0.8]], float32>
    """

    def __init__(self, axis: int = -1, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        return l2_normalize(inputs, self.axis)
