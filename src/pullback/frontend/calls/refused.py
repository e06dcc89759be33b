"""Functions that no function which is differentiated may call, whatever they are given."""

from __future__ import annotations

from typing import Any

from pullback.frontend.source.addresses import draws_random_numbers, is_derivative, name_of
from pullback.frontend.values.context import Context
from pullback.functions.objects import MAKERS


def check_may_be_called(context: Context, given: Any, function: Any, node: Any) -> None:
    """Raises LanguageError at a call that cannot be followed. given: what was written; function: what it means."""
    if draws_random_numbers(function) and not (isinstance(function, type) and function in MAKERS):
        reason = f"{name_of(function)} makes a random generator, or changes one, in a way that cannot be followed"
        context.refuse(node, reason, "use np.random.default_rng and its draws, or do it before the call")
    if is_derivative(given):
        reason = f"'{given.__name__}' cannot be called in a function that is differentiated"
        context.refuse(node, reason, "call it outside of the function")
