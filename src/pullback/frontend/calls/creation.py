"""What NumPy's functions that make arrays mean, and those that convert dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import computed
from pullback.frontend.calls.exact_libraries import FLOAT_POWER
from pullback.frontend.calls.indexing import read_part, type_of_ref
from pullback.frontend.calls.layout import as_contiguous, in_c_order, is_contiguous, is_order_asked_for
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.values.bindings import ArrayRef, Binding, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.nodes import Constant, Index, Operand, Value
from pullback.ir.types import Array, Scalar, is_complex
from pullback.runtime.numpy.nested_lists import array_of

CREATION = Meanings()


def as_array(context: Context, binding: Binding, node: Any) -> ArrayRef:
    """The array itself, or a fresh one of a number or of a list of numbers."""
    ref = binding if isinstance(binding, ArrayRef) else context.bind(_array(context, binding, node))
    assert isinstance(ref, ArrayRef), "an array is bound to a cell"
    return ref


def _array(context: Context, binding: Binding, node: Any) -> Value:
    operand = context.operand(binding, node)
    if isinstance(operand.type, Scalar):
        return context.let(node, np.reshape, operand, ())
    assert isinstance(operand, Value), "an array is a value"
    return operand


@CREATION.of(np.asarray, np.asanyarray)
def _asarray(
    context: Context,
    node: Any,
    a: Binding,
    dtype: Binding | None = None,
    order: Binding | None = None,
    *,
    copy: Binding | None = None,
) -> Binding:
    """copy: always made where it is given, as what may be another value is refused."""
    if copy is not None:
        return _new_array(context, node, a, dtype, order=order)
    array = _in_dtype(context, node, a, dtype)
    return as_contiguous(context, array, node) if is_order_asked_for(context, order, node) else array


@CREATION.of(array_of)
def _array_of(context: Context, node: Any, a: Binding, dtype: Binding | None = None) -> Binding:
    return _in_dtype(context, node, a, dtype)


def _in_dtype(context: Context, node: Any, a: Binding, dtype: Binding | None) -> ArrayRef:
    """The array itself, if it has this dtype."""
    array = as_array(context, a, node)
    if dtype is None or type_of_ref(context, array, node).dtype == dtype_name(dtype, context, node):
        return array
    return as_array(context, as_type(context, array, dtype, node), node)


@CREATION.of(np.ascontiguousarray)
def _ascontiguousarray(context: Context, node: Any, a: Binding, dtype: Binding | None = None) -> Binding:
    """A number has one axis then."""
    array = _in_dtype(context, node, a, dtype)
    if type_of_ref(context, array, node).ndim == 0:
        return read_part(context, array, Index((Constant(None),)), node)
    return as_contiguous(context, array, node)


@CREATION.of(np.array)
def _new_array(
    context: Context, node: Any, object: Binding, dtype: Binding | None = None, *, order: Binding | None = None
) -> Binding:
    if dtype is None:
        return _copy(context, node, object, order)
    made = as_type(context, as_array(context, object, node), dtype, node)
    return in_c_order(made) if is_order_asked_for(context, order, node) else made


@CREATION.of(np.copy)
def _copy(context: Context, node: Any, a: Binding, order: Binding | None = None) -> Binding:
    if not isinstance(a, ArrayRef):
        return as_array(context, a, node)
    copy = context.bind(context.let(node, primitives.copy, context.read(a, node)))
    return in_c_order(copy) if is_order_asked_for(context, order, node) else copy


def dtype_name(dtype: Binding, context: Context, node: Any) -> str:
    """The name of a dtype given as a string, a type or a dtype."""
    if not isinstance(dtype, Static):
        context.mistyped(node, "the dtype must be known before the run")
    try:
        return str(np.dtype(dtype.value).name)
    except TypeError as error:
        context.mistyped(node, str(error))


def as_type(context: Context, binding: Binding, dtype: Binding, node: Any) -> Binding:
    """`x.astype(dtype)`: a fresh array or number, for a dtype of real ones of the real parts."""
    operand, name = context.operand(binding, node), dtype_name(dtype, context, node)
    with context.builder.at(context.location(node)):
        if is_complex(operand.type) and not name.startswith("complex"):
            made = context.builder.cast(operand, name)
            return context.bind(context.builder.let(primitives.copy, made) if isinstance(made.type, Array) else made)
        return context.bind(context.builder.let(primitives.cast, operand, Constant(name)))


@CREATION.of(np.astype)
def _astype(context: Context, node: Any, x: Binding, dtype: Binding) -> Binding:
    return as_type(context, x, dtype, node)


def _filled_like(create: Any) -> Meaning:
    def like(
        context: Context, node: Any, a: Binding, dtype: Binding | None = None, order: Binding | None = None
    ) -> Binding:
        operand = context.operand(a, node)
        name = dtype_name(dtype, context, node) if dtype is not None else operand.type.dtype
        with context.builder.at(context.location(node)):
            shape = context.builder.dims(operand)
        made = context.bind(computed(context, create, (shape, Constant(name)), ("dtype",), node))
        lies_as_it_does = not isinstance(a, ArrayRef) or is_contiguous(context, a, node)
        return in_c_order(made) if is_order_asked_for(context, order, node) or lies_as_it_does else made

    return like


CREATION[np.zeros_like], CREATION[np.ones_like] = _filled_like(np.zeros), _filled_like(np.ones)
CREATION[np.empty_like] = _filled_like(np.empty)


@CREATION.of(np.full)
def _full(context: Context, node: Any, shape: Binding, fill_value: Binding, dtype: Binding | None = None) -> Binding:
    value = context.operand(fill_value, node)
    if dtype is not None:
        with context.builder.at(context.location(node)):
            value = context.builder.cast(value, dtype_name(dtype, context, node))
    sizes = shape_operand(context, shape, node)
    return context.bind(computed(context, np.full, (sizes, value), (), node))


@CREATION.of(np.full_like)
def _full_like(context: Context, node: Any, a: Binding, fill_value: Binding) -> Binding:
    operand, value = context.operand(a, node), context.operand(fill_value, node)
    with context.builder.at(context.location(node)):
        if value.type.dtype != operand.type.dtype:
            value = context.builder.cast(value, operand.type.dtype)
        shape = context.builder.dims(operand)
    return context.bind(computed(context, np.full, (shape, value), (), node))


def shape_operand(context: Context, shape: Binding, node: Any) -> Operand:
    """A shape given as an int or a sequence of ints."""
    if isinstance(shape, TupleValue | ListRef):
        return tuple(context.scalar(item, node) for item in context.items(shape, node))
    return (context.scalar(shape, node),)


def _created(create: Any) -> Meaning:
    def made(context: Context, node: Any, shape: Binding, dtype: Binding | None = None) -> Binding:
        sizes = shape_operand(context, shape, node)
        if dtype is None:
            return in_c_order(context.bind(computed(context, create, (sizes,), (), node)))
        name = Constant(dtype_name(dtype, context, node))
        return in_c_order(context.bind(computed(context, create, (sizes, name), ("dtype",), node)))

    return made


CREATION[np.zeros], CREATION[np.ones], CREATION[np.empty] = _created(np.zeros), _created(np.ones), _created(np.empty)
CREATION[np.ndarray] = _created(np.empty)


@CREATION.of(np.where)
def _where(context: Context, node: Any, condition: Binding, x: Binding, y: Binding) -> Binding:
    """A choice among numbers is a number first, and then an array without axes."""
    operands = tuple(context.operand(binding, node) for binding in (condition, x, y))
    if all(isinstance(operand.type, Scalar) for operand in operands):
        return context.bind(context.let(node, np.reshape, computed(context, runtime.where, operands, (), node), ()))
    return context.bind(computed(context, np.where, operands, (), node))


@CREATION.of(np.float_power)
def _float_power(context: Context, node: Any, x1: Binding, x2: Binding) -> Binding:
    """A power with 64 bits, whatever the dtypes of its operands."""
    given = [context.operand(x, node) for x in (x1, x2)]
    dtype = "complex128" if any(is_complex(operand.type) for operand in given) else "float64"
    with context.builder.at(context.location(node)):
        operands = tuple(context.builder.cast(operand, dtype) for operand in given)
    return context.bind(computed(context, np.power, operands, (), node, FLOAT_POWER))
