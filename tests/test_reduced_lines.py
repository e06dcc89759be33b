"""Functions of SciPy whose results have sizes that are known: they stand in the loops of what is around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import pullback as pb
from programs import reduced_lines
from pullback.analysis.shapes import Shapes
from pullback.frontend.build import normal_form

A, B, V = reduced_lines.A, reduced_lines.B, reduced_lines.V
Y = np.array([1.0, 0.0, 1.0])


def logarithms_of_probabilities(x, y):
    logs = x - special.logsumexp(x, axis=1)[:, None]
    return -np.sum(logs * y)


def logarithms_with_kept_axes(x, y):
    logs = x - special.logsumexp(x, axis=1, keepdims=True)
    return -np.sum(logs * special.softmax(y, axis=1))


def logistic_regression(x, w, y):
    p = special.expit(x @ w)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def special_functions_of_elements(x, w):
    z = special.erf(x) + special.gammaln(2.0 + w) * special.psi(3.0 + x) + special.gamma(1.5 + w)
    return np.sum(z * special.erfc(x) * special.logit(0.5 + 0.3 * np.tanh(x)) * np.sinc(x))


SAMPLES = [
    (logarithms_of_probabilities, (A, B)),
    (logarithms_of_probabilities, (A[:, ::-2], B[:, ::-2])),
    (logarithms_with_kept_axes, (A, B)),
    (logistic_regression, (A, V, Y)),
    (special_functions_of_elements, (A, V)),
]


def differences(function: Callable[..., Any], arguments: tuple[Any, ...], k: int) -> Any:
    """The gradient for one argument by central differences."""
    found = np.zeros(arguments[k].shape)
    for place in np.ndindex(found.shape):
        values = []
        for step in (1e-6, -1e-6):
            moved = [np.array(argument) for argument in arguments]
            moved[k][place] += step
            values.append(function(*moved))
        found[place] = (values[0] - values[1]) / 2e-6
    return found


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("function", "arguments"), SAMPLES)
def test_gradients(function: Callable[..., Any], arguments: tuple[Any, ...], jit: bool) -> None:
    argnums = tuple(range(len(arguments)))
    made = pb.differentiable(jit=jit)(function)
    value, gradients = pb.value_and_grad(made, argnums=argnums)(*arguments)
    plain = pb.differentiable(jit=False, optimisations=False)(function)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-13)
    for k, (found, expected) in enumerate(zip(gradients, pb.grad(plain, argnums=argnums)(*arguments), strict=True)):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(found, differences(function, arguments, k), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("function", "arguments"), SAMPLES)
def test_they_leave_no_array_statement_with_unknown_sizes(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    assert "sum_to(" not in pb.inspect_source(function, *arguments)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.std(x, axis=0),
        lambda x: np.var(x, axis=1, ddof=1, keepdims=True),
        lambda x: np.linalg.norm(x, axis=-1),
        lambda x: np.linalg.norm(x, axis=1, keepdims=True),
        lambda x: np.any(x > 0, axis=0),
        lambda x: np.all(x > 0, axis=1),
        lambda x: np.argmin(x, axis=1),
        lambda x: np.nansum(x, axis=0),
        lambda x: special.logsumexp(x, axis=1, keepdims=True),
        lambda x: np.sum(x, axis=1, dtype=np.float32),
        lambda x: np.interp(x[0], x[1], x[2]),
        lambda x: np.searchsorted(x[0], x[1]),
        lambda x: special.expit(x.T),
    ],
)
def test_known_shapes_are_numpys(function: Callable[[Any], Any]) -> None:
    x = np.arange(12.0).reshape(3, 4)
    made = normal_form(function, x)
    sizes = {(made.parameters[0], axis): size for axis, size in enumerate(x.shape)}
    shape = Shapes(made).of(made.results[0])
    assert tuple(size if isinstance(size, int) else sizes.get(size) for size in shape) == function(x).shape
