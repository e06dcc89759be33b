"""Variables from outside that a function assigns: it writes into a copy, which the variable takes over after the call.

w.assign_sub(d)           t = subtract(w, d)
                    →     w.1 = store(w, [...], t)        and w.1 is a changed parameter, like a written argument

Such a variable is an argument from the beginning on, one of a single number as an array without dimensions: when the
reader meets the first assignment, it begins anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.values.bindings import ArrayRef, Binding, Method
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.nodes import Operand, Value
from pullback.ir.types import Array

ASSIGNMENTS = {"assign": None, "assign_add": np.add, "assign_sub": np.subtract}
READINGS = ("value", "read_value")


class Assigned(Exception):
    """A variable is assigned that was not known to be when the reader began."""

    def __init__(self, place: tuple[Any, Any]) -> None:
        super().__init__(place[1])
        self.place = place


def is_of_variable(context: Context, method: Method) -> bool:
    """Whether a method is one of a variable from outside, and not of arrays as well."""
    if method.name not in ASSIGNMENTS and method.name not in READINGS:
        return False
    return parameter_of(context, method.receiver) is not None


def call_variable(context: Context, method: Method, arguments: tuple[Binding, ...], node: Any) -> Binding:
    """`variable.assign(value)` and its like: the variable itself, changed; `variable.value()`: what it is now."""
    if method.name in ASSIGNMENTS:
        return _assign(context, method, arguments, node)
    value = context.operand(method.receiver, node)
    return context.bind(context.let(node, primitives.copy, value)) if isinstance(value.type, Array) else value


def parameter_of(context: Context, receiver: Binding) -> Value | None:
    """The hidden argument that a variable is."""
    match receiver:
        case ArrayRef(cell=cell, path=()):
            return next((p for p, own in context.watching.variables.items() if own is cell), None)
        case Value():
            original = context.watching.history(receiver)[-1]
            return original if original in context.watching.variables else None
    return None


def _assign(context: Context, method: Method, arguments: tuple[Binding, ...], node: Any) -> Binding:
    parameter = parameter_of(context, method.receiver)
    assert parameter is not None, "the receiver is a variable"
    capture = next(capture for capture, _ in context.captures.values() if capture.parameter is parameter)
    if not capture.changes:
        raise Assigned((capture.namespace, capture.name))
    if len(arguments) != 1:
        context.mistyped(node, f"{method.name}() takes one value", "")
    ref = method.receiver
    assert isinstance(ref, ArrayRef), "an assigned variable is an array"
    value = context.operand(arguments[0], node)
    _check_fits(context, value, context.version(ref.cell, node), node)
    function = ASSIGNMENTS[method.name]
    if function is not None:
        value = context.let(node, function, context.operand(ref, node), value)
    context.overwrite(ref, (), value, node, primitives.store)
    return ref


def _check_fits(context: Context, value: Operand, variable: Value, node: Any) -> None:
    """A variable keeps its dtype and shape: what is known is checked here, the rest in the run."""
    assert isinstance(variable.type, Array), "an assigned variable is an array"
    rank = getattr(value.type, "ndim", 0)
    name, dtype = variable.name, variable.type.dtype
    if not np.can_cast(value.type.dtype, dtype, "same_kind"):
        remedy = f"cast it, as in x.astype('{dtype}')"
        context.mistyped(node, f"{value.type.dtype} cannot be assigned to the variable '{name}' of {dtype}", remedy)
    if rank != variable.type.ndim:
        context.mistyped(node, f"the variable '{name}' has {variable.type.ndim} dimensions, the value {rank}")
    context.check_shape(value, variable, f"the variable '{name}' has another shape than the value", node)
