"""The tangents of what reads, writes, joins or passes on the elements of arrays: the same, done to tangents.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.passes.running import finished
>>> from pullback.transform.forward.pushforward import pushed
>>> def f(x, v):
...     x[0] = v
...     return x[1] + x[0]
>>> print(show(finished(pushed(normal_form(f, np.ones(3), 2.0), (0, 1), 0, ALL), ALL)))
f_jvp(x: float64[:], v: float64*, x_dot: float64[:], v_dot: float64*):
    x.1: float64[:] = store(x, ([0]), v)
    x_dot.1: float64[:] = store(x_dot, ([0]), v_dot)
    t.0: float64 = load(x.1, ([1]))
    t.1: float64 = load(x_dot.1, ([1]))
    t.2: float64 = add(t.0, v)
    t.3: float64 = add(t.1, v_dot)
    return t.2, t.3, x.1
"""

from __future__ import annotations

import numpy as np

from pullback.ir import primitives
from pullback.ir.nodes import Constant, Let
from pullback.ir.types import FLOAT
from pullback.transform.forward.tangents import Tangents


def push_read(tangents: Tangents, statement: Let) -> None:
    """y = x[i]: y_dot = x_dot[i]."""
    array, *place = statement.operands
    tangent = tangents.of(array)
    if tangent is not None:
        made = tangents.builder.let(statement.function, tangent, *place, type_=statement.value.type)
        tangents.set(statement.value, made)


def push_written(tangents: Tangents, statement: Let) -> None:
    """y = x with y[i] = v: y_dot = x_dot with y_dot[i] = v_dot."""
    array, *place, value = statement.operands
    tangent = tangents.of(value)
    written = Constant(0.0, FLOAT) if tangent is None else tangent
    made = tangents.builder.let(statement.function, tangents.whole(array), *place, written, type_=statement.value.type)
    tangents.set(statement.value, made)


def push_added(tangents: Tangents, statement: Let) -> None:
    """y = x with y[i] += v: y_dot = x_dot with y_dot[i] += v_dot."""
    array, path, value = statement.operands
    tangent = tangents.of(value)
    whole = tangents.whole(array)
    if tangent is not None:
        whole = tangents.builder.let(primitives.add_at, whole, path, tangent)
    tangents.set(statement.value, whole)


def push_accumulate(tangents: Tangents, statement: Let) -> None:
    """y = a + b in the memory of a."""
    a_dot, b_dot = map(tangents.of, statement.operands)
    only = a_dot if b_dot is None else b_dot if a_dot is None else None
    if only is not None:
        start = len(tangents.builder.statements)
        tangents.set(statement.value, tangents.spread(statement.value, only, start))
    elif a_dot is not None:
        tangents.set(statement.value, tangents.builder.let(primitives.accumulate, a_dot, b_dot))


def push_copy(tangents: Tangents, statement: Let) -> None:
    """y = copy(x): y_dot = copy(x_dot)."""
    tangent = tangents.of(statement.operands[0])
    if tangent is not None:
        tangents.set(statement.value, tangents.builder.let(primitives.copy, tangent))


def hand_on(tangents: Tangents, statement: Let) -> None:
    """y = cast(x): the tangent goes on, in the dtype of y."""
    tangent = tangents.of(statement.operands[0])
    if tangent is not None:
        tangents.set(statement.value, tangent)


def push_select(tangents: Tangents, statement: Let) -> None:
    """y = a if c else b: y_dot = a_dot if c else b_dot."""
    condition, *sides = statement.operands
    dots = [tangents.of(side) for side in sides]
    zero = Constant(0.0, statement.value.type)
    then, orelse = (zero if dot is None else dot for dot in dots)
    made = tangents.builder.let(primitives.select, condition, then, orelse, type_=statement.value.type)
    tangents.set(statement.value, made)


def push_array(tangents: Tangents, statement: Let) -> None:
    """y = np.array((a, b, …)): an array of the tangents."""
    items, *others = statement.operands
    made = tangents.builder.let(
        np.array, tangents.nested(items), *others, keywords=statement.keywords, type_=statement.value.type
    )
    tangents.set(statement.value, made)
