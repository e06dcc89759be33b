"""Optimizers that scale steps by sums or means of squared gradients: RMSprop, Adagrad, Adadelta and Ftrl."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.optimizers.base import Optimizer, State


class RMSprop(Optimizer):
    """Steps scaled by the root of a running mean of squared gradients. Hinton (2012).

    learning_rate: a factor of each step. rho: how much of the means a step keeps. momentum: the share of a step that
    the next one repeats. epsilon: added to the mean square. centered: the square of the mean is taken off the mean of
    squares. keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.RMSprop(0.5, rho=0.0).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 3.5, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η g / √(v + ε), with v ← ρ v + (1 - ρ) g²."""
        kind, none = gradient.dtype.type, np.zeros_like(gradient)
        keep, take = kind(self.rho), kind(1 - self.rho)
        state["square"] = v = keep * state.get("square", none) + take * gradient * gradient
        if self.centered:
            state["mean"] = mean = keep * state.get("mean", none) + take * gradient
            v = v - mean * mean
        step = rate * gradient / np.sqrt(v + kind(self.epsilon))
        if self.momentum:
            state["velocity"] = step = kind(self.momentum) * state.get("velocity", none) + step
        return -step


class Adagrad(Optimizer):
    """Steps scaled by the root of the sum of all squared gradients. Duchi et al. (2011).

    learning_rate: a factor of each step. initial_accumulator_value: what the sum starts with. epsilon: added to it.
    keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Adagrad(0.5, initial_accumulator_value=0.0).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 3.5, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η g / √(Σ g² + ε)."""
        kind = gradient.dtype.type
        start = np.full_like(gradient, self.initial_accumulator_value)
        state["sum"] = total = state.get("sum", start) + gradient * gradient
        return -(rate * gradient) / np.sqrt(total + kind(self.epsilon))


class Adadelta(Optimizer):
    """Steps scaled by running means of squared steps and of squared gradients. Zeiler (2012).

    learning_rate: a factor of each step. rho: how much of the means a step keeps. epsilon: added to them. keywords:
    those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Adadelta(1.0).minimize(lambda: x * x, [x])
    >>> bool(x < 4.0)
    True
    """

    def __init__(self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-7, **keywords: Any) -> None:
        super().__init__(learning_rate, **keywords)
        self.rho, self.epsilon = rho, epsilon

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """-η √(s + ε) / √(v + ε) g, with the mean s of squared steps before η."""
        kind, none = gradient.dtype.type, np.zeros_like(gradient)
        keep, take, least = kind(self.rho), kind(1 - self.rho), kind(self.epsilon)
        state["square"] = v = keep * state.get("square", none) + take * gradient * gradient
        steps = state.get("steps", none)
        step = -np.sqrt(steps + least) * gradient / np.sqrt(v + least)
        state["steps"] = keep * steps + take * step * step
        return rate * step


class Ftrl(Optimizer):
    """The regularised leader is followed: sparse weights by an l1 penalty. McMahan et al. (2013).

    learning_rate: a factor of each step. learning_rate_power: that of the sum of squares, not above 0.
    initial_accumulator_value: what the sum starts with. l1_regularization_strength, l2_regularization_strength:
    penalties. l2_shrinkage_regularization_strength: one that is added to the gradient. beta: added to the sum's root.
    keywords: those of `tf.keras.optimizers.Optimizer`.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> tf.keras.optimizers.Ftrl(0.5).minimize(lambda: x * x, [x])
    >>> bool(x < 4.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.learning_rate_power, self.initial_accumulator_value = learning_rate_power, initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength, self.beta = l2_shrinkage_regularization_strength, beta

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """From the variable to (clip(z, -l1, l1) - z) / (n^p / η + 2 l2)."""
        kind = gradient.dtype.type
        power, strength = kind(-self.learning_rate_power), kind(self.l1_regularization_strength)
        l2 = kind(self.l2_regularization_strength) + kind(self.beta) / (2 * rate)
        shrunk = gradient + 2 * kind(self.l2_shrinkage_regularization_strength) * variable
        before = state.get("sum", np.full_like(gradient, self.initial_accumulator_value))
        state["sum"] = total = before + gradient * gradient
        linear = (
            state.get("linear", np.zeros_like(gradient)) + shrunk - (total**power - before**power) / rate * variable
        )
        state["linear"] = linear
        quadratic = total**power / rate + 2 * l2
        return (np.clip(linear, -strength, strength) - linear) / quadratic - variable
