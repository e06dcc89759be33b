"""Invariance: what of a loop is the same in every iteration, whole nests and parts of nests among it.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(a, x):
...     s = 0.0
...     for i in range(a.shape[0]):
...         for j in range(x.shape[0]):
...             s += a[i, j] * np.exp(x[j])
...     return s
>>> function = prepared(normal_form(f, np.ones((2, 3)), np.ones(3)))
>>> outer, inner = (s for s in walk(function.body) if isinstance(s, For))
>>> changing = changing_in(inner, {outer.index, *(c.parameter for c in outer.carried)})
>>> [s.function.__name__ for s in inner.body.statements if s.value not in changing]
['load', 'exp']

A carried array that every iteration fills in the same way is the same, too, if it is read only where it has been
written before in the same iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import RAISING
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.nodes import (
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    blocks_of,
    is_scalar,
    read_by,
    results_of,
    values_in,
    walk,
)
from pullback.ir.types import Array

_PURE: set[Callable[..., Any]] = {
    *(primitives.load, primitives.store, primitives.add_at),
    *(primitives.cast, primitives.copy, primitives.dim, primitives.select, primitives.zeros_like),
    *(np.empty, np.zeros, np.ones, np.arange),
    *(np.diag, np.dot, np.matmul, np.outer, np.sum, np.transpose),
    *(max, min, abs),
}
_OF_SHAPE = {primitives.dim, primitives.zeros_like}
_ITSELF = Form(0)


def is_pure(statement: Statement) -> bool:
    """Whether a statement, with those inside, computes its results alone, and raises at most for a size or an index."""
    if isinstance(statement, Let):
        function = statement.function
        return function in _PURE or (is_elementwise(function) and function not in RAISING)
    if isinstance(statement, For) and (statement.exits or statement.reverse or statement.checkpoints is not None):
        return False
    blocks = blocks_of(statement)
    return isinstance(statement, For | If) and all(is_pure(s) for block in blocks for s in block.statements)


def changing_in(loop: For, changing: Set[Value], divided: Set[Value] = frozenset()) -> set[Value]:
    """All values in a loop that are not the same in every iteration of the loop around it, which changes `changing`.

    divided: the indices of inner loops that are asked about statement by statement; others are the same as a whole.
    """
    found = {*changing, *(c.parameter for c in loop.carried if not changing.isdisjoint(values_in(c.initial)))}
    while True:
        before = len(found)
        for statement in loop.body.statements:
            if isinstance(statement, For) and statement.index in divided:
                found |= changing_in(statement, found, divided)
                pairs = zip(statement.results, statement.carried, strict=True)
                found.update(result for result, carried in pairs if carried.parameter in found)
            elif not found.isdisjoint(read_by(statement)):
                found.update(results_of(statement))
        for carried, after in zip(loop.carried, loop.body.yields, strict=True):
            if not found.isdisjoint(values_in(after)):
                found.add(carried.parameter)
        if len(found) == before:
            return found


def is_filled_alike(array: Value, last: Operand, statements: list[Statement], ranges: Ranges) -> bool:
    """Whether statements that write to an array read elements of it only where they have written them before.

    array: the version that an iteration begins with; last: the one that it ends with, which may be read anywhere.
    """
    if not isinstance(array.type, Array) or array.type.ndim != 1:
        return False
    version, written = array, list[Form]()
    for statement in statements:
        if version is last or version not in read_by(statement) or _asks_shape(statement):
            continue
        place = _stored_place(statement, version, ranges)
        if isinstance(statement, Let) and place is not None:
            version = statement.value
            written.append(place)
        elif isinstance(statement, For) and (k := _carries(statement, version)) is not None:
            if not _goes_on(statement, k, written, ranges):
                return False
            version, written = statement.results[k], []
        else:
            return False
    return version is last


def _carries(loop: For, version: Value) -> int | None:
    """The place at which a loop carries an array that it reads nowhere else."""
    places = [k for k, carried in enumerate(loop.carried) if carried.initial is version]
    return places[0] if len(places) == 1 and list(read_by(loop)).count(version) == 1 else None


def _goes_on(loop: For, k: int, written: list[Form], ranges: Ranges) -> bool:
    """Whether each iteration of a loop writes the next element of an array, and reads those before it alone.

    written: the places that have been written before the loop.
    """
    array, after = loop.carried[k].parameter, loop.body.yields[k]
    stores = [s for s in loop.body.statements if isinstance(s, Let) and s.value is after]
    place = _stored_place(stores[0], array, ranges) if stores else None
    step = getattr(loop.step, "value", 0)
    if place is None or place.of(loop.index) != 1 or abs(step) != 1:
        return False
    first = place.plus(ranges.form(loop.index), -1).plus(ranges.form(loop.start))
    for statement in walk(loop.body):
        read = {array, after}.intersection(read_by(statement))
        if not read or statement is stores[0] or _asks_shape(statement) or not isinstance(statement, Let):
            if read and not isinstance(statement, Let):
                return False
            continue
        element = _place(statement, ranges) if statement.function is primitives.load else None
        if element is None:
            return False
        behind = place.plus(element, -1)
        distance = behind.constant * step
        if behind.terms or distance < 0 or (distance == 0) != (after in read):
            return False
        places = (first.moved(-step * m) for m in range(1, distance + 1))
        if not all(any(p.plus(w, -1) == _ITSELF for w in written) for p in places):
            return False
    return True


def _stored_place(statement: Statement, array: Value, ranges: Ranges) -> Form | None:
    """Where a statement stores one element to a version of an array that it does not read otherwise."""
    if not isinstance(statement, Let) or statement.function is not primitives.store:
        return None
    return _place(statement, ranges) if list(read_by(statement)).count(array) == 1 else None


def _place(access: Let, ranges: Ranges) -> Form | None:
    """Which element of an array with one axis a statement reads or writes."""
    match access.operands[1]:
        case (Index((item,)),) if is_scalar(item):
            return ranges.form(item)
    return None


def _asks_shape(statement: Statement) -> bool:
    return isinstance(statement, Let) and statement.function in _OF_SHAPE
