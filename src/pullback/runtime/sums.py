"""Sums in whatever order is fastest: an addition that LLVM may reassociate, so that loops around it are vectorised."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic, overload

FLAGS = ("reassoc", "nsz", "contract")


def plus(total: Any, addend: Any) -> Any:
    """total + addend, for a running total that nobody reads before the sum is complete."""
    return total + addend


@intrinsic
def added(context: Any, total: Any, addend: Any) -> Any:
    """total + addend of one float type; the flags stand on this one instruction."""
    if total != addend or not isinstance(total, types.Float):
        return None

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments, flags=FLAGS)

    return total(total, addend), build


@overload(plus, strict=False)
def _plus(total: Any, addend: Any) -> Any:
    if isinstance(total, types.Float) and total == addend:
        return lambda total, addend: added(total, addend)
    return lambda total, addend: total + addend
