"""What elements of datasets are made of: tensors in structures, of given dtypes and shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.tape.nest import flatten, rebuilt
from pullback.tf.types import TensorSpec
from pullback.tf.values import bare, constant, convert_to_tensor

INFINITE, UNKNOWN = -1, -2


class DatasetIterator:
    """An iterator over elements, with TensorFlow's name for `next` too.

    >>> import pullback.tf as tf
    >>> iter(tf.data.Dataset.range(3)).get_next()
    <Tensor 0, int64>
    """

    def __init__(self, elements: Iterator[Any]) -> None:
        self._elements = elements

    def __iter__(self) -> DatasetIterator:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element."""
        return next(self._elements)


def called(function: Callable[..., Any], element: Any) -> Any:
    """A tuple is several arguments."""
    return function(*element) if type(element) is tuple else function(element)


def stacked(elements: list[Any]) -> Any:
    """One element of several of the same shape."""
    columns = zip(*(flatten(one) for one in elements), strict=True)
    return rebuilt(elements[0], [np.stack(list(column)) for column in columns])


def as_tuple(structure: Any) -> Any:
    """A tuple for a list that a function returns, also within others."""
    if isinstance(structure, list):
        return tuple(as_tuple(one) for one in structure)
    return structure


def as_types(element: Any, types: Any) -> Any:
    """What a generator yields, in the dtypes of a structure; in their own where there is none."""
    if isinstance(types, tuple | list):
        return tuple(as_types(one, dtype) for one, dtype in zip(element, types, strict=True))
    if isinstance(types, dict):
        return {key: as_types(element[key], dtype) for key, dtype in types.items()}
    if types is None:
        return (
            tuple(convert_to_tensor(one) for one in element) if type(element) is tuple else convert_to_tensor(element)
        )
    return constant(bare(element), types)


def as_signature(element: Any, signature: Any) -> Any:
    """What a generator yields, in the dtypes and shapes of specifications. TypeError for other shapes."""
    if isinstance(signature, tuple | list):
        return tuple(as_signature(one, spec) for one, spec in zip(element, signature, strict=True))
    if isinstance(signature, dict):
        return {key: as_signature(element[key], spec) for key, spec in signature.items()}
    spec: TensorSpec = signature
    made = constant(bare(element), spec.dtype)
    if spec.shape is not None and not spec.shape.is_compatible_with(made.shape):
        raise TypeError(f"an element of shape {made.shape} where {spec.shape} was said")
    return made


def padded(elements: list[Any], shapes: Any, values: Any) -> Any:
    """Elements of several shapes as one: each is filled up at its ends to a shape, or to the largest extents."""
    columns = [list(column) for column in zip(*(flatten(one) for one in elements), strict=True)]
    wanted = [None] * len(columns) if shapes is None else _shapes(shapes)
    fill = [0] * len(columns) if values is None else flatten(values)
    fill = fill * len(columns) if len(fill) == 1 else fill
    return rebuilt(elements[0], [_filled(*one) for one in zip(columns, wanted, fill, strict=True)])


def _shapes(structure: Any) -> list[Any]:
    """The shapes in a structure: a sequence of numbers and None is one."""
    if isinstance(structure, dict):
        return [shape for one in structure.values() for shape in _shapes(one)]
    if structure is None or all(n is None or isinstance(n, int | np.integer) for n in structure):
        return [structure]
    return [shape for one in structure for shape in _shapes(one)]


def _filled(column: list[Any], shape: Any, value: Any) -> Any:
    most = [max(extents) for extents in zip(*(one.shape for one in column), strict=True)]
    extents = most if shape is None else [n if w in (None, -1) else w for n, w in zip(most, shape, strict=True)]
    if any(n > w for n, w in zip(most, extents, strict=True)):
        raise ValueError(f"elements of the shape {tuple(most)} do not fit into {tuple(extents)}")
    number = bare(value)
    margins = [[(0, w - n) for n, w in zip(one.shape, extents, strict=True)] for one in column]
    return np.stack(
        [
            np.pad(one, m, constant_values=number.astype(one.dtype)) if m else one
            for one, m in zip(column, margins, strict=True)
        ]
    )
