"""Where the windows of a convolution or of pooling lie, and the sums over them, on arrays of NumPy's.

Arrays are (n, *space, channels). A window has a size, a stride and a dilation along each axis of the space.

>>> Windows((5,), (3,), (2,), (1,), "SAME").outputs
(3,)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


def for_each_axis(given: Any, count: int, last: bool = True) -> tuple[int, ...]:
    """A setting of TensorFlow's, with a number for each axis of the space.

    It gives one number, one for each, or one for each axis of the tensor, which is 1 for rows and channels: these are
    last, or first. None is 1. ValueError for other settings.

    >>> for_each_axis(2, 2), for_each_axis([1, 3, 4, 1], 2)
    ((2, 2), (3, 4))
    """
    found = (1,) if given is None else tuple(int(n) for n in np.atleast_1d(given))
    if any(n < 1 for n in found):
        raise ValueError(f"sizes, strides and dilations are positive, not {given!r}")
    if len(found) == 1:
        return found * count
    if len(found) == count + 2:
        if found[0] != 1 or found[-1 if last else 1] != 1:
            raise ValueError(f"{given!r} is not 1 for rows and channels")
        return found[1:-1] if last else found[2:]
    if len(found) != count:
        raise ValueError(f"{given!r} does not have a number for each of {count} axes")
    return found


class Windows:
    """The windows over a space. padding: 'VALID', 'SAME', or (before, after) for each axis."""

    def __init__(
        self,
        space: tuple[int, ...],
        size: tuple[int, ...],
        strides: tuple[int, ...],
        dilations: tuple[int, ...],
        padding: str | Sequence[tuple[int, int]],
    ) -> None:
        self.space, self.size, self.strides, self.dilations = space, size, strides, dilations
        reach = [d * (k - 1) + 1 for d, k in zip(dilations, size, strict=True)]
        self.margins = _margins(space, reach, strides, padding)
        padded = [n + a + b for n, (a, b) in zip(space, self.margins, strict=True)]
        if any(n - r <= -2 * s for n, r, s in zip(padded, reach, strides, strict=True)):
            raise ValueError(f"windows of {tuple(reach)} are larger than the space {space} with its margins")
        self.outputs = tuple(max(0, (n - r) // s + 1) for n, r, s in zip(padded, reach, strides, strict=True))

    def padded(self, x: np.ndarray, value: Any = 0) -> np.ndarray:
        """`x` with its margins."""
        return np.pad(x, [(0, 0), *self.margins, (0, 0)], constant_values=value)

    def parts(self) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """For each place in a window, and which elements of the padded array stand there in all windows."""
        for place in itertools.product(*map(range, self.size)):
            along = [
                slice(p * d, p * d + (m - 1) * s + 1 if m else p * d, s)
                for p, d, m, s in zip(place, self.dilations, self.outputs, self.strides, strict=True)
            ]
            yield place, (slice(None), *along)

    def unpadded(self, x: np.ndarray) -> np.ndarray:
        """A padded array without its margins."""
        return x[(slice(None), *(slice(a, a + n) for n, (a, _) in zip(self.space, self.margins, strict=True)))]

    def of_padded(self, x: np.ndarray) -> tuple[int, ...]:
        """The shape of a padded array of rows and channels as x has them."""
        space = [n + a + b for n, (a, b) in zip(self.space, self.margins, strict=True)]
        return (x.shape[0], *space, x.shape[-1])


def _margins(
    space: Sequence[int], reach: Sequence[int], strides: Sequence[int], padding: str | Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    if not isinstance(padding, str):
        return tuple((int(a), int(b)) for a, b in padding)
    if padding.upper() == "VALID":
        return ((0, 0),) * len(space)
    if padding.upper() != "SAME":
        raise ValueError(f"padding is 'SAME' or 'VALID', not {padding!r}")
    missing = [max((math.ceil(n / s) - 1) * s + r - n, 0) for n, r, s in zip(space, reach, strides, strict=True)]
    return tuple((m // 2, m - m // 2) for m in missing)
