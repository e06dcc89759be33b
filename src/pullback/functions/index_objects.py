"""What np.r_, np.c_, np.mgrid and np.ogrid make of their items: texts that the reader calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import planning
from pullback.functions.parts import as_array
from pullback.functions.quantiles import is_weak


def in_a_row(*items):
    """np.r_[items]: along the first axis, or as a first item says, 'axis', 'axis,rank' or 'axis,rank,place'."""
    axis, rank, place = directive(items[0] if isinstance(items[0], str) else "0,1,-1")
    return joined(items[1:] if isinstance(items[0], str) else items, axis, rank, place)


def columns_beside(*items):
    """np.c_[items]: vectors as columns, along the last axis."""
    return joined(items, -1, 2, 0)


def joined(items, axis, rank, place):
    """The items with at least so many axes, joined along one of them."""
    kinds = []
    for item in items:
        kinds.append(sample_of(item) if is_weak(item) else as_array(item).dtype)
    dtype = common(kinds)
    parts = []
    for item in items:
        item = as_array(item)
        if np.ndim(item) == 0:
            parts.append(np.full((1,) * rank, item).astype(dtype))
        else:
            missing = max(rank - np.ndim(item), 0)
            moved = np.reshape(item, ones(missing) + np.shape(item))
            parts.append(np.transpose(moved, order_of(np.ndim(item), missing, place)).astype(dtype))
    return np.concatenate(tuple(parts), axis=axis)


def sample_of(item):
    """A number of the same kind."""
    return 0.5 if isinstance(item, float) else 1


@planning
def common(kinds):
    """The dtype of all together; Python's numbers take that of arrays."""
    return np.result_type(*kinds)


@planning
def ones(count):
    """So many axes of one element."""
    return (1,) * count


@planning
def order_of(rank, missing, place):
    """The order of axes, of which those that were missing stand before, or behind so many of the array's own."""
    place = place + missing + 1 if place < 0 else place
    axes = list(range(rank + missing))
    return tuple(axes[:place] + axes[missing:] + axes[place:missing])


@planning
def directive(text):
    """The axis, the least rank and the place of a vector's axis that a string says."""
    numbers = [int(part) for part in text.split(",")]
    return (*numbers, *(0, 1, -1)[len(numbers) :])


def grid_of(*vectors):
    """np.mgrid: the vectors, each along an axis of its own and spread over the others, in one array."""
    return np.stack(np.meshgrid(*vectors, indexing="ij"))


def open_grid_of(*vectors):
    """np.ogrid: the vectors, each along an axis of its own."""
    return np.meshgrid(*vectors, indexing="ij", sparse=True)
