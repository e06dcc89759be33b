"""Functions that exist as machine code in this process, for calls from compiled code: NumPy's loops, the C library's.

Compiled code refers to them by name, so that it stays right on disk; where they lie is said when this process starts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.elementwise_loops import define_binary, define_unary

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_LETTERS = {types.float32: "f", types.float64: "d"}
LOOP = "pullback_loop_"
"""The beginning of the names of loops."""
_kept: list[Any] = []
"""What compiled code points to."""
_placed: set[str] = set()
"""The names of the loops that compiled code finds."""


class _Ufunc(ctypes.Structure):
    """The head of NumPy's PyUFuncObject, which is part of its C interface."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("kind", ctypes.c_void_p),
        ("counts", ctypes.c_int * 4),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
    )


def place(name: str, *words: int | None) -> None:
    """Let compiled code find these words under a name."""
    table = (ctypes.c_void_p * len(words))(*words)
    _kept.append(table)
    binding.add_symbol(name, ctypes.addressof(table))


def word(builder: Any, name: str, k: int) -> Any:
    """The k-th of the words under a name."""
    kind = ir.ArrayType(_POINTER, 2)
    table = builder.module.globals.get(name) or ir.GlobalVariable(builder.module, kind, name)
    return builder.load(builder.gep(table, [ir.Constant(_SIZE, 0), ir.Constant(_SIZE, k)]))


def element_of(ufunc: Any, fixed: bool = False) -> Any:
    """NumPy's own loop of a ufunc over floats for one element, in compiled code; all operands have one type.

    fixed: the last operand is one number for all elements, as the exponent in `x ** 2`.
    """
    letters = {letter: f"{letter * ufunc.nin}_{letter}" for letter in _LETTERS.values()}
    for signature in letters.values():
        if signature.replace("_", "->") in ufunc.types:
            place_loop("numpy", ufunc, signature)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        type_ = signature.return_type
        name = _name_of_loop("numpy", ufunc, letters[_LETTERS[type_]])
        width = context.get_abi_sizeof(context.get_value_type(type_))
        cells = [cgutils.alloca_once(builder, argument.type) for argument in (*arguments, arguments[0])]
        for cell, argument in zip(cells, arguments, strict=False):
            builder.store(argument, cell)
        steps = [width] * len(cells)
        if fixed:
            steps[-2] = 0
        call_loop(builder, name, cells, [ir.Constant(_SIZE, 1)], [ir.Constant(_SIZE, step) for step in steps])
        return builder.load(cells[-1])

    return _intrinsic(ufunc.nin, build)


def place_loop(library: str, ufunc: Any, letters: str) -> str:
    """Let compiled code find one loop of a ufunc: "dd_d" for two float64 and a result; its name."""
    name = _name_of_loop(library, ufunc, letters)
    if name not in _placed:
        head, k = _Ufunc.from_address(id(ufunc)), ufunc.types.index(letters.replace("_", "->"))
        place(name, head.functions[k], head.data[k] if head.data else None)
        _placed.add(name)
    return name


def call_loop(builder: Any, name: str, places: list[Any], sizes: list[Any], steps: list[Any]) -> None:
    """functions[k](args, dimensions, steps, data), as NumPy calls a loop.

    places: where the operands and results begin; sizes: how many elements there are, and the core dimensions of a
    generalised ufunc; steps: the bytes from one element to the next, operand by operand, then along core dimensions.
    """
    given = [
        _array(builder, _POINTER, [builder.bitcast(place, _POINTER) for place in places]),
        _array(builder, _SIZE, sizes),
        _array(builder, _SIZE, steps),
        word(builder, name, 1),
    ]
    _call(builder, word(builder, name, 0), ir.VoidType(), given)


def c_function(function: Callable[..., float], name: str, count: int, types_: tuple[Any, ...], own: bool) -> Any:
    """A function of the C library for compiled code, for floats of these types.

    own: Python has one of its own by this name. That is called, as it is where the library has none.
    """
    for type_ in types_:
        address = None if own else binding.address_of_symbol(_in_c(name, type_))
        place(_name_of_c_function(name, type_), address or _of_python(function, count, type_), None)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = word(builder, _name_of_c_function(name, signature.return_type), 0)
        return _call(builder, pointer, arguments[0].type, list(arguments))

    return _intrinsic(count, build)


def _in_c(name: str, type_: Any) -> str:
    return name + "f" if type_ == types.float32 else name


def defined(value: Callable[..., Any], native: Any, ufunc: Any) -> Any:
    """A function that computes with `value` in Python and with `native` in compiled code, with dtypes as `ufunc`."""
    if ufunc.nin == 1:

        def unary(x: Any) -> Any:
            return value(x)

        define_unary(unary, ufunc, kernel(lambda v: native(v)))
        return unary

    def binary(x1: Any, x2: Any) -> Any:
        return value(x1, x2)

    define_binary(binary, ufunc, kernel(lambda a, b: native(a, b)))
    return binary


def _of_python(function: Callable[..., float], count: int, type_: Any) -> int | None:
    """Where a function of Python's can be called as one of C."""
    kind = {types.float32: ctypes.c_float, types.float64: ctypes.c_double}[type_]
    callback = ctypes.CFUNCTYPE(kind, *[kind] * count)(function)
    _kept.append(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value


def _intrinsic(count: int, build: Callable[..., Any]) -> Any:
    """A function of so many floats of one type for compiled code."""

    def unary(context: Any, x: Any) -> Any:
        return (x(x), build) if x in _LETTERS else None

    def binary(context: Any, x: Any, y: Any) -> Any:
        return (x(x, y), build) if x == y and x in _LETTERS else None

    return intrinsic(unary if count == 1 else binary)


def _array(builder: Any, kind: Any, items: list[Any]) -> Any:
    """The address of these items side by side."""
    array = cgutils.alloca_once(builder, ir.ArrayType(kind, len(items)))
    for k, item in enumerate(items):
        builder.store(item, builder.gep(array, [ir.Constant(_SIZE, 0), ir.Constant(_SIZE, k)]))
    return builder.bitcast(array, kind.as_pointer())


def _call(builder: Any, pointer: Any, result: Any, operands: list[Any]) -> Any:
    kind = ir.FunctionType(result, [operand.type for operand in operands])
    return builder.call(builder.bitcast(pointer, kind.as_pointer()), operands)


def _name_of_loop(library: str, ufunc: Any, letters: str) -> str:
    return f"{LOOP}{library}-{ufunc.__name__}_{letters}"


def _name_of_c_function(name: str, type_: Any) -> str:
    return f"pullback_c_{_in_c(name, type_)}"
