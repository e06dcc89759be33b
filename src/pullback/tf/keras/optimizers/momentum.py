"""Optimizers whose steps are a learning rate long: SGD and Lion."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.optimizers.base import Optimizer, State


class SGD(Optimizer):
    """Steps against the gradient, with momentum if wanted.

    learning_rate: a factor of each step. momentum: the share of a step that the next one repeats. nesterov: Nesterov's
    form of momentum. keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable([3.0, 4.0])
    >>> optimizer = tf.keras.optimizers.SGD(learning_rate=0.5, clipnorm=1.0)
    >>> _ = optimizer.apply_gradients([([6.0, 8.0], x)])
    >>> x
    <Variable 'Variable' [2.7 3.6], float32>
    """

    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False, **keywords: Any
    ) -> None:
        super().__init__(learning_rate, **keywords)
        if not 0 <= momentum <= 1:
            raise ValueError(f"a momentum lies between 0 and 1, not at {momentum}")
        self.momentum, self.nesterov = momentum, nesterov

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η g; with momentum v ← μ v - η g, and v or μ v - η g."""
        if not self.momentum:
            return -rate * gradient
        momentum = gradient.dtype.type(self.momentum)
        state["velocity"] = velocity = momentum * state.get("velocity", np.zeros_like(gradient)) - rate * gradient
        return momentum * velocity - rate * gradient if self.nesterov else velocity


class Lion(Optimizer):
    """Steps as long as the learning rate, by the sign of a running mean of gradients. Chen et al. (2023).

    learning_rate: the length of each step. beta_1, beta_2: how much of the mean counts, and how much is kept. keywords:
    those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Lion(0.5).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 3.5, float32>
    """

    def __init__(self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, **keywords: Any) -> None:
        super().__init__(learning_rate, **keywords)
        self.beta_1, self.beta_2 = beta_1, beta_2

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η sign(β₁ m + (1 - β₁) g), then m ← β₂ m + (1 - β₂) g."""
        mean = state.get("mean", np.zeros_like(gradient))
        kind = gradient.dtype.type
        step = -rate * np.sign(mean * kind(self.beta_1) + gradient * kind(1 - self.beta_1))
        state["mean"] = mean * kind(self.beta_2) + gradient * kind(1 - self.beta_2)
        return step
