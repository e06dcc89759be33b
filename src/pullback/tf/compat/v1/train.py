"""`tf.compat.v1.train`: an optimizer that finds the gradients of a loss by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pullback import nn
from pullback.tape import GradientTape
from pullback.tf.variables import Variable


class GradientDescentOptimizer(nn.SGD):
    """Steps against the gradient, with the factor `learning_rate`. The loss is a function without arguments.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(4.0)
    >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> optimizer.minimize(lambda: x * x, var_list=[x])
    >>> x.numpy()
    np.float32(2.0)
    """

    def __init__(self, learning_rate: float, name: str | None = None) -> None:
        super().__init__(learning_rate)

    def compute_gradients(
        self, loss: Callable[[], Any], var_list: Sequence[Variable] | None = None
    ) -> list[tuple[Any, Any]]:
        """(gradient, variable) for each variable: those given, or those that the loss reads."""
        if not callable(loss):
            raise TypeError("the loss is a function without arguments that computes it")
        with GradientTape(persistent=True) as tape:
            value = loss()
        variables = list(var_list) if var_list is not None else list(tape.watched_variables())
        return list(zip(tape.gradient(value, variables), variables, strict=True))

    def minimize(self, loss: Callable[[], Any], var_list: Sequence[Variable] | None = None) -> None:
        """One step for the loss."""
        self.apply_gradients(self.compute_gradients(loss, var_list))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> None:
        """One step, for pairs of a gradient and its variable."""
        super().apply_gradients(grads_and_vars)
