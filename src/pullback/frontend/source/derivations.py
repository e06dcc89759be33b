"""Which derivative a callable is: the kind of it, and by which arguments it is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MARK = "__pullback_derivation__"
"""The attribute of a function that makes derivatives, which names their kind, and of what it has made: a Derivation."""

Argnums = int | str | tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a derivative computes of its function.

    kind: the name of the function that makes it, as in `pb.grad`. argnums: the arguments by which it is taken.
    mode: 'forward' or 'reverse' for a Jacobian, '' for what fits its sizes.
    nan: 'raise' where a value or derivative that is not finite is an error.
    """

    kind: str
    argnums: Argnums = 0
    has_aux: bool = False
    mode: str = ""
    nan: str | None = None

    @property
    def several(self) -> bool:
        """Whether there is a derivative for each of several arguments, in a tuple."""
        return isinstance(self.argnums, tuple)


def derivation_of(function: Any) -> Derivation | str | None:
    """The Derivation of a derivative, the kind of those that a function makes, or None for any other object."""
    found: Derivation | str | None = getattr(function, MARK, None)
    return found


def innermost(function: Any) -> Any:
    """What a derivative of derivatives is of in the end; any other function itself."""
    while isinstance(derivation_of(function), Derivation):
        function = function.__wrapped__
    return function
