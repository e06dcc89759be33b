"""Derivatives as bindings: those that were made outside, and those that a text makes."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from pullback import runtime
from pullback.frontend.derivatives.structures import mapped
from pullback.frontend.source.derivations import MARK, Derivation, derivation_of
from pullback.frontend.values.bindings import Binding, Derived, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import BOOL, is_float


def derived(derivative: Any, function: Binding) -> Derived:
    """The binding of a derivative that was made outside; `function` stands for what it is of in the end."""
    inner = derivative.__wrapped__
    of = derived(inner, function) if isinstance(derivation_of(inner), Derivation) else function
    return Derived(getattr(derivative, MARK), of)


def without_nan(derived: Derived) -> Derived:
    """The derivative of derivatives, which do not look at their results."""
    inner = without_nan(derived.function) if isinstance(derived.function, Derived) else derived.function
    return Derived(replace(derived.derivation, nan=None), inner)


def looked_at(context: Context, result: Binding, nan: str | None, node: Any) -> Binding:
    """The result of a derivative, behind which its numbers are looked at, if `nan` says so."""
    if nan not in (None, "raise"):
        context.mistyped(node, f"nan={nan!r}: it is 'raise' or None")

    def look(leaf: Any) -> Binding:
        operand = context.operand(leaf, node)
        if isinstance(operand, Value) and is_float(operand.type):
            with context.builder.at(context.location(node)):
                fits = context.builder.let(runtime.is_finite, operand, type_=BOOL)
                context.builder.effect(primitives.check, fits, Constant(runtime.ResultNotFinite))
        return leaf

    if nan is not None and not context.state.dead:
        mapped(context, result, look, node)
    return result


def made_here(
    context: Context, maker: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Derived:
    """`pb.grad(f, argnums)` in a text: the derivative, not called yet."""
    given = bound_to(context, maker, arguments, keywords, node)
    function = given.pop("function")
    known = {name: _known(context, name, binding, node) for name, binding in given.items()}
    kind = derivation_of(maker)
    assert isinstance(kind, str), "what makes derivatives names their kind"
    mode = known.pop("mode", None) or {"jacfwd": "forward", "jacrev": "reverse"}.get(kind, "")
    return Derived(Derivation("jacobian" if kind.startswith("jac") else kind, mode=mode, **known), function)


def bound_to(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> dict[str, Binding]:
    """The arguments of a call of a function of ours, by the names of its parameters."""
    try:
        return inspect.signature(function).bind(*arguments, **keywords).arguments
    except TypeError as error:
        context.mistyped(node, f"{function.__name__}(): {error}")


def _known(context: Context, name: str, binding: Binding, node: Any) -> Any:
    match binding:
        case Static(value=value) | Constant(value=value):
            return value
        case TupleValue(items=items):
            return tuple(_known(context, name, item, node) for item in items)
    context.refuse(node, f"'{name}' is not known before the run", "write a constant")
