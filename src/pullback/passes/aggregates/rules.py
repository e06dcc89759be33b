"""What a statement with whole arrays does to each element of small ones, for the functions that are known.

>>> is_arithmetic(np.exp), is_arithmetic(np.outer), is_arithmetic(np.sort)
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback import runtime
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.nodes import Let, Operand
from pullback.passes.aggregates import access, arithmetic, layouts
from pullback.passes.aggregates.elements import Elements, Whole


def elements_of(known: Whole, statement: Let) -> Elements | Operand | None:
    """The elements of an array that a statement makes, or the number; None where it takes whole arrays."""
    rule = _RULES.get(statement.function)
    if rule is None and is_elementwise(statement.function):
        rule = arithmetic.elementwise
    return rule(known, statement) if rule is not None else None


def is_arithmetic(function: Any) -> bool:
    """Whether elements of the result are computed of elements of the operands."""
    return function in (np.matmul, np.dot, np.outer) or is_elementwise(function)


_zeros = layouts.filled(lambda place: 0.0)
_identity = layouts.filled(lambda place: float(place[0] == place[-1]))

_RULES: dict[Any, Callable[[Any, Let], Any]] = {
    np.matmul: arithmetic.product,
    np.dot: arithmetic.product,
    np.inner: arithmetic.product_of_vectors,
    np.vdot: arithmetic.product_of_vectors,
    np.outer: arithmetic.outer,
    np.sum: arithmetic.reduction(np.add),
    np.mean: arithmetic.reduction(np.add, is_mean=True),
    np.prod: arithmetic.reduction(np.multiply),
    np.any: arithmetic.of_truth_values(np.logical_or),
    np.all: arithmetic.of_truth_values(np.logical_and),
    np.cumsum: arithmetic.accumulation,
    np.trace: arithmetic.trace,
    np.where: arithmetic.chosen,
    runtime.where: arithmetic.chosen,
    np.linalg.norm: arithmetic.norm,
    np.linalg.solve: arithmetic.solution,
    np.linalg.inv: arithmetic.inverse,
    np.linalg.cholesky: arithmetic.cholesky,
    np.linalg.det: arithmetic.determinant_of,
    np.array: layouts.literal,
    np.copy: layouts.copy,
    primitives.copy: layouts.copy,
    np.eye: _identity,
    np.identity: _identity,
    np.zeros: _zeros,
    np.empty: _zeros,
    primitives.zeros_like: _zeros,
    np.ones: layouts.filled(lambda place: 1.0),
    np.full: layouts.full,
    primitives.load: access.loaded,
    primitives.store: access.stored,
    primitives.add_at: access.added,
    **dict.fromkeys(layouts.LAYOUTS, layouts.arranged),
}

CREATING = {np.array, np.eye, np.identity, np.zeros, np.ones, np.full}
"""What makes an array of numbers, outside of loops too."""
