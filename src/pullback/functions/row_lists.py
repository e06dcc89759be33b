"""Texts that stand for operations on lists of arrays, tuples or objects of which only the run knows how many there are.

They append one item after the other: the rows of a list that is empty have no size that others could be joined to.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def,no-untyped-call"


def joined(*lists):
    """The items of several lists."""
    made = []
    for items in lists:
        for item in items:
            made.append(item)
    return made


def inserted(items, place, item):
    """The items with another one at a place."""
    made = []
    for k in range(place):
        made.append(items[k])
    made.append(item)
    for k in range(place, len(items)):
        made.append(items[k])
    return made


def without(items, place):
    """The items but for that at a place."""
    made = []
    for k in range(place):
        made.append(items[k])
    for k in range(place + 1, len(items)):
        made.append(items[k])
    return made


def backwards(items):
    """The items from the last to the first."""
    made = []
    for k in range(len(items) - 1, -1, -1):
        made.append(items[k])
    return made


def between(items, start, stop):
    """items[start:stop]"""
    first, end, made = 0, len(items), []
    if start is not None:
        first = max(start + end, 0) if start < 0 else start
    if stop is not None:
        end = max(stop + end, 0) if stop < 0 else min(stop, end)
    for k in range(first, end):
        made.append(items[k])
    return made
