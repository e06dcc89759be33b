"""Numba's compiler with a translation to LLVM that does for generated code what Numba's own does not."""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from pullback.runtime.codegen.alias_scopes import ScopingLower
from pullback.runtime.codegen.array_expressions import ArrayExpressionLower
from pullback.runtime.codegen.calls_outside_loops import CallingLower
from pullback.runtime.codegen.constant_powers import ConstantPowersLower
from pullback.runtime.codegen.contraction import ContractingLower
from pullback.runtime.codegen.interleaving import InterleavingLower
from pullback.runtime.codegen.pipelines import pipeline
from pullback.runtime.codegen.private_symbols import PrivateLowering
from pullback.runtime.codegen.slice_assignment import SliceAssignmentLower
from pullback.runtime.codegen.unwinding import UnwindingLower


class _Lower(
    ArrayExpressionLower,
    SliceAssignmentLower,
    ConstantPowersLower,
    ContractingLower,
    ScopingLower,
    InterleavingLower,
    UnwindingLower,
):
    """The translation of generated functions."""


class _LowerPart(CallingLower, _Lower):
    """The translation of the parts of a long one."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(PrivateLowering):
    _name = "pullback_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringOfParts(NativeLowering):
    _name = "pullback_lowering_of_parts"

    @property
    def lowering_class(self) -> Any:
        return _LowerPart


class Compiler(CompilerBase):
    """Numba's compiler with that translation."""

    lowering: type[NativeLowering] = _Lowering

    def define_pipelines(self) -> list[Any]:
        return [pipeline(self.state, self.lowering)]


class PartCompiler(Compiler):
    """The same for the parts of a long function."""

    lowering = _LoweringOfParts
