"""The body of a function's rule, read into a derivative that is being written.

>>> import numpy as np
>>> from pullback.ir.nodes import NOWHERE
>>> from pullback.ir.types import FLOAT
>>> x, y = Value("x", FLOAT), Value("y", FLOAT)
>>> statement = Let(y, np.arctan, (x,))
>>> rule, inliner = rule_for(statement), Inliner()
>>> rule.kind
'partials'
>>> with inliner.builder.block() as statements:
...     partials = inlined(inliner, rule.body, statement, {"y": y}, NOWHERE)
>>> [statement.function.__name__ for statement in statements]
['multiply', 'add', 'divide']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container
from typing import Any

from pullback.errors import Location, MissingRuleError
from pullback.frontend.build import Inliner
from pullback.frontend.source.addresses import name_of
from pullback.functions import Rule, record_of, rule_of
from pullback.ir.arguments import arguments_of
from pullback.ir.builder import Builder
from pullback.ir.external import is_call_outside, method_of, title_of
from pullback.ir.nodes import Call, Constant, Let, Operand, Value, values_in
from pullback.ir.ruled import Ruled
from pullback.ir.types import Array, Scalar, is_complex, with_precision_of


def rule_for(statement: Let | Call) -> Rule:
    """The rule of the function that is called. Raises MissingRuleError where there is none."""
    assert not isinstance(statement.function, str), "a rule belongs to a function of NumPy"
    if isinstance(statement.function, Ruled):
        raise MissingRuleError(
            f"'{statement.function.__name__}', whose derivative is a rule of yours, is called by a function that calls "
            "itself, of which a derivative within a derivative is taken",
            statement.location,
            "write a loop",
        )
    if is_call_outside(statement):
        name = statement.operands[0].name
        if method_of(statement):
            raise MissingRuleError(
                f"{title_of(statement)} has no derivative by its parameters",
                statement.location,
                "compute it from standard draws, as in loc + scale * rng.standard_normal(), or from fixed parameters",
            )
        raise MissingRuleError(
            f"'{name}' is called and not read, and has no derivative rule",
            statement.location,
            f"give it one, as in pb.custom_vjp({name}), or let it be a constant, by pb.constant_function({name})",
        )
    rule = rule_of(statement.function)
    if rule is None:
        raise MissingRuleError(
            f"{name_of(statement.function)} has no derivative rule",
            statement.location,
            "define one, or keep the differentiated values out of it",
        )
    _check_complex(statement)
    return rule


def _check_complex(statement: Let | Call) -> None:
    """Refuse a rule that is for real numbers alone where a call has or makes complex ones."""
    made = (statement.value,) if isinstance(statement, Let) else statement.results
    found = any(value.type is not None and is_complex(value.type) for value in (*values_in(statement.operands), *made))
    if found and not record_of(statement.function).of_complex:
        raise MissingRuleError(
            f"{name_of(statement.function)} has a derivative rule for real numbers alone",
            statement.location,
            "write it in functions that have one for complex numbers, or compute with the two parts",
        )


def inlined(
    inliner: Inliner, body: Callable[..., Any], statement: Let | Call, supplied: dict[str, Operand], location: Location
) -> tuple[Any, ...]:
    """What the body of a rule returns for a statement, written with this location.

    supplied: what the rule may ask for by keyword beside the operands.
    """
    names = inspect.signature(body).parameters
    keyword_only = {name for name, p in names.items() if p.kind is p.KEYWORD_ONLY}
    operands, keywords = arguments_of(statement)
    unknown = [k for k in keywords if k not in names]
    if unknown or len(operands) > len(names) - len(keyword_only):
        what = f"the argument '{unknown[0]}'" if unknown else "so many arguments"
        raise MissingRuleError(
            f"{name_of(statement.function)} has no derivative rule for {what}",
            statement.location,
            "leave it out, or define a rule",
        )
    keywords.update({name: value for name, value in supplied.items() if name in keyword_only})
    return inliner.inline(body, operands, keywords, location)


def by_operand(
    body: Callable[..., Any], statement: Let | Call, returned: tuple[Any, ...], active: Container[Value]
) -> list[tuple[Operand, Any]]:
    """Each operand with what the body of a rule returns for its parameter: keywords find theirs by name.

    Raises MissingRuleError for an active operand that the rule says nothing of.
    """
    names = list(inspect.signature(body).parameters)
    positional = len(statement.operands) - len(statement.keywords)
    places = [*range(positional), *map(names.index, statement.keywords)]
    unknown = record_of(statement.function).unknown
    for operand, place in zip(statement.operands, places, strict=True):
        is_known = place < len(returned) and place not in unknown
        if not is_known and any(value in active for value in values_in(operand)):
            reason = f"{name_of(statement.function)} has no derivative rule by the argument '{names[place]}'"
            raise MissingRuleError(reason, statement.location, "keep the differentiated values out of it")
    given = zip(statement.operands, places, strict=True)
    return [(operand, returned[place]) for operand, place in given if place < len(returned)]


def matched(builder: Builder, partial: Operand, factor: Operand) -> Operand:
    """A number in the dtype of what it is multiplied by, so that float32 stays float32."""
    if is_complex(partial.type) != is_complex(factor.type):
        dtype = with_precision_of(partial.type.dtype, factor.type.dtype)
        return partial if isinstance(partial, Array) or partial.type.dtype == dtype else builder.cast(partial, dtype)
    if partial.type.dtype == factor.type.dtype or isinstance(partial.type, Array):
        return partial
    if isinstance(partial, Constant):
        if factor.type.dtype == "float64" and isinstance(partial.value, int):
            return Constant(float(partial.value), Scalar("float64", weak=True))
        return Constant(partial.value, Scalar(factor.type.dtype))
    return builder.cast(partial, factor.type.dtype)
