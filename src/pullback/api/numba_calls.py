"""What is compiled for a call of one of our callables, by the Numba types of its arguments."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.np.numpy_support import as_dtype

from pullback.api.making import Code
from pullback.api.prepared_gradient import check_result
from pullback.api.specialise import wrt_leaves
from pullback.compilation.functions import Compiled
from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.externals import External
from pullback.frontend.source.star_parameters import names_for
from pullback.frontend.values.arguments import Form, Leaf
from pullback.ir.types import BOOL, FLOAT, INT, Array, Scalar


def key_for(callable_: Any, arguments: tuple[Any, ...]) -> str | None:
    """A hash of what a call computes and returns, the same in every process; None if only this one can know it."""
    compiled, traced = compiled_for(callable_, arguments), traced_for(callable_, arguments)
    key = None if compiled.calls_outside else compiled.key
    several = callable_.asked is not None and callable_.asked.several
    others = [form.key for form in (general_of(compiled), traced) if form is not None]
    return key and " ".join(map(str, (key, several, *others)))


def code_for(callable_: Any, arguments: tuple[Any, ...]) -> tuple[dict[str, Form], Built, Code]:
    """The forms of arguments of these Numba types, the normal form for them, and what is made of it."""
    engine = callable_.engine
    names = names_for(engine.signature, len(arguments))
    if len(arguments) != len(names):
        raise TypingError(f"'{engine.source.name}' takes {len(names)} arguments in compiled code, defaults included")
    forms: dict[str, Form] = {name: Leaf(type_of_numba(t)) for name, t in zip(names, arguments, strict=True)}
    built: Built = engine.build(forms, numbers=False)
    externals = tuple(c.namespace for c in built.captures if isinstance(c.namespace, External))
    if len(externals) < len(built.captures):
        raise TypingError(f"'{engine.source.name}' uses an array from outside: pass it as an argument in compiled code")
    callable_.__dict__.setdefault("_pullback_externals", set()).update(externals)  # as long as the code may be called
    return forms, built, built.code.calling(tuple(external.number for external in externals))


def compiled_for(callable_: Any, arguments: tuple[Any, ...]) -> Compiled:
    """What is compiled for a call with arguments of these Numba types."""
    forms, built, code = code_for(callable_, arguments)
    engine, asked = callable_.engine, callable_.asked
    if asked is None:
        return served(code.derivative("primal", (), looks=False, constant_sizes=False))
    if asked.has_aux:
        raise TypingError("has_aux cannot be used in compiled code")
    numbers, _ = wrt_leaves(engine, forms, asked.argnums)
    check_result(engine, built, asked.has_aux)
    kind = "value_and_grad" if asked.with_value or engine.options.nan else "grad"
    return served(code.derivative(kind, numbers, looks=False, constant_sizes=False))


def served(compiled: Compiled) -> Compiled:
    """What serves a call in place of this: the form that looks at all values, where it raises ResultNotFinite."""
    form = compiled.in_njit
    return form.traced().in_njit if form.looks and form.traced is not None else form


def general_of(compiled: Compiled) -> Compiled | None:
    """What serves the calls that do not fulfil a form's condition; None where there is none."""
    return None if compiled.condition is None else compiled.general().in_njit


def traced_for(callable_: Any, arguments: tuple[Any, ...]) -> Compiled | None:
    """The form of what is compiled for a call that looks at all values; None where results may be as they are."""
    if callable_.engine.options.nan is None:
        return None
    compiled = compiled_for(callable_, arguments)
    return None if compiled.traced is None else compiled.traced().in_njit


def type_of_numba(type_: Any) -> Scalar | Array:
    """Our type for one of Numba's. Raises TypingError for what is neither a number nor an array of numbers."""
    type_ = types.unliteral(type_)
    if isinstance(type_, types.Array):
        return Array(as_dtype(type_.dtype).name, type_.ndim)
    plain = {types.float64: FLOAT, types.int64: INT, types.boolean: BOOL}
    if type_ in plain:
        return plain[type_]
    if isinstance(type_, types.Number):
        return Scalar(as_dtype(type_).name)
    raise TypingError(f"an argument of type {type_} cannot be passed from compiled code")
