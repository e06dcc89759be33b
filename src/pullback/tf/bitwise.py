"""`tf.bitwise`: operations on the bits of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import convert_to_tensor, operands

_OF_TWO = {
    "bitwise_and": (np.bitwise_and, "6, 3", "2"),
    "bitwise_or": (np.bitwise_or, "6, 3", "7"),
    "bitwise_xor": (np.bitwise_xor, "6, 3", "5"),
    "left_shift": (np.left_shift, "3, 1", "6"),
    "right_shift": (np.right_shift, "6, 1", "3"),
}


def _binary(name: str, ufunc: Any, arguments: str, result: str) -> Any:
    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return ufunc(*operands(x, y))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""NumPy's `{ufunc.__name__}` of the integers `x` and `y`, elementwise.

    >>> import pullback.tf as tf
    >>> int(tf.bitwise.{name}({arguments}))
    {result}
    """
    return function


_FUNCTIONS = {name: _binary(name, *row) for name, row in _OF_TWO.items()}
globals().update(_FUNCTIONS)


def invert(x: Any, name: str | None = None) -> Tensor:
    """The integers `x` with each bit the other one.

    >>> import pullback.tf as tf
    >>> tf.bitwise.invert([0])
    <Tensor [-1], int32>
    """
    return ~convert_to_tensor(x)


__all__ = [*_FUNCTIONS, "invert"]
