"""Calls without a line of Python: Numba's dispatcher finds machine code by the types of the arguments, in C.

caller → Dispatcher: dtypes, ranks and layouts → `c_entry`: classes, no keywords → machine code
             ↓ nothing fits                          ↓ another call, or an error
          the long way, a method in Python        the long way
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap, zip_longest
from types import CellType, FunctionType, MethodType, MethodWrapperType
from typing import Any

import numpy as np
from numba import types
from numba._dispatcher import Dispatcher
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.typeof import Purpose, typeof
from numba.np.numpy_support import as_dtype

from pullback.compilation.gates import Gate
from pullback.compilation.turns import MAKING, importing
from pullback.frontend.source.outside import ABSENT, OF_FUNCTIONS, Dependency, Place, Shape
from pullback.ir.types import BOOL, INT, Array, Scalar, Type

MOST_ARGUMENTS = 20
"""Numba's dispatcher looks at as many types as were inserted, and has room for 24 where fewer arguments are given."""

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


DISPATCHING = (False, (), (), True, False, True)
"""Arguments stay as they are given, without names and defaults; unknown types fit nothing; no star; no conversions."""


@functools.cache
def c_entry() -> Any:
    """The C function, compiled or found on disk at the first use in a process."""
    with importing():
        from pullback.compilation.c_entry import compiled_call

    return compiled_call()


def entry_is_at_hand() -> bool:
    """Whether this process has `c_entry` already."""
    return c_entry.cache_info().currsize > 0


class Entrance(Dispatcher):
    """A callable that runs its Python `__call__`, the long way, until `open` gives it machine code.

    Its class is another one then, whose `__call__` is Numba's. Numba's part of the object is unused before.
    """

    _entries: dict[tuple[Any, ...], list[Any]]
    _builtins: list[tuple[Any, Any]]
    _long_way: Callable[..., Any]

    def open(self, gate: Gate, arguments: Sequence[Any], results: Sequence[Type], checks: Checks) -> None:
        """Run the machine code behind a gate for arguments of these classes and its Numba types.

        Not if it returns something else than the user should get. results: the types of that, in the order of the
        returned structure. checks: what has to be as it is on each call.
        """
        from pullback.compilation.c_entry import builtin

        (code,) = gate.overloads.values()
        given = code.signature.args
        if not all(starmap(is_boxed_as, zip_longest(types_in(code.signature.return_type), results))):
            return
        in_c = c_entry()  # threads may compile it at once
        with MAKING:
            if not isinstance(self.__call__, MethodWrapperType):
                Dispatcher.__init__(self, default_type_manager.get_pointer(), len(given), *DISPATCHING)
                self._entries, self._builtins, self._long_way = {}, [], self.__call__
                self.__code__ = gate.py_func.__code__  # what a profiler is shown
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
