"""Evenly spaced numbers, computed as NumPy computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, dtype_of, is_scalar, kernel


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    """np.linspace(start, stop, num, endpoint) between numbers."""
    return np.linspace(start, stop, num, endpoint)


@kernel
def fill_evenly(out: Any, start: Any, delta: Any, intervals: int) -> Any:
    """start + k delta / intervals; numbers go through `out`, so that all are of its dtype."""
    for k in range(out.size):
        out[k] = max(intervals, 1)
        step, divisor = delta / out[k], out[k]
        out[k] = k
        if intervals > 0 and step == 0:
            out[k] = out[k] / divisor * delta + start
        else:
            out[k] = out[k] * step + start


@compiled(linspace)
def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
    if not is_scalar(start) or not is_scalar(stop):
        return None
    common = np.result_type(dtype_of(start), dtype_of(stop))
    dtype = common if common.kind == "f" else np.dtype(np.float64)
    one = dtype.type(1)

    def spaced(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
        if num < 0:
            raise ValueError("Number of samples must be non-negative.")
        out = np.empty(num, dtype)
        intervals = num - 1 if endpoint else num
        fill_evenly(out, one * start, one * stop - one * start, intervals)
        if endpoint and num > 1:
            out[num - 1] = stop
        return out

    return spaced
