"""The passes of Numba's that compile code of ours: those for what never stands in it are left out."""

from __future__ import annotations

from types import CodeType
from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.compiler import DefaultPassBuilder

from pullback.runtime.codegen.remembered_types import remembering
from pullback.runtime.codegen.substitution import Substitution

_IDLE = {
    untyped_passes.WithLifting,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.DumpParforDiagnostics,
}


def pipeline(state: Any, lowering: type[Any] = typed_passes.NativeLowering) -> Any:
    """The passes for one function, with a translation to LLVM of its own."""
    idle = _IDLE if _has_closures(state.func_id.code) else _IDLE | {untyped_passes.InlineClosureLikes}
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    own = {typed_passes.NativeLowering: lowering}
    passes.passes = [(own.get(made, made), why) for made, why in passes.passes if made not in idle]
    passes.add_pass_after(Substitution, untyped_passes.IRProcessing)
    passes.finalize()
    state.typingctx = remembering()
    return passes


def _has_closures(code: Any) -> bool:
    """Whether a function has functions or comprehensions in it."""
    return any(isinstance(constant, CodeType) for constant in code.co_consts)
