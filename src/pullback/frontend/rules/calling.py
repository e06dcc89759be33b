"""Calls of functions with rules: what the function returns is read at once, and its rule where somebody asks for it.

y = f(x)        →       y = f(x)        one statement, whose function is `ir.ruled.Ruled`
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from pullback.errors import PullbackError
from pullback.frontend.derivatives.structures import mapped, whole
from pullback.frontend.rules.kinds import derivative
from pullback.frontend.rules.reading import Given, Reader, RuleReader, leaves_in
from pullback.frontend.source.outside import Dependency, look_up_again
from pullback.frontend.source.passed import is_tensor
from pullback.frontend.source.star_parameters import identifier_of
from pullback.frontend.source.user_rules import UserRule
from pullback.frontend.values.arguments import Form
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    DictRef,
    ListRef,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context, StaticNeeded
from pullback.frontend.values.results import binding_from, result_of
from pullback.ir.nodes import Block, Call, Constant, Value, read_in, type_of_operand
from pullback.ir.ruled import Rule, Ruled
from pullback.ir.types import is_complex
from pullback.runtime import stop_gradient


def call_with_rule(read: Reader, context: Context, rule: UserRule, bound: dict[str, Binding], node: Any) -> Binding:
    """A call of a function with a rule; `bound` are its arguments by their names, defaults included."""
    name = rule.function.__name__
    if rule in context.primals:
        context.refuse(node, f"'{name}', whose derivative is a rule, calls itself", "write a loop")
    if rule.kind == "constant":
        known = frozenset(context.state.cells)
        value = read(context, Static(rule.function), tuple(bound.values()), {}, node)
        return _constant(context, name, value, known, node)
    context.depend(Dependency(rule, "parts", rule.parts))

    def again(inner: Context, arguments: tuple[Binding, ...]) -> Binding:
        return call_with_rule(read, inner, rule, dict(zip(bound, arguments, strict=True)), node)

    given, operands = _given(context, name, bound, node)
    reader = RuleReader(read, again, context, rule, given, node)
    try:
        primal, inner = reader.primal()
        context.dependencies |= inner.dependencies
        if primal is None:
            return read(context, Static(rule.function), tuple(bound.values()), {}, node)
        if any(o.type is not None and is_complex(o.type) for o in (*operands, *primal.body.yields)):
            reason = f"the derivative of '{name}' is a rule, and it computes with complex numbers"
            context.refuse(node, reason, "give it the real and the imaginary parts, and return such")
        bodies = [primal.body]
        if rule not in context.rules:
            with suppress(PullbackError):  # raised again where somebody asks for the derivative
                said, inner = derivative(reader)
                context.dependencies |= inner.dependencies
                bodies += [said.forward.body, said.linear.body]
    except StaticNeeded as needed:
        places = dict(zip(given.parameters, operands, strict=True))
        raise StaticNeeded(places.get(needed.value, needed.value), needed.error) from None
    captured = _captured(context, bodies, name, node)
    results = tuple(Value("", type_of_operand(y)) for y in primal.results)
    function = Ruled((*given.parameters, *captured), primal, _derivative(reader))
    context.builder.add(Call(function, (*operands, *captured), results, context.location(node)))
    result = binding_from(context, reader.form, list(results))
    if reader.may_share:
        _link(context, name, result, list(bound.values()))
    return result


def _link(context: Context, name: str, result: Binding, others: list[Binding]) -> None:
    """Note that arrays of a result may be the memory of others."""
    cells = [leaf.cell for other in others for leaf in leaves_in(context, other) if isinstance(leaf, ArrayRef)]
    for leaf in leaves_in(context, result):
        if isinstance(leaf, ArrayRef):
            leaf.cell.outside = f"the result of '{name}' may or may not share memory with its argument"
            for cell in cells:
                context.state.descend(leaf.cell, cell)


def _constant(context: Context, name: str, value: Binding, known: frozenset[Cell], node: Any) -> Binding:
    """A value without a derivative; `known`: the memory that was there before."""

    def one(leaf: Binding) -> Binding:
        operand = whole(context, leaf, node)
        if not isinstance(operand, Value):
            return leaf
        made = context.bind(context.let(node, stop_gradient, operand))
        if isinstance(leaf, ArrayRef) and (
            context.state.memories(leaf.cell) & known or leaf.cell in context.state.linked
        ):
            _link(context, name, made, [leaf])
        return made

    return mapped(context, value, one, node, other=lambda binding: binding)


def _given(context: Context, name: str, bound: dict[str, Binding], node: Any) -> tuple[Given, tuple[Value, ...]]:
    """The arguments as a rule sees them, and the values that they are."""
    forms: dict[str, Form] = {}
    leaves: list[Value | Constant] = []
    operands: list[Value] = []
    for parameter, binding in bound.items():
        if not isinstance(binding, ArrayRef | DictRef | ListRef | TupleValue | Value | Constant | Static):
            reason = f"'{name}', whose derivative is a rule, is given a function that is made in this text"
            context.refuse(node, reason, "define that function at module level")
        found, forms[parameter] = result_of(context, binding, node)
        operands += (leaf for leaf in found if isinstance(leaf, Value))
        leaves += (Value(identifier_of(parameter), leaf.type) if isinstance(leaf, Value) else leaf for leaf in found)
    return Given(forms, tuple(leaves)), tuple(operands)


def _captured(context: Context, bodies: list[Block], name: str, node: Any) -> tuple[Value, ...]:
    """The parameters for what the functions of a rule use from outside, which gets no cotangents."""
    read = {value for body in bodies for value in read_in(body)}
    found = [capture for capture, _ in context.captures.values() if capture.parameter in read]
    for capture in found:
        if capture.namespace is not None and is_tensor(look_up_again(capture.namespace, capture.name)):
            reason = f"'{name}', whose derivative is a rule, uses the tensor '{capture.name}' from outside"
            context.refuse(node, reason, "pass it as an argument")
    return tuple(capture.parameter for capture in found)


def _derivative(reader: RuleReader) -> Callable[[], Rule]:
    @cache
    def read() -> Rule:
        count = len(reader.template.captures)
        try:
            rule, context = derivative(reader)
        except StaticNeeded as needed:
            raise needed.error from None
        if len(context.captures) > count:
            capture, _ = list(context.captures.values())[-1]
            reason = f"the rule of '{reader.name}' uses '{capture.name}' in a derivative of higher order alone"
            context.refuse(reader.node, reason, "pass it as an argument")
        return rule

    return read
