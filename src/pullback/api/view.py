"""Reading what was generated: `source` and `inspect_source`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pullback.api.calling import check_is_number
from pullback.api.calls import Argnums
from pullback.api.derivative import Derivative
from pullback.api.derivatives import GradientFunction
from pullback.api.differentiable import check_nan, engine_of
from pullback.api.readable import readable
from pullback.api.specialise import Engine, build_for, wrt_leaves
from pullback.compilation.functions import Compiled
from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.passed import captured_value
from pullback.frontend.values.arguments import Form, Leaf, leaf_types, leaves_in
from pullback.ir.types import Scalar, is_float, is_real_float

Mode = Literal["reverse", "forward"]


def source(
    function: Callable[..., Any],
    *arguments: Any,
    argnums: Argnums | None = None,
    mode: Mode = "reverse",
    nan: Literal["raise"] | None = None,
    **keywords: Any,
) -> str:
    """The forward and the backward function that are generated for these arguments, as text.

    With `mode="forward"` it is the one function that `jvp` runs, of the arguments and tangents of `argnums`. Of what
    `grad`, `jacobian` and their like return, it is the one function that a call runs, unless `argnums` are given.

    function, arguments, keywords: as in the call. argnums: which arguments to differentiate (default: all that are made
    of floats). With none, as in `argnums=()`, the text of the function as it runs by itself, the gradients of its own
    tapes included. nan: 'raise' for the one function that looks at all its numbers, with both sweeps where the value is
    a number; see `grad`. Raises what the call raises before it runs: TypingError, LanguageError.

    >>> import pullback as pb
    >>> def area(r):
    ...     return 3.0 * r * r
    >>> print(pb.source(area, 2.0).splitlines()[3])
    def area_forward(r):
    >>> print(pb.source(area, 2.0, mode="forward").splitlines()[3])
    def area_jvp(r, r_dot):
    """
    _check_mode(function, mode)
    if isinstance(function, GradientFunction):
        return _text_of_gradient(function, arguments, argnums, keywords, readable=True)
    check_nan(nan)
    engine = engine_of(function).with_nan(nan)
    bound = engine.bind(arguments, keywords)
    forms, built = build_for(engine, bound)
    chosen = _chosen(function, engine, bound, argnums)
    numbers, _ = wrt_leaves(engine, forms, chosen)
    if nan is not None:
        return readable(_traced(built, numbers, mode))
    if not numbers:
        return readable(built.code.derivative("primal", (), arrays=True))
    if mode == "forward":
        return readable(built.code.pushforward(len(built.captures), numbers).derivative("primal", (), arrays=True))
    pair = built.code.derivative("split", numbers, arrays=True)
    pair = pair if pair.forward.serves(given_leaves(bound, forms, built)) else pair.general()
    return readable(pair.forward, pair.backward)


def _traced(built: Built, numbers: tuple[int, ...], mode: Mode) -> Compiled:
    """The function that looks at all its numbers."""
    result = built.result
    is_number = isinstance(result, Leaf) and isinstance(result.type, Scalar) and is_real_float(result.type)
    if mode == "forward" and numbers:
        made = built.code.pushforward(len(built.captures), numbers).derivative("primal", ())
    else:
        made = built.code.derivative("value_and_grad" if numbers and is_number else "primal", numbers)
    traced: Compiled = made.traced()
    return traced


def inspect_source(
    function: Callable[..., Any],
    *arguments: Any,
    argnums: Argnums | None = None,
    mode: Mode = "reverse",
    **keywords: Any,
) -> str:
    """The text that Numba compiles for `value_and_grad`: both sweeps in one function; for `argnums=()` that of a call.

    function, arguments, keywords, argnums and errors: as for `source`. A look at the memory that a call will take, with
    which it begins where loops keep values, is left out. With `mode="forward"` it is the text for `jvp`.

    >>> import pullback as pb
    >>> def area(r):
    ...     return 3.0 * r * r
    >>> print(pb.inspect_source(area, 2.0).splitlines()[0])
    import numpy as np
    """
    _check_mode(function, mode)
    if isinstance(function, GradientFunction):
        return _text_of_gradient(function, arguments, argnums, keywords, readable=False)
    engine = engine_of(function)
    bound = engine.bind(arguments, keywords)
    forms, built = build_for(engine, bound)
    chosen = _chosen(function, engine, bound, argnums)
    numbers, _ = wrt_leaves(engine, forms, chosen)
    if mode == "forward" and numbers:
        made = built.code.pushforward(len(built.captures), numbers).derivative("primal", ())
    elif numbers:
        first, *_ = (*leaf_types(built.result), None)
        if isinstance(built.result, Leaf) or not (isinstance(first, Scalar) and is_real_float(first)):
            check_is_number(engine, built.result)
        made = built.code.derivative("value_and_grad", numbers)
    else:
        made = built.code.derivative("primal", ())
    text: str = made.machine_text
    return text.rstrip()


def _chosen(function: Callable[..., Any], engine: Engine, bound: dict[str, Any], argnums: Argnums | None) -> Argnums:
    """The arguments to differentiate: none of a derivative, if nothing is said."""
    if argnums is not None:
        return argnums
    return () if isinstance(function, Derivative) else float_arguments(engine, bound)


def _check_mode(function: Callable[..., Any], mode: Mode) -> None:
    """Raises ValueError for a mode that does not exist, TypingError for one that a gradient does not have."""
    if mode not in ("reverse", "forward"):
        raise ValueError(f"mode={mode!r}: it is 'reverse' or 'forward'")
    if mode == "forward" and isinstance(function, GradientFunction):
        raise TypingError(f"'{function.__name__}' is a gradient already", None, "give the function itself")


def _text_of_gradient(
    function: GradientFunction[..., Any],
    arguments: tuple[Any, ...],
    argnums: Argnums | None,
    keywords: dict[str, Any],
    readable: bool,
) -> str:
    """The one function that `grad` or `value_and_grad` runs, to read or as Numba compiles it."""
    engine = function.engine
    bound = engine.bind(arguments, keywords)
    forms, built = build_for(engine, bound)
    numbers, _ = wrt_leaves(engine, forms, function.argnums if argnums is None else argnums)
    kind = "value_and_grad" if function.with_value or function.has_aux else "grad"
    made = built.code.derivative(kind, numbers, arrays=readable)
    if readable and not made.serves(given_leaves(bound, forms, built)):
        made = made.general()
    text: str = made.text if readable else made.machine_text
    return text.rstrip()


def given_leaves(bound: dict[str, Any], forms: dict[str, Form], built: Built) -> tuple[Any, ...]:
    """The leaves of the arguments, and what the function takes from outside."""
    leaves = leaves_in(bound, forms)
    return (*leaves, *map(captured_value, built.captures))


def float_arguments(engine: Engine, bound: dict[str, Any]) -> tuple[str, ...]:
    """The names of the arguments that are made of floats alone."""
    forms, _ = build_for(engine, bound)
    return tuple(name for name, form in forms.items() if leaf_types(form) and all(map(is_float, leaf_types(form))))
