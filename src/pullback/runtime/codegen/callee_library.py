"""Helpers become LLVM modules, which are linked into those of their callers, and optimised and translated only there.

Numba's own way is to optimise a callee for itself, with wrappers for calls from Python and C, translate all of that to
machine code, and do it once more in the module of each caller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from llvmlite.binding import Linkage, parse_bitcode
from numba.core.cgutils import normalize_ir_text

from pullback.runtime.codegen.private_symbols import leave_to_callers
from pullback.runtime.codegen.raising import NotingLibrary

LARGE = 300
"""Instructions of a module that LLVM does not inline; it begins to refuse at about 225 in a function."""


class CalleeLibrary(NotingLibrary):
    """The module of a helper, without the helpers that it calls; it is not translated to machine code by itself.

    optimised: whether LLVM's passes over modules run for itself, with all that it calls, as loops that hold small loops
        need. They run once more in the module of the caller if it is not finished.
    inlined: whether it is to become a part of each caller, however large.
    is_finished: whether it is optimised and too large to be inlined, so that callers link it after all passes.
    identity: see `identities.identity_of`.
    """

    optimised = inlined = is_finished = False
    identity: str | None = None

    @property
    def needed(self) -> tuple[Any, ...]:
        """The libraries that a caller needs."""
        return (self, *(library for library in self._linking_libraries if not self._has_within(library)))

    def _has_within(self, library: Any) -> bool:
        return self.optimised or not isinstance(library, CalleeLibrary)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Numba's passes over each function; it makes new ones for each, and for what is only declared."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if self._has_within(library):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        if self.optimised:
            leave_to_callers(self._final_module)
            self._optimize_final_module()
            self.is_finished = not self.inlined and _size(self._final_module) > LARGE
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                # Not "linkonce": it comes along before what calls it is there, and no caller makes a copy to change it.
                function.linkage = Linkage.weak_odr
        self._finalize_dynamic_globals()
        self._finalized = True

    def take(self, libraries: Iterable[Any], module: bytes, prepare: Iterable[Any]) -> None:
        """Become what was compiled before: what is called, bitcode, and what runs before machine code is loaded."""
        for library in libraries:
            self.add_linking_library(library)
        self._final_module = parse_bitcode(module)
        self._final_module.name = normalize_ir_text(self.name)
        self._reload_init.update(prepare)
        self._finalized = True


def _size(module: Any) -> int:
    return sum(1 for function in module.functions for block in function.blocks for _ in block.instructions)


@dataclass(frozen=True, eq=False)
class Callee:
    """A helper for one combination of types. Numba finds what calls it under this object."""

    signature: Any
    description: Any
    library: CalleeLibrary
