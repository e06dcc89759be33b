"""Derivatives of programs over complex numbers, compared with differences of eighth order.

A gradient is ∂L/∂Re z + i ∂L/∂Im z.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from complex_programs import PROGRAMS

WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
STEP = 0.002


def along(function: Callable[[Any], Any], dx: Any) -> Any:
    """The derivative of a function of a number at 0 along `dx`, by central differences of eighth order."""
    return sum(w * (function(k * STEP * dx) - function(-k * STEP * dx)) for k, w in enumerate(WEIGHTS, 1)) / STEP


def gradient(function: Callable[..., Any], arguments: tuple[Any, ...], k: int) -> Any:
    """∂L/∂Re z + i ∂L/∂Im z by an argument, element by element."""
    x = np.asarray(arguments[k])
    made = np.zeros(x.shape, x.dtype)
    directions = (1.0, 1j) if x.dtype.kind == "c" else (1.0,)
    for place in np.ndindex(x.shape):

        def moved(step: Any, place: Any = place) -> Any:
            y = np.array(x)
            y[place] += step
            given = y if np.ndim(arguments[k]) else y.item()
            return function(
                *(a.copy() if isinstance(a, np.ndarray) else a for a in arguments[:k]), given, *arguments[k + 1 :]
            )

        made[place] = sum(d * along(moved, d) for d in directions)
    return made


def arguments_of(name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    function, make = PROGRAMS[name]
    return function, make(np.random.default_rng(3))


def close(found: Any, expected: Any, rtol: float = 1e-10) -> None:
    assert np.shape(found) == np.shape(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * size)


EXPECTED: dict[str, list[Any]] = {}


def expected_of(name: str) -> list[Any]:
    if name not in EXPECTED:
        function, arguments = arguments_of(name)
        EXPECTED[name] = [gradient(function, arguments, k) for k in range(len(arguments))]
    return EXPECTED[name]


def check_gradients(name: str, **options: Any) -> None:
    function, arguments = arguments_of(name)
    numbers = tuple(range(len(arguments)))
    value, gradients = pb.value_and_grad(pb.differentiable(function, **options), argnums=numbers)(*arguments)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-13)
    for found, expected in zip(gradients, expected_of(name), strict=True):
        close(found, expected)


@pytest.mark.drawn(20)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_of_interpreted_source(name: str) -> None:
    check_gradients(name, jit=False)


@pytest.mark.drawn(7)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_without_optimisations(name: str) -> None:
    check_gradients(name, jit=False, optimisations=False)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_of_compiled_code(name: str) -> None:
    check_gradients(name)


@pytest.mark.drawn(7)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_pullback(name: str) -> None:
    function, arguments = arguments_of(name)
    numbers = tuple(range(len(arguments)))
    _, pull = pb.vjp(pb.differentiable(function, jit=False), argnums=numbers)(*arguments)
    for found, expected in zip(pull(-2.0), expected_of(name), strict=True):
        close(found, -2.0 * expected)


@pytest.mark.drawn(10)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_tangent(name: str) -> None:
    function, arguments = arguments_of(name)
    rng = np.random.default_rng(5)
    tangents = tuple(direction(rng, a) for a in arguments)
    value, tangent = pb.jvp(pb.differentiable(function, jit=False), arguments, tangents)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-13)
    pairs = zip(expected_of(name), tangents, strict=True)
    close(tangent, sum(float(np.sum((np.conj(g) * t).real)) for g, t in pairs), 1e-9)


def direction(rng: Any, argument: Any) -> Any:
    made = rng.normal(size=np.shape(argument))
    made = made + 1j * rng.normal(size=np.shape(argument)) if np.iscomplexobj(argument) else made
    return made if np.ndim(argument) else made.item() if isinstance(made, np.ndarray) else made


@pytest.mark.drawn(7)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ("hermitian", "singular_values")])
def test_a_second_derivative(name: str) -> None:
    """The tangent of a gradient, and its pullback, are the difference of gradients: the Hessian is symmetric."""
    function, arguments = arguments_of(name)
    first = pb.grad(pb.differentiable(function, jit=False))
    t = direction(np.random.default_rng(5), arguments[0])
    expected = along(lambda step: first(arguments[0] + step * t, *arguments[1:]), 1.0)
    _, pushed = pb.jvp(first, arguments, (t, *(None for _ in arguments[1:])))
    close(pushed, expected, 1e-8)
    close(pb.vjp(first)(*arguments)[1](t), expected, 1e-8)
