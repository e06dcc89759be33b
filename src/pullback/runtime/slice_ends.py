"""The places in an axis where a slice begins and ends, which may be counted from its end, or lie beyond it."""

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled


def slice_end(index: int, least: int, size: int) -> int:
    """Where a slice of an axis of this size ends that is given by `index`, if it does not end before `least`.

    >>> x = [10, 11, 12, 13]
    >>> first = slice_end(-3, 0, len(x))
    >>> last = slice_end(7, first, len(x))
    >>> (first, last), x[-3:7]
    ((1, 4), [11, 12, 13])
    """
    index = int(index)
    return min(max(index + size if index < 0 else index, least), size)


@compiled(slice_end, prefer_literal=False)
def _slice_end(index: Any, least: Any, size: Any) -> Any:
    def end(index: Any, least: Any, size: Any) -> Any:
        place = np.int64(index)
        return min(max(place + size if place < 0 else place, least), size)

    return end
