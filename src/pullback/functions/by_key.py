"""Texts that stand for `sum` of objects, and for `max` and `min` by a key: the first of the best items."""

from __future__ import annotations

import numpy as np

# mypy: disable-error-code="no-untyped-def,no-untyped-call"


def itself(item):
    """The key of an item where none is given."""
    return item


def is_greater(a, b):
    """a > b"""
    return a > b


def is_less(a, b):
    """a < b"""
    return a < b


def added_up(items, start):
    """sum(items, start)"""
    total = start
    for item in items:
        total = total + item
    return total


def keys_of(items, key):
    """The keys of all items, in an array."""
    return np.array([key(item) for item in items])


def best_of(items, key, is_better, message):
    """max(items, key=key) or min(items, key=key); the message is that of the ValueError where there are none."""
    found = False
    for item in items:
        value = key(item)
        if not found:
            best, best_value, found = item, value, True
        elif is_better(value, best_value):
            best, best_value = item, value
    if not found:
        raise ValueError(message)
    return best


def best_or(items, key, is_better, default):
    """max(items, key=key, default=default), or min"""
    best, found = default, False
    for item in items:
        value = key(item)
        if not found:
            best, best_value, found = item, value, True
        elif is_better(value, best_value):
            best, best_value = item, value
    return best
