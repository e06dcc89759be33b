"""Parts of arrays by an index of any kind: read, and put into zeros, where those at a repeated position add up."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.protocol import dispatched


def take_item(a: Any, index: Any) -> Any:
    """a[index]."""
    return a[index]


@dispatched
def put_item(y: Any, index: Any, shape: Any) -> Any:
    """Zeros of `shape` in which the elements `y` stand at `index`; those at a repeated position add up.

    >>> put_item(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 0]), (4,))
    array([4., 0., 2., 0.])
    """
    out = np.zeros(shape, y.dtype)
    add_item(out, index, y)
    return out


def add_item(a: Any, index: Any, y: Any) -> None:
    """Add `y` to the elements of `a` at `index`, in place."""
    if has_arrays(index):
        np.add.at(a, index, y)
    else:
        a[index] += y


def has_arrays(index: Any) -> bool:
    """Whether an index may name a position twice."""
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(item, np.ndarray) for item in items)
