"""Functions with several results, and factorisations: interpreted, compiled and on tapes, against 50 digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import pullback as pb
from rule_samples import FACTORISED

RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
TALL = RNG.normal(size=(4, 3))
LINE = np.array([0.3, -1.7, 2.5, 40.2])
WEIGHTS = RNG.uniform(0.5, 1.5, size=(4, 4))


def gram(a: Any) -> Any:
    """A symmetric matrix with positive eigenvalues, which differ."""
    return a.T @ a


def moments(results: Any) -> Any:
    """A number of which the signs of columns and rows are no part."""
    total = 0.0
    for result in results:
        rows, columns = result.shape if result.ndim == 2 else (1, result.shape[0])
        weights = WEIGHTS[:rows, :columns]
        total = total + np.sum(weights * result**2) + np.sum(result**4)
    return total


def cholesky(a):
    return moments((np.linalg.cholesky(gram(a)),))


def eigenvalues_alone(a):
    w, _ = np.linalg.eigh(gram(a))
    return moments((w,))


def eigenvalues_by_their_own_function(a):
    return moments((np.linalg.eigvalsh(gram(a)),))


def eigenvectors_alone(a):
    return moments((np.linalg.eigh(gram(a)).eigenvectors,))


def eigenvalues_and_vectors(a):
    w, v = np.linalg.eigh(gram(a))
    return moments((w, v))


def singular_values_alone(a):
    _, s, _ = np.linalg.svd(a, full_matrices=False)
    return moments((s,))


def singular_values_beside_full_vectors(a):
    _, s, _ = np.linalg.svd(a)
    return moments((s,))


def left_vectors_alone(a):
    u, _, _ = np.linalg.svd(a, full_matrices=False)
    return moments((u,))


def right_vectors_alone(a):
    return moments((np.linalg.svd(a, full_matrices=False)[2],))


def singular_values_and_vectors(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return moments((u, s, vt))


def orthogonal_part(a):
    q, _ = np.linalg.qr(a)
    return moments((q,))


def triangular_part(a):
    return moments((np.linalg.qr(a).R,))


def both_parts(a):
    q, r = np.linalg.qr(a)
    return moments((q, r))


def log_determinant(a):
    sign, logarithm = np.linalg.slogdet(a)
    return sign * logarithm


def factorised_in_a_loop(a):
    total = 0.0
    for k in range(3):
        w, v = np.linalg.eigh(gram(a) + k * np.eye(3))
        total += w[k] * moments((v,))
    return total


def factorised_in_a_branch(a):
    q, r = a, a
    if np.sum(a) > -100.0:
        q, r = np.linalg.qr(a)
    return moments((q, r))


def fractions(x):
    part, _ = np.modf(x * x)
    return np.sum(part**3)


def mantissas(x):
    mantissa, exponent = np.frexp(x)
    return np.sum(mantissa**3 * exponent)


def pseudo_inverse(a):
    return moments((np.linalg.pinv(a),))


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (cholesky, SQUARE),
    (eigenvalues_alone, SQUARE),
    (eigenvalues_by_their_own_function, SQUARE),
    (eigenvectors_alone, SQUARE),
    (eigenvalues_and_vectors, SQUARE),
    (singular_values_alone, TALL),
    (left_vectors_alone, TALL),
    (right_vectors_alone, TALL),
    (singular_values_and_vectors, TALL),
    (singular_values_and_vectors, SQUARE),
    (singular_values_and_vectors, TALL.T),
    (pseudo_inverse, TALL),
    (pseudo_inverse, TALL.T),
    (pseudo_inverse, SQUARE),
    (orthogonal_part, TALL),
    (triangular_part, TALL),
    (both_parts, TALL),
    (both_parts, SQUARE),
    (log_determinant, SQUARE),
    (factorised_in_a_loop, SQUARE),
    (factorised_in_a_branch, SQUARE),
    (fractions, LINE),
    (mantissas, LINE),
]


class Exact:
    """The functions of NumPy that the programs call, on arrays of numbers with 50 digits."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getattr__(self, name: str) -> Any:
        return Exact(self.original.linalg) if name == "linalg" else getattr(self.original, name)

    def cholesky(self, a: Any) -> Any:
        return array(mpmath.cholesky(mpmath.matrix(a.tolist())))

    def eigh(self, a: Any) -> Any:
        w, v = mpmath.eigsy(mpmath.matrix(a.tolist()))
        return Pair(np.array(list(w), object), array(v))

    def eigvalsh(self, a: Any) -> Any:
        return self.eigh(a)[0]

    def svd(self, a: Any, full_matrices: bool = True) -> Any:
        u, s, vt = mpmath.svd_r(mpmath.matrix(a.tolist()), full_matrices=full_matrices)
        return array(u), np.array(list(s), object), array(vt)

    def qr(self, a: Any) -> Any:
        return Pair(*map(array, mpmath.qr(mpmath.matrix(a.tolist()), mode="skinny")))

    def slogdet(self, a: Any) -> Any:
        determinant = mpmath.det(mpmath.matrix(a.tolist()))
        return mpmath.sign(determinant), mpmath.log(abs(determinant))

    def pinv(self, a: Any) -> Any:
        a = mpmath.matrix(a.tolist())
        wide = a.rows < a.cols
        return array(a.T * mpmath.inverse(a * a.T) if wide else mpmath.inverse(a.T * a) * a.T)

    def modf(self, x: Any) -> Any:
        return np.array([v - int(v) for v in x], object), np.array([int(v) for v in x], object)

    def frexp(self, x: Any) -> Any:
        parts = [mpmath.frexp(v) for v in x]
        return np.array([m for m, _ in parts], object), np.array([e for _, e in parts], object)


class Pair(tuple):
    """The results of eigh and qr."""

    def __new__(cls, *items: Any) -> Any:
        return super().__new__(cls, items)

    eigenvectors = R = property(lambda self: self[1])


def array(matrix: Any) -> Any:
    return np.array(matrix.tolist(), object)


def exact_gradient(function: Callable[..., Any], x: Any) -> Any:
    """Differences with 50 digits."""
    names = function.__globals__
    there = {**names, "np": Exact(np)}
    for helper in (gram, moments):
        there[helper.__name__] = type(function)(helper.__code__, there)
    run = type(function)(function.__code__, there)
    out = np.zeros(x.shape)
    with mpmath.workdps(50):
        step = mpmath.mpf(10) ** -15
        for place in np.ndindex(x.shape):
            values = []
            for sign in (1, -1):
                moved = np.array([mpmath.mpf(v) for v in x.ravel()], object).reshape(x.shape)
                moved[place] += sign * step
                values.append(run(moved))
            out[place] = float((values[0] - values[1]) / (2 * step))
    return out


IDS = [f"{function.__name__}-{k}" for k, (function, _) in enumerate(PROGRAMS)]


EACH = pytest.mark.parametrize(("function", "x"), PROGRAMS, ids=IDS)


def check(function: Callable[..., Any], x: Any, gradients: list[Any]) -> None:
    expected = exact_gradient(function, x)
    scale = np.max(np.abs(expected))
    for gradient in gradients:
        np.testing.assert_allclose(gradient / scale, expected / scale, atol=1e-10, rtol=0)


@pytest.mark.drawn(8)
@EACH
def test_interpreted_and_on_tapes(function: Callable[..., Any], x: Any) -> None:
    plain = pb.differentiable(jit=False)(function)
    value, gradient = pb.value_and_grad(plain)(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-12)
    _, pull = pb.vjp(plain)(x)
    variable = pb.Variable(x)
    with pb.GradientTape() as tape:
        y = function(variable)
    check(function, x, [gradient, pull(1.0), tape.gradient(y, variable).numpy()])


@pytest.mark.drawn(2)
@pytest.mark.parametrize("split", [False, True], ids=["joint", "split"])
@EACH
def test_compiled(function: Callable[..., Any], x: Any, split: bool) -> None:
    if split:
        value, pull = pb.vjp(function)(x)
        gradient = pull(1.0)
    else:
        value, gradient = pb.value_and_grad(function)(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-12)
    check(function, x, [gradient])


def test_each_factorisation_stands_in_a_program() -> None:
    called = {name for function, _ in PROGRAMS for name in function.__code__.co_names}
    elsewhere = {"lstsq", "real_eig"}  # tests/test_scipy_linalg.py
    assert {function.__name__ for function in FACTORISED} <= called | elsewhere


def test_a_result_that_nobody_needs_costs_no_cotangent() -> None:
    text = pb.source(eigenvalues_alone, SQUARE)
    assert "zeros" not in text


@pytest.mark.parametrize("jit", [False, True])
def test_singular_values_need_no_derivative_of_full_vectors(jit: bool) -> None:
    expected = exact_gradient(singular_values_alone, TALL)
    gradient = pb.grad(pb.differentiable(jit=jit)(singular_values_beside_full_vectors))(TALL)
    np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("jit", [False, True])
def test_full_vectors_of_a_matrix_that_is_not_square_are_refused(jit: bool) -> None:
    def full(a):
        u, _, _ = np.linalg.svd(a)
        return np.sum(u**4)

    with pytest.raises(NotImplementedError, match="full_matrices=False"):
        pb.grad(pb.differentiable(jit=jit)(full))(TALL)


def test_a_factorisation_that_fails_raises() -> None:
    for jit in (False, True):
        with pytest.raises(np.linalg.LinAlgError):
            pb.grad(pb.differentiable(jit=jit)(cholesky))(np.zeros((3, 3)))


@pytest.mark.parametrize("function", [lambda a: np.linalg.qr(a, mode="r"), lambda a: np.linalg.norm(a, "nuc")])
def test_what_numba_refuses_of_empty_matrices_is_refused(function: Any) -> None:
    value, pullback = pb.vjp(function)(np.zeros((0, 3)))
    assert np.shape(value) == np.shape(function(np.zeros((0, 3))))
    with pytest.raises(pb.TypingError, match="Arrays cannot be empty"):
        pullback(np.ones(np.shape(value)))
    value, pullback = pb.vjp(pb.differentiable(function, jit=False))(np.zeros((0, 3)))
    assert pullback(np.ones(np.shape(value))).shape == (0, 3)


def test_a_cotangent_that_begins_transposed_may_be_followed_by_others_in_a_loop() -> None:
    def log_determinant(x, a):
        m = np.outer(x, x) + a * np.eye(x.shape[0])
        for _ in range(2):
            m = m @ m / np.trace(m)
        return np.linalg.slogdet(m)[1]

    x = np.array([0.3, 0.7, -0.2])
    unfused, interpreted = (
        pb.grad(pb.differentiable(log_determinant, **options), (0, 1))(x, 1.1)
        for options in ({"fuse": False}, {"jit": False})
    )
    for ours, expected in zip(unfused, interpreted, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12)
