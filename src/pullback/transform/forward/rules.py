"""The tangent of a statement by its function's rule: by partial derivatives, by linearity, or by its vjp transposed.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.passes.running import finished
>>> from pullback.transform.forward.pushforward import pushed
>>> def f(a, x):
...     return np.sum(np.exp(a @ x))
>>> print(show(finished(pushed(normal_form(f, np.eye(2), np.ones(2)), (1,), 0, ALL), ALL)))
f_jvp(a: float64[:, :], x: float64[:], x_dot: float64[:]):
    t.0: float64[:] = matmul(a, x)
    t.1: float64[:] = matmul(a, x_dot)
    t.2: float64[:] = exp(t.0)
    t.3: float64[:] = multiply(t.2, t.1)
    t.4: float64 = sum(t.2)
    t.5: float64 = sum(t.3)
    return t.4, t.5
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.functions import Rule
from pullback.functions.composites import COMPOSITE_RULES
from pullback.ir.nodes import Constant, Let, Operand, values_in
from pullback.transform.forward.tangents import Tangents
from pullback.transform.forward.transposition import push_by_vjp
from pullback.transform.inlining import by_operand, inlined, matched, rule_for


def push_by_rule(tangents: Tangents, statement: Let) -> None:
    """What no tangent flows into has none. Raises MissingRuleError where another function has no rule."""
    if statement.function is np.multiply and statement.operands[0] is statement.operands[1]:
        statement = replace(statement, function=np.square, operands=statement.operands[:1])
    if all(tangents.of(value) is None for value in values_in(statement.operands)) or _push_through(tangents, statement):
        return
    rule = rule_for(statement)
    match rule.kind:
        case "partials":
            _push_by_partials(tangents, statement, rule)
        case "linear":
            _push_linear(tangents, statement, rule)
        case "bilinear":
            _push_bilinear(tangents, statement)
        case "vjp":
            push_by_vjp(tangents, statement, rule.body)


def _push_through(tangents: Tangents, statement: Let) -> bool:
    """Push through a function of a function by the rule of both."""
    inner = tangents.made.get(statement.operands[0]) if len(statement.operands) == 1 else None
    body = COMPOSITE_RULES.get((statement.function, inner.function)) if inner is not None else None
    if inner is None or body is None:
        return False
    push_by_vjp(tangents, replace(inner, value=statement.value, location=statement.location), body)
    return True


def _push_by_partials(tangents: Tangents, statement: Let, rule: Rule) -> None:
    """y_dot = Σ ∂y/∂x x_dot."""
    y, start = statement.value, len(tangents.builder.statements)
    partials = inlined(tangents.inliner, rule.body, statement, {"y": y}, statement.location.along_tangents())
    total: Operand | None = None
    for operand, partial in by_operand(rule.body, statement, partials, tangents.active):
        tangent = tangents.of(operand)
        if tangent is not None and partial is not None:
            term = _product(tangents, tangent, partial, statement.function is runtime.masked_product)
            total = term if total is None else tangents.builder.let(np.add, total, term)
    if total is not None:
        tangents.set(y, tangents.spread(y, total, start))


def _product(tangents: Tangents, tangent: Operand, partial: Operand, masked: bool) -> Operand:
    """The product of a tangent and a partial derivative; that of a masked product is masked again."""
    if masked:
        return tangents.builder.let(runtime.masked_product, matched(tangents.builder, partial, tangent), tangent)
    if isinstance(partial, Constant) and partial.value == 1:
        return tangent
    if isinstance(partial, Constant) and partial.value == -1:
        return tangents.builder.let(np.negative, tangent)
    return tangents.builder.let(np.multiply, matched(tangents.builder, partial, tangent), tangent)


def _push_linear(tangents: Tangents, statement: Let, rule: Rule) -> None:
    """y_dot = f(x_dot)."""
    operands = [tangents.nested(o) if k in rule.linear_in else o for k, o in enumerate(statement.operands)]
    made = tangents.builder.let(statement.function, *operands, keywords=statement.keywords, type_=statement.value.type)
    tangents.set(statement.value, made)


def _push_bilinear(tangents: Tangents, statement: Let) -> None:
    """y_dot = f(a_dot, b) + f(a, b_dot)."""
    a, b, *others = statement.operands
    start = len(tangents.builder.statements)
    total: Operand | None = None
    for left, right in ((tangents.of(a), b), (a, tangents.of(b))):
        if left is not None and right is not None:
            term = tangents.builder.let(statement.function, left, right, *others, keywords=statement.keywords)
            total = term if total is None else tangents.builder.let(np.add, total, term)
    if total is not None:
        tangents.set(statement.value, tangents.spread(statement.value, total, start))
