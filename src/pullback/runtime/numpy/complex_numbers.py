"""What complex numbers have under a name of NumPy that means something else of real ones, or of Numba's."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.elementwise_loops import define_binary, define_unary
from pullback.runtime.protocol import dispatched


@dispatched
def complex_sign(x: Any) -> Any:
    """z / |z|, 0 at 0: np.sign of complex numbers.

    >>> complex_sign(np.array([3 + 4j, 0]))
    array([0.6+0.8j, 0. +0.j ])
    """
    return np.sign(x)


define_unary(complex_sign, np.sign, kernel(lambda z: z / abs(z) if z != 0 else z))


@dispatched
def complex_quotient(x1: Any, x2: Any) -> Any:
    """x1 / x2 of complex numbers, which is NaN where x2 is 0: Numba has an error for that.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> complex_quotient(np.complex128(2j), 4.0), complex_quotient(np.complex128(0j), 0)
    (np.complex128(0.5j), np.complex128(nan+nanj))
    """
    return np.true_divide(x1, x2)


define_binary(complex_quotient, np.true_divide, kernel(lambda a, b: np.true_divide(a, b)))
