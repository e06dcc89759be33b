"""What NumPy's functions that show an array in another form mean, and the one that writes to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.errors import ShapeError
from pullback.frontend.calls.apply import computed, static_operand
from pullback.frontend.calls.creation import as_array, shape_operand
from pullback.frontend.calls.indexing import read_part, shape_attribute, type_of_ref
from pullback.frontend.calls.layout import is_contiguous, is_in_columns, marked_as_shared, perhaps_shared
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.calls.squeezing import axes_of_one
from pullback.frontend.values.bindings import ArrayRef, Binding, ListRef, Static, TupleValue, joined
from pullback.frontend.values.context import Context
from pullback.functions.parts import shows
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Operand, Permute, Reshape, Slice
from pullback.ir.types import INT, Scalar

VIEWS = Meanings()


@VIEWS.of(np.transpose)
def _transpose(context: Context, node: Any, a: Binding, axes: Binding | None = None) -> Binding:
    ref = as_array(context, a, node)
    ndim = type_of_ref(context, ref, node).ndim
    if axes is None:
        order = tuple(reversed(range(ndim)))
    else:
        order = _axes(context, axes, "axes", ndim, node)
        if len(order) != ndim:
            context.mistyped(node, f"'axes' names {len(order)} axes of an array of {ndim} dimensions")
    return _permuted(ref, order)


def _permuted(ref: Any, order: tuple[int, ...]) -> ArrayRef:
    if order == tuple(range(len(order))) and isinstance(ref, ArrayRef):
        return ref
    return ArrayRef(ref.cell, joined(ref.path, (Permute(order),)))


def _axes(context: Context, binding: Binding, label: str, rank: int, node: Any) -> tuple[int, ...]:
    """Axes of an array of this many, counted from the first one."""
    operand = static_operand(context, binding, label, node)
    axes = tuple(o.value for o in operand) if isinstance(operand, tuple) else (operand.value,)
    for k in axes:
        if not isinstance(k, int) or not -rank <= k < rank:
            context.mistyped(node, f"axis {k} is out of bounds for an array of {rank} dimensions")
    if len({k % rank for k in axes}) < len(axes):
        context.mistyped(node, f"'{label}' names an axis twice")
    return tuple(k % rank for k in axes)


@VIEWS.of(np.swapaxes)
def _swapaxes(context: Context, node: Any, a: Binding, axis1: Binding, axis2: Binding) -> Binding:
    ref = as_array(context, a, node)
    order = list(range(type_of_ref(context, ref, node).ndim))
    rank = len(order)
    (i,), (j,) = _axes(context, axis1, "axis1", rank, node), _axes(context, axis2, "axis2", rank, node)
    order[i], order[j] = order[j], order[i]
    return _permuted(ref, tuple(order))


@VIEWS.of(np.moveaxis)
def _moveaxis(context: Context, node: Any, a: Binding, source: Binding, destination: Binding) -> Binding:
    ref = as_array(context, a, node)
    shape = tuple(range(type_of_ref(context, ref, node).ndim))
    rank = len(shape)
    starts = _axes(context, source, "source", rank, node)
    ends = _axes(context, destination, "destination", rank, node)
    if len(starts) != len(ends):
        context.mistyped(node, "'source' and 'destination' name different numbers of axes")
    order = np.moveaxis(np.zeros(shape), starts, ends).shape
    return _permuted(ref, tuple(order))


@VIEWS.of(np.expand_dims)
def _expand_dims(context: Context, node: Any, a: Binding, axis: Binding) -> Binding:
    ref = as_array(context, a, node)
    given = static_operand(context, axis, "axis", node)
    rank = type_of_ref(context, ref, node).ndim + (len(given) if isinstance(given, tuple) else 1)
    new = _axes(context, axis, "axis", rank, node)
    items = tuple(Constant(None) if k in new else Slice(None, None, None) for k in range(rank))
    return read_part(context, ref, Index(items), node)


@VIEWS.of(np.squeeze)
def _squeeze(context: Context, node: Any, a: Binding, axis: Binding | None = None) -> Binding:
    ref = as_array(context, a, node)
    rank = type_of_ref(context, ref, node).ndim
    if axis is None:
        return _squeezed(context, node, ref, rank)
    dropped = _axes(context, axis, "axis", rank, node)
    value = context.read(ref, node)
    for k in sorted(dropped):
        extent = context.let(node, primitives.dim, value, constant(k))
        one = context.let(node, np.equal, extent, constant(1))
        message = "cannot select an axis to squeeze out which has size not equal to one"
        context.builder.effect(primitives.check, one, Constant(ValueError), Constant(message))
    items = tuple(constant(0) if k in dropped else Slice(None, None, None) for k in range(rank))
    return read_part(context, ref, Index(items), node)


def _squeezed(context: Context, node: Any, ref: ArrayRef, rank: int) -> Binding:
    """Without the axes that were made with one element; ShapeError where another one has one element in the run."""
    made = axes_of_one(ref.path, type_of_ref(context, ArrayRef(ref.cell), node).ndim)
    if len(made) != rank or (rank > 1 and not any(made)):
        context.refuse(node, "squeeze without an axis depends on sizes that only the run knows", "name the axis")
    value = context.read(ref, node)
    for k in [k for k in range(rank) if not made[k]]:
        extent = context.let(node, primitives.dim, value, constant(k))
        several = context.let(node, np.not_equal, extent, constant(1))
        message = f"axis {k} has one element, which np.squeeze without an axis drops: name the axes to drop"
        context.builder.effect(primitives.check, several, Constant(ShapeError), Constant(message))
    items = tuple(constant(0) if is_one else Slice(None, None, None) for is_one in made)
    return read_part(context, ref, Index(items), node)


@VIEWS.of(np.flip)
def _flip(context: Context, node: Any, m: Binding, axis: Binding | None = None) -> Binding:
    ref = as_array(context, m, node)
    rank = type_of_ref(context, ref, node).ndim
    flipped = range(rank) if axis is None else _axes(context, axis, "axis", rank, node)
    items = tuple(Slice(None, None, constant(-1) if k in flipped else None) for k in range(rank))
    return read_part(context, ref, Index(items), node)


@VIEWS.of(np.roll)
def _roll(context: Context, node: Any, a: Binding, shift: Binding, axis: Binding | None = None) -> Binding:
    """One axis after the other, each by one number."""
    ref = as_array(context, a, node)
    shifts = [context.scalar(s, node) for s in (context.items(shift, node) if _is_sequence(shift) else (shift,))]
    value = context.read(ref, node)
    if axis is None:
        steps: list[tuple[Operand, Any]] = [(places, None) for places in shifts]
    else:
        given = static_operand(context, axis, "axis", node)
        rank = value.type.ndim
        axes = [_axes(context, k, "axis", rank, node)[0] for k in (given if isinstance(given, tuple) else (given,))]
        count = max(len(shifts), len(axes))
        if len(shifts) not in (1, count) or len(axes) not in (1, count):
            context.mistyped(node, "np.roll: 'shift' and 'axis' have different lengths")
        steps = [(shifts[k % len(shifts)], axes[k % len(axes)]) for k in range(count)]
    for places, along in steps:
        value = context.let(node, np.roll, value, places, Constant(along, None if along is None else INT))
    return context.bind(value if steps else context.let(node, primitives.copy, value))


def _is_sequence(binding: Binding) -> bool:
    return isinstance(binding, TupleValue | ListRef)


@VIEWS.of(np.reshape)
def _reshape(
    context: Context,
    node: Any,
    a: Binding,
    shape: Binding,
    order: Binding | None = None,
    *,
    copy: Binding | None = None,
) -> Binding:
    """copy: always made where it is given, as what may be another value is refused."""
    sizes = shape_operand(context, shape, node)
    if is_in_columns(context, order, node):
        turned = reshaped(context, _transpose(context, node, a), tuple(reversed(sizes)), node)
        made = _transpose(context, node, turned)
    else:
        made = reshaped(context, a, sizes, node)
    if copy is None or not isinstance(made, ArrayRef):
        return made
    return context.bind(context.let(node, primitives.copy, context.read(made, node)))


def reshaped(context: Context, source: Binding, sizes: tuple[Operand, ...], node: Any) -> Binding:
    """A view of fresh memory; of memory whose layout is not known, an array that must not be written."""
    rank = type_of_ref(context, source, node).ndim if isinstance(source, ArrayRef) else 0
    if isinstance(source, ArrayRef) and rank == 0 and all(size in (constant(1), constant(-1)) for size in sizes):
        return read_part(context, source, Index((Constant(None),) * len(sizes)), node)
    if isinstance(source, ArrayRef) and rank > 0:
        if is_contiguous(context, source, node):
            return ArrayRef(source.cell, (Reshape(sizes),))
        value = context.let(node, np.reshape, context.read(source, node), sizes)
        return perhaps_shared(context, value, source, "this reshaped array")
    return context.bind(context.let(node, np.reshape, context.operand(source, node), sizes))


@VIEWS.of(np.ravel)
def _ravel(context: Context, node: Any, a: Binding, order: Binding | None = None) -> Binding:
    turned = _transpose(context, node, a) if is_in_columns(context, order, node) else a
    return reshaped(context, turned, (constant(-1),), node)


@VIEWS.of(np.broadcast_to)
def _broadcast_to(context: Context, node: Any, array: Binding, shape: Binding) -> Binding:
    sizes = shape_operand(context, shape, node)
    ref = context.bind(computed(context, np.broadcast_to, (context.operand(array, node), sizes), (), node))
    assert isinstance(ref, ArrayRef), "broadcast_to gives an array"
    ref.cell.outside = "an array from broadcast_to is read-only"
    if isinstance(array, ArrayRef):
        context.state.descend(ref.cell, array.cell)
    return ref


@VIEWS.of(shows)
def _shows(context: Context, node: Any, made: Binding, source: Binding) -> Binding:
    if isinstance(made, ArrayRef) and isinstance(source, ArrayRef):
        return marked_as_shared(context, made, source, "this array")
    return made


@VIEWS.of(np.add.at)
def _add_at(context: Context, node: Any, a: Binding, indices: Binding, b: Binding, /) -> Binding:
    """`np.add.at(a, indices, b)`: repeated indices add up."""
    if not isinstance(a, ArrayRef):
        context.mistyped(node, "np.add.at writes to an array")
    items = indices.items if isinstance(indices, TupleValue) else (indices,)
    path = Index(tuple(context.operand(item, node) for item in items))
    context.store(a, (path,), context.operand(b, node), node, primitives.add_at)
    return Static(None)


def _shape_of(name: str) -> Meaning:
    def ask(context: Context, node: Any, a: Binding) -> Binding:
        operand = context.operand(a, node)
        if isinstance(operand.type, Scalar):
            answers: dict[str, Binding] = {"shape": TupleValue(()), "ndim": constant(0), "size": constant(1)}
            return answers[name]
        return shape_attribute(context, operand, name, node)

    return ask


VIEWS[np.shape], VIEWS[np.ndim], VIEWS[np.size] = _shape_of("shape"), _shape_of("ndim"), _shape_of("size")
