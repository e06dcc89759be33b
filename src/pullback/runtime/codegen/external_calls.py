"""Calls out of machine code: of a function of a Python module, under Python's lock, and of a function of C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.numpy_support import from_dtype
from numpy import dtype

from pullback.runtime.codegen.callees import Built

Kinds = Callable[[str], Any]
"""Gives the arguments and the results that a signature tells of: see `runtime.python.external.kinds_in`."""


def python_call(module: str, name: str, signature: str, kinds_in: Kinds, numbered: bool = True) -> Built:
    """A call of `module.name(number, signature, …)`, to which an array is its address, sizes and strides.

    numbered: whether there is a number.

    What it raises is raised in the caller. Python's lock is taken for the call, by whatever thread makes it.
    """
    _, results = kinds_in(signature)

    def result(*given: Any) -> Any:
        made = [_type_of(kind) for kind in results]
        whole = types.none if not made else made[0] if len(made) == 1 else types.Tuple(made)
        return whole(*given)

    def build(context: Any, builder: Any, signature_: Any, values: Any) -> Any:
        def first(python: Any) -> list[Any]:
            number = [python.long_from_longlong(values[0])] if numbered else []
            return [*number, python.string_from_string(context.insert_const_string(builder.module, signature))]

        kinds = signature_.return_type, signature_.args[-1]
        given = cgutils.unpack_tuple(builder, values[-1])
        return call_python(context, builder, (module, name), first, kinds, given)

    return Built(result, build)


def call_python(
    context: Any, builder: Any, function: tuple[str, str], first: Callable[[Any], list[Any]], kinds: Any, values: Any
) -> Any:
    """What a function of a module of Python returns.

    first: makes the objects that it is given before the values. kinds: the types of the result and the values.
    """
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    failed = cgutils.alloca_once_value(builder, cgutils.true_bit)
    place = cgutils.alloca_once(builder, context.get_value_type(kinds[0]), zfill=True)
    home = python.import_module(context.insert_const_string(builder.module, function[0]))
    with cgutils.if_likely(builder, cgutils.is_not_null(builder, home)):
        called = python.object_getattr_string(home, function[1])
        python.decref(home)
        objects = first(python)
        for kind, value in zip(kinds[1], values, strict=True):
            objects += _words(context, builder, python, kind, value)
        answer = python.call_function_objargs(called, objects)
        python.decref(called)
        for each in objects:
            python.decref(each)
        with cgutils.if_likely(builder, cgutils.is_not_null(builder, answer)):
            _take(context, builder, python, kinds[0], answer, place, failed)
            python.decref(answer)
    python.gil_release(lock)
    with cgutils.if_unlikely(builder, builder.load(failed)):
        context.call_conv.return_exc(builder)
    return builder.load(place)


def _type_of(kind: Any) -> Any:
    element = from_dtype(dtype(kind.dtype))
    return element if kind.ndim < 0 else types.Array(element, kind.ndim, "C")


def _words(context: Any, builder: Any, python: Any, kind: Any, value: Any) -> list[Any]:
    """New references to the objects that stand for an argument."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        address = builder.ptrtoint(array.data, context.get_value_type(types.intp))
        sizes = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
        strides = cgutils.unpack_tuple(builder, array.strides, kind.ndim)
        return [python.long_from_ssize_t(word) for word in (address, *sizes, *strides)]
    if isinstance(kind, types.NoneType):
        return []
    plain = types.unliteral(kind)
    return [python.from_native_value(plain, context.cast(builder, value, kind, plain))]


def _take(context: Any, builder: Any, python: Any, type_: Any, answer: Any, place: Any, failed: Any) -> None:
    """Write what was returned, a number, an array, None or a tuple, to a place."""
    several = isinstance(type_, types.BaseTuple)
    if isinstance(type_, types.NoneType):
        builder.store(cgutils.false_bit, failed)
        return
    values, bad = [], cgutils.false_bit
    for k, one in enumerate(type_ if several else (type_,)):
        native = python.to_native_value(one, python.tuple_getitem(answer, k) if several else answer)
        values.append(native.value)
        bad = builder.or_(bad, native.is_error)
    whole = context.make_tuple(builder, type_, values) if several else values[0]
    builder.store(whole, place)
    builder.store(bad, failed)


def c_call(signature: str, kinds_in: Kinds, locked: bool) -> Built:
    """A call of the function of C at an address: numbers are converted to what it takes, and its result is Python's.

    locked: it runs under Python's lock, and what it raises is raised in the caller.
    """
    arguments, results = kinds_in(signature)

    def result(address: Any, text: Any, given: Any) -> Any:
        whole = _python_type(_type_of(results[0])) if results else types.none
        return whole(address, text, given)

    def build(context: Any, builder: Any, signature_: Any, values: Any) -> Any:
        items = zip(cgutils.unpack_tuple(builder, values[2]), signature_.args[2], strict=True)
        given = [
            ir.Constant(ir.IntType(32), 0) if kind.dtype == "0" else context.cast(builder, *next(items), _type_of(kind))
            for kind in arguments
        ]
        returned = context.get_value_type(_type_of(results[0])) if results else ir.VoidType()
        shape = ir.FunctionType(returned, [value.type for value in given])
        function = builder.inttoptr(values[0], shape.as_pointer())
        answer = _under_lock(context, builder, function, given) if locked else builder.call(function, given)
        if not results:
            return context.get_dummy_value()
        return context.cast(builder, answer, _type_of(results[0]), signature_.return_type)

    return Built(result, build)


def _under_lock(context: Any, builder: Any, function: Any, given: list[Any]) -> Any:
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    answer = builder.call(function, given)
    failed = cgutils.is_not_null(builder, python.err_occurred())
    python.gil_release(lock)
    with cgutils.if_unlikely(builder, failed):
        context.call_conv.return_exc(builder)
    return answer


def _python_type(type_: Any) -> Any:
    """The type that has a number of C in Python."""
    return types.float64 if isinstance(type_, types.Float) else types.int64
