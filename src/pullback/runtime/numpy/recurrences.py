"""Linear recurrences along the first axis of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, is_array, kernel
from pullback.runtime.memory.strided import flat, product, shaped
from pullback.runtime.numpy.selection import masked, masked_product
from pullback.runtime.protocol import dispatched


@dispatched
def recurrence(a: Any, b: Any) -> Any:
    """x[k] = b[k] + a[k + 1] x[k + 1], from the last, which is that of `b`; a[0] has no meaning.

    >>> recurrence(np.array([9.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    array([9., 4., 1.])
    """
    return _computed(np.multiply, a, b)


@dispatched
def masked_recurrence(a: Any, b: Any) -> Any:
    """As `recurrence`, but 0 times anything is 0 where x[k + 1] is 0.

    >>> masked_recurrence(np.array([9.0, np.inf, 3.0]), np.array([1.0, 0.0, 0.0]))
    array([1., 0., 0.])
    """
    return _computed(masked_product, a, b)


def _computed(times: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    x = np.array(b)
    for k in range(x.shape[0] - 1, 0, -1):
        x[k - 1] += times(x[k], a[k])
    return x


@kernel
def times(x: Any, a: Any) -> Any:
    return x * a


def _define(function: Any, times: Any) -> None:
    """The overload of a recurrence, for arrays of one shape; times: multiplies x[k + 1] and a[k + 1]."""

    @compiled(function)
    def typed(a: Any, b: Any) -> Any:
        if not is_array(a) or not is_array(b) or a.ndim != b.ndim or b.ndim == 0:
            return None
        ndim = b.ndim

        def along(a: Any, b: Any) -> Any:
            factors, given, columns = flat(a), flat(b), product(b.shape, 1, ndim)
            x = np.empty(b.size, b.dtype)
            for i in range(x.size - 1, -1, -1):
                follows = i + columns < x.size
                x[i] = given[i] + times(x[i + columns], factors[i + columns]) if follows else given[i]
            return shaped(x, b.shape)

        return along


_define(recurrence, times)
_define(masked_recurrence, masked)
