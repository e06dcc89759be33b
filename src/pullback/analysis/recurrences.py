"""Recurrences: about how many cycles an iteration of a loop waits for what the one before it computes.

>>> import numpy as np
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.analysis.wavefronts import nest_of
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import For
>>> from pullback.transform.derivative import prepared
>>> def f(r, x):
...     for i in range(1, r.shape[0]):
...         for j in range(1, r.shape[1]):
...             r[i, j] = np.exp(x[i] * x[j]) + 0.5 * r[i, j - 1]  # the exponential waits for nothing
...     for i in range(1, r.shape[0]):
...         for j in range(1, r.shape[1]):
...             r[i, j] = np.exp(r[i - 1, j] - r[i, j - 1])
...     return r
>>> function = prepared(normal_form(f, np.ones((3, 3)), np.ones(3)))
>>> nests = [nest_of(s) for s in function.body.statements if isinstance(s, For)]
>>> [latency_of(nest, (), Places(function.body, Shapes(function))) for nest in nests]
[13, 49]

It is the length of the longest path from an element or number that the iteration before has written to the one that
this iteration writes, the latencies of its operations added up (Rau 1994, Iterative modulo scheduling). However many
operations a processor may start at a time, a loop takes no less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pullback.analysis.distance_vectors import DistanceVectors
from pullback.analysis.subscripts import Loops, Places
from pullback.analysis.wavefronts import Nest, accesses_of
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.nodes import If, Let, Operand, Statement, Value, read_by, results_of, values_in

_ARITHMETIC = 4
_DIVISION = 13
_FUNCTION = 40
_MEMORY = 5
_DIVIDING = {np.divide, np.sqrt}


def latency_of(nest: Nest, around: Loops, places: Places) -> int:
    """The longest of the recurrences of the inner loop, in cycles; 0 where it has none."""
    statements = nest.inner.body.statements
    return max(
        (longest_path(statements, [start], [end]) for start, end in _recurrences(nest, around, places)), default=0
    )


def _recurrences(nest: Nest, around: Loops, places: Places) -> Iterator[tuple[Value, Operand]]:
    """What an iteration reads that the one before has written, with what it writes there itself."""
    vectors = DistanceVectors(nest.outer, nest.inner, places)
    accesses = [access for access in accesses_of(nest, around) if access.part == 1]
    for source in (access for access in accesses if access.is_write):
        for sink in (access for access in accesses if access.array == source.array and not access.is_write):
            if vectors.may_have(source.access, sink.access, (1, 0, 0), (-1, 0, 0), (0, 1, -1)):
                yield sink.access.statement.value, source.access.statement.value
    for k in nest.numbers:
        yield nest.inner.carried[k].parameter, nest.inner.body.yields[k]


def longest_path(statements: Iterable[Statement], starts: Iterable[Value], ends: Iterable[Operand]) -> int:
    """The cycles from any of some values to others of the same iteration; 0 where they do not depend on them."""
    reached = dict.fromkeys(starts, 0)
    for statement in statements:
        before = [reached[value] for value in _inputs(statement) if value in reached]
        if before:
            reached.update(dict.fromkeys(results_of(statement), max(before) + _latency(statement)))
    return max((reached.get(end, 0) for end in ends if isinstance(end, Value)), default=0)


def _inputs(statement: Statement) -> Iterator[Value]:
    """The numbers that a statement waits for; that of an element which it loads is not known."""
    if isinstance(statement, Let) and statement.function in primitives.WRITES:
        return values_in(statement.operands[2:])
    return read_by(statement)


def _latency(statement: Statement) -> int:
    if isinstance(statement, If):
        return sum(_latency(s) for s in statement.then.statements) or _ARITHMETIC
    if not isinstance(statement, Let) or statement.function in (primitives.load, primitives.store):
        return _MEMORY
    if statement.function is primitives.add_at:
        return _MEMORY + _ARITHMETIC
    if statement.function in _DIVIDING:
        return _DIVISION
    return _FUNCTION if record_of(statement.function).vector is True else _ARITHMETIC
