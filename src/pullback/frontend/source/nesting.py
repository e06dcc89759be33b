"""Source whose expressions or blocks stand in one another more deeply than the reader's own stack allows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pullback.errors import LanguageError, Location, Problem


@contextmanager
def limited_nesting(tree: Any, place: Callable[[Any], Location]) -> Iterator[None]:
    """LanguageError with the place of what is nested most deeply in `tree` where its reader runs out of stack."""
    try:
        yield
    except RecursionError:
        reason = "too many operations or blocks stand in one another here to be read"
        remedy = "split the expression into several statements, or call the function from fewer functions"
        raise LanguageError([Problem(place(most_nested(tree)), reason, remedy)]) from None


def most_nested(tree: Any) -> Any:
    """The statement that holds the most deeply nested node; of a lambda, its body."""
    found, greatest = tree, -1
    waiting = [(tree, tree, 0)]
    while waiting:
        node, statement, depth = waiting.pop()
        if depth > greatest:
            found, greatest = statement, depth
        for child in ast.iter_child_nodes(node):
            waiting.append((child, child if isinstance(child, ast.stmt) else statement, depth + 1))
    return found
