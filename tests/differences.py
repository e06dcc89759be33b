"""Derivatives of functions of arrays by differences of order 8, and functions whose text is found."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pullback as pb

WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
STEPS = (1e-3, 4e-3, 1e-2, 3e-2, 0.2)
"""Large steps are exact for polynomials, small ones where a function is not smooth near by."""


def assert_slopes(
    found: Any, function: Callable[..., Any], arguments: Sequence[Any], k: int, tolerance: float = 1e-10
) -> None:
    """Raises AssertionError unless the derivative by the argument with number k is that of differences of one step.

    function: of arrays or numbers, whose weighted sum has the derivative; see `weighted`.
    """
    for step in STEPS:
        try:
            expected = by_differences(function, arguments, k, step)
            np.testing.assert_allclose(found, expected, tolerance, tolerance)
        except (AssertionError, ValueError):  # ValueError: a step leaves the places that the function is known at
            if step == STEPS[-1]:
                raise
        else:
            return


def weighted(function: Callable[..., Any], arguments: Sequence[Any], weights: Any) -> Callable[..., Any]:
    """The weighted sum of how far the values are from those of the arguments, which rounds less than that of values."""
    expected = function(*arguments)
    return lambda *given: np.sum(weights * (function(*given) - expected))


def by_differences(function: Callable[..., Any], arguments: Sequence[Any], k: int = 0, step: float = 2e-3) -> Any:
    """The derivative of a number by the argument with number k."""
    out = np.zeros(np.shape(arguments[k]))
    for index in np.ndindex(out.shape):
        for n, weight in WEIGHTS.items():
            for sign in (1, -1):
                moved = np.array(arguments[k], float)
                moved[index] += sign * n * step
                given = [*arguments[:k], moved[()], *arguments[k + 1 :]]
                out[index] += sign * weight * function(*given) / step
    return out


def calling(summed: Callable[..., Any], arguments: Sequence[Any], places: Sequence[int], function: Any = None) -> Any:
    """The call of a function with the arguments at some places left open, as a function whose text is found.

    function: what is called, where `summed` is the sum of it.
    """
    given = [f"x{k}" if k in places else f"other{k}" for k in range(len(arguments))]
    names: dict[str, Any] = {f"other{k}": argument for k, argument in enumerate(arguments)}
    body = f"function({', '.join(given)})"
    text = f"call = lambda {', '.join(f'x{k}' for k in places)}: {f'np.sum({body})' if function else body}\n"
    file = f"<call {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, [text], file)
    names |= {"np": np, "function": function or summed, "__name__": "call"}
    exec(compile(text, file, "exec"), names)
    return names["call"]


def check_by_vector(function: Any, x: Any, jit: bool, rtol: float) -> None:
    """The value of a function of a vector, its gradient beside differences, and its derivative along a direction.

    rtol: of the value.
    """
    h, ours = 1e-4, pb.differentiable(function, jit=jit)
    f: Any = function
    at = [8 * (f(x + h * e) - f(x - h * e)) - f(x + 2 * h * e) + f(x - 2 * h * e) for e in np.eye(len(x))]
    value, gradient = pb.value_and_grad(ours)(x)
    np.testing.assert_allclose(value, f(x), rtol=rtol)
    np.testing.assert_allclose(gradient, np.array(at) / (12 * h), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(pb.jvp(ours, (x,), (np.cos(x),))[1], gradient @ np.cos(x), rtol=1e-12)
