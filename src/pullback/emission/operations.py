"""Operations that are written otherwise than as calls: parts of arrays, casts, lists, conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from pullback import runtime
from pullback.emission.expressions import Expressions, dtype_
from pullback.emission.spelling import attribute, call, constant, name, tuple_
from pullback.ir import primitives
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import Constant, Let, Operand
from pullback.ir.types import Array, Scalar, is_complex


def _load(writer: Expressions, statement: Let) -> Any:
    array, path = statement.operands
    if is_advanced(path):
        before, index = writer.index_tuple(path)
        base = writer.part(writer.operand(array), before)
        if writer.compiled:
            return writer.helper(runtime.gather, [base, index])
    if writer.compiled and array.type == statement.value.type and array.type.ndim == 0:
        return writer.operand(array)  # Numba reads x[()] as a number
    part = writer.part(writer.operand(array), path, array.type.ndim > 0)
    if writer.compiled and array.type.ndim > 0 and statement.value.type == Array(array.type.dtype, 0):
        return writer.helper(runtime.reshape, [part, tuple_([])])  # Numba reads x[..., 0] of a vector as a number
    return part


def _load_last(writer: Expressions, statement: Let) -> Any:
    array, path = statement.operands
    before, index = writer.index_tuple(path)
    base = call(attribute(writer.part(writer.operand(array), before), "copy"))
    return writer.helper(runtime.gather_and_clear, [base, index])


def _cast(writer: Expressions, statement: Let) -> Any:
    operand, dtype = statement.operands
    text = dtype.value.rstrip("*")
    written = writer.operand(operand)
    if isinstance(operand.type, Array):
        return call(attribute(written, "astype"), dtype_(text))
    if operand.type.dtype == text and (writer.compiled or text != "int64"):
        return written
    if dtype.value.endswith("*") and text != "float64":  # NumPy's divides by zero, and Numba's float(x) may be narrow
        return call(name({"int64": "int", "bool": "bool", "complex128": "complex"}[text]), written)
    return call(dtype_(text), written)


def _dim(writer: Expressions, statement: Let) -> Any:
    array, axis = statement.operands
    shape = attribute(writer.operand(array), "shape")
    return gast.Subscript(shape, constant(axis.value), gast.Load())


def _growing(writer: Expressions, statement: Let) -> Any:
    return writer.helper(runtime.growing, [dtype_(statement.operands[0].value)])


def _of_shape(writer: Expressions, statement: Let) -> Any:
    return writer.helper(
        statement.function, [writer.sequence(statement.operands[0]), dtype_(statement.value.type.dtype)]
    )


def _copy(writer: Expressions, statement: Let) -> Any:
    return call(attribute(writer.operand(statement.operands[0]), "copy"))


def _zeros_like(writer: Expressions, statement: Let) -> Any:
    return call(attribute(name("np"), "zeros_like"), writer.operand(statement.operands[0]))


def _select(writer: Expressions, statement: Let) -> Any:
    condition, then, orelse = (writer.operand(operand) for operand in statement.operands)
    return gast.IfExp(condition, then, orelse)


def _array(writer: Expressions, statement: Let) -> Any:
    def shape_of(items: Any) -> tuple[int, ...]:
        return (len(items), *(shape_of(items[0]) if items else ())) if isinstance(items, tuple) else ()

    def listed(items: tuple[Any, ...]) -> Any:
        """Lists for people, tuples for Numba, which makes memory for a list."""
        parts = [listed(item) if isinstance(item, tuple) else written(item) for item in items]
        return (gast.Tuple if writer.compiled else gast.List)(parts, gast.Load())

    def written(item: Operand) -> Any:
        """The items must have one type for Numba."""
        dtype = statement.value.type.dtype
        if not writer.compiled or item.type.dtype == dtype:
            return writer.operand(item)
        if isinstance(item, Constant):
            return writer.operand(Constant(np.dtype(dtype).type(item.value).item(), Scalar(dtype)))
        return call(dtype_(dtype), writer.operand(item))

    shape = shape_of(statement.operands[0])
    if writer.compiled and 0 in shape:  # Numba finds no type for nothing
        return call(attribute(name("np"), "empty"), constant(shape), dtype=dtype_(statement.value.type.dtype))
    return call(attribute(name("np"), "array"), listed(statement.operands[0]))


def _transpose(writer: Expressions, statement: Let) -> Any:
    array, axes = statement.operands
    return writer.permuted(writer.operand(array), tuple(axis.value for axis in axes))


def _logical(word: type) -> Callable[[Expressions, Let], Any]:
    def write(writer: Expressions, statement: Let) -> Any:
        if any(isinstance(operand.type, Array) for operand in statement.operands):
            return writer.called(statement)
        return gast.BoolOp(word(), [_truth(writer, operand) for operand in statement.operands])

    return write


def _truth(writer: Expressions, operand: Operand) -> Any:
    """A number as a condition that is a value too: `and` gives one of its operands."""
    written = writer.operand(operand)
    return written if operand.type.dtype == "bool" else gast.Compare(written, [gast.NotEq()], [constant(0)])


def _not(writer: Expressions, statement: Let) -> Any:
    if isinstance(statement.operands[0].type, Array):
        return writer.called(statement)
    return gast.UnaryOp(gast.Not(), writer.operand(statement.operands[0]))


def _absolute(writer: Expressions, statement: Let) -> Any:
    if isinstance(statement.operands[0].type, Array):
        return writer.called(statement)
    return call(name("abs"), writer.operand(statement.operands[0]))


def _part(attr: str) -> Callable[[Expressions, Let], Any]:
    """The real or imaginary part of complex numbers."""

    def write(writer: Expressions, statement: Let) -> Any:
        operand = statement.operands[0]
        return attribute(writer.operand(operand), attr) if is_complex(operand.type) else writer.called(statement)

    return write


def _positive(writer: Expressions, statement: Let) -> Any:
    """A number itself; of an array a copy, as others may write to either."""
    operand = statement.operands[0]
    written = writer.operand(operand)
    return gast.UnaryOp(gast.UAdd(), written) if isinstance(operand.type, Array) else written


def _reshape(writer: Expressions, statement: Let) -> Any:
    """A number as an array without axes, which NumPy's would leave a number that cannot be written."""
    operand, shape, *_ = statement.operands
    if not writer.compiled and shape == () and isinstance(operand.type, Scalar):
        return call(attribute(name("np"), "array"), writer.operand(operand), dtype=dtype_(statement.value.type.dtype))
    return writer.of_helper(statement) or writer.called(statement)


def _accumulate(writer: Expressions, statement: Let) -> Any:
    left, right = (writer.operand(operand) for operand in statement.operands)
    return gast.BinOp(left, gast.Add(), right)


def _extremum(text: str) -> Callable[[Expressions, Let], Any]:
    def write(writer: Expressions, statement: Let) -> Any:
        return call(name(text), *(writer.operand(operand) for operand in statement.operands))

    return write


WRITERS: dict[Any, Callable[[Expressions, Let], Any]] = {
    primitives.load: _load,
    primitives.load_last: _load_last,
    primitives.cast: _cast,
    primitives.dim: _dim,
    primitives.copy: _copy,
    runtime.growing: _growing,
    runtime.local_empty: _of_shape,
    runtime.local_zeros: _of_shape,
    runtime.column_empty: _of_shape,
    runtime.column_zeros: _of_shape,
    primitives.zeros_like: _zeros_like,
    primitives.select: _select,
    primitives.accumulate: _accumulate,
    np.array: _array,
    np.reshape: _reshape,
    np.transpose: _transpose,
    np.logical_and: _logical(gast.And),
    np.logical_or: _logical(gast.Or),
    np.logical_not: _not,
    np.absolute: _absolute,
    np.positive: _positive,
    np.real: _part("real"),
    np.imag: _part("imag"),
    complex: _extremum("complex"),
    max: _extremum("max"),
    min: _extremum("min"),
}
