"""Whole arrays stored into parts of others. Numba's own assignment takes seconds to compile, for its error message."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from pullback.runtime.compiled import is_array
from pullback.runtime.lending import lend
from pullback.runtime.memory import flat_to


def copy_into(out: Any, value: Any) -> None:
    """out[...] = value, also where they share memory. Raises ValueError if `value` cannot be broadcast."""
    out[...] = value


def none_for_arrays(out: Any, value: Any) -> Any:
    return types.none if is_array(out) and is_array(value) and value.ndim <= out.ndim else None


def copy_for(out: Any, value: Any) -> Any:
    if out.dtype != value.dtype or out.layout != "C":
        return copy_elements
    return copy_bytes if value.layout == "C" and value.ndim == out.ndim else copy_collected


lend(copy_into, none_for_arrays, copy_for, 2)


def copy_elements(out: Any, value: Any) -> None:
    out[...] = value


def copy_bytes(out: Any, value: Any) -> None:
    if out.shape == value.shape:
        move(out, value)
    else:
        move(out, flat_to(value, out.shape))


def copy_collected(out: Any, value: Any) -> None:
    move(out, flat_to(value, out.shape))


@intrinsic
def move(context: Any, out: Any, value: Any) -> Any:
    """Copies the memory of an array into that of another; both are C-contiguous and equally large."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, source = (make_array(t)(context, builder, a) for t, a in zip(signature.args, arguments, strict=True))
        cgutils.raw_memmove(builder, target.data, source.data, target.nitems, target.itemsize)
        return context.get_dummy_value()

    return types.none(out, value), build
