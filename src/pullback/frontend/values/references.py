"""Who refers to a piece of memory: names, and lists and dicts that names refer to."""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import Cell, Key, Stack, cells_in
from pullback.frontend.values.state import State


def containers_in(state: State, *bindings: Any) -> set[Cell]:
    """The lists and dicts that bindings refer to, and those that stand in them."""
    found: set[Cell] = set()
    waiting = [cell for binding in bindings for cell in cells_in(binding)]
    while waiting:
        cell = waiting.pop()
        content = state.cells.get(cell)
        if cell not in found and isinstance(content, tuple | Stack):
            found.add(cell)
            items = content if isinstance(content, tuple) else ()
            waiting += [inner for item in items for inner in cells_in(item)]
    return found


def references(state: State, cell: Cell, besides: Key | None = None) -> int:
    """On how many ways a cell is reached from names, without those that begin at one name or item.

    What holds it, and is not reached itself, counts as one way: it may be in use in an expression.
    """
    own = containers_in(state, state.at(besides)) if besides is not None else set[Cell]()
    return _ways(state, cell, besides, own, frozenset())


def _ways(state: State, cell: Cell, besides: Key | None, own: set[Cell], passed: frozenset[Cell]) -> int:
    bindings = [binding for key, binding in state.names.items() if key != besides]
    bindings += [alias.ref for points_to in state.points_to.values() for alias in points_to.aliases]
    ways = sum(other is cell for binding in bindings for other in cells_in(binding))
    for holder, content in state.cells.items():
        if holder in passed or not isinstance(content, tuple):
            continue
        items = [item for k, item in enumerate(content) if (holder, k) != besides]
        times = sum(other is cell for item in items for other in cells_in(item))
        if times:
            known = _ways(state, holder, besides, own, passed | {cell})
            ways += times * (known if known or holder in own else 1)
    return ways
