"""Functions of NumPy that are, on tensors, made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from pullback.tape.functions import COMPOSED, bare
from pullback.tape.rules import put
from pullback.tape.tensor import stacked

_ALL = slice(None)
Function = TypeVar("Function", bound=Callable[..., Any])


def _composes(*functions: Any) -> Callable[[Function], Function]:
    """Declare what takes the place of these functions of NumPy where a tensor is among the arguments."""

    def declare(body: Function) -> Function:
        for function in functions:
            COMPOSED[function] = body
        return body

    return declare


@_composes(np.take)
def take(a: Any, indices: Any, axis: int | None = None, out: None = None, mode: str = "raise") -> Any:
    a = stacked(a)
    if axis is None or not np.ndim(a):
        return np.reshape(a, -1)[_wrapped(indices, np.size(a), mode)]
    k = axis % np.ndim(a)
    return a[(_ALL,) * k + (_wrapped(indices, a.shape[k], mode),)]


def _wrapped(indices: Any, extent: int, mode: str) -> Any:
    given = bare(indices)
    forced = "same_kind" if isinstance(given, np.ndarray) else "unsafe"  # as NumPy has it
    positions = np.asarray(given).astype(np.intp, casting=forced)
    if mode == "wrap":
        return positions % extent
    return np.clip(positions, 0, extent - 1) if mode == "clip" else positions


@_composes(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    if axis is None:
        return np.reshape(arr, -1)[bare(indices)]
    index = list(np.ogrid[tuple(slice(n) for n in np.shape(indices))])
    index[axis] = np.asarray(bare(indices))
    return arr[tuple(index)]


@_composes(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _split(np.split, ary, indices_or_sections, axis)


@_composes(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _split(np.array_split, ary, indices_or_sections, axis)


def _split(parts: Callable[..., Any], ary: Any, indices_or_sections: Any, axis: int) -> list[Any]:
    ary = stacked(ary)
    k = axis % np.ndim(ary)
    positions = parts(np.arange(ary.shape[k]), bare(indices_or_sections))
    edges = [(int(p[0]), int(p[-1]) + 1) if p.size else (0, 0) for p in positions]
    return [ary[(_ALL,) * k + (slice(start, stop),)] for start, stop in edges]


@_composes(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", **keywords: Any) -> Any:
    positions = np.arange(np.size(array)).reshape(np.shape(array))
    if mode != "constant":
        return np.reshape(array, -1)[np.pad(positions, pad_width, mode, **keywords)]
    inside = np.pad(np.ones(np.shape(array), bool), pad_width)
    corner = np.argwhere(inside)[0] if inside.any() else np.zeros(inside.ndim, int)
    where = tuple(slice(int(k), int(k) + n) for k, n in zip(corner, np.shape(array), strict=True))
    padded = put(array, where, inside.shape)
    if not np.any(keywords.get("constant_values", 0)):
        return padded
    return padded + np.pad(np.zeros(np.shape(array), array.dtype), pad_width, mode, **keywords)


def _of_each(name: str) -> Callable[..., Any]:
    """np.atleast_1d and its like, of one array or of several."""
    ranks = {"atleast_1d": 1, "atleast_2d": 2, "atleast_3d": 3}

    def with_axes(array: Any) -> Any:
        shape = getattr(np, name)(np.empty(np.shape(array))).shape
        return array if np.ndim(array) >= ranks[name] else np.reshape(array, shape)

    def atleast(*arrays: Any) -> Any:
        made = tuple(with_axes(stacked(array)) for array in arrays)
        return made[0] if len(made) == 1 else made

    return atleast


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    COMPOSED[getattr(np, _name)] = _of_each(_name)


@_composes(np.linspace)
def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, *, axis: int = 0
) -> Any:
    start, stop = stacked(start), stacked(stop)
    steps = np.linspace(0, 1, num, endpoint)
    grid = np.reshape(steps, (num,) + (1,) * max(np.ndim(start), np.ndim(stop)))
    points = start + (stop - start) * grid
    points = np.moveaxis(points, 0, axis) if axis else points
    intervals = num - bool(endpoint)
    return (points, (stop - start) / intervals if intervals > 0 else np.nan) if retstep else points


@_composes(np.broadcast_arrays)
def broadcast_arrays(*arrays: Any, subok: bool = False) -> tuple[Any, ...]:
    shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
    return tuple(np.broadcast_to(array, shape) for array in arrays)


@_composes(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if n == 0:
        return a
    a = np.moveaxis(stacked(a), axis, -1)
    parts = [part if part is a else _end(part, a, axis) for part in (prepend, a, append) if part is not None]
    a = np.concatenate(parts, axis=-1) if len(parts) > 1 else a
    for _ in range(n):
        a = a[..., 1:] != a[..., :-1] if bare(a).dtype == bool else a[..., 1:] - a[..., :-1]
    return np.moveaxis(a, -1, axis)


def _end(part: Any, a: Any, axis: int) -> Any:
    """What stands before or behind the elements along the last axis: an array, or one number for all rows."""
    if np.ndim(part) == 0:
        return np.broadcast_to(part, (*a.shape[:-1], 1))
    return np.moveaxis(part, axis, -1)


@_composes(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    y = np.zeros_like(bare(x))
    for coefficient in p:
        y = y * x + coefficient
    return y
