"""Types of arguments, as Numba writes them, become our types, and small arguments of these types."""

from __future__ import annotations

from typing import Any

import numba
from numba.core import sigutils
from numba.core.errors import NumbaError

from pullback.api.numba_calls import type_of_numba
from pullback.api.specialise import Engine
from pullback.compilation.progress import started
from pullback.compilation.turns import collected_later
from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.frontend.values.arguments import Form, Leaf, leaf_types
from pullback.frontend.values.context import StaticNeeded
from pullback.ir.types import Scalar, Type, is_float, is_real_float, sample_of


def types_of(signature: Any) -> tuple[Type, ...]:
    """The types of arguments in a signature: a text, a tuple of Numba's types, or a signature of Numba's.

    Raises TypingError where it is no signature, or names types that cannot be passed.

    >>> [str(type_) for type_ in types_of("float64[:], float64, int64[:, :]")]
    ['float64[:]', 'float64*', 'int64[:, :]']
    """
    text = f"({signature},)" if isinstance(signature, str) and not signature.strip().endswith(")") else signature
    try:
        arguments, _ = sigutils.normalize_signature(text)
    except (NumbaError, SyntaxError, NameError, TypeError, AttributeError, ValueError) as error:
        remedy = "write types as Numba does, as in 'float64[:], float64'"
        raise TypingError(f"{signature!r} is no signature: {error}", None, remedy) from None
    return tuple(map(type_of_numba, arguments))


def forms_for(engine: Engine, signature: Any) -> dict[str, Form]:
    """The Forms of arguments of the types in a signature.

    Raises TypingError where there are not as many as parameters.
    """
    types, parameters = types_of(signature), [*engine.signature.parameters]
    if len(types) != len(parameters):
        raise TypingError(
            f"the signature {signature!r} has {len(types)} types, and '{engine.name}' has {len(parameters)} parameters",
            engine.source.location(engine.source.tree),
            f"give one for each of {', '.join(parameters)}, those with defaults included"
            if parameters
            else "give none",
        )
    return {name: Leaf(type_) for name, type_ in zip(parameters, types, strict=True)}


def built_for(engine: Engine, forms: dict[str, Form]) -> Built:
    """The normal form for arguments of these types alone.

    Raises TypingError where a number must be known before.
    """
    try:
        return engine.build(forms)
    except StaticNeeded as needed:
        raise TypingError(
            f"the value of '{needed.value.name}' decides what is compiled for '{engine.name}'",
            engine.source.location(engine.source.tree),
            "give arguments in place of a signature",
        ) from None


def compile_signature(engine: Engine, signature: Any) -> None:
    """Compile a function for arguments of these types, and `grad` of it where that can be."""
    forms = forms_for(engine, signature)
    with started(), collected_later():
        built = built_for(engine, forms)
        samples = [sample_of(parameter.type) for parameter in built.function.parameters]
        codes = [built.code.derivative("primal", ())]
        first = next((leaf_types(form) for form in forms.values()), [])
        result = built.result.type if isinstance(built.result, Leaf) else None
        if isinstance(result, Scalar) and is_real_float(result) and any(map(is_float, first)):
            codes.append(built.code.derivative("grad", (0,)))
        for code in codes:
            if engine.options.jit and not numba.config.DISABLE_JIT:
                code.overload(samples)
