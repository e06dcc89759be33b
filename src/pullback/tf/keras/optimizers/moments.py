"""Optimizers of the family of Adam: running means of the gradient and of its square."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.optimizers.base import Optimizer, State


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square. Kingma and Ba (2015), with ε as in its 2.1.

    learning_rate: about the length of each step. beta_1, beta_2: how much of the means of the gradient and of its
    square a step keeps. epsilon: added to the root of the mean square. amsgrad: the largest mean square so far counts
    (Reddi et al., 2018). keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Adam(learning_rate=0.5).minimize(lambda: x * x, [x])
    >>> tf.round(100.0 * x) / 100.0
    <Tensor 3.5, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η √(1 - β₂ᵗ) / (1 - β₁ᵗ) m / (√v + ε), t counted from the first step."""
        kind = gradient.dtype.type
        t = kind(self.step)
        m, v = state.get("mean", np.zeros_like(gradient)), state.get("square", np.zeros_like(gradient))
        state["mean"] = m = m + (gradient - m) * kind(1 - self.beta_1)
        state["square"] = v = v + (gradient * gradient - v) * kind(1 - self.beta_2)
        if self.amsgrad:
            state["largest"] = v = np.maximum(state.get("largest", np.zeros_like(v)), v)
        factor = rate * np.sqrt(1 - kind(np.float32(self.beta_2)) ** t) / (1 - kind(np.float32(self.beta_1)) ** t)
        return -(m * factor) / (np.sqrt(v) + kind(self.epsilon))


class AdamW(Adam):
    """Adam with a share of the variables taken off at each step. Loshchilov and Hutter (2019).

    weight_decay: that share, times the learning rate. `learning_rate`, `beta_1`, `beta_2`, `epsilon` and `amsgrad` are
    those of Adam. keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.AdamW(learning_rate=0.5, weight_decay=0.5).minimize(lambda: 0.0 * x, [x])
    >>> x
    <Variable 'Variable' 3.0, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **keywords)


class Adamax(Optimizer):
    """Adam with a running maximum of the gradient's size in place of a mean of squares. Kingma and Ba (2015), 7.1.

    learning_rate: about the length of each step. beta_1, beta_2: how much of the mean and of the maximum a step keeps.
    epsilon: added to the maximum. keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Adamax(0.5).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 3.5, float32>
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
        """-η m / ((1 - β₁ᵗ) (u + ε)), with u ← max(β₂ u, |g|)."""
        kind = gradient.dtype.type
        t = kind(self.step)
        m, u = state.get("mean", np.zeros_like(gradient)), state.get("largest", np.zeros_like(gradient))
        state["mean"] = m = m + (gradient - m) * kind(1 - self.beta_1)
        state["largest"] = u = np.maximum(kind(self.beta_2) * u, np.abs(gradient))
        return -(rate * m) / ((1 - kind(np.float32(self.beta_1)) ** t) * (u + kind(self.epsilon)))


class Nadam(Optimizer):
    """Adam with Nesterov's momentum. Dozat (2016).

    learning_rate: about the length of each step. beta_1, beta_2: how much of the means of the gradient and of its
    square a step keeps. epsilon: added to the root of the mean square. keywords: those of
    `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Nadam(0.5).minimize(lambda: x * x, [x])
    >>> bool(x < 3.5)
    True
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
        self._product = np.float32(1)

    def _momentum(self, t: int) -> Any:
        """The momentum of a step."""
        return np.float32(self.beta_1) * (1 - np.float32(0.5) * np.float32(0.96) ** np.float32(t))

    def before_step(self, rate: Any) -> None:
        """The product of the momenta so far."""
        self._product = np.float32(self._product * self._momentum(self.step))

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η m̂ / (√v̂ + ε)."""
        kind, t = gradient.dtype.type, self.step
        now, following = kind(self._momentum(t)), kind(self._momentum(t + 1))
        product = kind(self._product)
        m, v = state.get("mean", np.zeros_like(gradient)), state.get("square", np.zeros_like(gradient))
        state["mean"] = m = m + (gradient - m) * kind(1 - self.beta_1)
        state["square"] = v = v + (gradient * gradient - v) * kind(1 - self.beta_2)
        m_hat = following * m / (1 - product * following) + (1 - now) * gradient / (1 - product)
        v_hat = v / (1 - kind(np.float32(self.beta_2)) ** kind(t))
        return -(m_hat * rate) / (np.sqrt(v_hat) + kind(self.epsilon))
