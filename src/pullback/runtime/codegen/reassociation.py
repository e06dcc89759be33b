"""Sums in whatever order is fastest: an addition that LLVM may reassociate, so that loops around it are vectorised."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import lower_builtin, overload, type_callable

FLAGS = ("reassoc", "nsz", "contract")


def plus(total: Any, addend: Any) -> Any:
    """total + addend, for a running total that nobody reads before the sum is complete."""
    return total + addend


@type_callable(plus)
def _type_of_sum(context: Any) -> Any:
    def typed(total: Any, addend: Any) -> Any:
        return total if isinstance(total, types.Float) and total == addend else None

    return typed


@lower_builtin(plus, types.Float, types.Float)
def _add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """One instruction, on which the flags stand; a call would take LLVM a while to see through."""
    return builder.fadd(*arguments, flags=FLAGS)


@overload(plus, strict=False)
def _plus(total: Any, addend: Any) -> Any:
    if isinstance(total, types.Float) and total == addend:
        return None
    return lambda total, addend: total + addend
