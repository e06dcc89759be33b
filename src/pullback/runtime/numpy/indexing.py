"""General indexing, with integers, slices, None, ... and arrays: x[index] read, written, added to and cleared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError

from pullback.runtime.codegen.compiled import compiled, is_array, is_scalar, kernel
from pullback.runtime.memory.strided import flat_to, item, load_at, shaped, store_at
from pullback.runtime.numpy.index_offsets import result_rank, selection


def gather(x: Any, index: Any) -> Any:
    """Fresh x[index]; a scalar if the index selects one element. IndexError outside of `x`."""
    selected = x[index]
    return selected.copy() if isinstance(selected, np.ndarray) else selected


def scatter(x: Any, index: Any, value: Any) -> Any:
    """`x` after x[index] = value, in place: at a repeated position the last one stays. `value` must not overlap `x`."""
    x[index] = value
    return x


def scatter_add(x: Any, index: Any, value: Any) -> Any:
    """`x` after np.add.at(x, index, value), in place: at a repeated position all are added."""
    np.add.at(x, index, value)
    return x


def gather_and_clear(y_bar: Any, index: Any) -> Any:
    """Cotangent of the value stored by `scatter`, of shape y_bar[index].shape; clears `y_bar` at these positions.

    Of several stores to one position the last, which stayed, gets the cotangent; the others get 0.
    """
    positions = np.arange(y_bar.size).reshape(y_bar.shape)[index]
    result = np.zeros(np.shape(positions), y_bar.dtype)
    for i, position in reversed(list(enumerate(np.ravel(positions)))):
        place = np.unravel_index(position, y_bar.shape)
        result[np.unravel_index(i, result.shape)] = y_bar[place]
        y_bar[place] = 0
    return result[()]


@kernel
def loaded(x: Any, offsets: Any) -> Any:
    out = np.empty(offsets.size, x.dtype)
    for i in range(offsets.size):
        out[i] = load_at(x, offsets[i])
    return out


@kernel
def loaded_and_cleared(x: Any, offsets: Any, zero: Any) -> Any:
    out = np.empty(offsets.size, x.dtype)
    for i in range(offsets.size - 1, -1, -1):
        out[i] = load_at(x, offsets[i])
        store_at(x, offsets[i], zero)
    return out


@kernel
def stored(x: Any, offsets: Any, values: Any) -> None:
    for i in range(offsets.size):
        store_at(x, offsets[i], values[i])


@kernel
def added(x: Any, offsets: Any, values: Any) -> None:
    for i in range(offsets.size):
        store_at(x, offsets[i], load_at(x, offsets[i]) + values[i])


@kernel
def filled(x: Any, offsets: Any, value: Any) -> None:
    for i in range(offsets.size):
        store_at(x, offsets[i], value)


@kernel
def added_to_all(x: Any, offsets: Any, value: Any) -> None:
    for i in range(offsets.size):
        store_at(x, offsets[i], load_at(x, offsets[i]) + value)


@compiled(gather, prefer_literal=False)
def _gather(x: Any, index: Any) -> Any:
    if not is_array(x):
        return None
    if not isinstance(index, types.BaseTuple):
        return lambda x, index: gather(x, (index,))
    select = selection(index, x.ndim)
    if result_rank(x, index) == 0:
        return lambda x, index: load_at(x, select(x, index)[0][0])

    def read(x: Any, index: Any) -> Any:
        offsets, shape = select(x, index)
        return shaped(loaded(x, offsets), shape)

    return read


@compiled(gather_and_clear, prefer_literal=False)
def _gather_and_clear(y_bar: Any, index: Any) -> Any:
    if not is_array(y_bar):
        return None
    if not isinstance(index, types.BaseTuple):
        return lambda y_bar, index: gather_and_clear(y_bar, (index,))
    select, zero = selection(index, y_bar.ndim), y_bar.dtype
    if result_rank(y_bar, index) == 0:
        return lambda y_bar, index: loaded_and_cleared(y_bar, select(y_bar, index)[0], zero(0))[0]

    def read(y_bar: Any, index: Any) -> Any:
        offsets, shape = select(y_bar, index)
        return shaped(loaded_and_cleared(y_bar, offsets, zero(0)), shape)

    return read


def define_store(function: Any, store_each: Any, store_one: Any) -> None:
    """The overload of function(x, index, value)."""

    @compiled(function, prefer_literal=False)
    def typed(x: Any, index: Any, value: Any) -> Any:
        if not is_array(x) or not (is_array(value) or is_scalar(value)):
            return None
        if not isinstance(index, types.BaseTuple):
            return lambda x, index, value: function(x, (index,), value)
        if not x.mutable:
            raise TypingError("cannot store in a read-only array")
        select, to = selection(index, x.ndim), x.dtype
        if is_scalar(value) or value.ndim == 0:

            def store_one_value(x: Any, index: Any, value: Any) -> Any:
                store_one(x, select(x, index)[0], to(item(value, 0)))
                return x

            return store_one_value

        def store(x: Any, index: Any, value: Any) -> Any:
            offsets, shape = select(x, index)
            store_each(x, offsets, flat_to(value, shape))
            return x

        return store


define_store(scatter, stored, filled)
define_store(scatter_add, added, added_to_all)
