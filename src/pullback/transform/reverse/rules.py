"""The pull-back of a statement by its function's rule: of calls of functions with partial derivatives or with a vjp.

>>> import pullback as pb
>>> from pullback.functions import rule_of
>>> rule_of(np.arctan).kind, rule_of(np.linalg.inv).kind
('partials', 'vjp')
>>> def f(x):
...     return np.arctan(x)
>>> print(pb.explain(f, 1.0, passes=["both_sweeps"]))
differentiation: both_sweeps
  ...
  -f(x: float64*):
  +f_value_and_grad(x: float64*):
       t.0: float64 = arctan(x)
  -    return t.0
  +    t.1: float64* = multiply(x, x)
  +    t.2: float64* = add(1, t.1)
  +    t.3: float64* = divide(1, t.2)
  +    return t.0, t.3
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.tapes.inserted import Inserted
from pullback.functions import Rule
from pullback.functions.composites import COMPOSITE_RULES
from pullback.ir.nodes import Call, Constant, Let, Operand, Value, is_scalar, values_in
from pullback.ir.rewrite import copied
from pullback.ir.ruled import LinearMap
from pullback.ir.types import Array, Scalar, is_float
from pullback.transform.inlining import by_operand, inlined, matched, rule_for
from pullback.transform.reverse.adjoints import Adjoints
from pullback.transform.reverse.broadcasting import add_summed, summed, uniform
from pullback.transform.strong_zeros import is_finite


def pull_by_rule(adjoints: Adjoints, statement: Let) -> None:
    """Raises MissingRuleError where the function has no rule, and an operand of it is active."""
    if statement.function is np.multiply and statement.operands[0] is statement.operands[1]:
        statement = replace(statement, function=np.square, operands=statement.operands[:1])
    if _pull_through(adjoints, statement):
        return
    rule = _rule_for(adjoints, statement)
    if rule is None:
        return
    if rule.kind == "partials":
        _pull_by_partials(adjoints, statement, _branching(adjoints, statement, rule) or rule.body)
    else:
        _pull_by_vjp(
            adjoints, statement, (rule.behind if statement.value in adjoints.strong_zeros else None) or rule.body
        )


def _pull_through(adjoints: Adjoints, statement: Let) -> bool:
    """Pull back a function of a function by the rule of both, where nobody else reads the inner value."""
    inner = adjoints.sole.get(statement.operands[0]) if len(statement.operands) == 1 else None
    body = COMPOSITE_RULES.get((statement.function, inner.function)) if inner is not None else None
    if inner is None or body is None or statement.value in adjoints.strong_zeros or inner.value not in adjoints.active:
        return False
    y_bar = adjoints.take_whole(statement.value)
    cotangents = _inlined(adjoints, body, inner, {"y_bar": y_bar})
    for operand, cotangent in by_operand(body, inner, cotangents, adjoints.active):
        _add_nested(adjoints, operand, cotangent, inner)
    return True


def _rule_for(adjoints: Adjoints, statement: Let | Call) -> Rule | None:
    """The rule of the function that is called; None where no operand is active."""
    if not any(value in adjoints.active for value in values_in(statement.operands)):
        return None
    return rule_for(statement)


def _branching(adjoints: Adjoints, statement: Let, rule: Rule) -> Callable[..., Any] | None:
    """The body of a rule that may branch, where a statement computes a number of 64 bits from such numbers."""
    numbers = (*statement.operands, statement.value)
    return rule.branching if adjoints.branching and all(map(_is_known_to_run, numbers)) else None


def _is_known_to_run(number: Operand) -> bool:
    """Whether a number is one of 64 bits that only the run knows, or as good as that: no multiple of a half."""
    if isinstance(number, Constant):
        return isinstance(number.value, float) and not (2 * number.value).is_integer()
    return isinstance(number, Value) and is_scalar(number) and bool(number.type.dtype == "float64")


def _pull_by_partials(adjoints: Adjoints, statement: Let, body: Callable[..., Any]) -> None:
    y = statement.value
    y_bar = adjoints.take(y)
    start = len(adjoints.builder.statements)
    partials = adjoints.partials.get(y) or _inlined(adjoints, body, statement, {"y": y})
    made = {s.value: s for s in adjoints.builder.statements[start:] if isinstance(s, Let)}
    for let in made.values():
        adjoints.shapes.let(let)
    whole: Value | None = None
    for operand, partial in by_operand(body, statement, partials, adjoints.active):
        if adjoints.is_active(operand) and partial is not None:
            masked = y in adjoints.strong_zeros and not is_finite(partial, made)
            cotangent = y_bar
            if not _is_whole(adjoints, y, y_bar, operand, partial):
                cotangent = whole = whole or adjoints.filled(y, y_bar).called("", (y, "_bar"))
            add_summed(adjoints, operand, _product(adjoints, cotangent, partial, masked), y)


def _is_whole(adjoints: Adjoints, y: Value, y_bar: Operand, operand: Operand, partial: Operand) -> bool:
    """Whether a cotangent times a partial derivative has the shape of `y`, or is a number for elements of an operand.

    The cotangent may be a number, that of every element of `y`.
    """
    if isinstance(y.type, Scalar) or isinstance(y_bar.type, Array):
        return True
    shape = adjoints.shapes.of(y)
    return adjoints.shapes.of(partial if isinstance(partial.type, Array) else operand) == shape


def _product(adjoints: Adjoints, y_bar: Operand, partial: Operand, masked: bool) -> Operand:
    """The cotangent times a partial derivative; masked: exactly 0 where the cotangent is."""
    if isinstance(partial, Constant) and partial.value == 1:
        return y_bar
    if isinstance(partial, Constant) and partial.value == -1:
        return adjoints.builder.let(np.negative, y_bar)
    partial = matched(adjoints.builder, partial, y_bar)
    return adjoints.builder.let(runtime.masked_product if masked else np.multiply, y_bar, partial)


def _pull_by_vjp(adjoints: Adjoints, statement: Let, body: Callable[..., Any]) -> None:
    y_bar = adjoints.take_whole(statement.value)
    cotangents = _inlined(adjoints, body, statement, {"y": statement.value, "y_bar": y_bar})
    for operand, cotangent in by_operand(body, statement, cotangents, adjoints.active):
        _add_nested(adjoints, operand, cotangent, statement)


def pull_several(adjoints: Adjoints, statement: Call) -> None:
    """A call of a function with several results; those without a cotangent have None for one."""
    rule = _rule_for(adjoints, statement)
    y_bar = tuple(adjoints.take_whole(y) if y in adjoints.known else Constant(None) for y in statement.results)
    if rule is None:
        return
    cotangents = _inlined(adjoints, rule.body, statement, {"y": statement.results, "y_bar": y_bar})
    for operand, cotangent in by_operand(rule.body, statement, cotangents, adjoints.active):
        _add_nested(adjoints, operand, cotangent, statement)


def _add_nested(adjoints: Adjoints, operand: Operand, cotangent: Any, statement: Let | Call) -> None:
    if cotangent is None:
        return
    if isinstance(operand, tuple):
        for item, part in zip(operand, cotangent, strict=True):
            _add_nested(adjoints, item, part, statement)
    elif adjoints.is_active(operand):
        cotangent = uniform(adjoints, cotangent) if isinstance(operand.type, Array) else cotangent
        adjoints.add(operand, summed(adjoints, operand, cotangent, statement))


def pull_inserted(adjoints: Adjoints, statement: Let, inserted: Inserted) -> None:
    """A variable whose cotangent the user's own statements change."""
    y_bar = adjoints.take_whole(statement.value)
    operand, *others = statement.operands
    changed = adjoints.inliner.run_inserted(inserted, y_bar, tuple(others), statement.location)
    if isinstance(operand, Value):
        adjoints.add(operand, summed(adjoints, operand, changed, statement))


def pull_linear(adjoints: Adjoints, statement: Call) -> None:
    """A call of a function with a rule of its user's, whose forward statements stand before it."""
    assert isinstance(statement.function, LinearMap)
    _, xs, read = statement.operands
    y_bars = [adjoints.take_whole(y) for y in statement.results if is_float(y.type)]
    pull = statement.function.pull()
    pulled = copied(pull.body, dict(zip(pull.parameters, (*y_bars, *xs, *read), strict=True)))
    for made in pulled.statements:
        adjoints.builder.add(made)
    for x, x_bar in zip(xs, pulled.yields, strict=True):
        if x_bar != Constant(None):
            adjoints.add(x, x_bar)


def _inlined(
    adjoints: Adjoints, body: Callable[..., Any], statement: Let | Call, supplied: dict[str, Operand]
) -> tuple[Any, ...]:
    return inlined(adjoints.inliner, body, statement, supplied, statement.location.on_the_way_back())
