"""`tf.keras.optimizers.schedules`: learning rates that depend on the step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import number


class LearningRateSchedule:
    """What schedules have in common: a subclass says what `__call__(step)` returns.

    >>> import pullback.tf as tf
    >>> class Halved(tf.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 / (1.0 + float(step))
    >>> tf.keras.optimizers.SGD(Halved()).learning_rate
    0.5
    """

    __pullback_schedule__ = True

    def __call__(self, step: Any) -> Any:
        """The rate for a step, counted from 0: that of `rate_at`."""
        return Tensor(np.float32(self.rate_at(float(number(step)))))

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        raise NotImplementedError


class ExponentialDecay(LearningRateSchedule):
    """`initial_learning_rate` times `decay_rate` to the power of step / `decay_steps`, rounded down if `staircase`.

    >>> import pullback.tf as tf
    >>> tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)(20)
    <Tensor 0.25, float32>
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        if decay_steps <= 0:
            raise ValueError(f"decay_steps is positive, not {decay_steps}")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        p = step / self.decay_steps
        return self.initial_learning_rate * self.decay_rate ** (math.floor(p) if self.staircase else p)


class InverseTimeDecay(LearningRateSchedule):
    """`initial_learning_rate` / (1 + `decay_rate` step / `decay_steps`), with the quotient rounded down if `staircase`.

    >>> import pullback.tf as tf
    >>> tf.keras.optimizers.schedules.InverseTimeDecay(1.0, 10, 1.0)(10)
    <Tensor 0.5, float32>
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        if decay_steps <= 0:
            raise ValueError(f"decay_steps is positive, not {decay_steps}")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        p = step / self.decay_steps
        return self.initial_learning_rate / (1 + self.decay_rate * (math.floor(p) if self.staircase else p))


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[k] up to the step boundaries[k], and the last of the `values` after all `boundaries`.

    >>> import pullback.tf as tf
    >>> tf.keras.optimizers.schedules.PiecewiseConstantDecay([10], [1.0, 0.5])(11)
    <Tensor 0.5, float32>
    """

    def __init__(self, boundaries: Sequence[float], values: Sequence[float], name: str = "PiecewiseConstant") -> None:
        if len(values) != len(boundaries) + 1:
            raise ValueError(f"{len(boundaries)} boundaries need {len(boundaries) + 1} values, not {len(values)}")
        self.boundaries, self.values = list(boundaries), list(values)

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        return self.values[sum(step > bound for bound in self.boundaries)]


class PolynomialDecay(LearningRateSchedule):
    """From `initial_learning_rate` to `end_learning_rate` in `decay_steps`, by a `power` of what is left.

    cycle: it starts again, over longer times, in place of staying there.

    >>> import pullback.tf as tf
    >>> tf.keras.optimizers.schedules.PolynomialDecay(1.0, 10, 0.0)(5)
    <Tensor 0.5, float32>
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        steps = self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(step / self.decay_steps))
        p = min(step, steps) / steps
        return (self.initial_learning_rate - self.end_learning_rate) * (1 - p) ** self.power + self.end_learning_rate


class CosineDecay(LearningRateSchedule):
    """Half a wave of the cosine from `initial_learning_rate` to `alpha` times that in `decay_steps`.

    warmup_target: the rate that `warmup_steps` lead to before, from the initial one on, in a line.

    >>> import pullback.tf as tf
    >>> tf.keras.optimizers.schedules.CosineDecay(1.0, 10)(10)
    <Tensor 0.0, float32>
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: float = 0,
    ) -> None:
        if decay_steps <= 0:
            raise ValueError(f"decay_steps is positive, not {decay_steps}")
        self.initial_learning_rate, self.decay_steps, self.alpha = initial_learning_rate, decay_steps, alpha
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        start = self.initial_learning_rate
        if self.warmup_target is not None:
            if step < self.warmup_steps:
                return start + (self.warmup_target - start) * step / self.warmup_steps
            start, step = self.warmup_target, step - self.warmup_steps
        p = min(step, self.decay_steps) / self.decay_steps
        return start * ((1 - self.alpha) * 0.5 * (1 + math.cos(math.pi * p)) + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """`CosineDecay` that starts again, each time over `t_mul` times as many steps and from `m_mul` times the rate.

    initial_learning_rate: the first rate. first_decay_steps: the steps of the first time. alpha: the share of a rate
    that is left at the end.

    >>> import pullback.tf as tf
    >>> tf.keras.optimizers.schedules.CosineDecayRestarts(1.0, 10, m_mul=0.5)(10)
    <Tensor 0.5, float32>
    """

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: float,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha = t_mul, m_mul, alpha

    def rate_at(self, step: float) -> float:
        """The rate as a number."""
        p, scale = step / self.first_decay_steps, 1.0
        if self.t_mul == 1:
            scale, p = self.m_mul ** math.floor(p), p % 1
        else:
            k = math.floor(math.log(1 - p * (1 - self.t_mul)) / math.log(self.t_mul))
            p = (p - (1 - self.t_mul**k) / (1 - self.t_mul)) / self.t_mul**k
            scale = self.m_mul**k
        part = (1 - self.alpha) * 0.5 * scale * (1 + math.cos(math.pi * p)) + self.alpha
        return self.initial_learning_rate * part


__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
]
