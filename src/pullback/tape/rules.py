"""The derivatives of what tensors do beyond NumPy's functions: indexing, and changing the dtype.

They are declared as in `pullback.functions`. A body that is run on tensors, for higher derivatives, is recorded as
well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.functions.elementwise import power_partials
from pullback.functions.record import Kind, Rule
from pullback.runtime import masked_product
from pullback.tape.tensor import Tensor, apply

RULES: dict[Callable[..., Any], Rule] = {}


def linear(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the vjp of a function that is linear in its first argument, for tapes alone."""
    return _declaration("linear", function)


def vjp(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the vjp of a function, for tapes alone. Where its result is a tuple, `y` and `y_bar` are tuples."""
    return _declaration("vjp", function)


def _declaration(kind: Kind, function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        RULES[function] = Rule(function, kind, body)
        return body

    return declare


def take_item(a: Any, index: Any) -> Any:
    """a[index]."""
    return a[index]


def put_item(y: Any, index: Any, shape: Any) -> Any:
    """Zeros of `shape` in which the elements `y` stand at `index`; those at a repeated position add up."""
    out = np.zeros(shape, y.dtype)
    add_item(out, index, y)
    return out


def add_item(a: Any, index: Any, y: Any) -> None:
    """Add `y` to the elements of `a` at `index`, in place."""
    if has_arrays(index):
        np.add.at(a, index, y)
    else:
        a[index] += y


def has_arrays(index: Any) -> bool:
    """Whether an index may name a position twice."""
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(item, np.ndarray) for item in items)


def cast(x: Any, dtype: Any) -> Any:
    """The elements in another dtype."""
    return x.astype(dtype)


def of_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose first argument may be a tensor, and which is recorded then."""

    def call(first: Any, *others: Any) -> Any:
        if isinstance(first, Tensor):
            return apply(function, function, first, *others)
        return function(first, *others)

    return call


RULES[np.float_power] = Rule(np.float_power, "partials", power_partials)

taken = of_tensors(take_item)
put = of_tensors(put_item)


@linear(take_item)
def take_item_vjp(a, index, *, y_bar):
    return put(y_bar, index, np.shape(a))


@linear(put_item)
def put_item_vjp(y, index, shape, *, y_bar):
    return taken(y_bar, index)


@linear(cast)
def cast_vjp(x, dtype, *, y_bar):
    return y_bar


@vjp(np.cumprod)
def cumprod_vjp(a, axis=None, *, y, y_bar):
    return pulled_through_cumprod(np.multiply, a, axis, y, y_bar)


def cumprod_behind(a, axis=None, *, y, y_bar):
    return pulled_through_cumprod(masked_product, a, axis, y, y_bar)


RULES[np.cumprod] = replace(RULES[np.cumprod], behind=cumprod_behind)


def pulled_through_cumprod(times, a, axis, y, y_bar):
    """As in `pullback.functions`, without writing into arrays: ȳ[k-1] += ȳ[k] a[k],  ā[k] = ȳ[k] y[k-1]."""
    if axis is None:
        flat = pulled_through_cumprod(times, np.reshape(a, (-1,)), 0, np.reshape(y, (-1,)), np.reshape(y_bar, (-1,)))
        return np.reshape(flat, np.shape(a))
    a, y, y_bar = (np.moveaxis(each, axis, 0) for each in (a, y, y_bar))
    rows = [y_bar[k] for k in range(a.shape[0])]
    for k in range(a.shape[0] - 1, 0, -1):
        rows[k - 1] = rows[k - 1] + times(rows[k], a[k])
    total = np.stack(rows) if rows else y_bar
    return np.moveaxis(times(total, np.concatenate((np.ones_like(y[:1]), y[:-1]))), 0, axis)
