"""How the elements of an array lie in memory, as far as that decides whether NumPy copies them."""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import ArrayRef, Binding, Static
from pullback.frontend.values.context import Context
from pullback.frontend.values.references import references
from pullback.ir.nodes import Reshape, Value


def is_in_columns(context: Context, order: Binding | None, node: Any) -> bool:
    """Whether the elements are taken with the first index changing fastest."""
    if order in (None, Static("C")):
        return False
    if order != Static("F"):
        context.refuse(node, "an order that depends on the layout cannot be followed", "use order='C' or order='F'")
    return True


def is_order_asked_for(context: Context, order: Binding | None, node: Any) -> bool:
    """Whether a new array has its elements in C order, and not in that of the array it comes from."""
    if order in (None, Static("K")):
        return False
    if order != Static("C"):
        context.refuse(node, "arrays are made in C order here", "leave 'order' out: it changes no element")
    return True


def is_contiguous(context: Context, ref: ArrayRef, node: Any) -> bool:
    """Whether a reshaped array surely shares the memory: NumPy copies where the elements are not in C order."""
    cell = ref.cell
    if not all(isinstance(step, Reshape) for step in ref.path):
        return False
    if cell.outside or cell.strided or cell in context.state.points_to or cell in context.state.arguments:
        return False
    return cell.contiguous or context.type_of(cell, node).ndim == 1


def in_c_order(binding: Binding) -> Binding:
    """The array, known to be in C order."""
    if isinstance(binding, ArrayRef):
        binding.cell.contiguous = True
    return binding


def as_contiguous(context: Context, ref: ArrayRef, node: Any) -> Binding:
    """The array itself where its elements surely are in C order; else one that must not be written."""
    if is_contiguous(context, ref, node):
        return ref
    if not ref.path and _is_held_by_nobody(context, ref):
        return in_c_order(ref)
    return perhaps_shared(context, context.read(ref, node), ref, "this array in C order")


def perhaps_shared(context: Context, value: Value, source: ArrayRef, what: str) -> Binding:
    """An array of which only the layout of another one decides whether it has its memory: neither may be written."""
    made = context.bind(value)
    return marked_as_shared(context, made, source, what) if isinstance(made, ArrayRef) else made


def marked_as_shared(context: Context, made: ArrayRef, source: ArrayRef, what: str) -> ArrayRef:
    """An array of its own, with the mark that it may be the memory of another one."""
    made.cell.outside = f"{what} may or may not share memory with the array it comes from"
    context.state.descend(made.cell, source.cell)
    return made


def _is_held_by_nobody(context: Context, ref: ArrayRef) -> bool:
    """Whether an array was made in the expression that is read: nobody can tell whether it is copied."""
    cell, state = ref.cell, context.state
    is_own = not (cell.outside or cell.strided or cell in state.points_to or state.is_given(cell))
    return is_own and not state.linked.get(cell) and references(state, cell) == 0
