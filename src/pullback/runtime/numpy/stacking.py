"""np.hstack and np.vstack of arrays and numbers whose dtypes and ranks may differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pullback.runtime.codegen.compiled import compiled, element_type, is_array, is_scalar, result_dtype
from pullback.runtime.memory.strided import flat, shaped
from pullback.runtime.numpy.joining import concatenate


def hstack(arrays: Any) -> Any:
    """np.hstack of a tuple of arrays and numbers."""
    return np.hstack(arrays)


def vstack(arrays: Any) -> Any:
    """np.vstack of a tuple of arrays and numbers."""
    return np.vstack(arrays)


def of_rank(arrays: Any, rank: int) -> Any:
    """The arrays of a tuple, those of less than `rank` axes with axes of one element before their own."""
    return tuple(np.reshape(a, (1,) * (rank - np.ndim(a)) + np.shape(a)) for a in arrays)


@compiled(of_rank)
def _of_rank(arrays: Any, rank: Any) -> Any:
    if len(arrays) == 0:
        return lambda arrays, rank: ()
    first, missing = arrays[0], rank.literal_value - getattr(arrays[0], "ndim", 0)
    if not is_array(first):
        dtype, shape = element_type(result_dtype(first)), (1,) * missing
        return lambda arrays, rank: (np.full(shape, arrays[0], dtype), *of_rank(arrays[1:], rank))
    if missing <= 0:
        return lambda arrays, rank: (arrays[0], *of_rank(arrays[1:], rank))
    axes = (1,) * missing
    return lambda arrays, rank: (shaped(flat(arrays[0]), axes + arrays[0].shape), *of_rank(arrays[1:], rank))


def _are_parts(arrays: Any) -> bool:
    return isinstance(arrays, types.BaseTuple) and len(arrays) > 0 and all(is_array(a) or is_scalar(a) for a in arrays)


@compiled(hstack)
def _hstack(arrays: Any) -> Any:
    if not _are_parts(arrays):
        return None
    if getattr(arrays[0], "ndim", 0) > 1:
        return lambda arrays: concatenate(arrays, 1)
    return lambda arrays: concatenate(of_rank(arrays, 1), 0)


@compiled(vstack)
def _vstack(arrays: Any) -> Any:
    return (lambda arrays: concatenate(of_rank(arrays, 2), 0)) if _are_parts(arrays) else None
