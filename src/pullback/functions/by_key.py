"""Texts that stand for `sum` of objects, and for `max` and `min` by a key: the first of the best items."""

from __future__ import annotations

import numpy as np

# mypy: disable-error-code="no-untyped-def,no-untyped-call"


def itself(item):
    """The key of an item where none is given."""
    return item


def added_up(items, start):
    """sum(items, start)"""
    total = start
    for item in items:
        total = total + item
    return total


def keys_of(items, key):
    """The keys of all items, in an array."""
    return np.array([key(item) for item in items])


def greatest_of(items, key):
    """max(items, key=key)"""
    found = False
    for item in items:
        value = key(item)
        if not found:
            best, best_value, found = item, value, True
        elif value > best_value:
            best, best_value = item, value
    if not found:
        raise ValueError("max() iterable argument is empty")
    return best


def least_of(items, key):
    """min(items, key=key)"""
    found = False
    for item in items:
        value = key(item)
        if not found:
            best, best_value, found = item, value, True
        elif value < best_value:
            best, best_value = item, value
    if not found:
        raise ValueError("min() iterable argument is empty")
    return best


def greatest_or(items, key, default):
    """max(items, key=key, default=default)"""
    best, found = default, False
    for item in items:
        value = key(item)
        if not found:
            best, best_value, found = item, value, True
        elif value > best_value:
            best, best_value = item, value
    return best


def least_or(items, key, default):
    """min(items, key=key, default=default)"""
    best, found = default, False
    for item in items:
        value = key(item)
        if not found:
            best, best_value, found = item, value, True
        elif value < best_value:
            best, best_value = item, value
    return best
