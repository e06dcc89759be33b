"""Functions that no function which is differentiated may call, whatever they are given."""

from __future__ import annotations

from typing import Any

from pullback.frontend.source.addresses import draws_random_numbers, is_derivative, name_of
from pullback.frontend.values.context import Context


def check_may_be_called(context: Context, given: Any, function: Any, node: Any) -> None:
    """Raises LanguageError at a call that cannot be followed. given: what was written; function: what it means."""
    if draws_random_numbers(function):
        reason = f"{name_of(function)} draws random numbers, and a statement may run again, or be left out"
        context.refuse(node, reason, "draw them before the call, and pass them as an argument")
    if is_derivative(given):
        reason = f"'{given.__name__}' cannot be called in a function that is differentiated"
        context.refuse(node, reason, "call it outside of the function")
