"""Optimizers: they change variables by the gradients of a loss. Formulas and defaults are those of Keras 3."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pullback.tape import GradientTape, Variable


class Optimizer:
    """What optimizers have in common: a subclass says by `change` what a step adds. `iterations` counts the steps.

    learning_rate: a factor of each step; the attribute may be changed between steps. clipnorm: the largest norm of each
    gradient. clipvalue: the largest element of each. global_clipnorm: the largest norm of all gradients together.

    >>> import numpy as np, pullback as pb
    >>> class Signs(pb.nn.Optimizer):
    ...     def change(self, gradient, state):
    ...         return -self.learning_rate * np.sign(gradient)
    >>> x = pb.Variable(4.0)
    >>> _ = Signs(0.5).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 3.5, float64>
    """

    def __init__(
        self,
        learning_rate: float,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.iterations = 0
        self._states: dict[int, tuple[Variable, dict[str, Any]]] = {}

    def apply_gradients(self, gradients_and_variables: Iterable[tuple[Any, Variable]]) -> None:
        """One step, for pairs of a gradient and its variable.

        Pairs with None are left out, with a warning; ValueError where nothing is left.
        """
        pairs = list(gradients_and_variables)
        given = [(np.asarray(_plain(g)), v) for g, v in pairs if g is not None]
        if not given:
            raise ValueError("there is no gradient for any variable: does the loss depend on them?")
        if len(given) < len(pairs):
            names = ", ".join(repr(v.name) for g, v in pairs if g is None)
            warnings.warn(f"there are no gradients for the variables {names}", UserWarning, stacklevel=2)
        gradients = self._clipped([g for g, _ in given])
        self.iterations += 1
        for gradient, (_, variable) in zip(gradients, given, strict=True):
            _, state = self._states.setdefault(id(variable), (variable, {}))
            variable.assign(variable.numpy() + self.change(gradient, state))

    def minimize(self, loss: Callable[[], Any], variables: Sequence[Variable]) -> Any:
        """One step for the loss that `loss()` computes from the variables; returns the loss before it.

        >>> import pullback as pb
        >>> x = pb.Variable(4.0)
        >>> optimizer = pb.nn.SGD(learning_rate=0.25)
        >>> for step in range(3):
        ...     loss = optimizer.minimize(lambda: x * x, [x])
        >>> x
        <Variable 'Variable' 0.5, float64>
        """
        with GradientTape() as tape:
            value = loss()
        self.apply_gradients(zip(tape.gradient(value, list(variables)), variables, strict=True))
        return value

    def change(self, gradient: Any, state: dict[str, Any]) -> Any:
        """What is added to a variable with this gradient. `state` is kept for the variable from step to step."""
        raise NotImplementedError

    def _clipped(self, gradients: list[Any]) -> list[Any]:
        if self.clipnorm is not None:
            return [_with_norm(g, np.linalg.norm(g), self.clipnorm) for g in gradients]
        if self.global_clipnorm is not None:
            norm = np.sqrt(sum(np.sum(g * g) for g in gradients))
            return [_with_norm(g, norm, self.global_clipnorm) for g in gradients]
        if self.clipvalue is not None:
            return [np.clip(g, -self.clipvalue, self.clipvalue) for g in gradients]
        return gradients


def _plain(gradient: Any) -> Any:
    return gradient.numpy() if hasattr(gradient, "numpy") else gradient


def _with_norm(gradient: Any, norm: Any, most: float) -> Any:
    return gradient * (most / norm) if norm > most else gradient


class SGD(Optimizer):
    """Steps against the gradient, with momentum if wanted.

    learning_rate: a factor of each step. momentum: the share of a step that the next one repeats. nesterov: Nesterov's
    form of momentum. keywords: `clipnorm`, `clipvalue` and `global_clipnorm` of `Optimizer`.

    >>> import numpy as np, pullback as pb
    >>> x = pb.Variable([3.0, 4.0])
    >>> optimizer = pb.nn.SGD(learning_rate=0.5, clipnorm=1.0)
    >>> optimizer.apply_gradients([(np.array([6.0, 8.0]), x)])
    >>> x
    <Variable 'Variable' [2.7 3.6], float64>
    """

    def __init__(
        self, learning_rate: float = 0.01, momentum: float = 0.0, nesterov: bool = False, **keywords: Any
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.momentum, self.nesterov = momentum, nesterov

    def change(self, gradient: Any, state: dict[str, Any]) -> Any:
        """-η g; with momentum v ← μ v - η g, and v or μ v - η g."""
        step = -self.learning_rate * gradient
        if not self.momentum:
            return step
        state["velocity"] = velocity = self.momentum * state.get("velocity", 0) + step
        return self.momentum * velocity + step if self.nesterov else velocity


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square. Kingma and Ba (2015), with ε as in its 2.1.

    learning_rate: about the length of each step. beta_1, beta_2: how much of the means of the gradient and of its
    square a step keeps. epsilon: added to the root of the mean square. keywords: `clipnorm`, `clipvalue` and
    `global_clipnorm` of `Optimizer`.

    >>> import numpy as np, pullback as pb
    >>> x = pb.Variable(4.0)
    >>> optimizer = pb.nn.Adam(learning_rate=0.5)
    >>> for step in range(2):
    ...     _ = optimizer.minimize(lambda: x * x, [x])
    >>> np.round(x, 3)
    <Tensor 3.003, float64>
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **keywords: Any,
    ) -> None:
        super().__init__(learning_rate, **keywords)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def change(self, gradient: Any, state: dict[str, Any]) -> Any:
        """-η √(1 - β₂ᵗ) / (1 - β₁ᵗ) m / (√v + ε), t counted from the variable's first step."""
        t = state["steps"] = state.get("steps", 0) + 1
        m = state["mean"] = self.beta_1 * state.get("mean", 0) + (1 - self.beta_1) * gradient
        v = state["square"] = self.beta_2 * state.get("square", 0) + (1 - self.beta_2) * gradient**2
        rate = self.learning_rate * math.sqrt(1 - self.beta_2**t) / (1 - self.beta_1**t)
        return -rate * m / (np.sqrt(v) + self.epsilon)
