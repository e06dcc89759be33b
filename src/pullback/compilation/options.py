"""How generated code is compiled."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pullback.passes.entries import Settings


@dataclass(frozen=True, slots=True)
class Options:
    """What `differentiable` takes: whether to compile and how, which optimisations are on, how much may be kept.

    optimisations: their names; None for all.
    fastmath: LLVM's flags for all operations; False for none; None for none in what computes the user's values, except
    that sums may be added up in another order, and for contraction in what the backward sweep does.
    nan: 'raise' where a result that is not finite is an error.
    """

    jit: bool = True
    fastmath: frozenset[str] | bool | None = None
    boundscheck: bool = True
    cache: bool = True
    math: str = "vector"
    optimisations: frozenset[str] | None = None
    fuse: bool | None = None
    max_residual_bytes: int | None = None
    parallel: bool = False
    nan: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Sets in order: Numba hashes the bytes of what a function uses from outside."""
        values = (getattr(self, field.name) for field in fields(self))
        return options_of, tuple(tuple(sorted(v)) if isinstance(v, frozenset) else v for v in values)

    @property
    def chosen(self) -> frozenset[str]:
        """The names of the optimisations that are on; none that reorders where no operation may be reordered."""
        from pullback.passes.pipeline import OPTIMISATIONS, REORDERING

        chosen = OPTIMISATIONS if self.optimisations is None else self.optimisations
        return chosen - REORDERING if self.fastmath is False else chosen

    def settings(self, lowered: bool = False, any_sizes: bool = False) -> Settings:
        """What chooses the passes for a function; `lowered`: with loops in place of array statements.

        any_sizes: without assumptions about the sizes of arguments, where array statements stay.
        """
        from pullback.passes.entries import Settings

        parallel = self.parallel and self.jit
        in_order, in_segments = self.fastmath is False, self.max_residual_bytes is not None
        return Settings(self.chosen, lowered, parallel, self.boundscheck, in_order, any_sizes, in_segments)

    @property
    def lowers(self) -> bool:
        """Whether array statements become loops."""
        return "lowering" in self.chosen and (self.jit if self.fuse is None else self.fuse)

    @property
    def exact(self) -> bool:
        """Whether values are those of plain Python and NumPy bit for bit."""
        return self.math == "libm" and self.fastmath is False

    def key(self) -> str:
        """The options as text, the same in every process."""
        fastmath = sorted(self.fastmath) if isinstance(self.fastmath, frozenset) else self.fastmath
        return (
            f"jit={self.jit} fastmath={fastmath} boundscheck={self.boundscheck} cache={self.cache} math={self.math} "
            f"parallel={self.parallel} nan={self.nan}"
        )

    @property
    def flags(self) -> frozenset[str] | bool | None:
        """LLVM's flags for all operations; none by which there is no NaN or infinity, where these are looked for."""
        if self.nan is None or not self.fastmath:
            return self.fastmath
        return (_FLAGS if self.fastmath is True else self.fastmath) - {"nnan", "ninf"}

    def numba(self, nogil: bool = True) -> dict[str, Any]:
        """The keywords for `numba.njit`."""
        fastmath = set(self.flags) if isinstance(self.flags, frozenset) else bool(self.flags)
        return {
            "error_model": "numpy",
            "fastmath": fastmath,
            "boundscheck": False,  # what has to be checked, `passes.loops.bounds_checks` has written out
            "nogil": nogil,
        }


_FLAGS = frozenset({"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})


def options_of(*values: Any) -> Options:
    """The options with these values of their fields, in which tuples stand for sets."""
    given: list[Any] = [frozenset(value) if isinstance(value, tuple) else value for value in values]
    return Options(*given)
