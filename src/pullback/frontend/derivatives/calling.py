"""Calls of derivatives: the function is read in place with marked arguments, and the derivative asked for behind it.

pb.grad(f)(x, y)        x.1 = watched(x, 1)
                        …                                   the statements of f(x.1, y)
                        t = gradient(x.1, (s), (None), 2)   `transform/requests` puts statements in its place
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pullback.frontend.derivatives.call import Call, Reader
from pullback.frontend.derivatives.gradients import call_gradient, call_vjp
from pullback.frontend.derivatives.jacobians import call_jacobian, call_laplacian
from pullback.frontend.derivatives.made import derived, looked_at, made_here
from pullback.frontend.derivatives.tangents import call_along, call_jvp, pushed
from pullback.frontend.source.derivations import Derivation, innermost
from pullback.frontend.values.bindings import Binding, Derived, Static, TupleValue
from pullback.frontend.values.context import Context

_KINDS: dict[str, Callable[[Call, Derivation], Binding]] = {
    "grad": call_gradient,
    "value_and_grad": call_gradient,
    "elementwise_grad": call_gradient,
    "vjp": call_vjp,
    "jacobian": call_jacobian,
    "laplacian": call_laplacian,
}


def call_derivative(
    read: Reader,
    context: Context,
    function: Any,
    derivation: Derivation | str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a derivative that was made outside, or of what makes derivatives of the kind `derivation`."""
    if derivation == "jvp":
        return call_jvp(read, context, function, arguments, keywords, node)
    if isinstance(derivation, str):
        return made_here(context, function, arguments, keywords, node)
    made = derived(function, Static(innermost(function)))
    return call_derived(read, context, made, arguments, keywords, node)


def call_derived(
    read: Reader,
    context: Context,
    derived: Derived,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`pb.grad(f)(*arguments, **keywords)`, and the like."""
    result = _called(read, context, derived, arguments, keywords, node)
    return looked_at(context, result, derived.derivation.nan, node)


def _called(
    read: Reader,
    context: Context,
    derived: Derived,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    derivation, function = derived.derivation, derived.function
    if derivation.kind == "along":
        half = len(arguments) // 2
        call = Call(read, context, function, arguments[:half], {}, node)
        return TupleValue(pushed(call, dict(zip(call.names, arguments[half:], strict=False))))
    if derivation.kind in ("hvp", "vhp", "columns"):
        return call_along(read, context, derived, arguments, keywords, node)
    if derivation.kind == "hessian":
        gradient = Derived(replace(derivation, kind="jacobian", mode="reverse"), function)
        derivation, function = replace(derivation, kind="jacobian", mode="forward"), gradient
    call = Call(read, context, function, arguments, keywords, node)
    return _KINDS[derivation.kind](call, derivation)
