"""The kinds of rules: each reads what its functions say of a call, as forward statements and linear ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.errors import MissingRuleError
from pullback.frontend.derivatives.structures import paired
from pullback.frontend.rules.reading import RuleReader, leaves_in
from pullback.frontend.rules.regions import checkpoint, implicit
from pullback.frontend.values.bindings import Binding, ListRef, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir.nodes import Constant, Value
from pullback.ir.ruled import Rule
from pullback.ir.types import Scalar


def derivative(reader: RuleReader) -> tuple[Rule, Context]:
    """What a rule says of a call, and the reader that has read it.

    Raises MissingRuleError where there is no rule yet; TypingError where it does not fit the function.
    """
    rule = reader.rule
    if rule.kind in _DEFINITIONS and not rule.parts:
        raise MissingRuleError(
            f"'{reader.name}' has no derivative rule yet",
            reader.place.where,
            f"define it by {reader.name}.{_DEFINITIONS[rule.kind]}",
        )
    context = reader.reader(rule)
    return _KINDS[rule.kind](reader, context), context


_DEFINITIONS = {"vjp": "defvjp", "jvp": "defjvp"}


def _vjp(reader: RuleReader, context: Context) -> Rule:
    """By a function that gives residuals, and one that takes them."""
    forward_function, backward_function = reader.rule.parts
    with context.builder.block() as forward:
        arguments = reader.arguments(context)
        given = reader.called(context, forward_function, *arguments.values())
        value, residuals = reader.pair(context, given, "(value, residuals)")
        ys = reader.results(context, value)
    with context.builder.block() as linear:
        inputs, cotangent = reader.seeds(context)
        first, others = reader.apart(arguments)
        bars = reader.called(context, backward_function, *first, residuals, cotangent)
        outs = reader.cotangents(context, others, bars)
    return Rule(reader.function(forward, ys), reader.function(linear, outs), inputs, reader.sources())


def _jvp(reader: RuleReader, context: Context) -> Rule:
    """By a function that gives the value and its tangent."""
    return _pushing(reader, context, _pushed)


def _pushed(reader: RuleReader, context: Context, arguments: dict[str, Binding], tangents: list[Binding]) -> Any:
    first, others = reader.apart(arguments)
    given = reader.called(context, reader.rule.parts[0], *first, TupleValue(tuple(others)), TupleValue(tuple(tangents)))
    return reader.pair(context, given, "(value, tangent)")


def _jvps(reader: RuleReader, context: Context) -> Rule:
    """By functions that give the parts of the tangent that come from one argument each."""
    return _pushing(reader, context, _pushed_by_each)


def _pushed_by_each(
    reader: RuleReader, context: Context, arguments: dict[str, Binding], tangents: list[Binding]
) -> Any:
    if len(reader.rule.parts) != len(tangents):
        reason = f"the rule of '{reader.name}' has {len(reader.rule.parts)} parts, for {len(tangents)} arguments"
        context.mistyped(reader.node, reason, "give one for each argument, None where there is none")
    given = tuple(arguments.values())
    value = reader.again(context, given)
    total: Binding = Constant(0.0, Scalar("float64", weak=True))
    for push, tangent in zip(reader.rule.parts, tangents, strict=True):
        if push is not None:
            term = reader.called(context, push, tangent, value, *given)
            total = reader.called(context, np.add, total, term)
    return value, total


def _pushing(reader: RuleReader, context: Context, push: Callable[..., tuple[Binding, Binding]]) -> Rule:
    with context.builder.block() as statements:
        arguments = reader.arguments(context)
        sources = reader.sources()
        inputs = {source: Value(f"{source.name}_dot", source.type) for source in sources}
        value, tangent = push(reader, context, arguments, reader.tangents(context, inputs))
        ys = reader.results(context, value)
        dots = tuple(dot for _, dot in paired(context, value, tangent, "tangent", reader.node))
    whole = reader.function(statements, (*ys, *dots))
    return Rule(whole, whole, tuple(inputs.values()), sources, pushes=True)


def _gradient(reader: RuleReader, context: Context) -> Rule:
    """By the function that the function itself returns, which is read before the names around it are gone."""
    made: list[Rule] = []
    with context.builder.block() as forward:
        arguments = reader.arguments(context)

        def at_return(returned: Binding) -> None:
            value, gradient = reader.pair(context, returned, "(value, function of cotangents)")
            ys = reader.results(context, value)
            with context.builder.block() as linear:
                inputs, cotangent = reader.seeds(context)
                given = reader.read(context, gradient, tuple(leaves_in(context, cotangent)), {}, reader.node)
                items = given if isinstance(given, TupleValue | ListRef) else TupleValue((given,))
                leaves = [leaf for argument in arguments.values() for leaf in leaves_in(context, argument)]
                outs = reader.cotangents(context, leaves, items)
            made.append(Rule(reader.function(forward, ys), reader.function(linear, outs), inputs, reader.sources()))

        context.at_return = reader.rule.function, at_return
        reader.called(context, reader.rule.function, *arguments.values())
    forward_function = replace(made[0].forward, body=replace(made[0].forward.body, statements=tuple(forward)))
    return replace(made[0], forward=forward_function)


_KINDS: dict[str, Callable[[RuleReader, Context], Rule]] = {
    "vjp": _vjp,
    "jvp": _jvp,
    "jvps": _jvps,
    "gradient": _gradient,
    "checkpoint": checkpoint,
    "implicit": implicit,
}
