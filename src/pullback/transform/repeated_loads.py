"""What a block has loaded or stored, and the backward sweep can load once more, for the element is still there.

>>> import numpy as np, pullback as pb
>>> def filled(x):
...     y = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         y[i] = np.exp(x[i])
...     return np.sum(y * y)
>>> backward = pb.source(filled, np.ones(3)).split("\\n\\n\\n")[-1]
>>> [line.strip() for line in backward.splitlines() if "exp" in line or "y[i]" in line][-1]
'x_bar[i] = y_bar[i] * y[i]'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from pullback.ir import primitives
from pullback.ir.nodes import Let, Operand, Value, is_scalar, values_in
from pullback.transform import whole_arrays
from pullback.transform.min_cut import CHEAP, can_repeat
from pullback.transform.repeated_branches import Repeatable
from pullback.transform.residual_plan import Path, Plan


class Decisions(whole_arrays.Decisions, Protocol):
    """What is known of the values of a function, and what has been planned so far; see `Residuals`."""

    plan: Plan


def repeated_loads(known: Decisions, path: Path, definitions: Mapping[Value, Repeatable]) -> dict[Value, Let]:
    """What loads the values of a block again, from arrays that the backward sweep has."""
    found: dict[Value, Let] = {}
    for statement in definitions.values():
        array = _holder(known, statement, path) if isinstance(statement, Let) else None
        if array is None or not isinstance(statement, Let):
            continue
        _, place, *stored = statement.operands
        if statement.function is primitives.load:
            found[statement.value] = replace(statement, operands=(array, place))
        elif statement.function is primitives.store and _has_stored(known, array, place, stored[0], definitions):
            found[stored[0]] = replace(statement, value=stored[0], function=primitives.load, operands=(array, place))
    return found


def _holder(known: Decisions, statement: Let, path: Path) -> Value | None:
    """An array that has the element of a load or store where the mirror of its block begins."""
    array = _restored(known, statement, path) or known.elements.holder(statement)
    if array is None or (known.paths.get(array) and not whole_arrays.is_kept_whole(known, array, path)):
        return _handed(known, statement)
    return array


def _restored(known: Decisions, statement: Let, path: Path) -> Value | None:
    """What stands for an array that is restored; it has what the last store of the block stored until it is."""
    for array in known.plan.restorations:
        stores = array.at_begin.get(path, ())
        if (stores and stores[0].store is statement) or array.has(statement, path):
            return array.present
    return None


def _handed(known: Decisions, statement: Let) -> Value | None:
    """An array that an iteration around the loop of a load was handed, and keeps anyway, if it has the element."""
    if statement.function is not primitives.load:
        return None
    arrays = known.elements.handed_to_iterations(statement)
    return next((array for array in arrays if whole_arrays.is_kept_anyway(known, array)), None)


def _has_stored(
    known: Decisions, array: Value, place: Any, stored: Operand, definitions: Mapping[Value, Repeatable]
) -> bool:
    """Whether a stored value is that of the element, and the index is known where the value is made."""
    made = definitions.get(stored) if isinstance(stored, Value) else None
    is_cheap = made is None or (made.function in CHEAP if isinstance(made, Let) else can_repeat(made, is_scalar))
    if is_cheap or stored.type.dtype != array.type.dtype:
        return False
    order = list(definitions)
    at = order.index(stored)
    if any(v in definitions and order.index(v) > at for v in values_in(place)):
        return False
    return known.shapes.part(known.shapes.of(array), place) == known.shapes.of(stored)
