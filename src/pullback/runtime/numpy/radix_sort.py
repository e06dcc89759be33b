"""Radix sort: the stable order of many floats, by eleven bits of their patterns at a time (Knuth, volume 3, 5.2.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel

BITS = 11
BUCKETS = 1 << BITS
PASSES = 6
"""So many digits 64 bits have."""


@kernel
def radix_argsort(line: Any) -> Any:
    """The positions of the elements of a vector of floats in rising order, those that are equal in theirs, NaN last.

    >>> radix_argsort(np.array([0.0, np.nan, -1.5, -0.0, np.inf]))
    array([2, 0, 3, 4, 1])
    """
    count = line.shape[0]
    keys = rising_patterns(line)
    counts = np.zeros((PASSES, BUCKETS), np.int64)
    for k in range(count):
        key = keys[k]
        for digit in range(PASSES):
            counts[digit, np.int64((key >> np.uint64(digit * BITS)) & np.uint64(BUCKETS - 1))] += 1
    order, others, other_keys = np.arange(count), np.empty(count, np.int64), np.empty(count, np.uint64)
    for digit in range(PASSES):
        shift, starts = np.uint64(digit * BITS), counts[digit]
        if starts.max() == count:
            continue  # all elements have this digit in common
        before: Any = 0
        for k in range(starts.size):
            starts[k], before = before, before + starts[k]
        for k in range(count):
            key = keys[k]
            bucket = np.int64((key >> shift) & np.uint64(BUCKETS - 1))
            place = starts[bucket]
            starts[bucket] = place + 1
            other_keys[place], others[place] = key, order[k]
        keys, other_keys = other_keys, keys
        order, others = others, order
    return order


@kernel
def rising_patterns(line: Any) -> Any:
    """Integers in the order of floats: 0.0 and -0.0 have one, and every NaN has the largest."""
    wide = line.astype(np.float64) + 0.0
    keys = wide.view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    for k in range(wide.shape[0]):
        key = keys[k]
        if np.isnan(wide[k]):
            keys[k] = ~np.uint64(0)
        elif key & sign:
            keys[k] = ~key
        else:
            keys[k] = key | sign
    return keys
