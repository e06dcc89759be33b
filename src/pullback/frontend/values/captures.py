"""What a function uses from outside of itself, and is given as arguments that nobody passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pullback.ir.nodes import Value


@dataclass(slots=True)
class Capture:
    """A number, array or variable from outside, passed as a hidden argument; `changes` if the function assigns it."""

    namespace: Any
    name: Any
    parameter: Value
    changes: bool = False
