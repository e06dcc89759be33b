"""Derivatives as bindings: those that were made outside, and those that a text makes."""

from __future__ import annotations

import inspect
from typing import Any

from pullback.frontend.source.derivations import MARK, Derivation, derivation_of
from pullback.frontend.values.bindings import Binding, Derived, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir.nodes import Constant


def derived(derivative: Any, function: Binding) -> Derived:
    """The binding of a derivative that was made outside; `function` stands for what it is of in the end."""
    inner = derivative.__wrapped__
    of = derived(inner, function) if isinstance(derivation_of(inner), Derivation) else function
    return Derived(getattr(derivative, MARK), of)


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
