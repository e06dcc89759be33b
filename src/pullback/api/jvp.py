"""`jvp`: a function, its arguments and tangents of these become its value and the tangent of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from pullback.api.calling import call_entry, describe_form, strong
from pullback.api.derivations import makes
from pullback.api.differentiable import check_nan, engine_of
from pullback.api.seeds import seeds_of
from pullback.api.specialise import Engine, build_for, names_of, starts_of
from pullback.compilation.progress import started
from pullback.errors import TypingError
from pullback.frontend.values.arguments import Form, Known, leaf_types, leaves_in, leaves_of, rebuild
from pullback.ir.types import is_float


@makes("jvp")
def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
    nan: Literal["raise"] | None = None,
) -> Any:
    """The value of a function and its derivative along a direction: `(value, tangent)`, in one forward sweep.

    primals: the arguments, in a tuple. tangents: as many, each with the structure and shapes of its argument, and any
    real dtype; a number serves for all elements of an array, and None stands for an argument that does not change.
    Leaves that are no floats have no tangent, whatever is given for them. With `has_aux` the function returns
    `(value, aux)`, and the result is `(value, tangent, aux)`. nan: 'raise' where a value or tangent that is not finite
    is an error, `NotFinite`, which names the first number that is not.

    The tangent has the structure, shapes and dtypes of the value, in fresh memory; None for leaves that are no floats.
    The function may return anything that `vjp` takes, and writes into its arguments are seen as after a plain call.

    Raises TypingError (a TypeError) for tangents of another structure, ShapeError (a ValueError) for other shapes,
    LanguageError (a SyntaxError) where the source cannot be differentiated.

    >>> import numpy as np, pullback as pb
    >>> def curve(t):
    ...     return np.array([np.cos(t), np.sin(t)])
    >>> pb.jvp(curve, (0.0,), (2.0,))
    (array([1., 0.]), array([-0.,  2.]))
    """
    check_nan(nan)
    engine = engine_of(function).with_nan(nan)
    if not (isinstance(primals, tuple | list) and isinstance(tangents, tuple | list)):
        raise TypingError("the arguments stand in a tuple, and the tangents in another", None, "write (x,) for one")
    if len(primals) != len(tangents):
        raise TypingError(f"there are {len(primals)} arguments and {len(tangents)} tangents")
    with started():
        bound = engine.bind(tuple(primals), {})
        forms, built = build_for(engine, bound)
        given = dict(zip(names_of(engine, forms), tangents, strict=False))
        numbers, dots = seeded(engine, bound, forms, given)
        made = built.code.pushforward(len(built.captures), numbers).derivative("primal", ())
        results = call_entry(made, built, [*leaves_in(bound, forms), *dots])
    types = leaf_types(built.result)
    tangents_of_floats = iter(results[len(types) :])
    values = [strong(value, type_) for value, type_ in zip(results, types, strict=False)]
    pushed = [strong(next(tangents_of_floats), type_) if is_float(type_) else None for type_ in types]
    value, tangent = rebuild(built.result, iter(values)), rebuild(built.result, iter(pushed), lambda known: None)
    if not has_aux:
        return value, tangent
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypingError(f"with has_aux the function returns (value, aux), not {describe_form(built.result)}")
    return value[0], tangent[0], value[1]


def seeded(
    engine: Engine, bound: dict[str, Any], forms: dict[str, Form], tangents: dict[str, Any]
) -> tuple[tuple[int, ...], list[Any]]:
    """The numbers of the float parameters that have tangents, and these.

    Raises TypingError for the tangent of a float that is known beforehand, as the code itself depends on it.
    """
    numbers: list[int] = []
    seeds: list[Any] = []
    starts = starts_of(forms)
    for name, tangent in tangents.items():
        form = forms[name]
        if tangent is None:
            continue
        if isinstance(form, Known) and isinstance(form.value, float | np.floating):
            reason = f"the value of '{name}' decides what is compiled for '{engine.name}'"
            place = engine.source.location(engine.source.tree)
            raise TypingError(f"{reason}: it has no tangent", place, "give None for it")
        numbers += [starts[name] + k for k, type_ in enumerate(leaf_types(form)) if is_float(type_)]
        seeds += seeds_of(tangent, form, leaves_of(bound[name], form), "tangent", f"argument '{name}'")
    return tuple(numbers), seeds
