"""Calls of `pb.grad(f)`, `pb.value_and_grad(f)`, `pb.elementwise_grad(f)` and `pb.vjp(f)`: reverse mode."""

from __future__ import annotations

from typing import Any

from pullback.frontend.derivatives.call import Call, leaves_of, number_of, with_aux
from pullback.frontend.derivatives.made import looked_at
from pullback.frontend.derivatives.structures import mapped, paired, zeros
from pullback.frontend.derivatives.watched import Watched
from pullback.frontend.source.derivations import Derivation
from pullback.frontend.values.bindings import Binding, Pullback, Static, TupleValue
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Let, Operand, Value
from pullback.ir.types import is_float


def call_gradient(call: Call, derivation: Derivation) -> Binding:
    watched = Watched(call.context, call.node)
    sources = call.watch(derivation, watched)
    returned = call.result(watched)
    if call.context.state.dead:
        return Static(None)
    value, aux = with_aux(call, returned) if derivation.has_aux else (returned, None)
    looked_at(call.context, value, derivation.nan, call.node)
    if derivation.kind == "elementwise_grad":
        targets = [leaf for leaf in leaves_of(call, value) if is_float(leaf.type)]
    else:
        targets = [number_of(call, value)]
    made = gradients_by(call, watched, sources, targets, [Constant(None)] * len(targets))
    gradient = TupleValue(tuple(made)) if derivation.several else made[0]
    if derivation.kind == "value_and_grad":
        return TupleValue((returned, gradient))
    return gradient if aux is None else TupleValue((gradient, aux))


def gradients_by(
    call: Call, watched: Watched, sources: list[Binding], targets: list[Operand], seeds: list[Operand]
) -> list[Binding]:
    """The gradients by marked arguments, each in the structure of its argument."""
    context, node = call.context, call.node
    pairs = [(y, seed) for y, seed in zip(targets, seeds, strict=True) if isinstance(y, Value)]
    number = constant(context.watching.number())
    operands = (tuple(y for y, _ in pairs), tuple(seed for _, seed in pairs), number)

    def one(leaf: Binding) -> Binding:
        mark = watched.mark_of(leaf)
        if not pairs:
            return zeros(context, mark, node)
        value = Value("", mark.type)
        context.builder.add(Let(value, primitives.gradient, (mark, *operands), (), context.location(node)))
        return context.bind(value)

    return [mapped(context, source, one, node) for source in sources]


def call_vjp(call: Call, derivation: Derivation) -> Binding:
    context, node = call.context, call.node
    watched = Watched(context, node)
    sources = call.watch(derivation, watched)
    value = call.result(watched)
    if context.state.dead:
        return Static(None)

    def pull(arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any) -> Binding:
        if len(arguments) != 1 or keywords:
            context.mistyped(node, "a pullback takes one argument, the cotangent of the value")
        pairs = list(paired(context, value, arguments[0], "cotangent", node))
        made = gradients_by(call, watched, sources, [y for y, _ in pairs], [seed for _, seed in pairs])
        gradients = TupleValue(tuple(made)) if derivation.several else made[0]
        return looked_at(context, gradients, derivation.nan, node)

    return TupleValue((value, Pullback(pull)))
