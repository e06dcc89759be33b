"""Functions that `numba.vectorize` and `numba.guvectorize` made, called in functions that are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import pullback as pb

X, Y = np.array([0.3, 0.7, 1.5]), np.array([0.5, 0.2, 2.1])
A, B = np.arange(12.0).reshape(4, 3) / 7 + 0.1, np.arange(15.0).reshape(3, 5) / 9


def kinked(a: Any, b: Any) -> Any:
    if a > b:
        return a * 0.5 * b
    return b + a * a


def cubic(a: Any, b: Any) -> Any:
    return a * b * b


elements = numba.vectorize(kinked)
fresh = numba.vectorize(lambda a, b: a * 0.5 * b)
typed = numba.vectorize(["float32(float32,float32)", "float64(float64,float64)"])(cubic)


@numba.guvectorize(["void(float64[:],float64[:],float64[:])"], "(n),(m)->(n)")
def scaled(x: Any, y: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        out[i] = x[i] * y[0] * x[0]


@numba.guvectorize(["(float64[:],float64,float64[:])", "(float32[:],float32,float32[:])"], "(n),()->()")
def weighted(x: Any, y: Any, out: Any) -> None:
    out[0] = 0.0
    for i in range(x.shape[0]):
        out[0] += x[i] * y * x[i]


@numba.guvectorize("(n),()->(n)")
def added(x: Any, y: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        out[i] += x[i] * y * y


@numba.guvectorize(["(float64[:,:],float64[:,:],float64[:,:])"], "(m,n),(n,p)->(m,p)")
def product(a: Any, b: Any, c: Any) -> None:
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@numba.guvectorize(["(float64[:],float64[:],float64[:])"], "(n)->(),()")
def both(x: Any, s: Any, p: Any) -> None:
    s[0], p[0] = 0.0, 1.0
    for v in x:
        s[0] += v
        p[0] *= v


def into_an_array(A: Any, y: Any) -> Any:
    out = np.ones((4, 3))
    added(A, y[0], out)
    return np.sum(out**2 * A)


def into_its_own_argument(y: Any, x: Any) -> Any:
    out = np.zeros(3)
    elements(y, 2.0, out)
    typed(out, x, out=out)
    return np.sum(out**2)


def one_by_one(x: Any, y: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += elements(x[i], y[-i]) * typed(x[i], 2.0)
    return total


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elements": (lambda x, y: np.sum(elements(x, y)), (X, Y)),
    "a number among them": (lambda x, y: np.sum(elements(x, 2.0) * y), (X, Y)),
    "broadcast": (lambda x, y: np.sum(elements(x[:, None], y) * A[:3]), (X, Y)),
    "numbers": (lambda a, b: elements(a, b) * typed(a, b), (0.5, 0.2)),
    "integers": (lambda a, b: np.sum(elements(np.arange(3), a) * b), (X, Y)),
    "strided": (lambda x, y: np.sum(typed(x[::2], y[::-2])), (X, Y)),
    "a list": (lambda x, y: np.sum(typed([x[0], y[1], 2.0], y)), (X, Y)),
    "transposed": (lambda A, y: np.sum(elements(A.T, A[:, 0]) * y[:, None]), (A, Y)),
    "one by one": (one_by_one, (X, Y)),
    "parts": (lambda x, y: np.sum(scaled(x, y)), (X, Y)),
    "parts of rows": (lambda A, y: np.sum(scaled(A, y) ** 2), (A, Y)),
    "a number for each row": (lambda A, y: np.sum(weighted(A[:3], y) ** 2), (A, Y)),
    "one number": (lambda x, y: weighted(x, y[0]) ** 2, (X, Y)),
    "products": (lambda A, B: np.sum(product(A, np.stack([B, B * 2])) ** 2), (A, B)),
    "two results": (lambda A, y: both(A)[0] @ both(A)[1] * y[0], (A, Y)),
    "into an array": (into_an_array, (A, Y)),
    "into its own argument": (into_its_own_argument, (Y, X)),
}


def slopes(function: Any, arguments: tuple[Any, ...], number: int) -> Any:
    """Differences of both sides, extrapolated."""
    given = np.asarray(arguments[number])
    found = np.zeros(given.shape)
    for place in np.ndindex(given.shape):

        def at(step: float, place: Any = place) -> Any:
            moved = given.copy()
            moved[place] += step
            changed = moved if moved.ndim else float(moved)
            return function(*arguments[:number], changed, *arguments[number + 1 :])

        coarse, fine = ((at(h) - at(-h)) / (2 * h) for h in (2e-3, 1e-3))
        found[place] = (4 * fine - coarse) / 3
    return found


@pytest.mark.drawn(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ufuncs_of_numba_are_read_for_each_element(name: str) -> None:
    check(*PROGRAMS[name], jit=False)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ufuncs_of_numba_are_compiled(name: str) -> None:
    check(*PROGRAMS[name], jit=True)


def check(function: Any, arguments: tuple[Any, ...], jit: bool) -> None:
    ours: Any = pb.differentiable(function, jit=jit)
    value, found = pb.value_and_grad(ours, argnums=(0, 1))(*arguments)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-14)
    for k in (0, 1):
        np.testing.assert_allclose(found[k], slopes(function, arguments, k), rtol=1e-8, atol=1e-8)
    tangents = tuple(np.cos(np.arange(np.size(one)).reshape(np.shape(one)) + 1.0) for one in arguments)
    tangents = tuple(t if t.ndim else float(t) for t in tangents)
    moved = pb.jvp(ours, arguments, tangents)[1]
    np.testing.assert_allclose(moved, sum(np.sum(g * t) for g, t in zip(found, tangents, strict=True)), rtol=1e-10)


def test_second_derivatives_and_tapes() -> None:
    ours: Any = pb.differentiable(lambda x: np.sum(typed(x, x)), jit=False)
    np.testing.assert_allclose(pb.hessian(ours)(X), np.diag(6 * X))
    v = pb.Variable(X)
    with pb.GradientTape() as tape:
        y = ours(v)
    np.testing.assert_allclose(tape.gradient(y, v), 3 * X**2)


@pytest.mark.parametrize("x", [X[:0], X.astype(np.float32), np.array(2.0), np.asfortranarray(A)], ids=str)
def test_dtype_and_shape_are_those_of_the_plain_call(x: Any) -> None:
    plain: Any = lambda x: typed(x, x)  # noqa: E731
    ours, expected = pb.differentiable(plain, jit=False)(x), plain(x)
    assert np.shape(ours) == np.shape(expected)
    assert np.asarray(ours).dtype == expected.dtype
    np.testing.assert_array_equal(ours, expected)
    rows = np.ones((0, 3)) if x.size == 0 else np.ones((3, 0))
    np.testing.assert_array_equal(pb.differentiable(lambda x: weighted(x, 2.0), jit=False)(rows), weighted(rows, 2.0))


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (lambda x: fresh(x, x), (X.astype(np.float32),), "with numbers of 64 bits in part"),
        (lambda x: typed(x, where=True), (X,), "'where' of the ufunc 'cubic' is not supported"),
        (lambda x: typed(x, x, x, x), (X,), "'cubic' takes 2 arguments, but 4 were given"),
        (lambda x: typed(x, 1j), (X,), "'cubic' cannot be called with float64, complex128"),
        (lambda x: weighted(2.0, x), (X,), "'weighted': argument 0 has too few axes, of 1"),
        (lambda x: added(x, x[0]), (X,), "'added' has no dtypes and takes the arrays to write to as well"),
    ],
)
def test_what_does_not_fit_is_refused(function: Any, arguments: tuple[Any, ...], reason: str) -> None:
    with pytest.raises((pb.TypingError, pb.LanguageError), match=reason):
        pb.differentiable(function, jit=False)(*arguments)


def test_shapes_that_do_not_fit_raise_as_in_a_plain_call() -> None:
    function: Any = lambda x: typed(x, np.ones(2))  # noqa: E731
    for one in (function, pb.differentiable(function, jit=False)):
        with pytest.raises(ValueError, match="broadcast together"):
            one(X)


@numba.guvectorize(["(float64[:],float64[:])"], "(n)->(n)", writable_args=(0,))
def drained(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i], x[i] = x[i], 0.0


def test_arguments_that_are_written_are_refused() -> None:
    with pytest.raises(pb.LanguageError, match="'drained' writes to its arguments"):
        pb.differentiable(lambda x: drained(x), jit=False)(X)
