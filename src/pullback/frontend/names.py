"""Which names a piece of source assigns, and which it reads elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

_SCOPES = (gast.FunctionDef, gast.Lambda)


def assigned_names(statements: Iterable[Any]) -> frozenset[str]:
    """The names that the statements bind, without those inside nested functions and comprehensions."""
    found: set[str] = set()
    for statement in statements:
        _collect_assigned(statement, found)
    return frozenset(found)


def changed_in_place(statements: Iterable[Any]) -> frozenset[str]:
    """The names whose only assignments here are augmented ones, which leave an array where it is."""
    augmented, bound = set(), set()
    for statement in statements:
        for node in gast.walk(statement):
            if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
                augmented.add(node.target)
            elif isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                bound.add(node)
    return frozenset(node.id for node in augmented) - {node.id for node in bound - augmented}


def _collect_assigned(node: Any, found: set[str]) -> None:
    if isinstance(node, gast.FunctionDef):
        found.add(node.name)
        return
    if isinstance(node, gast.Lambda | gast.ListComp | gast.GeneratorExp):
        return
    if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
        found.add(node.id)
    for child in gast.iter_child_nodes(node):
        _collect_assigned(child, found)


def loaded_outside(body: list[Any], loop: Any) -> frozenset[str]:
    """The names that a function reads anywhere but in this loop; in an enclosing loop, everything it reads."""
    found: set[str] = set()
    for statement in body:
        _collect_loaded(statement, loop, found)
    return frozenset(found)


def _collect_loaded(node: Any, skip: Any, found: set[str]) -> None:
    if node is skip:
        return
    if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load):
        found.add(node.id)
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        found.add(node.target.id)
    for child in gast.iter_child_nodes(node):
        _collect_loaded(child, skip, found)


def loaded_early(body: list[Any]) -> frozenset[str]:
    """The names that a loop's body may read before it has assigned them in the same round."""
    found: set[str] = set()
    assigned: set[str] = set()
    for statement in body:
        loaded: set[str] = set()
        _collect_loaded(statement, None, loaded)
        found |= loaded - assigned
        if isinstance(statement, gast.Assign):
            assigned |= assigned_names([statement])
    return frozenset(found)
