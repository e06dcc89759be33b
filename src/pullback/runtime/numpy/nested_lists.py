"""Nested lists of numbers and arrays become arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.protocol import has_protocol


def array_of(items: Any) -> Any:
    """A nested list or tuple as one array, of the kind that its items ask for; anything else as it is.

    >>> array_of([[1.0, 2.0], (3.0, 4.0)]).shape
    (2, 2)
    """
    if not isinstance(items, list | tuple):
        return items
    return np.stack([array_of(item) for item in items]) if _asks(items) else np.asarray(items)


def _asks(item: Any) -> bool:
    """Whether something in nested lists computes NumPy's functions itself."""
    return any(map(_asks, item)) if isinstance(item, list | tuple) else has_protocol(item)
