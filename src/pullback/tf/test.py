"""`tf.test`: derivatives beside differences, and what the machine has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.tape import GradientTape, Tensor
from pullback.tf.values import constant, convert_to_tensor

Matrices = tuple[np.ndarray, ...]


def compute_gradient(f: Callable[..., Any], x: Sequence[Any], delta: float | None = None) -> tuple[Matrices, Matrices]:
    """The Jacobians of `f(*x)` by a tape, and those by central differences with steps of `delta`.

    Of each tensor in the list `x` there is a matrix, with a row for each element of the result and a column for each of
    the tensor's. delta: 1 / 1024 by default.

    >>> import pullback.tf as tf
    >>> by_tape, by_differences = tf.test.compute_gradient(tf.square, [tf.constant([1.0, 2.0])])
    >>> by_tape[0].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if not isinstance(x, list | tuple):
        raise ValueError(f"the arguments stand in a list, not in a {type(x).__name__}")
    given = [convert_to_tensor(one) for one in x]
    with GradientTape() as tape:
        tape.watch(given)
        y = convert_to_tensor(f(*given))
    by_tape = tape.jacobian(y, given, unconnected_gradients="zero")
    matrices = tuple(np.reshape(one.numpy(), (y.size, -1)) for one in by_tape)
    step = 1 / 1024 if delta is None else delta
    return matrices, tuple(_differences(f, given, k, step) for k in np.arange(len(given)).tolist())


def _differences(f: Callable[..., Any], given: list[Tensor], k: int, step: float) -> np.ndarray:
    """The Jacobian by the argument k."""

    def at(place: Any, change: float) -> np.ndarray:
        moved = np.array(given[k].numpy())
        moved[place] += change
        return np.ravel(convert_to_tensor(f(*given[:k], constant(moved), *given[k + 1 :])).numpy())

    columns = [(at(place, step) - at(place, -step)) / (2 * step) for place in np.ndindex(given[k].shape)]
    return np.stack(columns, axis=1).astype(given[k].dtype)


def is_built_with_cuda() -> bool:
    """False: everything runs on the processor.

    >>> import pullback.tf as tf
    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """False. `cuda_only` and `min_cuda_compute_capability` have no effect.

    >>> import pullback.tf as tf
    >>> tf.test.is_gpu_available()
    False
    """
    return False


def gpu_device_name() -> str:
    """No name.

    >>> import pullback.tf as tf
    >>> tf.test.gpu_device_name()
    ''
    """
    return ""


__all__ = ["compute_gradient", "gpu_device_name", "is_built_with_cuda", "is_gpu_available"]
