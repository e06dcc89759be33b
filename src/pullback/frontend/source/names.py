"""Which names a piece of source assigns, and which it reads elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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
    if isinstance(node, gast.FunctionDef | gast.ClassDef):
        found.add(node.name)
        return
    if isinstance(node, gast.Lambda):
        return
    if isinstance(node, gast.ListComp | gast.GeneratorExp | gast.SetComp | gast.DictComp):
        found.update(part.target.id for part in gast.walk(node) if isinstance(part, gast.NamedExpr))
        return
    if isinstance(node, gast.Import | gast.ImportFrom):
        found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        return
    if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
        found.add(node.id)
    for child in gast.iter_child_nodes(node):
        _collect_assigned(child, found)


class Loads:
    """How often a body reads each name, and where its loops are."""

    def __init__(self, body: list[Any]) -> None:
        self.counts: Counter[str] = Counter()
        self.loops: set[int] = set()
        for statement in body:
            self.counts.update(_loaded(statement))
            self.loops.update(id(node) for node in gast.walk(statement) if isinstance(node, gast.For | gast.While))

    def outside(self, loop: Any) -> frozenset[str]:
        """The names that are read anywhere but in this loop; all that are, for a loop that is not of this body."""
        if id(loop) not in self.loops:
            return frozenset(self.counts)
        inside = Counter(_loaded(loop))
        return frozenset(name for name, count in self.counts.items() if count > inside[name])


def _loaded(node: Any) -> Iterator[str]:
    """The names that a piece of source reads, as often as it does."""
    for part in gast.walk(node):
        if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Load):
            yield part.id
        elif isinstance(part, gast.AugAssign) and isinstance(part.target, gast.Name):
            yield part.target.id


def loaded_early(body: list[Any]) -> frozenset[str]:
    """The names that a loop's body may read before it has assigned them in the same iteration."""
    found: set[str] = set()
    assigned: set[str] = set()
    for statement in body:
        found |= set(_loaded(statement)) - assigned
        if isinstance(statement, gast.Assign):
            assigned |= assigned_names([statement])
    return frozenset(found)
