"""Attributes that are computed when they are first read, without a lock.

That of `functools.cached_property` in Python 3.11 stays locked in the copy of a process that is made meanwhile. Two
threads may compute such an attribute both; the last one keeps its value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Computed = TypeVar("Computed")


class once(Generic[Computed]):
    """The decorator of a method without arguments that becomes such an attribute."""

    def __init__(self, compute: Callable[[Any], Computed]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Computed: ...
    def __get__(self, owner: Any, kind: type) -> Self | Computed:
        if owner is None:
            return self
        value: Computed = self.compute(owner)
        owner.__dict__[self.compute.__name__] = value
        return value
