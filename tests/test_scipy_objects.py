"""Sparse matrices and interpolants of SciPy in functions: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, sparse
from scipy.sparse.linalg import spsolve

import pullback as pb
from differences import assert_slopes, weighted

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(4, 4)) * (RNG.random((4, 4)) < 0.5) + 3 * np.eye(4)
CSR, CSC, COO = sparse.csr_matrix(DENSE), sparse.csc_array(DENSE), sparse.coo_matrix(DENSE)
WIDE = sparse.csr_array(DENSE[:3] * (RNG.random((3, 4)) < 0.7))
X, TABLE = RNG.normal(size=4), RNG.normal(size=(4, 2))

PLACES = np.array([0.0, 0.1, 0.15, 0.4, 0.5, 0.62, 0.85, 1.0])
YS, ROWS = RNG.normal(size=8), RNG.normal(size=(2, 8))
CUBIC, ALONG = interpolate.CubicSpline(PLACES, YS), interpolate.CubicSpline(PLACES, ROWS, axis=1)
PERIODIC = interpolate.CubicSpline(PLACES, np.append(YS[:-1], YS[0]), bc_type="periodic")
PCHIP = interpolate.PchipInterpolator(PLACES, YS, extrapolate=False)
AKIMA = interpolate.Akima1DInterpolator(PLACES, YS)
SPLINE, QUARTIC = interpolate.make_interp_spline(PLACES, YS, k=3), interpolate.make_interp_spline(PLACES, ROWS.T, k=4)
SMOOTH = interpolate.UnivariateSpline(PLACES, YS, s=0.1)
HELD = interpolate.InterpolatedUnivariateSpline(PLACES, YS, ext=3)
TCK = interpolate.splrep(PLACES, YS, s=0)
LINES = interpolate.interp1d(PLACES, YS)
LONGER = interpolate.interp1d(PLACES, YS, fill_value="extrapolate")
FILLED = interpolate.interp1d(PLACES, YS, bounds_error=False, fill_value=(1.0, 2.0))
AT, BEYOND, TWO = np.array([0.05, 0.31, 0.77, 0.93]), np.array([-0.2, 0.3, 1.4]), np.array([[0.05, 0.31], [0.77, 0.93]])
ONE = np.float64(0.3)

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "csr": (lambda x: CSR @ x, (X,)),
    "csr and matrix": (lambda x: CSR @ x, (TABLE,)),
    "csr transposed": (lambda x: CSR.T @ x, (X,)),
    "csc": (lambda x: CSC @ x, (X,)),
    "coo transposed": (lambda x: COO.T.dot(x), (X,)),
    "from the left": (lambda x: x @ WIDE, (X[:3],)),
    "matrix from the left": (lambda x: x.T @ CSC, (TABLE,)),
    "wide": (lambda x: WIDE @ x, (X,)),
    "scaled": (lambda x, s: (-CSR) @ x + (s * CSC) @ x, (X, ONE)),
    "dense": (lambda x: CSR.toarray() @ x, (X,)),
    "solve": (lambda b: spsolve(CSR, b), (X,)),
    "solve several": (lambda b: spsolve(CSC, b), (TABLE,)),
    "solve transposed": (lambda b, s: spsolve(CSC.T * s, b), (X, ONE)),
    "cubic": (lambda x: CUBIC(x), (AT,)),
    "cubic beyond": (lambda x: CUBIC(x), (BEYOND,)),
    "cubic's second": (lambda x: CUBIC(x, nu=2), (TWO,)),
    "cubic's derivative": (lambda x: CUBIC.derivative()(x), (AT,)),
    "cubic's integral": (lambda a, b: CUBIC.integrate(a, b), (np.float64(0.1), np.float64(0.8))),
    "along an axis": (lambda x: ALONG(x, 1), (TWO,)),
    "periodic": (lambda x: PERIODIC(x), (BEYOND,)),
    "pchip": (lambda x: PCHIP(x), (AT,)),
    "akima": (lambda x: AKIMA(x), (AT,)),
    "spline": (lambda x: SPLINE(x), (BEYOND,)),
    "spline's first": (lambda x: SPLINE(x, 1), (AT,)),
    "spline's third": (lambda x: SPLINE(x, 3) + x, (AT,)),
    "more than its degree": (lambda x: SPLINE(x, 5) + x, (AT,)),
    "quartic": (lambda x: QUARTIC(x), (TWO,)),
    "univariate": (lambda x: SMOOTH(x, 1), (AT,)),
    "held": (lambda x: HELD(x), (BEYOND,)),
    "splev": (lambda x: interpolate.splev(x, TCK, der=1), (BEYOND,)),
    "lines": (lambda x: LINES(x), (AT,)),
    "lines beyond": (lambda x: LONGER(x), (BEYOND,)),
    "lines filled": (lambda x: FILLED(x) + x, (BEYOND,)),
    "a spline of data": (lambda x, y, at: interpolate.CubicSpline(x, y)(at), (PLACES, YS, AT)),
    "a natural spline of data": (lambda y: interpolate.CubicSpline(PLACES, y, bc_type="natural")(AT, 1), (YS,)),
    "a clamped spline": (lambda y: interpolate.CubicSpline(PLACES, y, 0, ("clamped", "not-a-knot"))(BEYOND), (YS,)),
    "pchip of data": (lambda x, y, at: interpolate.PchipInterpolator(x, y)(at), (PLACES, YS, AT)),
    "lines of data": (lambda x, y, at: interpolate.interp1d(x, y)(at), (PLACES, YS, AT)),
    "lines of data beyond": (lambda y: interpolate.interp1d(PLACES, y, fill_value="extrapolate")(BEYOND), (YS,)),
    "a number": (lambda x: CUBIC(x) + SPLINE(x) + LINES(x), (ONE,)),
}


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", CALLS)
def test_a_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=False)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", CALLS)
def test_a_compiled_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=True)


def compare(name: str, jit: bool) -> None:
    function, given = CALLS[name]
    expected = np.asarray(function(*given))
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    every, call = tuple(range(len(given))), pb.differentiable(jit=jit)(function)
    y, pull = pb.vjp(call, every)(*given)
    assert (np.shape(y), np.asarray(y).dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(y, expected, 1e-11, 1e-11)
    x_bars = pull(weights[()])
    for k, x_bar in enumerate(x_bars):
        assert_slopes(x_bar, weighted(function, given, weights), given, k)
    tangents = tuple(np.sin(1 + np.arange(np.size(x))).reshape(np.shape(x))[()] for x in given)
    _, y_dot = pb.jvp(call, given, tangents)
    there = sum(np.sum(a * b) for a, b in zip(x_bars, tangents, strict=True))
    np.testing.assert_allclose(np.sum(weights * y_dot), there, 1e-12, 1e-12)


def test_a_matrix_may_be_an_argument_and_another_one_in_the_next_call() -> None:
    gradient = pb.grad(lambda x, a: np.sum((a @ x) ** 2))
    for matrix in (CSR, 2 * CSR, WIDE, CSC, sparse.csr_matrix((4, 4))):
        np.testing.assert_allclose(gradient(X, matrix), 2 * matrix.T @ (matrix @ X), 1e-12)


def test_elements_that_are_changed_count_from_the_next_call_on() -> None:
    matrix = CSR.copy()
    gradient = pb.grad(lambda x: np.sum(matrix @ x))
    first = gradient(X)
    matrix.data *= 2.0
    np.testing.assert_allclose(gradient(X), 2 * first, 1e-14)


def test_a_spline_may_be_an_argument() -> None:
    gradient = pb.grad(lambda x, spline: spline(x))
    for spline in (CUBIC, PCHIP, CUBIC.derivative()):
        np.testing.assert_allclose(gradient(0.3, spline), spline(0.3, 1), 1e-12)


def test_a_hessian_has_the_second_derivative_of_the_object() -> None:
    np.testing.assert_allclose(np.diag(pb.hessian(lambda x: np.sum(CUBIC(x)))(AT)), CUBIC(AT, 2), 1e-10, 1e-10)


def test_types_are_scipys() -> None:
    single = CSR.astype(np.float32)
    y, x_bar = pb.value_and_grad(lambda x: np.sum(single @ x))(X.astype(np.float32))
    assert (y.dtype, x_bar.dtype) == (np.float32, np.float32)
    y, x_bar = pb.value_and_grad(lambda x: np.sum(CUBIC(x)))(AT.astype(np.float32))
    assert (np.asarray(y).dtype, x_bar.dtype) == (np.float64, np.float32)
    np.testing.assert_array_equal(pb.grad(lambda x: np.sum((CSR @ x) ** 2))(np.zeros((4, 0))), np.zeros((4, 0)))


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "a sum of matrices": (lambda x: np.sum((CSR + CSR) @ x), "a sparse matrix"),
    "a product of matrices": (lambda x: np.sum(CSR @ CSR @ x), "a sparse matrix"),
    "np.dot": (lambda x: np.sum(np.dot(CSR, x)), "a sparse matrix"),
    "a part": (lambda x: np.sum(CSR[0] @ x), "a sparse matrix"),
    "its rows": (lambda x: sum(row @ x for row in CSR), "a sparse matrix"),
    "its length": (lambda x: len(CSR) * np.sum(x), "a sparse matrix"),
    "elementwise": (lambda x: np.sum(CSR * x), "write @"),
    "a method": (lambda x: CSR.sum() * np.sum(x), "'sum'"),
    "an Akima interpolant of data": (
        lambda x: interpolate.Akima1DInterpolator(np.arange(4.0), x)(0.3),
        "a Akima1DInterpolator is made",
    ),
    "a spline through rows": (lambda x: interpolate.CubicSpline(np.arange(4.0), x[:, None])(0.3)[0], "for each row"),
    "roots": (lambda x: np.sum(CUBIC.roots()) * np.sum(x), "'roots'"),
    "an integral over periods": (lambda x: PERIODIC.integrate(0.0, x[0]), "periodic"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_is_refused_by_name(name: str) -> None:
    function, reason = REFUSED[name]
    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(function)(X)


def test_errors_are_those_of_the_plain_call() -> None:
    with pytest.raises(ValueError, match="dimension mismatch"):
        pb.grad(lambda x: np.sum(CSR @ x[:2]))(X)
    with pytest.raises(ValueError, match="interpolation range"):
        pb.grad(lambda x: LINES(x))(2.0)
    with pytest.raises(pb.TypingError, match="toarray"):
        pb.grad(lambda x, a: np.sum(a @ x))(X, CSR.tolil())
