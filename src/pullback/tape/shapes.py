"""`TensorShape`: the shape of a tensor, a tuple with TensorFlow's methods."""

from __future__ import annotations

from typing import Any

import numpy as np


class TensorShape(tuple[Any, ...]):
    """A shape: a tuple of integers, with TensorFlow's methods. None stands for an extent that is not known.

    >>> import pullback.tf as tf
    >>> shape = tf.TensorShape([2, None])
    >>> shape.as_list(), shape.rank, shape.is_compatible_with([2, 3])
    ([2, None], 2, True)
    """

    __slots__ = ()

    def __new__(cls, dims: Any) -> TensorShape:
        given = (dims,) if isinstance(dims, int) else dims
        return super().__new__(cls, (None if n is None else int(n) for n in given))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[Any]:
        """The extents in a list."""
        return list(self)

    def as_list(self) -> list[Any]:
        """The extents in a list."""
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the extents, None where one is not known."""
        return int(np.prod(self)) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Whether all extents are known."""
        return None not in self

    def is_compatible_with(self, other: Any) -> bool:
        """Whether all extents that both know are the same."""
        theirs = tuple(other)
        return len(self) == len(theirs) and all(
            None in pair or pair[0] == pair[1] for pair in zip(self, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise a ValueError where extents differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"the shapes {tuple(self)} and {tuple(other)} differ")

    def assert_has_rank(self, rank: int) -> None:
        """Raise a ValueError where there is another number of axes."""
        if len(self) != rank:
            raise ValueError(f"the shape {tuple(self)} has not {rank} axes")

    def concatenate(self, other: Any) -> TensorShape:
        """The extents, then those of another shape."""
        return TensorShape((*self, *other))

    def merge_with(self, other: Any) -> TensorShape:
        """What both shapes know."""
        self.assert_is_compatible_with(other)
        return TensorShape(b if a is None else a for a, b in zip(self, other, strict=True))
