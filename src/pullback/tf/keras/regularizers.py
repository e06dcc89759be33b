"""`tf.keras.regularizers`: what is added to a loss for large weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.linalg import l2_normalize
from pullback.tf.values import convert_to_tensor


class Regularizer:
    """What regularisers have in common: a subclass says what `__call__(x)` returns.

    >>> import pullback.tf as tf
    >>> isinstance(tf.keras.regularizers.L2(), tf.keras.regularizers.Regularizer)
    True
    """

    def __call__(self, x: Any) -> Any:
        """What is added for the weights x."""
        raise NotImplementedError


class L1L2(Regularizer):
    """`l1` Σ |x| + `l2` Σ x².

    >>> import pullback.tf as tf
    >>> tf.keras.regularizers.L1L2(l1=1.0, l2=1.0)([2.0])
    <Tensor 6.0, float32>
    """

    def __init__(self, l1: float | None = 0.0, l2: float | None = 0.0) -> None:
        self.l1, self.l2 = l1 or 0.0, l2 or 0.0

    def __call__(self, x: Any) -> Tensor:
        given = convert_to_tensor(x)
        return self.l1 * np.sum(np.abs(given)) + self.l2 * np.sum(given * given)


class L1(L1L2):
    """`l1` Σ |x|.

    >>> import pullback.tf as tf
    >>> tf.keras.regularizers.L1(1.0)([2.0])
    <Tensor 2.0, float32>
    """

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1, 0.0)


class L2(L1L2):
    """`l2` Σ x².

    >>> import pullback.tf as tf
    >>> tf.keras.regularizers.L2(1.0)([2.0])
    <Tensor 4.0, float32>
    """

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(0.0, l2)


class OrthogonalRegularizer(Regularizer):
    """`factor` times the mean size of the cosines between rows of a matrix; `mode`: 'rows' or 'columns'.

    >>> import pullback.tf as tf
    >>> tf.keras.regularizers.OrthogonalRegularizer(1.0)([[2.0, 0.0], [0.0, 3.0]])
    <Tensor 0.0, float32>
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in ("rows", "columns"):
            raise ValueError(f"the mode is 'rows' or 'columns', not {mode!r}")
        self.factor, self.mode = factor, mode

    def __call__(self, x: Any) -> Tensor:
        given = convert_to_tensor(x)
        if given.ndim != 2:
            raise ValueError(f"a matrix has rows and columns, not the shape {given.shape}")
        rows = l2_normalize(given if self.mode == "rows" else given.T, axis=1)
        count = rows.shape[0]
        beside = 1 - np.eye(count, dtype=rows.dtype)
        return self.factor * np.sum(np.abs((rows @ rows.T) * beside)) / (count * (count - 1))


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer


def get(identifier: Any) -> Any:
    """The regulariser of this name, or `identifier` itself if it can be called; None for None.

    >>> import pullback.tf as tf
    >>> tf.keras.regularizers.get("l2")([1.0])
    <Tensor 0.01, float32>
    """
    if isinstance(identifier, str):
        names = {"l1": L1, "l2": L2, "l1_l2": L1L2, "L1": L1, "L2": L2, "L1L2": L1L2}
        if identifier not in names:
            raise ValueError(f"there is no regulariser {identifier!r}")
        return names[identifier]()
    return identifier


__all__ = [
    "L1",
    "L1L2",
    "L2",
    "OrthogonalRegularizer",
    "Regularizer",
    "get",
    "l1",
    "l1_l2",
    "l2",
    "orthogonal_regularizer",
]
