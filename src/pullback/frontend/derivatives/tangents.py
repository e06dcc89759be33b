"""Calls of `pb.jvp(f, primals, tangents)`, `pb.hvp(f)` and `pb.vhp(f)`: forward mode, alone and with reverse mode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pullback.frontend.derivatives.call import Call, Reader, number_of, refuse_complex, with_aux
from pullback.frontend.derivatives.gradients import gradients_by
from pullback.frontend.derivatives.made import bound_to, looked_at
from pullback.frontend.derivatives.parameters import chosen_of, names_of
from pullback.frontend.derivatives.structures import mapped, paired, whole, zeros
from pullback.frontend.derivatives.watched import Watched
from pullback.frontend.source.derivations import Derivation
from pullback.frontend.values.bindings import Binding, Derived, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Let, Operand, Value
from pullback.ir.types import is_complex, is_float


def call_jvp(
    read: Reader,
    context: Context,
    maker: Any,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`pb.jvp(f, primals, tangents)`."""
    given = bound_to(context, maker, arguments, keywords, node)
    primals, tangents = (context.items(given[name], node) for name in ("primals", "tangents"))
    if len(primals) != len(tangents):
        context.mistyped(node, f"there are {len(primals)} arguments and {len(tangents)} tangents")
    call = Call(read, context, given["function"], primals, {}, node)
    value, tangent = pushed(call, dict(zip(call.names, tangents, strict=False)))
    has_aux = given.get("has_aux", Constant(False))
    nan: Any = given.get("nan", Constant(None))
    looked_at(context, TupleValue((value, tangent)), getattr(nan, "value", nan), node)
    if not getattr(has_aux, "value", has_aux):
        return TupleValue((value, tangent))
    value, aux = with_aux(call, value)
    return TupleValue((value, context.items(tangent, node)[0], aux))


def pushed(call: Call, tangents: dict[str, Binding]) -> tuple[Binding, Binding]:
    """The value, and its tangent given those of arguments: None for one that has none."""
    context, node = call.context, call.node
    watched = Watched(context, node)
    seeds: list[Operand] = []
    made: dict[str, Binding] = {}
    for name, tangent in tangents.items():
        if tangent not in (Static(None), Constant(None)):
            seeds += [seed for _, seed in paired(context, call.given[name], tangent, "tangent", node)]
            made[name] = watched.argument(call.given[name], name, others=True)
    call.exchange(made)
    value = call.result(watched)
    if context.state.dead:
        return Static(None), Static(None)
    operands = (tuple(watched.marks), tuple(seeds), constant(context.watching.number()))

    def one(leaf: Binding) -> Binding:
        target = whole(context, leaf, node)
        if not is_float(target.type):
            return Static(None)
        if not isinstance(target, Value) or not watched.marks:
            return zeros(context, target, node)
        tangent = Value("", target.type)
        context.builder.add(Let(tangent, primitives.tangent, (target, *operands), (), context.location(node)))
        return context.bind(tangent)

    return value, mapped(context, value, one, node)


def call_along(
    read: Reader,
    context: Context,
    derived: Derived,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`pb.hvp(f)(x, v, …)` and `pb.vhp(f)(x, v, …)`: the direction stands behind the arguments it belongs to."""
    derivation = derived.derivation
    names = names_of(derived.function)
    chosen = chosen_of(context, derivation, names, dict.fromkeys([*names[: len(arguments)], *keywords]), node)
    place = max(map(names.index, chosen)) + 1
    if place >= len(arguments):
        context.mistyped(node, f"the direction is missing behind the argument '{names[place - 1]}'")
    direction, arguments = arguments[place], (*arguments[:place], *arguments[place + 1 :])
    directions = context.items(direction, node) if derivation.several else (direction,)
    if len(directions) != len(chosen):
        context.mistyped(node, f"there are {len(chosen)} arguments and {len(directions)} directions")
    along = dict(zip(chosen, directions, strict=True))
    if derivation.kind == "hvp":
        gradient = Derived(replace(derivation, kind="grad"), derived.function)
        return pushed(Call(read, context, gradient, arguments, keywords, node), along)[1]
    call = Call(read, context, derived.function, arguments, keywords, node)
    if derivation.kind == "columns":
        return _columns(call, derivation, directions[0])
    watched = Watched(context, node)
    sources = call.watch(derivation, watched)
    value, tangent = pushed(call, along)
    if context.state.dead:
        return Static(None)
    watched.leave()
    number_of(call, value)
    made = gradients_by(call, watched, sources, [number_of(call, tangent)], [Constant(None)])
    return TupleValue(tuple(made)) if derivation.several else made[0]


def _columns(call: Call, derivation: Derivation, seeds: Binding) -> Binding:
    """The tangents of a vector for those of another one in the columns of a matrix, as sparse Jacobians need them."""
    context, node = call.context, call.node
    watched = Watched(context, node)
    call.watch(derivation, watched)
    target = whole(context, call.result(watched), node)
    if context.state.dead:
        return Static(None)
    if len(watched.marks) != 1 or any(getattr(o.type, "ndim", 0) != 1 for o in (target, *watched.marks)):
        context.mistyped(node, "a sparse Jacobian is that of a vector by a vector", "return an array with one axis")
    (mark,) = watched.marks
    if is_complex(mark.type):
        refuse_complex(call)
    number = constant(context.watching.number())
    if not isinstance(target, Value):
        context.mistyped(node, "the function does not depend on its argument")
    return context.bind(context.let(node, primitives.columns, target, mark, context.operand(seeds, node), number))
