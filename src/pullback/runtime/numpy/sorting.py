"""Positions of sorted elements along an axis, and elements at positions along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import axis_of, compiled, constant, dtype_of, is_array, kernel
from pullback.runtime.memory.strided import flat, product, shaped
from pullback.runtime.numpy.radix_sort import radix_argsort

MANY = 1000
"""From more elements on, a radix sort takes less time than comparisons."""


def argsort_along(a: Any, axis: int = -1) -> Any:
    """np.argsort(a, axis, kind="stable").

    >>> argsort_along(np.array([2.0, 1.0, 2.0]))
    array([1, 0, 2])
    """
    return np.argsort(a, axis=axis, kind="stable")


def permuted_along(a: Any, positions: Any, axis: int = -1) -> Any:
    """np.take_along_axis(a, positions, axis), with positions for each line of `a` along the axis."""
    return np.take_along_axis(a, positions, axis)


def unpermuted_along(y: Any, positions: Any, axis: int = -1) -> Any:
    """The array of which `permuted_along` gives `y`, where the positions along the axis are a permutation.

    >>> unpermuted_along(np.array([1.0, 2.0, 3.0]), np.array([1, 2, 0]))
    array([3., 1., 2.])
    """
    return np.take_along_axis(y, np.argsort(positions, axis=axis), axis)


def sorted_positions(line: Any) -> Any:
    """The positions of the elements of a vector in rising order, those that are equal in theirs."""
    return np.argsort(line, kind="stable")


@compiled(sorted_positions, prefer_literal=False)
def _sorted_positions(line: Any) -> Any:
    if dtype_of(line).kind == "f":
        return lambda line: radix_argsort(line) if len(line) > MANY else np.argsort(line, kind="mergesort")
    return lambda line: np.argsort(line, kind="mergesort")


@kernel
def argsort_middle(x: Any, rows: int, count: int, columns: int) -> Any:
    out = np.empty(rows * count * columns, np.int64)
    line = np.empty(count, x.dtype)
    for i in range(rows):
        for j in range(columns):
            first = i * count * columns + j
            for r in range(count):
                line[r] = x[first + r * columns]
            order = sorted_positions(line)
            for r in range(count):
                out[first + r * columns] = order[r]
    return out


@kernel
def take_middle(x: Any, positions: Any, rows: int, count: int, columns: int) -> Any:
    out = np.empty(x.size, x.dtype)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                place = (i * count + r) * columns + j
                out[place] = x[(i * count + positions[place]) * columns + j]
    return out


@kernel
def put_middle(y: Any, positions: Any, rows: int, count: int, columns: int) -> Any:
    out = np.empty(y.size, y.dtype)
    for i in range(rows):
        for r in range(count):
            for j in range(columns):
                place = (i * count + r) * columns + j
                out[(i * count + positions[place]) * columns + j] = y[place]
    return out


def argsort(a: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
    """np.argsort of an array, whose elements are in a row for None as axis."""
    return np.argsort(a, axis=axis, kind=kind, stable=stable)


@compiled(argsort)
def _argsort(a: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
    if not is_array(a):
        return None
    if constant(axis) is None:
        return lambda a, axis=-1, kind=None, stable=None: argsort_along(flat(a))
    return lambda a, axis=-1, kind=None, stable=None: argsort_along(a, axis)


@compiled(argsort_along)
def _argsort_along(a: Any, axis: Any = -1) -> Any:
    if not is_array(a):
        return None
    ndim, position = a.ndim, axis_of(axis, a.ndim)

    def argsort(a: Any, axis: Any = -1) -> Any:
        rows, columns = product(a.shape, 0, position), product(a.shape, position + 1, ndim)
        return shaped(argsort_middle(flat(a), rows, a.shape[position], columns), a.shape)

    return argsort


def _define_along(function: Any, middle: Any) -> None:
    """The overload of function(x, positions, axis) for arrays of one shape."""

    @compiled(function)
    def typed(x: Any, positions: Any, axis: Any = -1) -> Any:
        if not is_array(x) or not is_array(positions) or x.ndim != positions.ndim:
            return None
        ndim, position = x.ndim, axis_of(axis, x.ndim)

        def along(x: Any, positions: Any, axis: Any = -1) -> Any:
            rows, columns = product(x.shape, 0, position), product(x.shape, position + 1, ndim)
            return shaped(middle(flat(x), flat(positions), rows, x.shape[position], columns), x.shape)

        return along


_define_along(permuted_along, take_middle)
_define_along(unpermuted_along, put_middle)


@kernel
def permutation_of(positions: Any) -> Any:
    """The order of rows after row k is exchanged with row positions[k], for k = 0, 1, …

    >>> permutation_of(np.array([2, 2, 2]))
    array([2, 0, 1])
    """
    order = np.arange(positions.shape[0]).astype(positions.dtype)
    for k in range(positions.shape[0]):
        row = order[k]
        order[k] = order[positions[k]]
        order[positions[k]] = row
    return order
