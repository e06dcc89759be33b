"""Arrays of the caller's that gradients are written into: taken apart like the gradients, and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pullback.api.specialise import may_overlap
from pullback.errors import AliasError, ShapeError, TypingError
from pullback.frontend.values.arguments import Form, Known, Leaf, Mapping_, items_of, leaf_count
from pullback.ir.nodes import Value
from pullback.ir.types import Array


def outs_of(out: Any, wanted: Sequence[Form], several: bool) -> list[Any]:
    """One array, or None, for each leaf of the gradient. Raises TypingError for another structure.

    None stands for a whole part as well.
    """
    if several and not (isinstance(out, tuple) and len(out) == len(wanted)):
        raise TypingError(
            f"out must be a tuple of {len(wanted)}, one for each of argnums", None, "put None for a new one"
        )
    parts = out if several else (out,)
    return [leaf for part, form in zip(parts, wanted, strict=True) for leaf in _leaves(part, form)]


def _leaves(out: Any, form: Form) -> Iterator[Any]:
    if out is None:
        yield from [None] * leaf_count(form)
        return
    match form:
        case Leaf():
            yield out
        case Known():
            raise TypingError("out has a part that is no number or array in the gradient", None, "put None there")
        case Mapping_():
            if not isinstance(out, dict) or set(out) != set(form.keys):
                raise TypingError(f"out must have the keys of its argument, {', '.join(map(repr, form.keys))}")
            for key, item in zip(form.keys, form.items, strict=True):
                yield from _leaves(out[key], item)
        case _:
            if type(out) is not form.kind or len(items_of(out, form)) != len(form.items):
                raise TypingError(f"out must be a {form.kind.__name__} of {len(form.items)}, as its argument is")
            for part, item in zip(items_of(out, form), form.items, strict=True):
                yield from _leaves(part, item)


def check_out(out: Any, source: Value, leaf: Any) -> None:
    """TypingError or ShapeError unless `out` can take the gradient with respect to an argument."""
    what = f"out for '{source.name}'"
    if not isinstance(source.type, Array):
        raise TypingError(f"{what} must be None, because the gradient is a number")
    kind = f"an array of {source.type.dtype} with shape {leaf.shape}"
    if not isinstance(out, np.ndarray):
        raise TypingError(f"{what} must be {kind}, not a {type(out).__name__}")
    if out.dtype.name != source.type.dtype:
        raise TypingError(f"{what} must be {kind}, not of {out.dtype.name}")
    if out.shape != leaf.shape:
        raise ShapeError(f"{what} must be {kind}, not with shape {out.shape}")
    if not out.flags.writeable:
        raise TypingError(f"{what} is read-only")


def check_apart(outs: Sequence[tuple[np.ndarray, str]], others: Sequence[tuple[Any, str]]) -> None:
    """AliasError where an array for a gradient shares memory with an argument, or with another such array."""
    for k, (out, name) in enumerate(outs):
        for other, other_name in others:
            if isinstance(other, np.ndarray) and may_overlap(out, other):
                raise AliasError(f"out for '{name}' shares memory with '{other_name}'", None, "pass other memory")
        for other, other_name in outs[:k]:
            if may_overlap(out, other):
                raise AliasError(f"out for '{name}' shares memory with out for '{other_name}'")
