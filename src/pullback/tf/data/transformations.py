"""Transformations of datasets that are less often used."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any, Self

from pullback.tf.data.elements import INFINITE, UNKNOWN, called, padded
from pullback.tf.values import number


class Transformations:
    """Methods of `tf.data.Dataset`, which says what `_elements` and `_count` are."""

    _count: int

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def _made(self, elements: Callable[[], Iterator[Any]], count: int = UNKNOWN) -> Self:
        made: Any = type(self)
        return made(elements, count)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """`batch_size` elements after the other, filled up to `padded_shapes` or to the largest of them, and stacked.

        padding_values: what they are filled up with, 0 by default. drop_remainder: without a smaller one at the end.
        """
        size = int(number(batch_size))

        def elements() -> Iterator[Any]:
            for group in _groups(self, size):
                if len(group) == size or not drop_remainder:
                    yield padded(list(group), padded_shapes, padding_values)

        count = self._count if self._count < 0 else self._count // size if drop_remainder else -(-self._count // size)
        return self._made(elements, count)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Self:
        """The elements of the datasets that `map_func` makes: `block_length` of each of `cycle_length` in turn.

        `num_parallel_calls` and `deterministic` have no effect.
        """
        length = min(os.cpu_count() or 1, 10) if cycle_length in (None, -1) else int(number(cycle_length))
        block = 1 if block_length is None else int(number(block_length))

        def elements() -> Iterator[Any]:
            given, ended = iter(self), False
            places: list[Iterator[Any] | None] = [None] * length
            while not ended or any(places):
                for k in range(length):
                    if places[k] is None and not ended:
                        found = next(given, None)
                        ended = found is None
                        places[k] = None if found is None else iter(called(map_func, found))
                    part = list(itertools.islice(places[k] or (), block))
                    yield from part
                    if len(part) < block:
                        places[k] = None

        return self._made(elements)

    def scan(self, initial_state: Any, scan_func: Callable[[Any, Any], Any], name: str | None = None) -> Self:
        """The outputs of `scan_func(state, element)`, which returns the next state and an output.

        initial_state: the first state.
        """

        def elements() -> Iterator[Any]:
            state = initial_state
            for one in self:
                state, output = scan_func(state, one)
                yield output

        return self._made(elements, self._count)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements up to the first for which `predicate` does not hold."""
        return self._made(lambda: itertools.takewhile(lambda one: bool(called(predicate, one)), self))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every `num_shards`-th element, from the place `index` on."""
        step, first = int(number(num_shards)), int(number(index))
        count = self._count if self._count < 0 else max(-(-(self._count - first) // step), 0)
        return self._made(lambda: itertools.islice(self, first, None, step), count)

    def unique(self, name: str | None = None) -> Self:
        """The elements without those that were there before."""

        def elements() -> Iterator[Any]:
            seen: set[bytes] = set()
            for one in self:
                key = one.numpy().tobytes()
                if key not in seen:
                    seen.add(key)
                    yield one

        return self._made(elements)

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: str | None = None) -> Self:
        """The same rows in batches of `batch_size`; without a smaller one at the end if `drop_remainder`."""
        whole: Any = self
        made = whole.unbatch().batch(batch_size, drop_remainder)
        return self._made(made.__iter__, INFINITE if self._count == INFINITE else UNKNOWN)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element. ValueError where there is none, or another one."""
        found = list(itertools.islice(self, 2))
        if len(found) != 1:
            raise ValueError(f"there is {'no element' if not found else 'more than one element'}")
        return found[0]


def _groups(elements: Any, size: int) -> Iterator[Any]:
    remaining = iter(elements)
    while group := tuple(itertools.islice(remaining, size)):
        yield group
