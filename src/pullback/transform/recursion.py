"""Recursive functions: what stands in the place of their calls when they are differentiated.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import defined_in
>>> from pullback.ir.printer import show
>>> def power(x, n):
...     return 1.0 if n == 0 else x * power(x, n - 1)
>>> function = normal_form(power, 2.0, 3)
>>> made, joined = join_calls(function, frozenset(defined_in(function.body)))
>>> print(show(replace(made, callees=())))
power(x: float64*, n: int64*):
    t.0: bool* = equal(n, 0)
    value = if t.0:
        yield 1.0
    else:
        t.1: int64* = subtract(n, 1)
        t.2, partial = call power_with_partials(x, t.1)
        t.3: float64* = multiply(x, t.2)
        yield t.3
    return value

A function of one result gives its value and its partial derivatives at once, so that the backward sweep computes
nothing again. One of several results is called again, by its pullback, with the cotangents of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pullback.ir.nodes import Block, Call, Function, Operand, Statement, Value, is_scalar, walk
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import is_float, is_real_float

_JOINT, _PULLBACK = "_with_partials", "_pullback"


def pullback_name(name: str) -> str:
    """The name of the function that pulls cotangents back through a recursive function."""
    return f"{name}{_PULLBACK}"


def joint_name(name: str) -> str:
    """The name of the function that gives the value of a recursive function and its partial derivatives."""
    return f"{name}{_JOINT}"


def has_joint_form(callee: Function) -> bool:
    """Whether a recursive function has one result, a float number."""
    results = callee.results
    return len(results) == 1 and not callee.mutated and is_scalar(results[0]) and is_real_float(results[0].type)


def join_calls(function: Function, active: frozenset[Value]) -> tuple[Function, set[Value]]:
    """The function with calls that also give the partial derivatives of active values, and those values."""
    values: set[Value] = set()
    joint = {callee.name for callee in function.callees if has_joint_form(callee)}

    def joined(statement: Statement) -> Statement:
        if not isinstance(statement, Call) or not isinstance(statement.function, str):
            return with_blocks(statement, lambda block: Block(tuple(map(joined, block.statements)), block.yields))
        if statement.function not in joint or statement.results[0] not in active:
            return statement
        values.add(statement.results[0])
        partials = tuple(_partial(statement.results[0], o) for o in statement.operands if is_float(o.type))
        return replace(statement, function=joint_name(statement.function), results=(*statement.results, *partials))

    body = Block(tuple(map(joined, function.body.statements)), function.body.yields)
    return replace(function, body=body), values


def _partial(result: Value, operand: Operand) -> Value:
    return Value("partial", operand.type, (result, "_partial"))


def called_by(bodies: Iterable[Block], functions: Mapping[str, Function]) -> tuple[Function, ...]:
    """The functions that these bodies call, by themselves or through others, each behind those that it calls."""
    found: dict[str, Function] = {}
    open_: set[str] = set()

    def visit(body: Block) -> None:
        for name in [s.function for s in walk(body) if isinstance(s, Call) and isinstance(s.function, str)]:
            if name not in open_:
                open_.add(name)
                visit(functions[name].body)
                found[name] = functions[name]

    for body in bodies:
        visit(body)
    return tuple(found.values())
