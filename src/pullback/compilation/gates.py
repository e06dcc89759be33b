"""Machine code with the exact types of arguments that it serves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.registry import CPUDispatcher

from pullback.compilation.freed_memory import reuse_freed_memory


class Miss(Exception):
    """A gate was given arguments of other types."""


class Gate(CPUDispatcher):
    """A dispatcher for one machine code and the exact types that it was compiled for; it compiles nothing."""

    def _compile_for_args(self, *arguments: Any, **keywords: Any) -> Any:
        raise Miss


def gate_to(code: Any, function: Callable[..., Any]) -> Gate:
    """What runs this machine code, a `CompileResult` of Numba, and raises Miss for arguments of all other types.

    function: a Python function with as many parameters, which a profiler is shown.
    """
    reuse_freed_memory()
    gate = Gate(function)
    gate.add_overload(code)
    return gate
