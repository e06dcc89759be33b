"""Calls from compiled code: Numba sees a differentiable function or a gradient as a function it can compile."""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numba.extending import overload, typeof_impl
from numba.np.numpy_support import as_dtype

from pullback.api.derivatives import GradientFunction
from pullback.api.differentiable import Differentiable
from pullback.api.specialise import wrt_leaves
from pullback.compile.functions import Compiled
from pullback.errors import TypingError
from pullback.frontend.arguments import Form, Leaf
from pullback.frontend.build import Built
from pullback.ir.types import BOOL, FLOAT, INT, Array, Scalar


@typeof_impl.register(GradientFunction)
@typeof_impl.register(Differentiable)
def type_of_callable(value: Any, context: Any) -> Any:
    """The Numba type of one of our callables: that of a dispatcher made for it."""
    return types.Dispatcher(dispatcher_of(value))


def dispatcher_of(callable_: Any) -> Any:
    """A Numba function that stands for the callable, whatever the argument types."""
    known = callable_.__dict__.get("_pullback_dispatcher")
    if known is not None:
        return known

    def stub(*arguments: Any) -> Any:
        raise NotImplementedError("this stands for a generated function in compiled code")

    def typed(*arguments: Any) -> Any:
        return implementation(callable_, arguments)

    overload(stub, strict=False)(typed)

    @njit
    def entry(*arguments: Any) -> Any:
        return stub(*arguments)

    callable_.__dict__["_pullback_dispatcher"] = entry
    return entry


def implementation(callable_: Any, arguments: tuple[Any, ...]) -> Any:
    """The body that Numba compiles for arguments of these Numba types."""
    engine = callable_.engine
    names = list(engine.signature.parameters)
    if len(arguments) != len(names):
        raise TypingError(f"'{engine.source.name}' takes {len(names)} arguments in compiled code, defaults included")
    forms: dict[str, Form] = {name: Leaf(type_of_numba(t)) for name, t in zip(names, arguments, strict=True)}
    built: Built = engine.build(forms)
    if built.captures:
        raise TypingError(f"'{engine.source.name}' uses an array from outside: pass it as an argument in compiled code")
    if isinstance(callable_, Differentiable):
        return _plain(engine.derivative(forms, "primal", ()).unguarded)
    if callable_.has_aux:
        raise TypingError("has_aux cannot be used in compiled code")
    numbers, _ = wrt_leaves(engine, forms, callable_.argnums)
    callable_.check_result(built)
    kind = "value_and_grad" if callable_.with_value else "grad"
    compiled = engine.derivative(forms, kind, numbers).unguarded
    several = isinstance(callable_.argnums, tuple)
    if several and callable_.with_value:
        return _with_tuple(compiled)
    if several and len(numbers) == 1:
        return _one_in_tuple(compiled)
    return _plain(compiled)


def _plain(compiled: Compiled) -> Any:
    function = compiled.dispatcher

    def call(*arguments: Any) -> Any:
        return function(*arguments)

    return call


def _with_tuple(compiled: Compiled) -> Any:
    function = compiled.dispatcher

    def call(*arguments: Any) -> Any:
        results = function(*arguments)
        return results[0], results[1:]

    return call


def _one_in_tuple(compiled: Compiled) -> Any:
    function = compiled.dispatcher

    def call(*arguments: Any) -> Any:
        return (function(*arguments),)

    return call


def type_of_numba(type_: Any) -> Scalar | Array:
    """Our type for one of Numba's. Raises TypingError for what is neither a number nor an array of numbers."""
    type_ = types.unliteral(type_)
    if isinstance(type_, types.Array):
        return Array(as_dtype(type_.dtype).name, type_.ndim)
    plain = {types.float64: FLOAT, types.int64: INT, types.boolean: BOOL}
    if type_ in plain:
        return plain[type_]
    if isinstance(type_, types.Number):
        return Scalar(as_dtype(type_).name)
    raise TypingError(f"an argument of type {type_} cannot be passed from compiled code")
