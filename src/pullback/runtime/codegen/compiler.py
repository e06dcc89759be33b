"""Numba's compiler with a translation to LLVM that does for generated code what Numba's own does not."""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from pullback.runtime.codegen.contraction import ContractingLower
from pullback.runtime.codegen.interleaving import InterleavingLower
from pullback.runtime.codegen.unwinding import UnwindingLower


class _Lower(ContractingLower, InterleavingLower, UnwindingLower):
    """The translation of generated functions."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "pullback_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class Compiler(CompilerBase):
    """Numba's compiler with that translation."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowering if made is NativeLowering else made, why) for made, why in passes.passes]
        passes.finalize()
        return [passes]
