"""Rules by derivatives of a function, which is read once more for them, with marked arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.errors import LanguageError, Problem
from pullback.frontend.derivatives.call import Call
from pullback.frontend.derivatives.structures import paired, whole
from pullback.frontend.derivatives.watched import Watched
from pullback.frontend.rules.reading import RuleReader
from pullback.frontend.values.bindings import ArrayRef, Binding, Static
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.external import draws, statements_run_by
from pullback.ir.identities import again
from pullback.ir.nodes import Constant, Effect, Let, Operand, Value
from pullback.ir.ruled import Rule
from pullback.ir.types import Scalar


class Region:
    """value: what the function returns. marks: for the values that its arguments are, what stands for them in it."""

    def __init__(self, reader: RuleReader, context: Context, function: Any, arguments: tuple[Binding, ...]) -> None:
        self.context, self.node = context, reader.node
        call = Call(reader.read, context, Static(function), arguments, {}, reader.node)
        watched = Watched(context, reader.node)
        start = len(context.builder.statements)
        call.exchange({name: watched.argument(given, name, others=True) for name, given in call.positional})
        lets = [s for s in context.builder.statements[start:] if isinstance(s, Let)]
        self.marks = {s.operands[0]: s.value for s in lets if s.function is primitives.watched}
        self.value = call.result(watched)

    def gradients(self, pairs: list[tuple[Operand, Operand]]) -> dict[Operand, Value]:
        """The cotangents of all arguments, for those of results of the function."""
        known = [(y, seed) for y, seed in pairs if isinstance(y, Value)]
        if not known:
            return {}
        number = constant(self.context.watching.number())
        operands = (tuple(y for y, _ in known), tuple(seed for _, seed in known), number)
        return {given: self.asked(primitives.gradient, mark, *operands) for given, mark in self.marks.items()}

    def jacobian(self, target: Operand, mark: Value) -> Value:
        """The partial derivatives of a result by an argument, which has the same type."""
        number = constant(self.context.watching.number())
        if isinstance(mark.type, Scalar):
            return self.asked(primitives.gradient, mark, (target,), (Constant(None),), number)
        return self.context.let(self.node, primitives.jacobian, target, mark, Constant("forward"), number)

    def asked(self, function: Any, mark: Value, *operands: Any) -> Value:
        value = Value("", mark.type)
        self.context.builder.add(Let(value, function, (mark, *operands), (), self.context.location(self.node)))
        return value


def checkpoint(reader: RuleReader, context: Context) -> Rule:
    """By the function itself, which runs again with the arguments that it has had."""
    with context.builder.block() as forward:
        ys = reader.results(context, reader.again(context, tuple(reader.arguments(context).values())))
    with context.builder.block() as linear:
        inputs, cotangent = reader.seeds(context)
        arguments = {source: _computed_again(context, source) for source in reader.sources()}
        region = Region(reader, context, reader.rule.function, tuple(reader.arguments(context, arguments).values()))
        _check_again(reader, context)
        pairs = paired(context, region.value, cotangent, "cotangent", reader.node)
        bars = region.gradients(pairs)
        outs = tuple(bars.get(arguments[source], Constant(None)) for source in reader.sources())
    return Rule(reader.function(forward, ys), reader.function(linear, outs), inputs, reader.sources())


def _check_again(reader: RuleReader, context: Context) -> None:
    """Refuse a function of which it is seen that it runs again, by what is drawn or printed a second time."""
    callees = {c.name: c.function.body for c in context.callees.values() if c.function is not None}
    for statement in statements_run_by(context.builder.statements, callees):
        if draws(statement):
            reason = "draws random numbers: others than before, where it runs again for its derivative"
            remedy = "draw them outside, and pass them as arguments"
        elif isinstance(statement, Effect) and statement.function in primitives.PRINTING:
            reason, remedy = "prints, a second time where it runs again for its derivative", "what prints"
        else:
            continue
        problem = Problem(statement.location, f"'{reader.name}' {reason}", f"leave out pb.checkpoint, or {remedy}")
        raise LanguageError([problem])


def implicit(reader: RuleReader, context: Context) -> Rule:
    """By the implicit function theorem, for residual(value, *others) = 0.

    With R the residual, x the value and a another argument, x_bar^T dx = -x_bar^T (dR/dx)^-1 dR/da da.
    """
    node = reader.node
    with context.builder.block() as forward:
        arguments = reader.arguments(context)
        value = reader.again(context, tuple(arguments.values()))
        ys = reader.results(context, value)
    with context.builder.block() as linear:
        inputs, cotangent = reader.seeds(context)
        _, *others = reader.arguments(context).values()
        region = Region(reader, context, reader.rule.parts[0], (value, *others))
        residual = whole(context, region.value, node) if is_leaf(region.value) else Constant(None)
        if len(inputs) != 1 or not is_leaf(cotangent) or not are_alike(residual, inputs[0]):
            reason = f"the residual of '{reader.name}' is not a number or an array like the value"
            context.mistyped(node, reason, "let both be one number, or one array")
        mark = region.marks[ys[0]]
        weights = solved(context, region.jacobian(residual, mark), inputs[0], node)
        bars = region.gradients([(residual, weights)])
        outs = tuple(bars.get(source, Constant(None)) for source in reader.sources())
    return Rule(reader.function(forward, ys), reader.function(linear, outs), inputs, reader.sources())


def _computed_again(context: Context, value: Value) -> Value:
    return context.builder.let(again, value, name=value.name, type_=value.type)


def is_leaf(binding: Binding) -> bool:
    """Whether something is a number or an array."""
    return isinstance(binding, Value | ArrayRef)


def are_alike(one: Operand, other: Operand) -> bool:
    """Whether two operands have the same dtype and rank, be they numbers of Python's or of NumPy's."""
    kinds = [(getattr(o.type, "dtype", None), getattr(o.type, "ndim", -1)) for o in (one, other)]
    return kinds[0] == kinds[1]


def solved(context: Context, jacobian: Value, cotangent: Value, node: Any) -> Operand:
    """The solution w of J^T w = -cotangent, in the shape of the cotangent."""
    negative = context.let(node, np.negative, cotangent)
    if isinstance(cotangent.type, Scalar):
        return context.let(node, np.true_divide, negative, jacobian)
    if cotangent.type.ndim == 1:
        return context.let(node, np.linalg.solve, context.let(node, np.transpose, jacobian, _TURNED), negative)
    size = context.let(node, np.size, cotangent)
    matrix = context.let(node, np.transpose, context.let(node, np.reshape, jacobian, (size, size)), _TURNED)
    column = context.let(node, np.linalg.solve, matrix, context.let(node, np.ravel, negative))
    return context.let(node, np.reshape, column, context.builder.dims(cotangent))


_TURNED = (constant(1), constant(0))
"""The axes of a transposed matrix."""
