"""Activity analysis: which values depend on an input *and* influence an output, through floats alone.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.functions import is_constant
>>> from pullback.ir.printer import values_by_name
>>> def f(x, n):
...     k = 2 * n  # does not depend on x
...     y = x * k
...     z = np.floor(x)  # has a derivative of 0 everywhere
...     w = np.sin(x)  # influences no result
...     return y + z
>>> function = normal_form(f, 1.0, 3)
>>> active = find_active(function, function.parameters[:1], function.results, is_constant)
>>> [name for name, value in values_by_name(function).items() if value in active]
['x', 'y', 't.0']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pullback.ir.external import is_call_outside
from pullback.ir.nodes import (
    Block,
    Call,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    results_of,
    values_in,
    walk,
)
from pullback.ir.reach import WITHOUT_DERIVATIVE, reached
from pullback.ir.ruled import read_by_derivative
from pullback.ir.types import is_float


def find_active(
    function: Function, sources: Iterable[Value], targets: Iterable[Operand], is_constant: Callable[[Any], bool]
) -> frozenset[Value]:
    """The values on a differentiable path from `sources` to `targets`.

    `is_constant` says of a function that its derivative is 0 wherever it exists.
    """
    varied = reached(function.body, sources, is_constant)
    useful = _Useful({value for operand in targets for value in values_in(operand)}, is_constant)
    useful.block(function.body)
    return frozenset(varied & useful.found)


def all_floats(function: Function, active: frozenset[Value] = frozenset()) -> frozenset[Value]:
    """Every float value: what is active when the analysis is switched off.

    What functions that are not read return is so only where the analysis says it, as nothing else has no rule.
    """
    found = set(function.parameters)
    for statement in walk(function.body):
        if not is_call_outside(statement):
            found.update(results_of(statement))
        if isinstance(statement, For | While):
            found.update(carried.parameter for carried in statement.carried)
    return active.union(value for value in found if is_float(value.type))


class _Useful:
    def __init__(self, found: set[Value], is_constant: Callable[[Any], bool]) -> None:
        self.found, self.is_constant = found, is_constant

    def block(self, block: Block) -> None:
        for statement in reversed(block.statements):
            self.statement(statement)

    def note(self, operand: Operand) -> None:
        self.found.update(value for value in values_in(operand) if is_float(value.type))

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                constant = statement.function in WITHOUT_DERIVATIVE or self.is_constant(statement.function)
                if statement.value in self.found and not constant:
                    self.note(statement.operands)
            case If():
                for block in (statement.then, statement.orelse):
                    for k, result in enumerate(statement.results):
                        if result in self.found:
                            self.note(block.yields[k])
                    self.block(block)
            case For() | While():
                self.loop(statement)
            case Call():
                if self.found & set(statement.results):
                    self.note(read_by_derivative(statement))
            case Effect():
                pass

    def loop(self, statement: For | While) -> None:
        for carried, result in zip(statement.carried, statement.results, strict=True):
            if result in self.found:
                self.found.add(carried.parameter)
        while True:
            before = len(self.found)
            for k, carried in enumerate(statement.carried):
                if carried.parameter in self.found or statement.results[k] in self.found:
                    self.note(statement.body.yields[k])
            self.block(statement.body)
            if len(self.found) == before:
                break
        for carried in statement.carried:
            if carried.parameter in self.found:
                self.note(carried.initial)
