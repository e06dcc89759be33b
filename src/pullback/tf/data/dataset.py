"""`tf.data.Dataset`: elements that are made one after the other, and made anew for each iteration over them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from pullback.tape.nest import flatten, rebuilt
from pullback.tf.creation import range as range_of
from pullback.tf.data.elements import (
    INFINITE,
    UNKNOWN,
    DatasetIterator,
    as_signature,
    as_tuple,
    as_types,
    called,
    stacked,
)
from pullback.tf.data.transformations import Transformations
from pullback.tf.seeds import generator
from pullback.tf.types import TensorSpec
from pullback.tf.values import bare, convert_to_tensor, number


def _tensors(structure: Any) -> Any:
    """A tuple for a tuple; a list is a tensor."""
    if isinstance(structure, tuple):
        made = [_tensors(one) for one in structure]
        return type(structure)(*made) if hasattr(structure, "_fields") else tuple(made)
    if isinstance(structure, dict):
        return {key: _tensors(one) for key, one in structure.items()}
    return structure if isinstance(structure, Dataset) else convert_to_tensor(structure)


def _zipped(structure: Any) -> Iterator[Any]:
    """Structures of an element of each of the datasets in one, until one of them ends."""
    if isinstance(structure, Dataset):
        return iter(structure)
    if isinstance(structure, dict):
        columns = zip(*(_zipped(one) for one in structure.values()), strict=False)
        return (dict(zip(structure, row, strict=True)) for row in columns)
    return zip(*(_zipped(one) for one in structure), strict=False)


def _windows(elements: list[Any]) -> Any:
    """A dataset of elements, or for elements of several parts a structure of datasets."""
    first = elements[0]
    parts = [flatten(one) for one in elements]
    columns = [Dataset(list(column).__iter__, len(elements)) for column in zip(*parts, strict=True)]
    return columns[0] if len(columns) == 1 and not isinstance(first, tuple | dict) else rebuilt(first, columns)


def _numbers(count: int) -> Iterator[int]:
    return itertools.count() if count < 0 else iter(range(count))


class Dataset(Transformations):
    """Elements, each a tensor or a structure of tensors, that a function without arguments makes an iterator of.

    elements: the function. count: how many there are, `tf.data.INFINITE_CARDINALITY` (-1) or
    `tf.data.UNKNOWN_CARDINALITY` (-2). Made by `from_tensor_slices` and its like.

    >>> import pullback.tf as tf
    >>> data = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5]).map(lambda x: 10 * x).batch(2)
    >>> [batch.numpy().tolist() for batch in data]
    [[10, 20], [30, 40], [50]]
    """

    def __init__(self, elements: Callable[[], Iterator[Any]], count: int = UNKNOWN) -> None:
        self._elements, self._count = elements, count

    def __iter__(self) -> Iterator[Any]:
        return DatasetIterator(self._elements())

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if self._count < 0:
            raise TypeError(f"how many elements there are is {'infinite' if self._count == INFINITE else 'unknown'}")
        return self._count

    def cardinality(self) -> Any:
        """How many elements there are, -1 where they do not end, or -2 where that is not known before."""
        return convert_to_tensor(np.int64(self._count))

    def _counted(self, change: Callable[[int], int]) -> int:
        """What a change makes of the number of elements, where it is known."""
        return self._count if self._count < 0 else change(self._count)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The parts of `tensors` along the first axis: a tensor, or a tuple or dict of tensors of one length."""
        whole = _tensors(tensors)
        leaves = flatten(whole)
        if len({len(one) for one in leaves}) > 1:
            raise ValueError(f"tensors of the lengths {[len(one) for one in leaves]} cannot be taken apart together")
        count = len(leaves[0])
        return Dataset(lambda: (rebuilt(whole, [one[k] for one in leaves]) for k in np.arange(count).tolist()), count)

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element: `tensors`."""
        whole = _tensors(tensors)
        return Dataset(lambda: iter([whole]), 1)

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[Any]],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = (),
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """What the iterator yields that `generator(*args)` returns, in the dtypes of `output_types`.

        output_signature: a structure of `tf.TensorSpec`, of which elements must have the shapes. `output_shapes` has no
        effect.
        """
        given = tuple(convert_to_tensor(one) for one in args)
        if output_signature is None:
            return Dataset(lambda: (as_types(one, output_types) for one in generator(*given)))
        return Dataset(lambda: (as_signature(one, output_signature) for one in generator(*given)))

    @staticmethod
    def range(*bounds: Any, output_type: Any = np.int64, name: str | None = None) -> Dataset:
        """The numbers of `range(*bounds)`."""
        return Dataset.from_tensor_slices(range_of(*bounds).astype(output_type))

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = np.int64, name: str | None = None) -> Dataset:
        """`start` and so on by `step`, without end, as numbers of a `dtype`."""
        first, move = number(start), number(step)
        return Dataset(
            lambda: (convert_to_tensor(np.dtype(dtype).type(n)) for n in itertools.count(first, move)), INFINITE
        )

    @staticmethod
    def zip(*datasets: Any, name: str | None = None) -> Dataset:
        """Tuples, or a structure, of an element of each of the datasets, as many as the shortest has."""
        given = datasets[0] if len(datasets) == 1 and isinstance(datasets[0], tuple | list | dict) else datasets
        counts = [one._count for one in flatten(given)]
        known = [n for n in counts if n != INFINITE]
        count = UNKNOWN if UNKNOWN in counts else min(known, default=INFINITE)
        return Dataset(lambda: _zipped(given), count)

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None, name: Any = None
    ) -> Dataset:
        """`map_func` of each element, of which a tuple is several arguments."""
        return Dataset(lambda: (_tensors(as_tuple(called(map_func, one))) for one in self), self._count)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` holds."""
        count = INFINITE if self._count == INFINITE else UNKNOWN
        return Dataset(lambda: (one for one in self if bool(called(predicate, one))), count)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that `map_func` makes of each element."""
        return Dataset(lambda: itertools.chain.from_iterable(called(map_func, one) for one in self))

    def batch(self, batch_size: Any, drop_remainder: bool = False, *_: Any, **__: Any) -> Dataset:
        """`batch_size` elements after the other, stacked; fewer at the end, or none if `drop_remainder`."""
        size = int(number(batch_size))
        if size < 1:
            raise ValueError(f"a batch has at least one element, not {size}")

        def elements() -> Iterator[Any]:
            remaining = iter(self)
            while group := list(itertools.islice(remaining, size)):
                if len(group) < size and drop_remainder:
                    return
                yield stacked(group)

        return Dataset(elements, self._counted(lambda n: n // size if drop_remainder else -(-n // size)))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The parts of each element along its first axis."""
        return Dataset(lambda: itertools.chain.from_iterable(Dataset.from_tensor_slices(one) for one in self))

    def shuffle(
        self, buffer_size: Any, seed: int | None = None, reshuffle_each_iteration: bool = True, name: str | None = None
    ) -> Dataset:
        """The elements in a random order: each is drawn from the next `buffer_size`. seed: see `tf.random.set_seed`.

        reshuffle_each_iteration: False for the same order each time.
        """
        size, first = max(1, int(number(buffer_size))), generator(seed).integers(2**32)
        iterations = itertools.count()

        def elements() -> Iterator[Any]:
            rng = np.random.default_rng([int(first), next(iterations) if reshuffle_each_iteration else 0])
            buffer: list[Any] = []
            for one in self:
                if len(buffer) < size:
                    buffer.append(one)
                    continue
                k = int(rng.integers(size))
                yield buffer[k]
                buffer[k] = one
            yield from (buffer[k] for k in rng.permutation(len(buffer)).tolist())

        return Dataset(elements, self._count)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """All elements `count` times over, without end by default."""
        times = -1 if count is None else int(number(count))
        count = self._counted(lambda n: n * times) if times > 0 else 0 if times == 0 or self._count == 0 else INFINITE
        return Dataset(lambda: itertools.chain.from_iterable(self for _ in _numbers(times)), count)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements, all for -1."""
        most = int(number(count))
        count = self._count if most < 0 else most if self._count == INFINITE else self._counted(lambda n: min(n, most))
        return Dataset(lambda: itertools.islice(self, None if most < 0 else most), count)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements after the first `count`, none for -1."""
        first = int(number(count))
        count = 0 if first < 0 else self._counted(lambda n: max(n - first, 0))
        return Dataset(lambda: iter(()) if first < 0 else itertools.islice(self, first, None), count)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from `start` on, and an element."""
        return Dataset(
            lambda: ((convert_to_tensor(np.int64(k)), one) for k, one in enumerate(self, int(number(start)))),
            self._count,
        )

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements, then those of another `dataset`."""
        both = self._count, dataset._count
        count = INFINITE if INFINITE in both else UNKNOWN if UNKNOWN in both else sum(both)
        return Dataset(lambda: itertools.chain(self, dataset), count)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """Datasets of `size` elements each, `stride` apart, that start `shift` (the size by default) apart."""
        length, step = int(number(size)), int(number(stride))
        move = length if shift is None else int(number(shift))

        def windows(count: int) -> int:
            whole = (length - 1) * step + 1
            return max(count - whole + move, 0) // move if drop_remainder else -(-count // move)

        def elements() -> Iterator[Any]:
            whole = list(self)
            for start in np.arange(0, len(whole), move).tolist():
                part = whole[start : start + length * step : step]
                if len(part) == length or not drop_remainder:
                    yield _windows(part)

        return Dataset(elements, self._counted(windows))

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        """reduce_func(… reduce_func(initial_state, first element) …, last element)."""
        state = _tensors(initial_state)
        for one in self:
            state = reduce_func(state, one)
        return state

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """`transformation_func` of the dataset."""
        return transformation_func(self)

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """The same elements, made once and kept in memory."""
        kept: list[Any] = []

        def elements() -> Iterator[Any]:
            if not kept:
                kept.append(list(self))
            return iter(kept[0])

        return Dataset(elements, self._count)

    def prefetch(self, buffer_size: Any = None, name: str | None = None) -> Dataset:
        """The same: elements are made when they are wanted."""
        return self

    def as_numpy_iterator(self) -> Iterator[Any]:
        """An iterator over the elements as arrays of NumPy's."""
        return (rebuilt(one, [bare(leaf).copy()[()] for leaf in flatten(one)]) for one in self)

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of the first element."""
        first = next(iter(self))
        return rebuilt(first, [TensorSpec(leaf.shape, leaf.dtype) for leaf in flatten(first)])
