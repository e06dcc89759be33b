"""The layout of memory that compiled code takes: contiguous, writable, in the machine's byte order."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.ir.classes import as_number


def ready(leaf: Any) -> Any:
    """An argument as compiled code takes it; an array in another layout is copied."""
    if type(leaf) is not np.ndarray:
        return np.array(leaf) if isinstance(leaf, np.ndarray) else as_number(leaf)
    flags = leaf.flags
    if flags.c_contiguous and flags.writeable and flags.aligned and leaf.dtype.isnative:
        return leaf
    return np.array(leaf, dtype=leaf.dtype.newbyteorder("="), order="C")


def in_order(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with every array in the layout that compiled code takes."""
    return tuple([ready(a) if type(a) is np.ndarray else a for a in arguments])


def memory_of(out: np.ndarray) -> np.ndarray:
    """The array itself as compiled code takes it; if its layout is another, fresh memory to copy from afterwards."""
    array = np.asarray(out)
    if array.flags.carray and array.dtype.isnative:
        return array
    return np.empty(array.shape, array.dtype.newbyteorder("="))
