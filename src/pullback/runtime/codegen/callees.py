"""Helpers are compiled for the types of their arguments, once, and called from compiled code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from numba.core.compiler import CompilerBase, Flags
from numba.core.imputils import impl_ret_new_ref
from numba.core.registry import cpu_target
from numba.core.types import Function as FunctionType
from numba.core.types.containers import StarArgTuple
from numba.core.types.misc import Omitted
from numba.core.typing.templates import AbstractTemplate, fold_arguments, infer, infer_global
from numba.core.utils import pysignature

from pullback.runtime.codegen.callee_library import Callee, CalleeLibrary
from pullback.runtime.codegen.identities import identity_of
from pullback.runtime.codegen.kept_callees import keep, kept
from pullback.runtime.codegen.pipelines import pipeline
from pullback.runtime.codegen.raising import call_linked

Function = Callable[..., Any]

# Strict arithmetic inside the helpers: their callers' fastmath flags would change signed zeros and divisions. LLVM does
# the inlining, after which every instruction keeps the flags it was made with.
OPTIONS = {"error_model": "numpy", "boundscheck": False, "fastmath": False, "nogil": True}


class Built(NamedTuple):
    """What is written into the caller in LLVM's language, for which nothing need be compiled.

    result: the type of the result. build: writes it, for a context, a builder, a signature and the arguments.
    """

    result: Any
    build: Function


class HelperCompiler(CompilerBase):
    """Numba's compiler for helpers.

    identity: what stands in the names of machine code for the number that Numba would count.
    """

    identity: str | None = None

    def define_pipelines(self) -> list[Any]:
        if self.identity is not None:
            self.state.func_id.unique_id = self.identity
        return [pipeline(self.state)]


_MADE: dict[Any, Callee] = {}


def compiled_callee(
    function: Function, arguments: tuple[Any, ...], options: Mapping[str, Any], optimised: bool = False
) -> Callee:
    """What is called for arguments of these types."""
    key = function, arguments, repr(sorted(options.items())), optimised
    if key not in _MADE:
        flags = _flags(options)
        identity = identity_of(function, arguments, f"{key[2]} {optimised} {flags.get_mangle_string()}")
        _MADE[key] = kept(identity) or _compiled(function, arguments, flags, optimised, identity)
        _declare(_MADE[key])
    return _MADE[key]


def _flags(options: Mapping[str, Any]) -> Flags:
    flags = Flags()
    cpu_target.options.parse_as_flags(flags, {"nopython": True, **options})
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    return flags


def _compiled(
    function: Function, arguments: tuple[Any, ...], flags: Flags, optimised: bool, identity: str | None
) -> Callee:
    target = cpu_target.target_context
    library = CalleeLibrary(target.codegen(), function.__qualname__)
    library.optimised, library.inlined, library.identity = optimised, flags.forceinline, identity
    compiler = HelperCompiler(cpu_target.typing_context, target, library, arguments, None, flags, {})
    compiler.identity = identity
    made = compiler.compile_extra(function)
    callee = Callee(made.signature, made.fndesc, library)
    keep(callee)
    return callee


def _declare(callee: Callee) -> None:
    """Let Numba find how the callee is called."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        result = call(context, builder, callee, arguments)
        return impl_ret_new_ref(context, builder, signature.return_type, result)

    cpu_target.target_context.insert_func_defn([(build, callee, callee.signature.args)])


def call(context: Any, builder: Any, callee: Callee, values: Sequence[Any], attributes: tuple[str, ...] = ()) -> Any:
    """What the callee returns for values of its types; its errors are the caller's."""
    library = callee.library
    context.add_linking_libs(library.needed)
    return call_linked(context, builder, callee.description, callee.signature, values, library.may_raise, attributes)


def callable_from_compiled(
    function: Function, implementation: Function, options: Mapping[str, Any], prefer_literal: bool
) -> None:
    """Makes a function callable from compiled code: `implementation` gives for the types of arguments what then runs.

    It returns None for types that the function does not take.
    """
    name = f"Callees of {getattr(function, '__name__', function)}"
    members = {
        "key": function,
        "implementation": staticmethod(implementation),
        "options": options,
        "prefer_literal": prefer_literal,
        "callees": {},
    }
    template = type(name, (_Template,), members)
    infer(template)
    infer_global(function, FunctionType(template))


class _Template(AbstractTemplate):
    """How Numba types the calls of one function."""

    implementation: Function
    options: Mapping[str, Any]
    callees: dict[Any, Any]

    def generic(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        key = tuple(arguments), tuple(keywords.items())
        if key not in self.callees:
            self.callees[key] = self._made(arguments, keywords)
        return self.callees[key]

    def _made(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        chosen = self.implementation(*arguments, **keywords)
        if chosen is None:
            return None
        is_built = isinstance(chosen, Built)
        parameters = pysignature(self.implementation if is_built else chosen)
        folded = fold_arguments(
            parameters, arguments, keywords, lambda index, parameter, value: value, _omitted, _star_arguments
        )
        if folded not in self.callees:
            made = _built if is_built else compiled_callee
            self.callees[folded] = made(chosen, folded, self.options)
        return self.callees[folded].signature.replace(pysig=parameters)

    def get_impl_key(self, signature: Any) -> Any:
        return self.callees[signature.args]


@dataclass(frozen=True, eq=False)
class _Builder:
    """What is built for arguments of some types. Numba finds how it is under this object."""

    signature: Any


def _built(built: Built, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> _Builder:
    made = _Builder(built.result(*arguments))
    cpu_target.target_context.insert_func_defn([(built.build, made, arguments)])
    return made


def _omitted(index: int, parameter: Any, default: Any) -> Any:
    return Omitted(default)


def _star_arguments(index: int, parameter: Any, values: Any) -> Any:
    return StarArgTuple(values)
