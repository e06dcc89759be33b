"""Optimizers whose steps are as long as a share of the variable's norm: Lamb and Adafactor."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.optimizers.base import Optimizer, State


class Lamb(Optimizer):
    """Adam's steps, times the norm of the variable over theirs. You et al. (2020).

    learning_rate: a factor of each step. beta_1, beta_2: how much of the means of the gradient and of its square a step
    keeps. epsilon: added to the root of the mean square. keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Lamb(0.5, epsilon=0.0).minimize(lambda: x * x, [x])
    >>> tf.round(100.0 * x) / 100.0
    <Tensor 2.0, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η |x| / |u| u, with u = m̂ / (√v̂ + ε)."""
        kind, t = gradient.dtype.type, gradient.dtype.type(self.step)
        m, v = state.get("mean", np.zeros_like(gradient)), state.get("square", np.zeros_like(gradient))
        state["mean"] = m = m + (gradient - m) * kind(1 - self.beta_1)
        state["square"] = v = v + (gradient * gradient - v) * kind(1 - self.beta_2)
        m_hat = m / (1 - kind(np.float32(self.beta_1)) ** t)
        v_hat = v / (1 - kind(np.float32(self.beta_2)) ** t)
        update = m_hat / (np.sqrt(v_hat) + kind(self.epsilon))
        of_variable, of_update = (np.sqrt(np.sum(one * one)) for one in (variable, update))
        ratio = of_variable / of_update if of_variable > 0 and of_update > 0 else kind(1)
        return -ratio * rate * update


class Adafactor(Optimizer):
    """Steps scaled by mean squares that are kept for rows and columns only. Shazeer and Stern (2018).

    learning_rate: a factor of each step. beta_2_decay: the mean square keeps 1 - t to this power. epsilon_1: added to
    squared gradients. epsilon_2: the least size of a variable. clip_threshold: the largest root mean square of a step.
    relative_step: the rate is at most one over the root of the step. keywords: those of
    `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Adafactor(0.5).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 2.0, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.beta_2_decay, self.epsilon_1, self.epsilon_2 = beta_2_decay, epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-max(ε₂, |x|) min(η, 1 / √t) u, with u = g / √v no larger than the threshold."""
        kind, t = gradient.dtype.type, gradient.dtype.type(self.step)
        rho = np.minimum(rate, 1 / np.sqrt(t))
        alpha = np.maximum(kind(self.epsilon_2), _size(variable)) * rho
        square, keep = gradient * gradient + kind(self.epsilon_1), 1 - t ** kind(self.beta_2_decay)
        if gradient.ndim > 1:
            for name, axis in (("rows", -1), ("columns", -2)):
                mean = square.mean(axis=axis)
                state[name] = keep * state.get(name, np.zeros_like(mean)) + (1 - keep) * mean
            rows, columns = state["rows"], state["columns"]
            v = (rows / rows.mean(axis=-1, keepdims=True))[..., None] * columns[..., None, :]
        else:
            state["square"] = v = keep * state.get("square", np.zeros_like(square)) + (1 - keep) * square
        update = gradient / np.sqrt(v)
        return -alpha * update / np.maximum(kind(1), _size(update) / kind(self.clip_threshold))


def _size(x: Any) -> Any:
    """The root of the mean square."""
    return np.sqrt(np.mean(x * x))
