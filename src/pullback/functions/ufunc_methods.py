"""The methods of ufuncs: reduce, accumulate, outer, reduceat and at. Their texts stand in the place of their calls.

np.add.reduce(a)             →    np.sum(a, axis=0)
np.logaddexp.reduce(a)       →    a loop over the first axis
np.subtract.outer(a, b)      →    np.subtract(a[:, None], b)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.functions.declare import composes, planning
from pullback.functions.parts import as_array, is_number
from pullback.functions.record import RECORDS
from pullback.runtime.numpy.nested_lists import array_of

_REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_SCANS: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def reduced_by(ufunc: np.ufunc, reduction: Callable[..., Any]) -> Callable[..., Any]:
    """The text of `reduce` of a ufunc for which there is a function of NumPy."""

    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        array = as_array(array)
        if initial is None and isinstance(where, bool):
            return reduction(array, axis=axis, keepdims=keepdims)
        return reduction(array, axis=axis, keepdims=keepdims, initial=initial, where=where)

    return reduce


def folded_by(ufunc: np.ufunc) -> Callable[..., Any]:
    """The text of `reduce` of another ufunc: a loop along the axis."""

    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        array = as_array(array)
        axes = axes_to_fold(axis, np.ndim(array))
        for k in axes:
            array = np.moveaxis(array, k, 0)
            if initial is not None and k == axes[-1]:
                first = np.full((1,) + array.shape[1:], initial).astype(array.dtype)
                array = np.concatenate((first, array))
            elif array.shape[0] == 0:
                if ufunc.identity is None:
                    raise ValueError("zero-size array to reduction operation which has no identity")
                array = np.full((1,) + array.shape[1:], ufunc.identity).astype(array.dtype)
            total = np.abs(array[0]) if ufunc is np.hypot else array[0]  # NumPy folds its identity in
            for j in range(1, array.shape[0]):
                total = ufunc(total, array[j])
            array = total
        return np.expand_dims(array, axes) if keepdims else array

    return reduce


@planning
def axes_to_fold(axis, rank):
    """The axes of a reduction, the last one first."""
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(-rank <= k < rank for k in axes):
        raise np.exceptions.AxisError(axes[0], rank)
    return tuple(sorted((k % rank for k in axes), reverse=True))


def accumulated_by(ufunc: np.ufunc) -> Callable[..., Any]:
    """The text of `accumulate` of a ufunc: a loop along the axis."""

    def accumulate(array, axis=0, dtype=None, out=None):
        array = np.moveaxis(as_array(array), axis, 0)
        if array.shape[0] == 0:
            return np.moveaxis(np.copy(array), 0, axis)
        found = array.astype(ufunc(array[:1], array[:1]).dtype)
        for j in range(1, found.shape[0]):
            found[j] = ufunc(found[j - 1], found[j])
        return np.moveaxis(found, 0, axis)

    return accumulate


def scanned_by(scan: Callable[..., Any]) -> Callable[..., Any]:
    """The text of `accumulate` of a ufunc for which there is a function of NumPy."""

    def accumulate(array, axis=0, dtype=None, out=None):
        return scan(as_array(array), axis=axis)

    return accumulate


def paired_by(ufunc: np.ufunc) -> Callable[..., Any]:
    """The text of `outer` of a ufunc: each element of one array with each of another one."""

    def outer(A, B):
        A, B = as_array(A), as_array(B)
        return ufunc(np.reshape(A, np.shape(A) + axes_of_one(np.ndim(B))), B)

    return outer


@planning
def axes_of_one(count):
    """So many axes of one element."""
    return (1,) * count


def reduced_in_parts_by(ufunc: np.ufunc) -> Callable[..., Any]:
    """The text of `reduceat` of a ufunc: a reduction of each part between neighbouring positions."""
    reduction: Any = _REDUCTIONS.get(ufunc)

    def reduceat(array, indices, axis=0, dtype=None, out=None):
        array, indices = np.moveaxis(as_array(array), axis, 0), as_array(indices)
        parts = []
        for k in range(indices.shape[0]):
            first = indices[k]
            last = indices[k + 1] if k + 1 < indices.shape[0] else array.shape[0]
            if first < 0 or first >= array.shape[0]:
                raise IndexError("index out-of-bounds in reduceat")
            parts.append(reduction(array[first : max(last, first + 1)], axis=0))
        return np.moveaxis(array_of(parts), 0, axis)

    return reduceat


def applied_at(ufunc: np.ufunc) -> Callable[..., Any]:
    """The text of `at` of a ufunc of two operands: one element after the other, so that repeated ones add up."""

    def at(a, indices, b):
        places, values = as_array(indices), as_array(b)
        if is_number(places) or places.dtype == np.bool_:
            a[places] = ufunc(a[places], values)
        else:
            values = np.broadcast_to(values, np.shape(places) + tuple(np.shape(a))[1:])
            for k in range(places.shape[0]):
                a[places[k]] = ufunc(a[places[k]], values[k])

    return at


def subtracted_at(a, indices, b):
    """np.subtract.at: repeated indices add up."""
    np.add.at(a, indices, np.negative(as_array(b)))


def _declare() -> None:
    """Declare the methods of all ufuncs of NumPy that have a derivative, or are known to have none."""
    for name in sorted(set(np.__all__)):
        ufunc = getattr(np, name)
        record = RECORDS.get(ufunc) if isinstance(ufunc, np.ufunc) else None
        if record is None or ufunc.nout != 1 or ufunc.signature is not None or ufunc.nin != 2:
            continue
        reduction = _REDUCTIONS.get(ufunc)
        text = folded_by(ufunc) if reduction is None else reduced_by(ufunc, reduction)
        of = {"of_complex": record.of_complex}
        names = ("array", "axis", "dtype", "out", "keepdims", "initial", "where")
        composes(ufunc.reduce, parameters=names, **of)(text)
        scan = _SCANS.get(ufunc)
        text = accumulated_by(ufunc) if scan is None else scanned_by(scan)
        composes(ufunc.accumulate, parameters=("array", "axis", "dtype", "out"), **of)(text)
        composes(ufunc.outer, parameters=("A", "B"), **of)(paired_by(ufunc))
        if reduction is not None:
            text = reduced_in_parts_by(ufunc)
            composes(ufunc.reduceat, parameters=("array", "indices", "axis", "dtype", "out"), **of)(text)
        if ufunc is np.subtract:
            composes(ufunc.at, parameters=("a", "indices", "b"), **of)(subtracted_at)
        elif ufunc is not np.add:
            composes(ufunc.at, parameters=("a", "indices", "b"), **of)(applied_at(ufunc))


_declare()
