"""Parts of a function, compiled once: as machine code they are functions of their caller's own module.

Numba's own way is to optimise and translate a callee for itself, then once more in the module of each caller, with
wrappers for calls from Python.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import config
from numba.core.cpu_options import ParallelOptions
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack
from numba.extending import intrinsic

from pullback.runtime.codegen.compiler import Compiler, PartCompiler
from pullback.runtime.codegen.raising import NotingLibrary, call_catching, call_linked

PARALLEL_LOOPS = {
    "prange": True,
    "comprehension": False,
    "reduction": False,
    "inplace_binop": False,
    "setitem": False,
    "numpy": False,
    "stencil": False,
    "fusion": False,
}
"""What Numba runs in parallel: loops that are written so, and nothing else."""


def linked_in(function: Callable[..., Any]) -> Any:
    """The function for calls from one compiled function, whose flags it gets. It must not print or box anything.

    Numba keeps what boxes values in an object that only a function compiled for itself is given.
    """
    return _linked_in(function, parallel=False)


def catching_errors(function: Callable[..., Any]) -> Any:
    """The same for a function that returns nothing, whose errors end it, and are then forgotten."""
    return _linked_in(function, parallel=False, catches=True)


def in_parallel(function: Callable[..., Any]) -> Any:
    """The same for a function that is a parallel loop.

    Numba analyses the shapes of all arrays of a function that has parallel loops, and takes some for equal that are
    not: it is given the loops alone.
    """
    return _linked_in(function, parallel=True)


def _linked_in(function: Callable[..., Any], parallel: bool, catches: bool = False) -> Any:
    if config.DISABLE_JIT:
        return _catching(function) if catches else function

    def typed(context: Any, *types: Any) -> Any:
        library = NotingLibrary(cpu_target.target_context.codegen(), function.__name__)
        flags = _flags(parallel)
        compiler = Compiler if parallel else PartCompiler
        pipeline = compiler(context, cpu_target.target_context, library, types, None, flags, {})
        made = pipeline.compile_extra(function)

        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            _link(context.active_code_library, library, made.fndesc.llvm_func_name)
            if catches:
                return call_catching(context, builder, made.fndesc, made.signature, arguments)
            may_raise = parallel or library.may_raise
            return call_linked(context, builder, made.fndesc, made.signature, arguments, may_raise)

        return made.signature, call

    # Numba looks at the names of the parameters.
    parameters = list(inspect.signature(function).parameters.values())
    context = inspect.Parameter("_", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    typed.__signature__ = inspect.Signature([context, *parameters])  # type: ignore[attr-defined]
    typed.__name__ = function.__name__
    return intrinsic(typed)


def _catching(function: Callable[..., Any]) -> Callable[..., None]:
    def call(*arguments: Any) -> None:
        with suppress(Exception):
            function(*arguments)

    return call


def _flags(parallel: bool) -> Any:
    """The flags of the function that is being compiled, for machine code that only it calls."""
    flags = ConfigStack().top().copy()
    flags.auto_parallel = ParallelOptions(PARALLEL_LOOPS if parallel else False)
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.release_gil = False
    return flags


def _link(caller: Any, library: Any, name: str) -> None:
    """Put the functions of a library that is not optimised yet, and what they call, into that of their caller."""
    function = library._final_module.get_function(name)
    function.linkage = "weak_odr"  # it may stand in several modules, and comes along before its caller mentions it
    function.add_function_attribute("noinline")
    caller._final_module.link_in(library._final_module, preserve=True)
    assert not caller._final_module.get_function(name).is_declaration, "a part is missing where it is called"
    caller._reload_init.update(library._reload_init)
    for used in library._linking_libraries:
        caller.add_linking_library(used)
