"""How generated code is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pullback.analysis import ANALYSES

FASTMATH = frozenset({"contract", "nsz", "arcp", "afn"})
"""Flags that keep NaN, infinities and the order of additions as they are."""


@dataclass(frozen=True, slots=True)
class Options:
    """What `differentiable` takes: whether to compile and how, which analyses are on, how much may be kept."""

    jit: bool = True
    fastmath: frozenset[str] | bool = FASTMATH
    boundscheck: bool = True
    cache: bool = True
    math: str = "vector"
    analyses: frozenset[str] = ANALYSES
    fuse: bool | None = None
    max_residual_bytes: int | None = None
    parallel: bool = False

    @property
    def lowers(self) -> bool:
        """Whether array statements become loops."""
        return "lower" in self.analyses and (self.jit if self.fuse is None else self.fuse)

    def key(self) -> str:
        """The options as text, the same in every process."""
        fastmath = self.fastmath if isinstance(self.fastmath, bool) else sorted(self.fastmath)
        return (
            f"jit={self.jit} fastmath={fastmath} boundscheck={self.boundscheck} cache={self.cache} math={self.math} "
            f"parallel={self.parallel}"
        )

    def numba(self, nogil: bool = True) -> dict[str, Any]:
        """The keywords for `numba.njit`."""
        fastmath = self.fastmath if isinstance(self.fastmath, bool) else set(self.fastmath)
        return {
            "error_model": "numpy",
            "fastmath": fastmath,
            "boundscheck": False,  # what has to be checked, `optimize.bounds` has written out
            "nogil": nogil,
            "cache": self.cache,
        }
