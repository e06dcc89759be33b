"""Objects of SciPy that are followed as records: the arrays and numbers in them, and methods by a text in functions.

    scipy.sparse.csr_matrix        Rows(data, indices, indptr, shape), with __matmul__, dot, T …
    scipy.interpolate.PPoly        Piecewise(c, x, extrapolate, axis), with __call__, derivative …

Such a record is a dataclass whose fields are called as the attributes of the object. It is read where a function is
given the object, or finds it outside; what the record has no method for is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

RECORDS_OF: dict[type, type] = {}
"""The record that is read in the place of objects of a class."""


def stands_for(*classes: type) -> Callable[[Kind], Kind]:
    """Mark a dataclass as the record of objects of these classes."""

    def declare(kind: Kind) -> Kind:
        RECORDS_OF.update(dict.fromkeys(classes, kind))
        return kind

    return declare


MAKERS: dict[type, Callable[..., Any]] = {}
"""The text that makes the record of an object of a class in a function."""

Maker = TypeVar("Maker", bound=Callable[..., Any])


def makes(kind: type) -> Callable[[Maker], Maker]:
    """Mark a text that stands in the place of a call of a class, which has a record."""

    def declare(text: Maker) -> Maker:
        MAKERS[kind] = text
        return text

    return declare


def fields_of(kind: type) -> tuple[str, ...]:
    """The attributes that a record holds."""
    return tuple(field.name for field in dataclasses.fields(kind))


def part_of(kind: Any, value: Any, name: str) -> Any:
    """What stands in a field of the record of an object."""
    return getattr(kind, "__pullback_part__", getattr)(value, name)


def is_static(kind: type, name: str) -> bool:
    """Whether a field decides what is read, so that it is a part of the code: a degree, an axis."""
    return name in getattr(kind, "__pullback_static__", ())


def title_of(kind: Any) -> str:
    """What a message calls an object that is followed as a record of ours; "" for other classes."""
    return str(getattr(kind, "__pullback_title__", ""))
