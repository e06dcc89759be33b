"""The nearest sequences that only fall or only rise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pullback.tape import Tensor, custom_gradient
from pullback.tf.values import convert_to_tensor


class IsotonicRegression(NamedTuple):
    """`output` has the sequences, `segments` the number of the segment of equal elements that each one lies in."""

    output: Tensor
    segments: Tensor


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """(output, segments): the sequences nearest to `inputs` along an `axis` that fall, or rise if not `decreasing`.

    >>> import pullback.tf as tf
    >>> tf.nn.isotonic_regression([3.0, 1.0, 2.0]).output
    <Tensor [3.  1.5 1.5], float32>
    """
    x = convert_to_tensor(inputs)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    moved = np.moveaxis(x._value if decreasing else -x._value, axis, -1)
    places = np.zeros(moved.shape, np.int32)
    for row in np.ndindex(moved.shape[:-1]):
        places[row] = _segments(moved[row])
    rows = np.arange(max(places[..., 0].size, 1)).reshape(*places.shape[:-1], 1) * places.shape[-1]
    groups = (places + rows).reshape(-1)
    counts = np.bincount(groups)

    def averaged(v: np.ndarray) -> np.ndarray:
        along = np.moveaxis(v, axis, -1)
        sums = np.bincount(groups, along.reshape(-1), minlength=counts.size)[groups] / counts[groups]
        return np.moveaxis(sums.reshape(along.shape), -1, axis).astype(v.dtype)

    @custom_gradient
    def nearest(x: Tensor) -> Any:
        return Tensor(averaged(x._value)), nearest

    return IsotonicRegression(nearest(x), Tensor(np.moveaxis(places, -1, axis)))


def _segments(row: np.ndarray) -> np.ndarray:
    """The segments over whose means a sequence falls: each joins those before it that are smaller."""
    sums: list[float] = []
    counts: list[int] = []
    for element in row.tolist():
        sums.append(element)
        counts.append(1)
        while len(sums) > 1 and sums[-2] * counts[-1] < sums[-1] * counts[-2]:
            sums[-2:], counts[-2:] = [sums[-2] + sums[-1]], [counts[-2] + counts[-1]]
    return np.repeat(np.arange(len(counts)), counts)
