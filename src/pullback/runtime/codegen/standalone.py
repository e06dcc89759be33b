"""What stands for our part of Numba's compiler in modules that need NumPy and Numba alone; see `pullback.emit`.

The same operations in the same order: only compiling takes longer than with ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic, overload

from pullback.runtime.codegen.alias_scopes import ScopingLower
from pullback.runtime.codegen.callees import Built
from pullback.runtime.codegen.constant_powers import ConstantPowersLower
from pullback.runtime.codegen.contraction import ContractingLower
from pullback.runtime.codegen.interleaving import InterleavingLower
from pullback.runtime.codegen.private_symbols import PrivateLowering

Function = Callable[..., Any]
STRICT = {"error_model": "numpy", "boundscheck": False, "fastmath": False, "nogil": True}


def compiled(
    function: Function, *, prefer_literal: bool = True, inlined: bool = False
) -> Callable[[Function], Function]:
    """Above the function that gives for the types of `function`'s arguments what runs in compiled code."""

    def declare(implementation: Function) -> Function:
        def chosen(*types: Any) -> Any:
            made = implementation(*types)
            return _calling(made, implementation) if isinstance(made, Built) else made

        options = STRICT | {"forceinline": inlined}
        overload(function, jit_options=options, strict=False, prefer_literal=prefer_literal)(chosen)
        return implementation

    return declare


def _calling(made: Built, implementation: Function) -> Function:
    """A function with the parameters of `implementation` that is written into its caller."""
    parameters = inspect.signature(implementation).parameters.values()
    names = ", ".join(parameter.name for parameter in parameters)
    given = ", ".join(str(parameter.replace(annotation=parameter.empty)) for parameter in parameters)
    scope: dict[str, Any] = {"made": made, "intrinsic": intrinsic}
    text = f"""
@intrinsic(prefer_literal=True)
def written(context, {names}):
    return made.result({names}), made.build

def call({given}):
    return written({names})
"""
    exec(text, scope)
    call: Function = scope["call"]
    return call


def kernel(function: Function) -> Function:
    """The function, which compiled code can call as it stands."""
    compiled(function, prefer_literal=False)(lambda *arguments: function)
    return function


def overload_with_borrowed(
    function: Function, result_type: Function, chosen: Function, arity: int, place: str = ""
) -> None:
    """The same for a function of arrays: `chosen` gives what runs, where `result_type` gives a type."""

    def implementation(*arguments: Any) -> Any:
        is_taken = len(arguments) == arity and result_type(*arguments) is not None
        return chosen(*arguments) if is_taken else None

    options = STRICT | {"fastmath": {"contract"}, "forceinline": place == "inlined"}
    overload(function, jit_options=options, strict=False)(implementation)


class _Lower(ConstantPowersLower, ContractingLower, ScopingLower, InterleavingLower):
    pass


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(PrivateLowering):
    _name = "standalone_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class Compiler(CompilerBase):
    """Numba's compiler, which contracts only where that is allowed."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowering if made is NativeLowering else made, why) for made, why in passes.passes]
        passes.finalize()
        return [passes]


def check_record(name: str, value: Any, kind: str, count: int) -> None:
    """TypeError for another class than functions were made for, ValueError for another number of items."""
    if type(value).__name__ != kind:
        raise TypeError(f"'{name}' must be a {kind}, not a {type(value).__name__}")
    if isinstance(value, tuple | list) and len(value) != count:
        raise ValueError(f"'{name}' must have {count} items, not {len(value)}")


def check_argument(name: str, value: Any, dtype: str, ndim: int, is_array: bool) -> None:
    """TypeError for an argument of another kind than the functions were made for."""
    given = np.asarray(value)
    if given.dtype != dtype or given.ndim != ndim or is_array != (type(value) is np.ndarray):
        due = f"an array of {dtype} with {ndim} axes" if is_array else f"a number of {dtype}"
        raise TypeError(f"'{name}' must be {due}, not {type(value).__name__} of {given.dtype} with {given.ndim} axes")
