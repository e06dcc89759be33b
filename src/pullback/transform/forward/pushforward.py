"""A function and the parameters that have tangents become the function of both.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> def power(x, n):
...     return 1.0 if n == 0 else x * power(x, n - 1)
>>> print(show(pushed(normal_form(power, 2.0, 3), (0,), 0, ALL).callees[0]))
power_jvp(x: float64*, n: int64*, x_dot: float64*):
    t.0: bool* = equal(n, 0)
    value, value_dot = if t.0:
        yield 1.0, 0.0
    else:
        t.1: int64* = subtract(n, 1)
        t.2, t.3 = call power_jvp(x, t.1, x_dot)
        t.4: float64* = multiply(x, t.2)
        t.5: float64* = multiply(t.2, x_dot)
        t.6: float64* = multiply(x, t.3)
        t.7: float64* = add(t.5, t.6)
        yield t.4, t.7
    return value, value_dot
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.activity import all_floats, find_active
from pullback.analysis.slice_sizes import shapes_with_slices
from pullback.functions import is_constant
from pullback.ir.nodes import Block, Function, defined_in, lets_in, type_of_operand
from pullback.ir.types import is_float
from pullback.passes.entries import Settings
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.transform.forward.statements import SUFFIX, push_block
from pullback.transform.forward.tangents import Tangents
from pullback.transform.linear_maps import without_maps
from pullback.transform.recursion import called_by


def pushed(function: Function, wrt: tuple[int, ...], captures: int, settings: Settings) -> Function:
    """The function from the arguments of another one, and tangents of some, to its results and their tangents.

    wrt: the parameters that have tangents. captures: how many of the parameters, the last ones, come from outside; they
    stay the last ones. The tangents of the float results stand behind all results.

    Raises MissingRuleError where a value with a tangent is made by a function without a rule.
    """
    made = _pushed(function, wrt, captures, settings)
    return replace(made, callees=with_pushed_callees(function, made.body, settings))


def with_pushed_callees(function: Function, body: Block, settings: Settings) -> tuple[Function, ...]:
    """The recursive functions that a body made of a function calls: those that it called, and those with tangents."""
    callees = {callee.name: callee for callee in function.callees}
    for callee in function.callees:
        floats = tuple(k for k, parameter in enumerate(callee.parameters) if is_float(parameter.type))
        whole = replace(callee, mutated=(), callees=function.callees)
        callees[f"{callee.name}{SUFFIX}"] = _pushed(whole, floats, 0, settings)
    return called_by((body,), callees)


def _pushed(function: Function, wrt: tuple[int, ...], captures: int, settings: Settings) -> Function:
    sources = [function.parameters[k] for k in wrt]
    floats = [y for y in function.results if is_float(type_of_operand(y))]
    active = find_active(function, sources, floats, is_constant)
    active = active if settings.has("activity") else all_floats(function, active)
    tangents = Tangents(active, shapes_with_slices(function), settings, lets_in(function.body))
    dots = tuple(map(tangents.begin, sources))
    body = push_block(tangents, function.body, lambda: tuple(map(tangents.whole, floats)), len(function.mutated))
    given = len(function.parameters) - captures
    made = Function(
        f"{function.name}{SUFFIX}",
        (*function.parameters[:given], *dots, *function.parameters[given:]),
        body,
        tuple(k if k < given else k + len(dots) for k in function.mutated),
        function.location,
    )
    return remove_dead(leave_checks(without_maps(made), set(defined_in(function.body))))
