"""`Optimizer`: it changes variables by the gradients of a loss. Formulas, defaults and float32 rates are Keras's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pullback.tape import GradientTape, Tensor, Variable
from pullback.tf.values import convert_to_tensor
from pullback.tf.variables import Variable as VariableOfTF

State = dict[str, Any]


class Optimizer:
    """What optimizers have in common: a subclass says by `change` what a step adds to a variable.

    learning_rate: a factor of each step, a schedule, or a function without arguments; it is kept as a float32. name:
    any text. weight_decay: the share of each variable, times the learning rate, that a step takes off. clipnorm: the
    largest norm of each gradient. clipvalue: the largest element of each. global_clipnorm: the largest norm of all
    gradients together. use_ema: running means of the variables are kept, with a share `ema_momentum` of the old one at
    each step; every `ema_overwrite_frequency` steps, and by `finalize_variable_values`, the variables become these.
    loss_scale_factor: what the loss was multiplied by. gradient_accumulation_steps: after so many calls their mean
    makes one step.

    >>> import pullback.tf as tf
    >>> class Signs(tf.keras.optimizers.Optimizer):
    ...     def change(self, gradient, variable, state, rate):
    ...         return -rate * tf.sign(gradient).numpy()
    >>> x = tf.Variable(4.0)
    >>> Signs(0.5).minimize(lambda: x * x, [x])
    >>> x
    <Variable 'Variable' 3.5, float32>
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        name: str | None = None,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
    ) -> None:
        if sum(one is not None for one in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError("only one of clipnorm, clipvalue and global_clipnorm can be given")
        self.name = name or type(self).__name__
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.use_ema, self.ema_momentum, self.ema_overwrite_frequency = use_ema, ema_momentum, ema_overwrite_frequency
        self.loss_scale_factor, self.gradient_accumulation_steps = loss_scale_factor, gradient_accumulation_steps
        self._calls = VariableOfTF(np.int64(0), trainable=False, name="iteration")
        self._undecayed: tuple[set[int], list[str]] = (set(), [])
        self._states: dict[int, tuple[Variable, State]] = {}
        self._set_rate(learning_rate)

    @property
    def iterations(self) -> Any:
        """How many steps there were: a variable, or a tensor where several calls make one step."""
        every = self.gradient_accumulation_steps
        return Tensor(self._calls._value // every) if every else self._calls

    @property
    def step(self) -> int:
        """The number of the step that is made, from 1 on."""
        return int(self.iterations._value) + 1

    # The learning rate

    def _set_rate(self, given: Any) -> None:
        self._schedule = given if callable(given) and not isinstance(given, Variable) else None
        if self._schedule is None:
            value = given._value if isinstance(given, Variable) else given
            self._rate = VariableOfTF(np.float32(value), trainable=False, name="learning_rate")

    @property
    def learning_rate(self) -> Any:
        """A variable, or what a schedule says for the next step."""
        if self._schedule is None:
            return self._rate
        return _of_schedule(self._schedule, self.iterations)

    @learning_rate.setter
    def learning_rate(self, given: Any) -> None:
        if callable(given) or self._schedule is not None:
            self._set_rate(given)
        else:
            self._rate.assign(np.float32(given))

    # Steps

    def build(self, var_list: Sequence[Variable]) -> None:
        """Nothing: what is kept for a variable is made by its first step. `var_list` has no effect."""

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]], **_: Any) -> Any:
        """One step, for pairs of a gradient and its variable. Returns how many there were.

        Pairs with None are left out, with a warning; ValueError where nothing is left.
        """
        pairs = list(grads_and_vars)
        given = [(_elements(g, v), v) for g, v in pairs if g is not None]
        if not given:
            raise ValueError("there is no gradient for any variable: does the loss depend on them?")
        if len(given) < len(pairs):
            names = ", ".join(repr(v.name) for g, v in pairs if g is None)
            warnings.warn(f"there are no gradients for the variables {names}", UserWarning, stacklevel=2)
        gradients = [g for g, _ in given]
        if self.loss_scale_factor is not None:
            gradients = [g / g.dtype.type(self.loss_scale_factor) for g in gradients]
        variables = [v for _, v in given]
        accumulated = self._accumulated(gradients, variables)
        if accumulated is not None:
            self._step(self._clipped(accumulated), variables)
        if self.use_ema:
            self._follow()
        for variable in variables:
            constraint = getattr(variable, "constraint", None)
            if constraint is not None:
                variable.assign(_elements(constraint(convert_to_tensor(variable)), variable))
        self._calls.assign_add(np.int64(1))
        return self._calls

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Variable] | None = None) -> None:
        """One step for gradients and their variables; without these, those of the last step."""
        variables = [v for v, _ in self._states.values()] if trainable_variables is None else list(trainable_variables)
        self.apply_gradients(zip(grads, variables, strict=True))

    def minimize(self, loss: Any, var_list: Sequence[Variable], tape: GradientTape | None = None) -> None:
        """One step for a loss: a function without arguments that computes it, or a tensor and the tape that saw it."""
        if callable(loss):
            tape = GradientTape() if tape is None else tape
            with tape:
                loss = loss()
        if tape is None:
            raise ValueError("a loss that is a tensor needs the tape that recorded it: minimize(loss, variables, tape)")
        variables = list(var_list() if callable(var_list) else var_list)
        self.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    def _step(self, gradients: list[Any], variables: list[Variable]) -> None:
        rate = np.float32(self.learning_rate)
        self.before_step(rate)
        for gradient, variable in zip(gradients, variables, strict=True):
            _, state = self._states.setdefault(id(variable), (variable, {}))
            kind = variable.dtype.type
            if self.weight_decay is not None and self._decays(variable):
                variable.assign(variable._value - variable._value * kind(self.weight_decay) * kind(rate))
            new = variable._value + self.change(gradient, variable._value, state, kind(rate))
            variable.assign(np.asarray(new))

    def before_step(self, rate: Any) -> None:
        """What is done once before the variables are changed."""

    def change(self, gradient: Any, variable: Any, state: State, rate: Any) -> Any:
        """What is added to a variable with this gradient, both arrays. `state` is kept for it from step to step."""
        raise NotImplementedError

    def _follow(self) -> None:
        """The running means of the variables, which these become after every so many steps."""
        every = self.ema_overwrite_frequency
        for variable, state in self._states.values():
            share = variable.dtype.type(self.ema_momentum if self.step > 1 else 0)
            state["ema"] = share * state.get("ema", 0) + (1 - share) * variable._value
            if every and self.step % every == 0:
                variable.assign(state["ema"])

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """Let the variables in `var_list` be their running means."""
        for variable in var_list:
            if self.use_ema and id(variable) in self._states:
                variable.assign(self._states[id(variable)][1]["ema"])

    def _accumulated(self, gradients: list[Any], variables: list[Variable]) -> list[Any] | None:
        """The mean of the gradients of several calls; None where more are to come."""
        every = self.gradient_accumulation_steps
        if not every:
            return gradients
        states = [self._states.setdefault(id(v), (v, {}))[1] for v in variables]
        for state, gradient in zip(states, gradients, strict=True):
            state["sum"] = state.get("sum", 0) + gradient
        if (int(self._calls._value) + 1) % every:
            return None
        return [state.pop("sum") / g.dtype.type(every) for state, g in zip(states, gradients, strict=True)]

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Take nothing off these variables, nor off those in whose names one of `var_names` stands."""
        self._undecayed = {id(v) for v in var_list or ()}, list(var_names or ())

    def _decays(self, variable: Variable) -> bool:
        ids, names = self._undecayed
        return id(variable) not in ids and not any(name in variable.name for name in names)

    def _clipped(self, gradients: list[Any]) -> list[Any]:
        if self.clipnorm is not None:
            return [_with_norm(g, np.sqrt(np.sum(g * g)), self.clipnorm) for g in gradients]
        if self.global_clipnorm is not None:
            norm = np.sqrt(sum(np.sum(g * g) for g in gradients))
            return [_with_norm(g, norm, self.global_clipnorm) for g in gradients]
        if self.clipvalue is not None:
            bound = self.clipvalue
            return [np.clip(g, g.dtype.type(-bound), g.dtype.type(bound)) for g in gradients]
        return gradients

    @property
    def variables(self) -> list[Any]:
        """How many steps there were, the learning rate, and what is kept for each variable."""
        kept = [v for _, state in self._states.values() for v in state.values()]
        return [self._calls, *([] if self._schedule else [self._rate]), *kept]

    def scale_loss(self, loss: Any) -> Any:
        """A loss times `loss_scale_factor`, by which its gradients are divided before a step."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Optimizer:
        """A new optimizer of the settings that `get_config` returns."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The settings by their names."""
        rate = {} if self._schedule else {"learning_rate": float(self._rate._value)}
        return {k: v for k, v in vars(self).items() if not k.startswith("_")} | rate


def _of_schedule(schedule: Callable[..., Any], step: Any) -> Any:
    """The rate for a step: a function of the user's may have no arguments."""
    if hasattr(schedule, "__pullback_schedule__"):
        return schedule(step)
    return schedule()


def _elements(gradient: Any, variable: Variable) -> np.ndarray:
    """A gradient as an array, in the dtype of its variable. ValueError for another shape."""
    array = np.asarray(convert_to_tensor(gradient)._value).astype(variable.dtype)
    if array.shape != variable.shape:
        raise ValueError(
            f"a gradient of shape {array.shape} for the variable '{variable.name}' of shape {variable.shape}"
        )
    return array


def _with_norm(gradient: Any, norm: Any, most: float) -> Any:
    return gradient * (gradient.dtype.type(most) / norm) if norm > most else gradient
