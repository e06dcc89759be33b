"""Contributions to operands that a function broadcasts: summed to the operand's own shape, for every rule alike.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import joint, prepared
>>> def f(a, x):
...     return np.sum(np.sin(a * x))
>>> function = prepared(normal_form(f, 2.0, np.ones(3)))
>>> print(show(joint(function, (0,), with_results=False)))
f_grad(a: float64*, x: float64[:]):
    t.0: float64[:] = multiply(a, x)
    t.1: float64[:] = cos(t.0)
    t.2: float64[:] = multiply(t.1, x)
    a_bar: float64 = sum(t.2)
    return a_bar
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions import is_elementwise
from pullback.ir.builder import constant
from pullback.ir.nodes import Call, Let, Operand, Value
from pullback.ir.types import Array, Scalar
from pullback.transform.reverse.adjoints import Adjoints


def add_summed(adjoints: Adjoints, operand: Operand, contribution: Operand, y: Value) -> None:
    """Add what belongs to an operand that was broadcast to the shape of `y`."""
    if isinstance(y.type, Array) and isinstance(operand.type, Scalar):
        if isinstance(contribution.type, Scalar):
            contribution = _times_size(adjoints, contribution, y)
        else:
            contribution = adjoints.builder.let(np.sum, contribution)
    elif isinstance(contribution.type, Array) and adjoints.shapes.of(operand) != adjoints.shapes.of(y):
        contribution = _summed_away(adjoints, contribution, operand, y) or sum_to(adjoints, contribution, operand)
    adjoints.add(operand, contribution)


def _summed_away(adjoints: Adjoints, contribution: Value, operand: Operand, y: Value) -> Value | None:
    """The sum over the axes that an operand is known to have been broadcast along; None where they are not known."""
    own, shape = adjoints.shapes.of(operand), adjoints.shapes.of(y)
    added = len(shape) - len(own)
    axes = [k for k, size in enumerate(shape) if k < added or (own[k - added] == 1 and size != 1)]
    if any(own[k - added] != shape[k] for k in range(len(shape)) if k not in axes) or (added and len(axes) > added):
        return None
    axis = constant(axes[0]) if len(axes) == 1 else tuple(map(constant, axes))
    if added:
        return adjoints.builder.let(np.sum, contribution, axis, keywords=("axis",))
    return adjoints.builder.let(np.sum, contribution, axis, constant(True), keywords=("axis", "keepdims"))


def _times_size(adjoints: Adjoints, number: Operand, y: Value) -> Operand:
    for extent in adjoints.dims(y):
        size = adjoints.builder.cast(extent, number.type.dtype)
        number = adjoints.builder.let(np.multiply, number, size)
    return number


def sum_to(adjoints: Adjoints, contribution: Operand, operand: Operand) -> Value:
    """An array summed to the shape of an operand that was broadcast: a number, or an array of no more axes."""
    if isinstance(operand.type, Scalar):
        return adjoints.builder.let(np.sum, contribution)
    type_ = Array(contribution.type.dtype, operand.type.ndim)
    return adjoints.builder.let(runtime.sum_to, contribution, adjoints.dims(operand), type_=type_)


def summed(adjoints: Adjoints, operand: Value, cotangent: Operand, statement: Let | Call) -> Operand:
    """What a rule returns for an operand, in the operand's shape, where the function broadcasts its operands."""
    rank, own_rank = (getattr(v.type, "ndim", 0) for v in (cotangent, operand))
    if own_rank == 0:
        return adjoints.builder.let(np.sum, cotangent) if rank else cotangent
    broadcasts = (
        isinstance(statement, Let)
        and (statement.function in (np.where, runtime.where) or is_elementwise(statement.function))
        and adjoints.shapes.of(operand) != adjoints.shapes.of(statement.value)
    )
    batched = statement.function in (np.matmul, np.linalg.solve, np.linalg.inv) and own_rank > 2
    if rank > own_rank or (rank and (broadcasts or batched)):
        return sum_to(adjoints, cotangent, operand)
    return cotangent


def uniform(adjoints: Adjoints, cotangent: Operand) -> Operand:
    """The number behind a cotangent that is the same for all elements, where it was just made."""
    last = adjoints.builder.statements[-1] if adjoints.builder.statements else None
    if isinstance(last, Let) and last.value is cotangent and last.function is runtime.broadcast_along:
        number = last.operands[0]
        if isinstance(number.type, Scalar):
            return number
    return cotangent
