"""Privatisation of reductions: inner loops add to sums of their own, which the outer loop adds to its own.

The iterations of the outer loop can then run side by side up to their ends: only the last additions are in order.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import prepared
>>> def f(a):
...     s = 0.0
...     for i in range(3):
...         for j in range(4):
...             s = s + a[i, j]
...     return s
>>> function = prepared(normal_form(f, np.ones((3, 4))))
>>> (loop,) = function.body.statements
>>> print(show(replace(function, body=Block((with_private_reductions(loop),), function.body.yields))))
f(a: float64[:, :]):
    s.5 = for i in range(0, 3, 1) with (s: float64 = 0.0):
        s.3 = for j in range(0, 4, 1) with (s.1: float64 = 0.0):
            t.0: float64 = load(a, ([i, j]))
            s.2: float64 = add(s.1, t.0)
            yield s.2
        s.4: float64 = add(s, s.3)
        yield s.4
    return s.5

"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.reductions import versions_of_reductions
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Let,
    Statement,
    Value,
    is_scalar,
    read_by,
    results_of,
)
from pullback.ir.rewrite import like
from pullback.ir.types import is_float


def with_private_reductions(loop: For) -> For:
    """A loop whose inner loops add to sums of their own, which an iteration adds to its own sums at its end."""
    sums: set[Value] = set()
    for k, carried in enumerate(loop.carried):
        if is_scalar(carried.parameter) and is_float(carried.parameter.type):
            sums.update(versions_of_reductions(loop, [k]) or ())
    statements: list[Statement] = []
    last: list[Statement] = []
    late: set[Value] = set()
    for statement in loop.body.statements:
        read = set(read_by(statement))
        if isinstance(statement, For):
            if read & (late - sums):
                return loop  # it needs what a branch makes beside a sum
            statement, added = _starting_anew(statement, sums)
            statements.append(statement)
            last += added
            late.update(let.value for let in added)
        elif read & (sums | late):
            last.append(statement)
            late.update(results_of(statement))
        else:
            statements.append(statement)
    return replace(loop, body=Block((*statements, *last), loop.body.yields))


def _starting_anew(loop: For, sums: set[Value]) -> tuple[For, list[Let]]:
    """An inner loop with sums that start at 0, and what adds them to those that they started from."""
    carried, results, added = list(loop.carried), list(loop.results), []
    for k, (parameter, initial) in enumerate((c.parameter, c.initial) for c in loop.carried):
        if initial in sums:
            results[k] = like(loop.results[k])
            carried[k] = Carried(parameter, Constant(0.0, parameter.type))
            added.append(Let(loop.results[k], np.add, (initial, results[k]), location=loop.location))
    return replace(loop, carried=tuple(carried), results=tuple(results)), added
