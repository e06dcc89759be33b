"""Marks of what makes derivatives, by which their calls are known: in the text of a function, and in compiled code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from numba.core.registry import cpu_target
from numba.extending import overload

from pullback.compilation.turns import importing
from pullback.frontend.source.derivations import MARK

Maker = TypeVar("Maker", bound=Callable[..., Any])


def makes(kind: str) -> Callable[[Maker], Maker]:
    """Mark a function of the package as what makes derivatives of this kind."""

    def mark(function: Maker) -> Maker:
        setattr(function, MARK, kind)

        def typed(*arguments: Any, **keywords: Any) -> Any:
            with importing():
                from pullback.api.made_in_njit import body_for

            return body_for(function, inspect.signature(function).bind(*arguments, **keywords))

        typed.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        overload(function, strict=False, prefer_literal=True)(typed)
        if "_toplevel_typing_context" in vars(cpu_target):
            # Numba may be typing the first mention of the function, by which this module is imported.
            cpu_target.typing_context.refresh()
        return function

    return mark
