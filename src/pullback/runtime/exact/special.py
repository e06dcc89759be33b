"""The functions of `scipy.special` in compiled code: each element goes through the function of C behind its ufunc.

A function is made when it is first asked for, by the name that it has there: `special.jv(order, x)`.

>>> from numba import njit
>>> from pullback.runtime.exact import special
>>> njit(lambda x: special.jv(0, x))(0.0)
1.0
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy.special
from llvmlite import ir
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.np.numpy_support import from_dtype

from pullback.runtime.codegen.callees import Built
from pullback.runtime.codegen.compiled import compiled, is_scalar, promotion_operand
from pullback.runtime.exact.native import call_loop, place_loop
from pullback.runtime.exact.of_cython import call_c, chosen_of_c
from pullback.runtime.memory.strided import common_shape, item, shaped
from pullback.runtime.numpy.elementwise_loops import is_operand, shape_of, spread

_BEHIND = {name: f"_{name}" for name in ("spherical_in", "spherical_jn", "spherical_kn", "spherical_yn", "zeta")}
"""Functions of Python, and the ufuncs behind them."""


def ufunc_named(name: str) -> Any:
    """The ufunc that is meant, None where there is none."""
    if name in _BEHIND:
        return getattr(scipy.special._ufuncs, _BEHIND[name], None)
    return getattr(scipy.special, name, None)


def __getattr__(name: str) -> Any:
    """A ufunc with one result, for compiled code and for Python."""
    ufunc = ufunc_named(name)
    if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made = _defined(name)
    cpu_target.typing_context.refresh()  # Numba asks while it compiles, and looks for what is new before
    return made


@cache
def _defined(name: str) -> Callable[..., Any]:
    """The function of numbers and arrays in NumPy's dtypes, broadcast."""
    ufunc = ufunc_named(name)

    def function(*arguments: Any) -> Any:
        return ufunc(*arguments)

    def element(*arguments: Any) -> Any:
        return ufunc(*arguments)

    function.__name__ = element.__name__ = name

    @compiled(element, prefer_literal=False)
    def _element(*arguments: Any) -> Any:
        return _of_numbers(ufunc)

    @compiled(function)
    def _function(*arguments: Any) -> Any:
        if not all(map(is_operand, arguments)) or len(arguments) != ufunc.nin:
            return None
        if all(map(is_scalar, arguments)):
            return _of_numbers(ufunc)
        return _LOOPS[ufunc.nin](element, from_dtype(_dtypes(ufunc, arguments)[-1]))

    return function


def _dtypes(ufunc: Any, arguments: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the loop that NumPy chooses for operands of these types, that of the result last."""
    given = [promotion_operand(t) for t in arguments]
    if all(t is int for t in given):
        given = [np.dtype(np.int64)] * len(given)
    resolved: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*given, None))
    return resolved


def _of_numbers(ufunc: Any) -> Built:
    def result(arguments: Any) -> Any:
        return from_dtype(_dtypes(ufunc, tuple(arguments))[-1])(arguments)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        given = tuple(signature.args[0])
        dtypes = _dtypes(ufunc, given)
        kinds = [from_dtype(dtype) for dtype in dtypes]
        parts = zip(cgutils.unpack_tuple(builder, values[0]), given, kinds, strict=False)
        numbers = [context.cast(builder, value, type_, kind) for value, type_, kind in parts]
        chosen = chosen_of_c(ufunc.__name__.removeprefix("_"), dtypes[:-1], dtypes[-1])
        if chosen is None:
            return _by_loop(context, builder, ufunc, dtypes, numbers)
        taken, returned, symbol = chosen
        pairs = zip(numbers, kinds, taken, strict=False)
        numbers = [context.cast(builder, number, kind, from_dtype(c)) for number, kind, c in pairs]
        answer = call_c(context, builder, symbol, numbers, from_dtype(returned))
        return context.cast(builder, answer, from_dtype(returned), signature.return_type)

    return Built(result, build)


def _by_loop(context: Any, builder: Any, ufunc: Any, dtypes: Any, numbers: list[Any]) -> Any:
    """The result for one element of SciPy's loop over many, where it exports no function of numbers."""
    symbol = place_loop("special", ufunc, f"{''.join(d.char for d in dtypes[:-1])}_{dtypes[-1].char}")
    cells = [cgutils.alloca_once_value(builder, number) for number in numbers]
    cells.append(cgutils.alloca_once(builder, context.get_value_type(from_dtype(dtypes[-1]))))
    one, *steps = (ir.Constant(ir.IntType(64), k) for k in (1, *(dtype.itemsize for dtype in dtypes)))
    call_loop(builder, symbol, cells, [one], steps)
    return builder.load(cells[-1])


def _loop_of_one(element: Any, result: Any) -> Any:
    def loop(a: Any) -> Any:
        shape = a.shape
        firsts = spread(a, shape)
        out = np.empty(firsts.size, result)
        for i in range(out.size):
            out[i] = element(item(firsts, i))
        return shaped(out, shape)

    return loop


def _loop_of_two(element: Any, result: Any) -> Any:
    def loop(a: Any, b: Any) -> Any:
        shape = common_shape(shape_of(a), shape_of(b))
        firsts, seconds = spread(a, shape), spread(b, shape)
        out = np.empty(shape, result)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = element(item(firsts, i), item(seconds, i))
        return out

    return loop


def _loop_of_three(element: Any, result: Any) -> Any:
    def loop(a: Any, b: Any, c: Any) -> Any:
        shape = common_shape(common_shape(shape_of(a), shape_of(b)), shape_of(c))
        firsts, seconds, thirds = spread(a, shape), spread(b, shape), spread(c, shape)
        out = np.empty(shape, result)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = element(item(firsts, i), item(seconds, i), item(thirds, i))
        return out

    return loop


def _loop_of_four(element: Any, result: Any) -> Any:
    def loop(a: Any, b: Any, c: Any, d: Any) -> Any:
        shape = common_shape(common_shape(shape_of(a), shape_of(b)), common_shape(shape_of(c), shape_of(d)))
        firsts, seconds, thirds, fourths = spread(a, shape), spread(b, shape), spread(c, shape), spread(d, shape)
        out = np.empty(shape, result)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = element(item(firsts, i), item(seconds, i), item(thirds, i), item(fourths, i))
        return out

    return loop


_LOOPS = {1: _loop_of_one, 2: _loop_of_two, 3: _loop_of_three, 4: _loop_of_four}
