"""`tf.data.Dataset`: elements that are made one after the other, and made anew for each iteration over them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from pullback.tape.nest import flatten, rebuilt
from pullback.tf.creation import range as range_of
from pullback.tf.seeds import generator
from pullback.tf.values import bare, convert_to_tensor, number


def _tensors(structure: Any) -> Any:
    """A tuple for a tuple; a list is a tensor."""
    if isinstance(structure, tuple):
        made = [_tensors(one) for one in structure]
        return type(structure)(*made) if hasattr(structure, "_fields") else tuple(made)
    if isinstance(structure, dict):
        return {key: _tensors(one) for key, one in structure.items()}
    return structure if isinstance(structure, Dataset) else convert_to_tensor(structure)


def _stacked(elements: list[Any]) -> Any:
    columns = zip(*(flatten(one) for one in elements), strict=True)
    return rebuilt(elements[0], [np.stack(list(column)) for column in columns])


def _called(function: Callable[..., Any], element: Any) -> Any:
    """A tuple is several arguments."""
    return function(*element) if type(element) is tuple else function(element)


def _numbers(count: int) -> Iterator[int]:
    return itertools.count() if count < 0 else iter(range(count))


class Dataset:
    """Elements, each a tensor or a structure of tensors, that a function without arguments makes an iterator of.

    elements: the function. Made by `from_tensor_slices` and its like.

    >>> import pullback.tf as tf
    >>> data = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5]).map(lambda x: 10 * x).batch(2)
    >>> [batch.numpy().tolist() for batch in data]
    [[10, 20], [30, 40], [50]]
    """

    def __init__(self, elements: Callable[[], Iterator[Any]]) -> None:
        self._elements = elements

    def __iter__(self) -> Iterator[Any]:
        return self._elements()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def cardinality(self) -> Any:
        """How many elements there are: they are counted."""
        return convert_to_tensor(np.int64(len(self)))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The parts of `tensors` along the first axis: a tensor, or a tuple or dict of tensors of one length."""
        whole = _tensors(tensors)
        leaves = flatten(whole)
        if len({len(one) for one in leaves}) > 1:
            raise ValueError(f"tensors of the lengths {[len(one) for one in leaves]} cannot be taken apart together")
        return Dataset(lambda: (rebuilt(whole, [one[k] for one in leaves]) for k in np.arange(len(leaves[0])).tolist()))

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element: `tensors`."""
        whole = _tensors(tensors)
        return Dataset(lambda: iter([whole]))

    @staticmethod
    def from_generator(generator: Callable[..., Iterable[Any]], *_: Any, args: Any = (), **__: Any) -> Dataset:
        """What the iterator yields that `generator(*args)` returns."""
        return Dataset(lambda: (_tensors(one) for one in generator(*args)))

    @staticmethod
    def range(*bounds: Any, output_type: Any = np.int64, name: str | None = None) -> Dataset:
        """The numbers of `range(*bounds)`."""
        return Dataset.from_tensor_slices(range_of(*bounds).astype(output_type))

    @staticmethod
    def zip(*datasets: Any, name: str | None = None) -> Dataset:
        """Tuples of an element of each of the datasets, as many as the shortest has."""
        given = datasets[0] if len(datasets) == 1 and isinstance(datasets[0], tuple | list) else datasets
        return Dataset(lambda: iter(zip(*given, strict=False)))

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None, name: Any = None
    ) -> Dataset:
        """`map_func` of each element, of which a tuple is several arguments."""
        return Dataset(lambda: (_tensors(_called(map_func, one)) for one in self))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` holds."""
        return Dataset(lambda: (one for one in self if bool(_called(predicate, one))))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that `map_func` makes of each element."""
        return Dataset(lambda: itertools.chain.from_iterable(_called(map_func, one) for one in self))

    def batch(self, batch_size: Any, drop_remainder: bool = False, *_: Any, **__: Any) -> Dataset:
        """`batch_size` elements after the other, stacked; fewer at the end, or none if `drop_remainder`."""
        size = int(number(batch_size))

        def elements() -> Iterator[Any]:
            remaining = iter(self)
            while group := list(itertools.islice(remaining, size)):
                if len(group) < size and drop_remainder:
                    return
                yield _stacked(group)

        return Dataset(elements)

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

        return Dataset(elements)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """All elements `count` times over, without end by default."""
        times = -1 if count is None else int(number(count))
        return Dataset(lambda: itertools.chain.from_iterable(self for _ in _numbers(times)))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements, all for -1."""
        most = int(number(count))
        return Dataset(lambda: itertools.islice(self, None if most < 0 else most))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements after the first `count`, none for -1."""
        first = int(number(count))
        return Dataset(lambda: iter(()) if first < 0 else itertools.islice(self, first, None))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from `start` on, and an element."""
        return Dataset(
            lambda: ((convert_to_tensor(np.int64(k)), one) for k, one in enumerate(self, int(number(start))))
        )

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements, then those of another `dataset`."""
        return Dataset(lambda: itertools.chain(self, dataset))

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """Datasets of `size` elements each, `stride` apart, that start `shift` (the size by default) apart."""
        length, step = int(number(size)), int(number(stride))
        move = length if shift is None else int(number(shift))

        def elements() -> Iterator[Any]:
            whole = list(self)
            for start in np.arange(0, len(whole), move).tolist():
                part = whole[start : start + length * step : step]
                if len(part) == length or not drop_remainder:
                    yield Dataset(part.__iter__)

        return Dataset(elements)

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

        return Dataset(elements)

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
        return rebuilt(first, [(leaf.shape, leaf.dtype) for leaf in flatten(first)])
