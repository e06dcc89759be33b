"""Calls without a line of Python: Numba's dispatcher finds machine code by the types of the arguments, in C.

caller → Dispatcher: dtypes, ranks and layouts → `call_or_long_way`: classes, no keywords → machine code
             ↓ nothing fits                          ↓ another call, or an error
          the long way, a method in Python        the long way
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap, zip_longest
from types import CellType, FunctionType, MethodType, MethodWrapperType
from typing import Any

import numpy as np
from numba import intp, types
from numba._dispatcher import Dispatcher
from numba.core.ccallback import CFunc
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.typeof import Purpose, typeof
from numba.np.numpy_support import as_dtype

from pullback.compile.cache.machine_code import keep as keep_on_disk
from pullback.compile.functions import Compiled
from pullback.compile.modules import key_of
from pullback.compile.turns import MAKING
from pullback.frontend.source.outside import ABSENT, OF_FUNCTIONS, Dependency, Place, Shape
from pullback.ir.types import BOOL, INT, Array, Scalar, Type
from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.codegen.objects import (
    attribute,
    call,
    class_of,
    code_of,
    content,
    defaults_of,
    dtype_of,
    entry,
    forget_error,
    is_of_kind,
    item,
    keep,
    named_defaults_of,
    only_item,
    release,
    size,
)

MOST_ARGUMENTS = 20
"""Numba's dispatcher looks at as many types as were inserted, and has room for 24 where fewer arguments are given."""


@kernel
def functions_hold(functions: int, absent: int) -> bool:
    """Whether functions are made of the same code and defaults: four of each, itself where any defaults will do."""
    fits, k = True, 0
    while fits and k < size(functions):
        function, defaults, named = item(functions, k), item(functions, k + 2), item(functions, k + 3)
        there, there_named = defaults_of(function), named_defaults_of(function)
        fits = code_of(function) == item(functions, k + 1)
        fits = fits and (there == defaults or defaults == function or (there == 0 and defaults == absent))
        fits = fits and (there_named == named or named == function or (there_named == 0 and named == absent))
        k += 4
    return fits


@kernel
def entries_hold(dicts: int, absent: int) -> bool:
    """Whether objects stand in dicts under their keys: three of each."""
    fits, k = True, 0
    while fits and k < size(dicts):
        expected, found = item(dicts, k + 2), entry(item(dicts, k), item(dicts, k + 1))
        fits = found == expected or (found == 0 and expected == absent)
        k += 3
    return fits


@kernel
def others_hold(cells: int, objects: int) -> bool:
    """Whether cells have their contents, two of each, and objects their attributes, three of each."""
    fits, k = True, 0
    while fits and k < size(cells):
        found = content(item(cells, k))
        fits = found == item(cells, k + 1)
        if found != 0:
            release(found)
        k += 2
    k = 0
    while fits and k < size(objects):
        found = attribute(item(objects, k), item(objects, k + 1))
        fits = found == item(objects, k + 2)
        if found != 0:
            release(found)
        else:
            forget_error()
        k += 3
    return fits


@kernel
def types_fit(own: int, arguments: int) -> bool:
    """Whether arguments have the classes, and arrays the dtypes, that machine code was made for."""
    count = size(arguments)
    fits, k = 2 * count + FIRST == size(own), 0
    while fits and k < count:
        argument, kind, dtype = item(arguments, k), item(own, 2 * k + FIRST), item(own, 2 * k + FIRST + 1)
        fits = class_of(argument) == kind
        if fits and dtype != kind:
            fits = dtype_of(argument) == dtype
        k += 1
    return bool(fits)


def call_or_long_way(owns: int, arguments: int, keywords: int) -> int:
    """The body of a C function. `owns` is a list of one tuple: the machine code, the long way, `Checks`, what keeps the
    machine code in memory, and two for each argument.

    These are its class and, for an array, its dtype: to Numba's dispatcher, bytes in the other order may be the same.
    The tuple gives way to another one when something outside has changed, which may happen in the midst of a call. The
    long way repeats a call that raises, because it knows what to say of the error.
    """
    own = only_item(owns, 0)
    keep(own)
    checks, result = item(own, 2), 0
    absent = item(checks, 4)
    fits = keywords == 0 and types_fit(own, arguments) and functions_hold(item(checks, 0), absent)
    fits = fits and entries_hold(item(checks, 1), absent) and others_hold(item(checks, 2), item(checks, 3))
    if fits:
        result = call(item(own, 0), arguments, 0)
        fits = result != 0 or is_of_kind(item(checks, 5)) == 0  # an interrupt is not forgotten
        if not fits:
            forget_error()
    if not fits:
        result = call(item(own, 1), arguments, keywords)
    release(own)
    return int(result)


FIRST = 4
"""The number of the first item in the tuple that belongs to an argument."""

Checks = tuple[Any, ...]
"""Functions, entries of dicts, cells, attributes of objects, each with what they must be; ABSENT; and Exception."""


def checks_of(dependencies: Sequence[Dependency]) -> Checks | None:
    """What has to be looked at on each call; None where that takes more than a comparison of identities.

    The function itself may have other defaults: all its arguments are given.
    """
    functions: dict[int, list[Any]] = {}
    entries: list[Any] = []
    cells: list[Any] = []
    objects: list[Any] = []
    for d in dependencies:
        if isinstance(d.value, Array | Scalar | Shape | MethodType):
            return None
        match d.namespace:
            case FunctionType() as function if d.name in OF_FUNCTIONS:
                parts = functions.setdefault(id(function), [function] * 4)
                parts[1 + OF_FUNCTIONS.index(d.name)] = ABSENT if d.value is None else d.value
            case Place(namespace=FunctionType() as function, name="__kwdefaults__"):
                entries += [function.__kwdefaults__, d.name, d.value]
            case CellType():
                cells += [d.namespace, d.value]
            case Place():
                return None
            case _ if type(d.namespace) is dict:
                entries += [d.namespace, d.name, d.value]
            case _ if isinstance(d.name, str) and not isinstance(d.namespace, Mapping):
                objects += [d.namespace, d.name, d.value]
            case _:
                return None
    flat = tuple(part for parts in functions.values() for part in parts)
    return flat, tuple(entries), tuple(cells), tuple(objects), ABSENT, Exception


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
    made = keep_on_disk(CFunc(call_or_long_way, (signature.args, signature.return_type), {}, {}), name, key_of(name))
    made.compile()
    return Definition(b"call", made.address, VARARGS_AND_KEYWORDS, None), made


def entry_is_at_hand() -> bool:
    """Whether this process has `compiled_call` already."""
    return compiled_call.cache_info().currsize > 0


def builtin(definition: Definition, own: list[Any]) -> Any:
    """A built-in function that runs `call_or_long_way` with this list, as long as somebody keeps the definition."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(definition), own, None)


class Entrance(Dispatcher):
    """A callable that runs its Python `__call__`, the long way, until `open` gives it machine code.

    Its class is another one then, whose `__call__` is Numba's. Numba's part of the object is unused before.
    """

    _entries: dict[tuple[Any, ...], list[Any]]
    _builtins: list[tuple[Any, Any]]
    _long_way: Callable[..., Any]

    def open(self, compiled: Compiled, arguments: Sequence[Any], results: Sequence[Type], checks: Checks) -> None:
        """Run machine code for arguments of these classes and Numba types, if it returns what the user should get.

        results: the types of what the user should get, in the order of the returned structure. checks: what has to be
        as it is on each call.
        """
        code = compiled.overload(arguments)
        given = code.signature.args
        if not all(starmap(is_boxed_as, zip_longest(types_in(code.signature.return_type), results))):
            return
        in_c = compiled_call()  # threads may compile it at once
        with MAKING:
            if not isinstance(self.__call__, MethodWrapperType):
                Dispatcher.__init__(self, default_type_manager.get_pointer(), len(given), *DISPATCHING)
                self._entries, self._builtins, self._long_way = {}, [], self.__call__
                self.__code__ = compiled.dispatcher.py_func.__code__  # what a profiler is shown
                kind: Any = type(self)
                self.__class__ = opened(kind)
            kinds = [kind for a in arguments for kind in (type(a), a.dtype if type(a) is np.ndarray else type(a))]
            own = (code.entry_point, self._long_way, checks, code, *kinds)
            if given in self._entries:
                self._entries[given][0] = own
                return
            self._entries[given] = [own]
            # Numba borrows it, and another thread may be running it: it is kept as long as the callable.
            made = builtin(in_c[0], self._entries[given])
            self._builtins.append((made, in_c))
            self._insert([type_._code for type_ in given], made)  # type: ignore[attr-defined]

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
