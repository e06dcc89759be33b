"""`vjp` in compiled code: the pullback is a value of a type of its own, which holds residuals and can be called.

value, pullback = pb.vjp(f)(x)  →   f_forward(x), whose residuals and shapes of results stand in the pullback
pullback(cotangent)             →   f_backward(*residuals, cotangent), after a look at the cotangent's shape
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import signature
from numba.extending import box, intrinsic, lower_builtin, models, overload, register_model

from pullback.api.inside_njit import unique
from pullback.api.kept_calls import Kept, remembering
from pullback.api.making import SplitPair
from pullback.api.numba_calls import code_for
from pullback.api.specialise import wrt_leaves
from pullback.errors import TypingError
from pullback.frontend.values.arguments import leaf_types
from pullback.ir.types import Array, Type, is_float


class PulledType(types.Callable):
    """Numba's type of a pullback: that of what it holds, and the function that takes this and a cotangent."""

    def __init__(self, held: Any, call: Any) -> None:
        self.held, self.call = held, call
        super().__init__(f"pullback({held}, {call.__name__})")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        if len(args) != 1 or kws:
            raise TypingError("a pullback takes one argument, the cotangent of the result")
        made = types.Dispatcher(self.call).get_call_type(context, (self.held, *args), {})
        return signature(made.return_type, *made.args[1:], recvr=self)

    def get_call_signatures(self) -> Any:
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        return _call_of


def _call_of() -> None:
    """Stands for the call of any pullback."""


@register_model(PulledType)
class _PulledModel(models.StructModel):
    def __init__(self, manager: Any, type_: PulledType) -> None:
        super().__init__(manager, type_, [("held", type_.held)])


@lower_builtin(_call_of, PulledType, types.Any)  # type: ignore[untyped-decorator]
def _call(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    type_, given = sig.args
    held = cgutils.create_struct_proxy(type_)(context, builder, value=arguments[0]).held
    function = types.Dispatcher(type_.call)
    inner = function.get_call_type(context.typing_context, (type_.held, given), {})
    made = context.get_function(function, inner)
    context.add_linking_libs(getattr(made, "libs", ()))
    return made(builder, (held, context.cast(builder, arguments[1], given, inner.args[1])))


@box(PulledType)  # type: ignore[untyped-decorator]
def _box(type_: PulledType, value: Any, c: Any) -> Any:
    c.context.nrt.decref(c.builder, type_, value)
    return c.pyapi.unserialize(c.pyapi.serialize_object(left_behind))


def left_behind(cotangent: Any) -> Any:
    """What a pullback is outside of the compiled code that it belongs to. Raises TypingError."""
    raise TypingError("this pullback belongs to compiled code, and was returned from it", None, "call it there")


def body_of(forward_function: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The body that Numba compiles for a call of what `vjp` returns with arguments of these Numba types."""
    if forward_function.engine.options.nan is not None:
        raise TypingError("pb.vjp has no nan= in compiled code", None, "use pb.value_and_grad, or call it from Python")
    forms, built, code = code_for(forward_function, arguments)
    numbers, _ = wrt_leaves(forward_function.engine, forms, forward_function.argnums)
    pair = code.derivative("split", numbers).unguarded
    results = leaf_types(built.result)
    call = _pulling(pair, results, isinstance(forward_function.argnums, tuple))
    return _pushing(pair, results, call, remembering(Kept(forward_function, arguments, None)))


def _pushing(pair: SplitPair, results: list[Type], call: Any, remember: Any) -> Callable[..., Any]:
    """A function that runs the forward function, and returns the value and the pullback."""
    count = len(results) + len(pair.pair.residuals)
    items = [f"made[{k}]" for k in range(count)] if count > 1 else ["made"] * count
    value = items[0] if len(results) == 1 else _tuple(items[: len(results)])
    shapes = [f"{items[k]}.shape" for k, type_ in enumerate(results) if isinstance(type_, Array) and is_float(type_)]
    text = f"""
def push(*arguments):
    remember()
    made = forward(*arguments)
    return {value}, pulled({_tuple([*items[len(results) :], *shapes])})
"""
    return _defined(text, "push", forward=pair.forward.dispatcher, pulled=_made(call), remember=remember)


def _pulling(pair: SplitPair, results: list[Type], several: bool) -> Any:
    """A Numba function of what a pullback holds and of a cotangent."""
    count = len(pair.pair.residuals)
    seeds, place = [], count
    for k, type_ in enumerate(results):
        given = "cotangent" if len(results) == 1 else f"cotangent[{k}]"
        if is_float(type_) and isinstance(type_, Array):
            seeds.append(f"fitted({given}, held[{place}], dtype_{type_.dtype})")
            place += 1
        elif is_float(type_):
            seeds.append(f"dtype_{type_.dtype}({given})")
    single = len(pair.backward.function.results) == 1
    text = f"""
def pull(held, cotangent):
    made = backward({", ".join([*(f"held[{k}]" for k in range(count)), *seeds])})
    return {"(made,)" if single and several else "made"}
"""
    dtypes = {"dtype_float64": np.float64, "dtype_float32": np.float32}
    return njit(_defined(text, "pull", backward=pair.backward.dispatcher, fitted=_fitted, **dtypes))


def _tuple(items: list[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items)})"


def _defined(text: str, name: str, **names: Any) -> Callable[..., Any]:
    exec(text, names)
    made: Callable[..., Any] = unique(names[name])
    return made


def _made(call: Any) -> Any:
    """What makes a pullback of what it holds."""

    def typed(context: Any, held: Any) -> Any:
        type_ = PulledType(held, call)

        def build(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            made = cgutils.create_struct_proxy(type_)(context, builder)
            made.held = arguments[0]
            return impl_ret_borrowed(context, builder, type_, made._getvalue())

        return type_(held), build

    return intrinsic(typed)


def _fitted(cotangent: Any, shape: Any, dtype: Any) -> Any:
    """A cotangent as an array of a shape and a dtype; a number serves for all elements."""
    made = np.full(shape, cotangent, dtype) if np.ndim(cotangent) == 0 else np.asarray(cotangent, dtype)
    if made.shape != shape:
        raise ValueError("the cotangent has another shape than the result")
    return made


@overload(_fitted, strict=False)  # type: ignore[untyped-decorator]
def _compiled_fitted(cotangent: Any, shape: Any, dtype: Any) -> Any:
    if not isinstance(cotangent, types.Array):
        return lambda cotangent, shape, dtype: np.full(shape, cotangent, dtype)
    if cotangent.ndim != len(shape):
        raise TypingError(f"the cotangent has {cotangent.ndim} axes, the result {len(shape)}")

    def fitted(cotangent: Any, shape: Any, dtype: Any) -> Any:
        if cotangent.shape != shape:
            raise ValueError("the cotangent has another shape than the result")
        return cotangent.astype(dtype)

    return fitted
