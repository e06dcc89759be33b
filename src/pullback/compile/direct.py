"""Calls without a line of Python: Numba's dispatcher finds machine code by the types of the arguments, in C.

caller → Dispatcher: dtypes, ranks and layouts → `call_or_long_way`: classes, no keywords → machine code
             ↓ nothing fits                          ↓ another call, or an error
          the long way, a method in Python        the long way
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap, zip_longest
from types import MethodWrapperType
from typing import Any

import numpy as np
from numba import intp, types, void
from numba._dispatcher import Dispatcher
from numba.core.ccallback import CFunc
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.typeof import Purpose, typeof
from numba.np.numpy_support import as_dtype

from pullback.compile.cache.machine_code import keep
from pullback.compile.functions import Compiled
from pullback.compile.modules import key_of
from pullback.ir.types import BOOL, INT, Array, Type

MOST_ARGUMENTS = 20
"""Numba's dispatcher looks at as many types as were inserted, and has room for 24 where fewer arguments are given."""

size = types.ExternalFunction("PyTuple_Size", intp(intp))
item = types.ExternalFunction("PyTuple_GetItem", intp(intp, intp))
class_of = types.ExternalFunction("PyObject_Type", intp(intp))
attribute = types.ExternalFunction("PyObject_GetAttr", intp(intp, intp))
release = types.ExternalFunction("Py_DecRef", void(intp))
call = types.ExternalFunction("PyObject_Call", intp(intp, intp, intp))
forget_error = types.ExternalFunction("PyErr_Clear", void())


def call_or_long_way(own: int, arguments: int, keywords: int) -> int:
    """The body of a C function. `own` is a tuple: the machine code, the long way, "dtype", and two for each argument.

    These are its class and, for an array, its dtype: to Numba's dispatcher, bytes in the other order may be the same.
    The long way repeats a call that raises, because it knows what to say of the error.
    """
    count = size(arguments)
    fits = keywords == 0 and 2 * count + 3 == size(own)
    k = 0
    while fits and k < count:
        argument, kind, dtype = item(arguments, k), item(own, 2 * k + 3), item(own, 2 * k + 4)
        found = class_of(argument)
        fits = found == kind
        release(found)
        if fits and dtype != kind:
            found = attribute(argument, item(own, 2))
            fits = found == dtype
            release(found)
        k += 1
    if fits:
        result = call(item(own, 0), arguments, 0)
        if result != 0:
            return int(result)
        forget_error()
    return int(call(item(own, 1), arguments, keywords))


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


VARARGS_AND_KEYWORDS = 3
DISPATCHING = (False, (), (), True, False, True)
"""Arguments stay as they are given, without names and defaults; unknown types fit nothing; no star; no conversions."""


@functools.cache
def compiled_call() -> tuple[Definition, Any]:
    """`call_or_long_way` as CPython takes it, and what keeps its machine code."""
    signature = intp(intp, intp, intp)
    name = call_or_long_way.__name__
    made = keep(CFunc(call_or_long_way, (signature.args, signature.return_type), {}, {}), name, key_of(name))
    made.compile()
    return Definition(b"call", made.address, VARARGS_AND_KEYWORDS, None), made


def builtin(own: tuple[Any, ...]) -> Any:
    """A built-in function that runs `call_or_long_way` with this tuple."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(compiled_call()[0]), own, None)


class Entrance(Dispatcher):
    """A callable that runs its Python `__call__`, the long way, until `open` gives it machine code.

    Its class is another one then, whose `__call__` is Numba's. Numba's part of the object is unused before.
    """

    _entries: dict[tuple[Any, ...], Any]
    _long_way: Callable[..., Any]

    def open(self, compiled: Compiled, arguments: Sequence[Any], results: Sequence[Type]) -> None:
        """Run machine code for arguments of these classes and Numba types, if it returns what the user should get.

        results: the types of what the user should get, in the order of the returned structure.
        """
        code = compiled.overload(arguments)
        given = code.signature.args
        if not all(starmap(is_boxed_as, zip_longest(types_in(code.signature.return_type), results))):
            return
        with _LOCK:
            if not isinstance(self.__call__, MethodWrapperType):
                Dispatcher.__init__(self, default_type_manager.get_pointer(), len(given), *DISPATCHING)
                self._entries, self._long_way = {}, self.__call__
                self.__code__ = compiled.dispatcher.py_func.__code__  # what a profiler is shown
                kind: Any = type(self)
                self.__class__ = opened(kind)
            if given not in self._entries:
                # Numba borrows it, and another thread may be running it: it is kept as long as the callable.
                expected = [
                    kind for a in arguments for kind in (type(a), a.dtype if type(a) is np.ndarray else type(a))
                ]
                self._entries[given] = builtin((code.entry_point, self._long_way, "dtype", *expected))
                self._insert([type_._code for type_ in given], self._entries[given])  # type: ignore[attr-defined]

    def _compile_for_args(self, *arguments: Any, **keywords: Any) -> Callable[..., Any]:
        """What Numba calls with the arguments where no machine code fits them."""
        return self._long_way

    def typeof_pyval(self, value: Any) -> Any:
        """The Numba type of an argument that its dispatcher does not know; all dispatchers share the answer."""
        try:
            type_ = typeof(value, Purpose.argument)
        except ValueError:
            type_ = None
        return types.pyobject if type_ is None else type_


_LOCK = threading.Lock()


@functools.cache
def opened(kind: Any) -> Any:
    """The class of those callables of a class that have machine code."""
    names = {"__call__": Dispatcher.__call__, "__module__": kind.__module__, "__doc__": kind.__doc__}
    return type(kind.__name__, (kind,), names)


def types_in(type_: Any) -> Iterator[Any]:
    """The Numba types of numbers and arrays in a returned structure."""
    if isinstance(type_, types.BaseTuple):
        for part in type_:
            yield from types_in(part)
    else:
        yield type_


def is_boxed_as(returned: Any, type_: Type | None) -> bool:
    """Whether Numba makes an object of the type out of a value of its own."""
    if isinstance(type_, Array):
        alike = isinstance(returned, types.Array) and returned.ndim == type_.ndim > 0
        return alike and as_dtype(returned.dtype).name == type_.dtype
    if type_ is None or type_.dtype == "float64":
        return bool(type_ and returned == types.float64)
    return type_ in _WEAK and bool(returned == _WEAK[type_])


_WEAK = {INT: types.int64, BOOL: types.boolean}
