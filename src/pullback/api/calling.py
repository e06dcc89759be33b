"""Calls of generated functions: from the user's arguments to results of the right types, and the short way there."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.api.specialise import Engine, check_overlap, ready
from pullback.compile.functions import Compiled
from pullback.frontend.arguments import Form, Leaf, leaf_types, leaves_of, rebuild
from pullback.frontend.build import Built
from pullback.frontend.captured import look_up_again
from pullback.ir.types import Array, Type

Kinds = tuple[Any, ...]
_SIMPLE = (float, int, bool, np.float64, np.float32, np.int64, np.bool_)


def kinds_of(arguments: tuple[Any, ...]) -> Kinds:
    """What of the arguments decides which compiled function serves them."""
    return tuple([(a.dtype, a.ndim) if type(a) is np.ndarray else type(a) for a in arguments])


def is_simple(argument: Any) -> bool:
    """Whether an argument is handed on as it is, if its memory is in order."""
    if type(argument) is np.ndarray:
        return bool(argument.dtype.isnative)
    return type(argument) in _SIMPLE


def is_plain(type_: Type) -> bool:
    """Whether what compiled code returns is what Python should get."""
    return isinstance(type_, Array) or type_.dtype == "float64"


def strong(value: Any, type_: Type) -> Any:
    """A result in its own type; Numba hands out Python numbers."""
    if isinstance(type_, Array):
        return value if isinstance(value, np.ndarray) else np.array(value, type_.dtype)
    if type_.dtype == "float64":
        return float(value)
    return value if type_.weak else np.dtype(type_.dtype).type(value)


def call_entry(compiled: Compiled, built: Built, leaves: list[Any]) -> tuple[Any, ...]:
    """The results of a generated function; arguments that it changes are changed as a plain call would."""
    given = [*leaves, *(look_up_again(capture.namespace, capture.name) for capture in built.captures)]
    prepared = [ready(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in given]
    mutated = compiled.function.mutated
    if mutated:
        check_overlap(given, mutated, [parameter.name for parameter in compiled.function.parameters])
        for k in mutated:
            if not given[k].flags.writeable:
                raise ValueError(f"the argument '{compiled.function.parameters[k].name}' is written and is read-only")
    try:
        result = compiled.entry(*prepared)
    except Exception as error:
        result = compiled.recover(error, tuple(prepared))
    for k in mutated:
        if prepared[k] is not given[k]:
            given[k][...] = prepared[k]
    count = len(compiled.function.results)
    if count == 0:
        return ()
    return (result,) if count == 1 else result


def call_primal(engine: Engine, forms: dict[str, Form], built: Built, bound: dict[str, Any]) -> Any:
    """The value of the function itself, by its compiled primal."""
    compiled = engine.derivative(forms, "primal", ())
    leaves = [leaf for name, form in forms.items() for leaf in leaves_of(bound[name], form)]
    results = call_entry(compiled, built, leaves)
    types = leaf_types(built.result)
    return rebuild(built.result, iter([strong(v, t) for v, t in zip(results, types, strict=True)]))


def in_order(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with every array as compiled code takes it."""
    for a in arguments:
        if type(a) is np.ndarray and not a.flags.carray:
            return tuple(map(ready, arguments))
    return arguments


class FastPrimal:
    """A call of the function itself with numbers and arrays, without anything that need not be done each time."""

    def __init__(self, engine: Engine, forms: dict[str, Form], built: Built) -> None:
        self.compiled = engine.derivative(forms, "primal", ())
        self.entry = self.compiled.entry
        self.holds = built.holds

    @staticmethod
    def serves(arguments: tuple[Any, ...], bound: dict[str, Any], forms: dict[str, Form], built: Built) -> bool:
        """Whether such calls need nothing else: all arguments are given, and the result is a plain number or array."""
        given = len(arguments) == len(bound) and all(map(is_simple, arguments))
        plain = all(isinstance(form, Leaf) for form in forms.values()) and not built.captures
        result = isinstance(built.result, Leaf) and is_plain(built.result.type)
        return given and plain and result and not built.function.mutated

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        try:
            return self.entry(*in_order(arguments))
        except Exception as error:
            return self.compiled.recover(error, arguments)
