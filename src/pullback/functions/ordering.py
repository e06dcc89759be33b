"""Orders of elements, and places among ordered ones: the texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes


@composes(np.lexsort)
def lexsort(keys, axis=-1):
    """The order of the last key, where elements of that are equal the order of the key before it, and so on."""
    if np.ndim(keys[0]) == 0:
        return np.int64(0)
    order = np.argsort(keys[0], axis=axis, kind="stable")
    for key in keys[1:]:
        if np.shape(key) != np.shape(keys[0]):
            raise ValueError("all keys need to be the same shape")
        own = np.argsort(np.take_along_axis(key, order, axis), axis=axis, kind="stable")
        order = np.take_along_axis(order, own, axis)
    return order


def has_order(ranks):
    """Whether a call says in which order the elements are sorted."""
    return "sorter" in ranks


@composes(np.searchsorted, text_when=has_order)
def searchsorted(a, v, side="left", sorter=None):
    """The places that elements would have among others, which are sorted by an order of theirs."""
    return np.searchsorted(a[sorter], v, side=side)
