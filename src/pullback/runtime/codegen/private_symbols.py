"""The functions in a module of machine code have names of their own, which no other module can take for its own.

Numba names a function by its source and a counter, which begins anew in each process. What one process has kept on
disk may so define another function under a name that the next process gives: of two, LLVM takes the one that it has
seen first.
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.typed_passes import NativeLowering

_HELPERS = "_ZN8pullback"
_SHARED = Linkage.linkonce_any, Linkage.linkonce_odr, Linkage.weak_any, Linkage.weak_odr


def leave_to_callers(module: Any) -> None:
    """From now on a function stays in the module as long as something calls it."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == Linkage.weak_odr:
            function.linkage = Linkage.linkonce_odr


class PrivateLibrary(JITCodeLibrary):
    """Numba's library, which keeps the functions that it calls for itself.

    Helpers that are optimised, and too large to be inlined, are linked into it at the end: they are not optimised anew.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._finished = dict[Any, None]()

    def add_linking_library(self, library: Any) -> None:
        library._ensure_finalized()
        if getattr(library, "is_finished", False):
            self._finished[library] = None
        else:
            super().add_linking_library(library)

    def _optimize_final_module(self) -> None:
        leave_to_callers(self._final_module)
        super()._optimize_final_module()
        called = {f.name for f in self._final_module.functions if f.is_declaration}
        for library in self._finished:
            if called.intersection(f.name for f in library.get_defined_functions() if f.linkage == Linkage.weak_odr):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        leave_to_callers(self._final_module)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage in _SHARED:
                function.linkage = Linkage.private

    def _verify_declare_only_symbols(self) -> None:
        super()._verify_declare_only_symbols()
        missing = [f.name for f in self._final_module.functions if f.is_declaration and f.name.startswith(_HELPERS)]
        assert not missing, f"helpers that are called are not there: {missing}"  # LLVM would end the process


class PrivateLowering(NativeLowering):
    """Numba's translation to LLVM, into such a library."""

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            state.library = PrivateLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        translated: bool = super().run_pass(state)
        return translated
