"""What Python and NumPy make of complex numbers in places that are made for real ones: the same here, or an error."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from test_complex import along

Z = np.array([0j, 1j, 2 + 1j])
X = np.array([1.0, 2.0, 3.0])

SAME: dict[str, Callable[[Any], Any]] = {
    "item": lambda z: z.item(2) * 1.0,
    "item of a row": lambda z: z[:2].item(1),
    "truth of an imaginary number": lambda z: 1.0 if z[1] else 2.0,
    "truth of 0": lambda z: 1.0 if z[0] else 2.0,
    "bool": lambda z: bool(z[1]) * z,
    "astype bool": lambda z: z.astype(bool) * X,
    "class": lambda z: isinstance(z[0], np.complexfloating) * z,
    "division by 0": lambda z: z / z,
    "0 dimensions": lambda z: np.reshape(z[1:2], ()) * 2,
    "first number of a sum": lambda z: np.add.reduce(z.real, initial=1.5) * z,
    "variance of some": lambda z: np.var(z, where=np.array([True, False, True])),
    "array as a list": lambda z: np.array([z[0], 1.0, z[2].real]),
}


@pytest.mark.drawn(8)
@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", SAME)
def test_a_value_is_numpys(name: str, jit: bool) -> None:
    with np.errstate(all="ignore"):
        expected, found = SAME[name](Z), pb.differentiable(SAME[name], jit=jit)(Z)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("jit", [False, True])
def test_a_cast_to_real_numbers_takes_the_real_parts_and_their_gradients(jit: bool) -> None:
    f = pb.differentiable(lambda z: np.sum(z.astype(float) ** 2) + np.asarray(z, float)[2], jit=jit)
    np.testing.assert_array_equal(pb.grad(f)(Z), [0.0, 0.0, 5.0])
    assert f(Z) == 6.0


@pytest.mark.parametrize(
    "function",
    [
        lambda z: float(z) * 2,
        lambda z: int(z) * 2.0,
        lambda z: round(z) * 2.0,
        lambda z: math.exp(z),
        lambda z: math.sqrt(z),
        lambda z: np.float64(z),
        lambda z: 1.0 if z < 1.0 else 2.0,
        lambda z: max(z, 1.0),
    ],
)
def test_what_is_a_type_error_in_python_is_one_here(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        function(1 + 2j)
    with pytest.raises(TypeError):
        pb.differentiable(function, jit=False)(1 + 2j)


@pytest.mark.parametrize(
    "function",
    [pb.jacobian(lambda z: z**2), pb.hessian(lambda z: abs(z[0])), pb.laplacian(lambda z: abs(z[0]))],
)
def test_partial_derivatives_by_complex_numbers_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(pb.LanguageError, match="by the real and the imaginary part"):
        function(Z)


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
@pytest.mark.parametrize("function", [lambda x: np.exp(1j * x) * x[0], lambda x: np.sum(np.exp(1j * x))])
def test_a_jacobian_of_complex_numbers_by_real_ones_has_both_parts(function: Callable[..., Any], mode: Any) -> None:
    found = pb.jacobian(pb.differentiable(function, jit=False), mode=mode)(X)
    expected = np.stack([along(lambda step: function(X + step), unit) for unit in np.eye(3)], axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("jit", [False, True])
def test_a_derivative_that_is_not_finite_is_told_of(jit: bool) -> None:
    with pytest.raises(pb.NotFinite, match="adjoint of `z` is nan"):
        pb.grad(pb.differentiable(lambda z: np.sum(np.abs(np.sqrt(z))), jit=jit, nan="raise"))(Z)


def test_single_precision_stays() -> None:
    z = Z[1:].astype(np.complex64)
    f = pb.differentiable(lambda z: np.sum(np.abs(np.exp(1j * z) * z) ** 2), jit=False)
    found, expected = pb.grad(f)(z), pb.grad(f)(Z[1:])
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_check_draws_directions_with_both_parts() -> None:
    assert pb.check(lambda z: np.sum(np.abs(z * z)), Z + 1.0).passed


def test_a_refusal_names_the_function_and_its_place() -> None:
    with pytest.raises(pb.PullbackError, match=r"np\.median is known of real numbers alone") as refused:
        pb.grad(lambda z: abs(np.median(z)))(Z)
    assert "test_complex_numbers.py" in str(refused.value)
    with pytest.raises(pb.PullbackError, match=r"np\.maximum has a derivative rule for real numbers alone"):
        pb.grad(pb.differentiable(lambda z: abs(np.maximum(z, 1.0))[0], jit=False))(Z)
