"""Nested structures of sources and targets: a list of what is in them, and the same structure around other things."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_CONTAINERS = (list, tuple, Mapping)


def flatten(structure: Any) -> list[Any]:
    """What stands in nested lists, tuples and dicts, dicts in the order of their sorted keys.

    >>> flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    """
    return list(_leaves(structure)) if isinstance(structure, _CONTAINERS) else [structure]


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, Mapping):
        for key in _sorted(structure):
            yield from _leaves(structure[key])
    elif isinstance(structure, list | tuple):
        for item in structure:
            yield from _leaves(item)
    else:
        yield structure


def _sorted(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in order, or as they stand where they have none."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def rebuilt(structure: Any, leaves: list[Any]) -> Any:
    """The same structure with other leaves, given in the order of `flatten`.

    >>> rebuilt({"b": 1, "a": [2, (3,)]}, ["x", "y", "z"])
    {'b': 'z', 'a': ['x', ('y',)]}
    """
    return _filled(structure, iter(leaves).__next__) if isinstance(structure, _CONTAINERS) else leaves[0]


def _filled(structure: Any, following: Callable[[], Any]) -> Any:
    if isinstance(structure, Mapping):
        found = {key: _filled(structure[key], following) for key in _sorted(structure)}
        ordered = {key: found[key] for key in structure}
        return OrderedDict(ordered) if isinstance(structure, OrderedDict) else ordered
    if isinstance(structure, list | tuple):
        items = [_filled(item, following) for item in structure]
        if hasattr(structure, "_fields"):
            return type(structure)(*items)
        return items if isinstance(structure, list) else tuple(items)
    return following()
