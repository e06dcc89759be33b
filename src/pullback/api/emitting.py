"""`emit`: derivatives as a module that needs NumPy and Numba alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pullback.api.calls import Argnums
from pullback.api.derivatives import GradientFunction
from pullback.api.differentiable import Differentiable, engine_of, wrapped_in
from pullback.api.emitted_wrappers import Emitted, parameters_of, wrappers_of
from pullback.api.signatures import built_for, forms_for
from pullback.api.specialise import Engine, build_for, wrt_leaves
from pullback.api.view import given_leaves
from pullback.compilation.functions import Compiled
from pullback.emission.names import name_classes
from pullback.emission.standalone import standalone_module
from pullback.errors import TypingError
from pullback.frontend.source.star_parameters import takes_star
from pullback.frontend.values.arguments import Leaf, leaf_types
from pullback.ir.types import is_float, is_real_float


def emit(
    function: Callable[..., Any],
    *arguments: Any,
    argnums: Argnums | None = None,
    signature: Any = None,
    **keywords: Any,
) -> str:
    """The text of a module that differentiates `function`; it needs NumPy and Numba only.

    arguments, keywords: as in the call; only their types count. signature: those types instead, as Numba writes them.
    argnums: which arguments to differentiate (default: all that are made of floats).

    The module's functions are `value_and_grad`, `forward` and `backward`. The first two take the arguments of
    `function`. `value_and_grad` returns the value and the gradient, a tuple for several arguments; it is there if the
    value is a number. `forward` returns the value and residuals, and `backward` takes these and the cotangent of the
    value. They compute what `value_and_grad` and `vjp` do, to the bit, but for the last one where small matrices are
    multiplied in loops: LLVM may fuse other products there. Numbers and small arrays that `function` uses from outside
    stand in the module.

    Raises what `value_and_grad` raises before it runs, and TypingError for what cannot stand in a module: methods,
    objects as arguments, exceptions of their own, arrays of more than 1,000 elements from outside, options under which
    NumPy's own loops run.

    >>> import pullback as pb
    >>> def area(r):
    ...     return 3.0 * r * r
    >>> names = {}
    >>> exec(pb.emit(area, 2.0), names)
    >>> names["value_and_grad"](2.0)
    (12.0, 12.0)
    """
    engine = _engine_for(function)
    if signature is None:
        bound = engine.bind(arguments, keywords)
        forms, built = build_for(engine, bound)
        given = given_leaves(bound, forms, built)
    else:
        forms, given = forms_for(engine, signature), None
        built = built_for(engine, forms)
    if argnums is None:
        argnums = tuple(n for n, form in forms.items() if (types := leaf_types(form)) and all(map(is_float, types)))
    if takes_star(engine.signature):
        taken = "arguments behind '*' or '**', which a function of a module of its own names one by one"
        raise TypingError(f"'{engine.name}' takes {taken}", None, "emit a function that calls it with named arguments")
    numbers, wanted = wrt_leaves(engine, forms, argnums)
    if not numbers:
        raise TypingError(f"'{engine.name}' has no argument to differentiate", None, "pass one that is made of floats")
    chosen = argnums if isinstance(argnums, tuple) else (argnums,)
    names = [n if isinstance(n, str) else [*forms][n] for n in chosen]
    several = len(chosen) > 1
    emitted = Emitted(
        engine.name, engine.signature, forms, built, numbers, tuple(zip(names, wanted, strict=True)), several
    )

    codes = _codes(emitted, given)
    texts = [code.emitted(code.machine_function, divided=False) for code in codes]
    flags = ", ".join(f"{name}={value!r}" for name, value in codes[0].options.numba().items())
    return standalone_module(_head(engine, emitted), wrappers_of(emitted, codes), texts, flags)


def _codes(emitted: Emitted, given: tuple[Any, ...] | None) -> list[Compiled]:
    """What is called, for the sizes of the given arguments: `value_and_grad` only where the value is a number.

    Raises TypingError where an exception is raised that another module would have to import.
    """
    built, numbers = emitted.built, emitted.numbers
    pair = built.code.derivative("split", numbers)
    pair = pair if given is None or pair.forward.serves(given) else pair.general()
    codes: list[Compiled] = [pair.forward, pair.backward]
    if (
        isinstance(built.result, Leaf)
        and is_real_float(built.result.type)
        and not getattr(built.result.type, "ndim", 0)
    ):
        joint = built.code.derivative("value_and_grad", numbers)
        codes.insert(0, joint if given is None or joint.serves(given) else joint.general())
    for kind in (kind for code in codes for kind in name_classes([code.function]).values()):
        if not kind.__module__.startswith("pullback."):
            reason = f"'{emitted.name}' raises {kind.__qualname__}, which stands in no module"
            raise TypingError(reason, None, "raise an exception of Python's")
    return codes


def _engine_for(function: Callable[..., Any]) -> Engine:
    """The engine of a function for one thread. Raises TypingError for what cannot stand in a module."""
    own, options = wrapped_in(function.__wrapped__ if isinstance(function, GradientFunction) else function)
    passes = options.chosen - {"stack_allocation"}  # for which Numba needs helpers
    alone = replace(options, parallel=False, jit=True, nan=None, optimisations=passes)
    engine = engine_of(Differentiable(own, alone))
    if engine.receiver is not None:
        raise TypingError(f"'{engine.name}' is a method, whose object stands in no module", None, "emit a function")
    if options.exact:
        reason = "with math='libm' and fastmath=False, NumPy's own loops run, which stand in no module"
        raise TypingError(reason, None, "leave out one of the two")
    return engine


def _head(engine: Engine, emitted: Emitted) -> str:
    """The text that describes the module."""
    function = engine.source.function
    digest = hashlib.sha256("\n".join(_lines_of(engine)).encode()).hexdigest()[:16]
    wanted = ", ".join(name for name, _ in emitted.wanted)
    lines = [
        f'"""The gradient of `{engine.name}` with respect to {wanted}: value_and_grad, forward and backward.',
        "",
        f"Made by `pullback emit` from {function.__module__}:{function.__qualname__}, for",
        *(f"    {line}" for line in parameters_of(emitted)),
        f"The text of that function has the SHA-256 {digest}...",
        "",
        "It needs NumPy and Numba. Neither edit nor format it: its last line counts lines.",
        '"""',
    ]
    return "\n".join(lines)


def _lines_of(engine: Engine) -> Iterator[str]:
    tree = engine.source.tree
    yield from engine.source.lines[tree.lineno - 1 : tree.end_lineno]
