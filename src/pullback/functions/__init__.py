"""The derivatives of NumPy's functions, one file a family: importing this package fills the one table of rules.

Conventions beyond those of `declare`. A rule is asked for by the canonical function (`frontend.spelling.canonical`),
so aliases have none of their own. A `linear` rule whose first cotangent is None (`np.where`, `np.full`) is linear in
the arguments that do get one, together; where the first argument is a tuple of arrays (`np.concatenate`), its
cotangent is a tuple too. Parameters that are not differentiable stand last and get no cotangent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pullback.functions import (
    composed,
    constants,
    elementwise,
    factorisations,
    indexing,
    linalg,
    padding,
    parts,
    reductions,
    shapes,
    special,
)
from pullback.functions import strong_zeros as behind
from pullback.functions.declare import COMPOSED, CONSTANT, RULES, Rule

__all__ = ["Rule", "is_constant", "rule_of", "text_for"]

FAMILIES = (
    *(composed, elementwise, factorisations, special, reductions, linalg, shapes, parts, padding, indexing, constants),
    behind,
)


def rule_of(function: Callable[..., Any]) -> Rule | None:
    """The rule of a canonical function; None where there is none, and for functions that are constant."""
    return RULES.get(function)


def text_for(function: Callable[..., Any], given: set[str]) -> Callable[..., Any] | None:
    """The text in others that stands in the place of a call of a canonical function.

    given: the parameters that the call names. None where there is no text, and for a function with a rule where that
    knows them all, or the text does not either.
    """
    text, rule = COMPOSED.get(function), rule_of(function)
    if text is None or rule is None:
        return text
    known, read = (inspect.signature(body).parameters.keys() for body in (rule.body, text))
    return text if given <= read and not given <= known else None


def is_constant(function: Callable[..., Any]) -> bool:
    """Whether the derivative of a function is 0 wherever it exists: nothing flows back through it."""
    return function in CONSTANT
