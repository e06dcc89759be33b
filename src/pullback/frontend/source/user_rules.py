"""Derivatives that users give for their functions, and how a function is known to have one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

RULE = "__pullback_rule__"
"""The attribute of a callable whose derivative is a rule."""

Kind = Literal["vjp", "jvp", "jvps", "gradient", "implicit", "checkpoint", "constant"]


@dataclass(eq=False)
class UserRule:
    """The derivative of one function.

    function: what is called for the value. kind: how the derivative comes about, by the functions in `parts`:
        vjp         forward(*arguments) → (value, residuals), and backward(residuals, cotangent) → cotangents
        jvp         push(primals, tangents) → (value, tangent)
        jvps        for each argument None or push(tangent, value, *arguments) → its part of the tangent
        gradient    none: the function itself returns (value, function of cotangents)
        implicit    residual(value, *arguments), which is 0, but for the first of the arguments
        checkpoint  none: the function runs again for its derivative
        constant    none: the derivative is 0
    nondiff: the numbers of the arguments without derivatives, which functions of a vjp or jvp take before all others.
    """

    function: Callable[..., Any]
    kind: Kind
    nondiff: tuple[int, ...] = ()
    parts: tuple[Any, ...] = ()


def rule_of_user(function: Any) -> UserRule | None:
    """The rule that a user has given for a function; None for any other object."""
    found = getattr(function, RULE, None)
    return found if isinstance(found, UserRule) else None
