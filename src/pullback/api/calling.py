"""Calls of generated functions: from the user's arguments to results of the right types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.api.making import SplitPair
from pullback.api.specialise import Engine, check_overlap, check_own_overlap
from pullback.compilation.as_python import computing_as_numpy
from pullback.compilation.explained import explained
from pullback.compilation.functions import Compiled
from pullback.compilation.layout import memory_of, ready
from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.passed import captured_value, give_back
from pullback.frontend.values.arguments import Form, Known, Leaf, Sequence_
from pullback.ir import primitives
from pullback.ir.nodes import Effect
from pullback.ir.types import Array, Scalar, Type, is_complex, is_real_float
from pullback.runtime.refusals import ResultNotFinite, SizesDiffer

_PYTHON: dict[str, type] = {"float64": float, "complex128": complex}


def strong(value: Any, type_: Type) -> Any:
    """A result in its own type; Numba hands out Python numbers."""
    if isinstance(type_, Array):
        return value if isinstance(value, np.ndarray) else np.array(value, type_.dtype)
    if type_.dtype in _PYTHON:
        return _PYTHON[type_.dtype](value)
    return value if type_.weak else np.dtype(type_.dtype).type(value)


def converted(name: str, type_: Type) -> str:
    """The expression for a result of compiled code in its own type; see `strong`."""
    if isinstance(type_, Array):
        return name if type_.ndim else f"np.asarray({name}, np.{type_.dtype})"
    return name if type_.weak or type_.dtype in _PYTHON else f"np.{type_.dtype}({name})"


def describe_form(form: Form) -> str:
    """A result in words."""
    match form:
        case Leaf(type=Array() as type_):
            return f"an array of {type_.dtype} with {type_.ndim} dimensions"
        case Leaf(type=type_):
            return f"a number of dtype {type_.dtype}"
        case Known(value=None):
            return "None"
        case Known():
            return f"a {type(form.value).__name__}"
        case Sequence_():
            return f"a {form.kind.__name__} of {len(form.items)}"
    return "a dict"


def call_forward(
    pair: SplitPair, built: Built, leaves: list[Any], captured: list[Any] | None = None
) -> tuple[SplitPair, tuple[Any, ...]]:
    """The pair that serves these arguments, and the results and residuals of its forward function."""
    captured = [*map(captured_value, built.captures)] if captured is None else captured
    pair = pair.within_limit((*leaves, *captured))
    try:
        return pair, with_kept_types(pair, call_entry(pair.forward, built, leaves, captured=captured))
    except SizesDiffer:
        pair = pair.general().within_limit((*leaves, *captured))
    except ResultNotFinite:
        copies = tuple(
            leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in map(ready, (*leaves, *captured))
        )
        traced = pair.traced().within_limit(copies)
        try:
            traced.call(*copies)
        except Exception as error:
            raise explained(traced, error, copies) from None
        pair = pair.plain()
    return call_forward(pair, built, leaves, captured)


def with_kept_types(pair: SplitPair, results: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results and residuals, with residuals that are narrow numbers in their own types.

    Numba hands out Python's float for one of 32 bits, and the backward function would compute with 64.
    """
    kept = pair.backward.function.parameters[: len(pair.pair.residuals)]
    narrow = {k: p.type for k, p in enumerate(kept, len(results) - len(kept)) if is_narrow(p.type)}
    if not narrow:
        return results
    return tuple(strong(value, narrow[k]) if k in narrow else value for k, value in enumerate(results))


def is_narrow(type_: Type) -> bool:
    """Whether this is the type of numbers that Python has no type for."""
    return isinstance(type_, Scalar) and not type_.weak and type_.dtype not in ("float64", "int64", "bool")


def call_entry(
    compiled: Compiled,
    built: Built,
    leaves: list[Any],
    outs: Sequence[Any] = (),
    captured: list[Any] | None = None,
) -> tuple[Any, ...]:
    """The results of a generated function; arguments that it changes are changed as a plain call would.

    outs: arrays that some of the results are written into. captured: what is passed for what stands outside, if it is
    not what stands there now.
    """
    given = [*leaves, *([*map(captured_value, built.captures)] if captured is None else captured)]
    prepared = [ready(leaf) for leaf in given]
    if wide := compiled.too_wide(prepared):
        raise wide
    memory = [memory_of(out) for out in outs]
    compiled = compiled.within_limit((*prepared, *memory))
    mutated = compiled.mutated
    locked = [k for k in mutated if not given[k].flags.writeable]
    check_written(compiled, built, given, locked if outs else [k for k in locked if writes_at_end(compiled, k)])
    try:
        if locked:
            with compiled.restoring(prepared):
                return compiled.results_of(call_locked(compiled, prepared, locked))
        result = compiled.call(*prepared, *memory)
    except Exception as error:
        result = compiled.recover(error, (*prepared, *memory))
    finally:
        for k in mutated:
            if prepared[k] is not given[k] and k not in locked:
                given[k][...] = prepared[k]
            if k >= len(leaves):
                give_back(built.captures[k - len(leaves)], given[k])
    for out, made in zip(outs, memory, strict=True):
        if not np.may_share_memory(out, made):
            out[...] = made
    return compiled.results_of(result)


def check_written(compiled: Compiled, built: Built, given: Sequence[Any], locked: Sequence[int]) -> None:
    """ValueError where what a function writes to may not be written, or not without another thing changing with it."""
    names = [*built.places, *(p.name for p in compiled.function.parameters[len(built.places) : len(given)])]
    if compiled.mutated:
        check_overlap([*given], compiled.mutated, names)
    for k in locked:
        raise ValueError(f"the argument '{names[k]}' is written and is read-only")
    for k in compiled.mutated:
        check_own_overlap(given[k], names[k])


def writes_at_end(compiled: Compiled, k: int) -> bool:
    """Whether a function that runs as Python computes in other memory what it changes in an argument."""
    function = compiled.replayed.function
    effects = (s for s in function.body.statements if isinstance(s, Effect))
    return any(e.function is primitives.write_back and e.operands[0] is function.parameters[k] for e in effects)


def call_locked(compiled: Compiled, prepared: Sequence[Any], locked: Sequence[int]) -> Any:
    """What a function returns for arguments of which some are read-only: Python's text, in which NumPy tells a write.

    Machine code writes where it likes. Where a write is not reached, none is told.
    """
    arrays = [*prepared]
    for k in locked:
        arrays[k] = arrays[k].view()
        arrays[k].flags.writeable = False
    return computing_as_numpy(compiled.interpreted)(*arrays)


def check_is_number(engine: Engine, form: Form) -> None:
    """TypingError where a function returns something else than a float number."""
    type_ = form.type if isinstance(form, Leaf) else None
    if type_ is not None and is_real_float(type_) and getattr(type_, "ndim", 0) == 0:
        return
    source = engine.source
    if type_ is not None and is_complex(type_):
        raise TypingError(
            f"'{source.name}' returns complex numbers, of which none is the least",
            source.location(source.tree),
            "return a real number, as np.abs does, or use pb.vjp with a cotangent for the result",
        )
    raise TypingError(
        f"'{source.name}' does not return a float number, but {describe_form(form)}",
        source.location(source.tree),
        "return a number, as np.sum does, or use pb.vjp with a cotangent for the result",
    )
