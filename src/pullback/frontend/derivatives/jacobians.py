"""Calls of `pb.jacobian(f)`, of what is made of it, and of `pb.laplacian(f)`: all partial derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.derivatives.call import Call, leaves_of, number_of, refuse_complex, with_aux
from pullback.frontend.derivatives.gradients import gradients_by
from pullback.frontend.derivatives.structures import mapped, whole, zeros
from pullback.frontend.derivatives.watched import Watched
from pullback.frontend.source.derivations import Derivation
from pullback.frontend.values.bindings import Binding, Static, TupleValue
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Let, Operand, Value
from pullback.ir.types import Array, Scalar, Type, is_complex, is_float


def call_jacobian(call: Call, derivation: Derivation) -> Binding:
    context, node = call.context, call.node
    watched = Watched(context, node)
    sources = call.watch(derivation, watched)
    returned = call.result(watched)
    if context.state.dead:
        return Static(None)
    value, aux = with_aux(call, returned) if derivation.has_aux else (returned, None)
    number = constant(context.watching.number())

    def of(leaf: Binding) -> Binding:
        target = whole(context, leaf, node)
        if not is_float(target.type):
            return Static(None)

        def by(source: Binding) -> Binding:
            return _partials(call, target, watched.mark_of(source), derivation.mode, number)

        made = [mapped(context, source, by, node) for source in sources]
        return TupleValue(tuple(made)) if derivation.several else made[0]

    jacobian = mapped(context, value, of, node)
    return jacobian if aux is None else TupleValue((jacobian, aux))


def _partials(call: Call, target: Operand, mark: Value, mode: str, number: Constant) -> Binding:
    """The request for the partial derivatives of one result by one argument."""
    context, node = call.context, call.node
    of_complex = is_complex(target.type)
    if is_complex(mark.type) and (of_complex or getattr(target.type, "ndim", 0) > 0):
        refuse_complex(call)
    mode = "forward" if of_complex else mode  # a backward sweep tells of the real part alone
    ranks = [getattr(operand.type, "ndim", 0) for operand in (target, mark)]
    type_: Type = Array(target.type.dtype, sum(ranks))
    operands: tuple[Operand, ...] = (target, mark, Constant(mode), number)
    function: Callable[..., Any] = primitives.jacobian
    if ranks[0] == 0 and not of_complex and (mode != "forward" or ranks[1] == 0):
        function, type_, operands = primitives.gradient, mark.type, (mark, (target,), (Constant(None),), number)
    elif ranks[1] == 0:
        function, type_ = primitives.tangent, target.type
        operands = (target, (mark,), (_one(call, mark),), number)
    if not isinstance(target, Value):
        return zeros(context, mark, node)
    value = Value("", type_)
    context.builder.add(Let(value, function, operands, (), context.location(node)))
    return context.bind(value)


def _one(call: Call, mark: Value) -> Operand:
    """The tangent of a number, or of an array without axes, by itself."""
    one = Constant(1.0, Scalar(mark.type.dtype))
    if isinstance(mark.type, Scalar):
        return one
    return call.context.let(call.node, np.full, (), one)


def call_laplacian(call: Call, derivation: Derivation) -> Binding:
    """The sum of ∂²f/∂x[k]² over all numbers x[k] of the arguments: the divergence of the gradient."""
    context, node = call.context, call.node
    outer = Watched(context, node)
    call.watch(derivation, outer)
    inner = Watched(context, node)
    sources = call.watch(derivation, inner)
    value = call.result(inner)
    if context.state.dead:
        return Static(None)
    outer.leave()
    gradients = gradients_by(call, inner, sources, [number_of(call, value)], [Constant(None)])
    leaves = [leaf for gradient in gradients for leaf in leaves_of(call, gradient)]
    first, *others = [_divergence(call, *pair) for pair in zip(leaves, outer.marks, strict=True)]
    total: Value | Constant = first
    for term in others:
        total = context.let(node, np.add, total, term)
    return total


def _divergence(call: Call, gradient: Operand, mark: Value) -> Operand:
    context, node = call.context, call.node
    if is_complex(mark.type):
        refuse_complex(call)
    number = constant(context.watching.number())
    if not isinstance(gradient, Value):
        return Constant(0.0, Scalar(mark.type.dtype))
    if getattr(mark.type, "ndim", 0) == 0:
        tangent = context.let(node, primitives.tangent, gradient, (mark,), (_one(call, mark),), number)
        return tangent if isinstance(tangent.type, Scalar) else context.builder.load(tangent, (Index(()),))
    return context.let(node, primitives.divergence, gradient, mark, number)
