"""A Series of pandas, or a DataArray of xarray with one axis, becomes an array; its gradient gets the labels.

That is done where the function means the same with and without labels, and refused elsewhere. Neither package is
imported here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.ir import primitives
from pullback.ir.classes import of_class
from pullback.ir.nodes import Let, walk
from pullback.ir.types import Array

_LABELLED = {("pandas", "Series"), ("xarray", "DataArray")}
_COUNTED_OTHERWISE = (np.var, np.std)


def is_labelled(value: Any) -> bool:
    """Whether a value is an array with labels that can be left out.

    >>> is_labelled(np.ones(3))
    False
    """
    if not _has_labels(type(value)) or getattr(value, "ndim", 0) != 1:
        return False
    return isinstance(value.dtype, np.dtype) and value.dtype.kind in "fiub"


@of_class
def _has_labels(kind: type) -> bool:
    return (kind.__module__.partition(".")[0], kind.__name__) in _LABELLED


def labelled_in(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays with labels in a nested structure, each with the text that means it."""
    if is_labelled(value):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from labelled_in(item, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from labelled_in(item, f"{path}[{k}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from labelled_in(getattr(value, field.name), f"{path}.{field.name}")


class Unlabelled(dict[str, Any]):
    """Arguments with arrays in the place of arrays with labels; `given` are those with labels."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__(
            {name: _mapped(value, value, lambda series, _: series.to_numpy()) for name, value in given.items()}
        )
        self.given = given


def without_labels(bound: dict[str, Any]) -> dict[str, Any]:
    """The arguments with arrays in the place of arrays with labels."""
    return Unlabelled(bound) if has_labels(bound) else bound


def has_labels(bound: dict[str, Any]) -> bool:
    """Whether there is an array with labels among the arguments."""
    return any(True for name, value in bound.items() for _ in labelled_in(value, name))


def labelled_like(argument: Any, gradient: Any) -> Any:
    """A gradient with the labels of its argument."""
    return _mapped(argument, gradient, _relabelled)


def _relabelled(argument: Any, gradient: Any) -> Any:
    if type(argument).__name__ == "Series":
        return type(argument)(gradient, index=argument.index, name=argument.name)
    return argument.copy(data=gradient)


def _mapped(original: Any, other: Any, change: Callable[[Any, Any], Any]) -> Any:
    """`other` with `change(array with labels, its counterpart)` where the structure `original` has such arrays."""
    if is_labelled(original):
        return None if other is None else change(original, other)
    if not any(True for _ in labelled_in(original)):
        return other
    if isinstance(original, dict):
        return {key: _mapped(item, other[key], change) for key, item in original.items()}
    if isinstance(original, list | tuple):
        items = [_mapped(item, counterpart, change) for item, counterpart in zip(original, other, strict=True)]
        return type(original)(*items) if hasattr(original, "_fields") else type(original)(items)
    names = [field.name for field in dataclasses.fields(original)]
    return type(original)(*(_mapped(getattr(original, name), getattr(other, name), change) for name in names))


def check_meaning(bound: dict[str, Any], built: Built) -> None:
    """TypingError where labels would decide what the function computes, or missing values be left out."""
    found = [entry for name, value in bound.items() for entry in labelled_in(value, name)]
    for path, series in found:
        if series.dtype.kind == "f" and np.isnan(series.to_numpy()).any():
            raise _refused(path, "has missing values, which sums of it leave out, and those of arrays do not")
    for path, series in found[1:]:
        if type(series) is type(found[0][1]) and not _labels(series).equals(_labels(found[0][1])):
            raise _refused(path, f"has other labels than '{found[0][0]}', and operations would match them")
    for statement in _statements(built):
        if statement.function in _COUNTED_OTHERWISE:
            reason = f"the {statement.function.__name__} of it may divide by n - 1, that of arrays divides by n"
            raise _refused(found[0][0], f"has labels: {reason}", statement)
        if statement.function is primitives.load and isinstance(statement.value.type, Array):
            raise _refused(found[0][0], "has labels, which its parts would keep and operations match", statement)
        if statement.function is primitives.load and any(not _is_counted(series) for _, series in found):
            raise _refused(found[0][0], "has labels of its own, by which its elements are found", statement)


def _statements(built: Built) -> Iterator[Let]:
    for function in (built.function, *built.function.callees):
        yield from (statement for statement in walk(function.body) if isinstance(statement, Let))


def _labels(series: Any) -> Any:
    return series.index if type(series).__name__ == "Series" else series.coords.to_dataset()


def _is_counted(series: Any) -> bool:
    """Whether elements are found by their places: the labels of a Series are 0, 1, 2, …"""
    return type(series).__name__ != "Series" or np.array_equal(series.index, np.arange(len(series)))


def _refused(path: str, reason: str, statement: Let | None = None) -> TypingError:
    place = None if statement is None else statement.location
    return TypingError(f"the argument '{path}' {reason}", place, f"pass {path}.to_numpy()")
