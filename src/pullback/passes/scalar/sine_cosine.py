"""Pairing of sines and cosines: those of one number are computed one after the other, so that they share its
reduction to an interval around 0.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def turned(x, y):
...     a = np.sin(x)
...     b = a * y
...     return b * np.cos(x)
>>> print(show(normal_form(turned, 0.5, 2.0)))
turned(x: float64*, y: float64*):
    a: float64 = sin(x)
    b: float64 = multiply(a, y)
    t.0: float64 = cos(x)
    t.1: float64 = multiply(b, t.0)
    return t.1
>>> print(show(pair(normal_form(turned, 0.5, 2.0))))
turned(x: float64*, y: float64*):
    a: float64 = sin(x)
    x_cos: float64 = cos(x)
    b: float64 = multiply(a, y)
    t.0: float64 = multiply(b, x_cos)
    return t.0

A compiler shares it by itself within a function, but not between the parts of a long one (`emission/parts.py`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.ir.nodes import Block, Function, Let, Operand, Statement, Value, is_scalar
from pullback.ir.rewrite import substituted

PARTNERS = {np.sin: np.cos, np.cos: np.sin, np.sinh: np.cosh, np.cosh: np.sinh}


def pair(function: Function) -> Function:
    """The function with the later number of each pair, at the top level, right after the earlier one."""
    later = _later_ones(function.body)
    renamed = {let.value: _named(let) for let in later.values()}
    statements: list[Statement] = []
    for statement in function.body.statements:
        if not isinstance(statement, Let):
            statements.append(statement)
            continue
        if statement.value not in renamed:
            statements.append(statement)
        partner = later.get(statement.value)
        if partner is not None:
            statements.append(replace(partner, value=renamed[partner.value], location=statement.location))
    return replace(function, body=substituted(Block(tuple(statements), function.body.yields), renamed))


def _later_ones(block: Block) -> dict[Value, Let]:
    """For the earlier number of each pair, the statement that makes the later one."""
    earlier: dict[tuple[object, Operand], Value] = {}
    later: dict[Value, Let] = {}
    for statement in block.statements:
        if not isinstance(statement, Let) or statement.function not in PARTNERS or not is_scalar(statement.value):
            continue
        (operand,) = statement.operands
        partner = earlier.get((PARTNERS[statement.function], operand))
        if partner is None:
            earlier.setdefault((statement.function, operand), statement.value)
        else:
            later.setdefault(partner, statement)
    return later


def _named(let: Let) -> Value:
    """The value under a name, without which it would be written where it is used."""
    operand = let.operands[0].name if isinstance(let.operands[0], Value) else ""
    return Value(let.value.name or f"{operand or 't'}_{let.function.__name__}", let.value.type)
