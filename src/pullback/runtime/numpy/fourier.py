"""Discrete Fourier transforms along an axis: compiled code calls NumPy's own loops, those of pocketfft.

They are found in NumPy's functions by their types. Where NumPy has them elsewhere, compiled code has no transforms.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic

from pullback.runtime.codegen.compiled import axis_of, compiled, constant, dtype_of, element_type, is_array, kernel
from pullback.runtime.exact.native import call_loop, place_loop
from pullback.runtime.memory.strided import flat, product, shaped

loops: Any = import_module("numpy.fft._pocketfft_umath") if find_spec("numpy.fft._pocketfft_umath") else None

_TYPES = {"fft": "{c}{r}->{c}", "ifft": "{c}{r}->{c}", "irfft": "{c}{r}->{r}"} | dict.fromkeys(
    ("rfft_n_even", "rfft_n_odd"), "{r}{r}->{c}"
)


def fft_over(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """np.fft.fft(a, n, axis, norm)."""
    return np.fft.fft(a, n, axis, norm)


def ifft_over(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """np.fft.ifft(a, n, axis, norm)."""
    return np.fft.ifft(a, n, axis, norm)


def rfft_over(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """np.fft.rfft(a, n, axis, norm)."""
    return np.fft.rfft(a, n, axis, norm)


def irfft_over(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """np.fft.irfft(a, n, axis, norm)."""
    return np.fft.irfft(a, n, axis, norm)


def _loop(name: str, letter: str) -> Any:
    """A loop of NumPy's in compiled code: addresses, the factor, how many lie side by side, the sizes before and after.

    Elements of what is transformed stand as many places apart as there are transforms.
    """
    ufunc = getattr(loops, name)
    kinds = _TYPES[name].format(r=letter, c=letter.upper())
    size = ir.IntType(64)
    widths = [ir.Constant(size, np.dtype(kind).itemsize) for kind in (kinds[0], kinds[-1])]
    placed = place_loop("numpy", ufunc, kinds.replace("->", "_"))
    factor_type = types.float32 if letter == "f" else types.float64

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, factor, target, columns, given, made = arguments
        pointer = ir.IntType(8).as_pointer()
        places = [
            builder.inttoptr(source, pointer),
            cgutils.alloca_once_value(builder, factor),
            builder.inttoptr(target, pointer),
        ]
        steps = [widths[0], ir.Constant(size, 0), widths[1], *(builder.mul(columns, w) for w in widths)]
        call_loop(builder, placed, places, [columns, given, made], steps)
        return context.get_dummy_value()

    def typed(context: Any, source: Any, factor: Any, target: Any, columns: Any, given: Any, made: Any) -> Any:
        return types.void(types.uintp, factor_type, types.uintp, types.intp, types.intp, types.intp), build

    return intrinsic(typed)


def _define(function: Any, names: tuple[str, str], forward: bool, from_real: bool, to_real: bool) -> None:
    """The overload of function(a, n, axis, norm), if there are loops; names: those for even and odd lengths."""
    if loops is None:
        return
    found = {letter: [_loop(name, letter) for name in names] for letter in "fd"}

    @compiled(function)
    def typed(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        if not is_array(a) or a.ndim == 0:
            return None
        narrow = dtype_of(a) in (np.float32, np.complex64)
        whole, part = (np.complex64, np.float32) if narrow else (np.complex128, np.float64)
        source, target = (element_type(part if real else whole) for real in (from_real, to_real))
        width_in, width_out = (np.dtype(part if real else whole).itemsize for real in (from_real, to_real))
        even, odd = found["f" if narrow else "d"]
        ndim, position = a.ndim, axis_of(axis, a.ndim)
        way = constant(norm) or "backward"
        power = 0.5 if way == "ortho" else float((way == "forward") == forward)
        is_given = not isinstance(n, types.NoneType | types.Omitted) and n is not None
        real = element_type(part)

        if is_given:
            length = kernel(lambda n, given: n)
        elif to_real:
            length = kernel(lambda n, given: 2 * (given - 1))
        else:
            length = kernel(lambda n, given: given)

        def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
            given = a.shape[position]
            count = length(n, given)
            if count < 1:
                raise ValueError("Invalid number of FFT data points specified.")
            made = count // 2 + 1 if from_real else count
            rows, columns = product(a.shape, 0, position), product(a.shape, position + 1, ndim)
            factor = real(1.0 / count**power)
            x = flat(a).astype(source)
            out = np.empty(rows * made * columns, target)
            for i in range(rows):
                begin = x.ctypes.data + i * given * columns * width_in
                end = out.ctypes.data + i * made * columns * width_out
                if count % 2 == 0:
                    even(begin, factor, end, columns, given, made)
                else:
                    odd(begin, factor, end, columns, given, made)
            return shaped(out, tuple_setitem(a.shape, position, made))

        return transform


_define(fft_over, ("fft", "fft"), True, False, False)
_define(ifft_over, ("ifft", "ifft"), False, False, False)
_define(rfft_over, ("rfft_n_even", "rfft_n_odd"), True, True, False)
_define(irfft_over, ("irfft", "irfft"), False, False, True)
