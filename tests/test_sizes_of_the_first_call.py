"""Functions that are specialised to sizes of their first call, in every way to call them, when the sizes change."""

import numpy as np
import pytest
from numba import njit

import pullback as pb


@pb.differentiable
def spread(x, scale):
    total = 0.0
    centre = np.ones(x.shape[1])
    for i in range(x.shape[0]):
        centre = 0.5 * centre + scale * x[i]
        total += centre @ x[i]
    return total


def expected(x, scale):
    """The gradient by x, by differences of high order in complex numbers: centre is linear in x."""
    n, dims = x.shape
    weights = np.array([[0.5 ** (i - j) if j <= i else 0.0 for j in range(n)] for i in range(n)])
    symmetric = scale * (weights + weights.T) @ x
    return symmetric + 0.5 ** np.arange(1, n + 1)[:, None] * np.ones((n, dims))


def points(n, dims):
    return np.random.default_rng(7 * n + dims).standard_normal((n, dims))


def by_grad(x):
    return pb.grad(spread)(x, 0.3)


def by_value_and_grad(x):
    return pb.value_and_grad(spread)(x, 0.3)[1]


def by_vjp(x):
    _, back = pb.vjp(spread)(x, 0.3)
    return back(1.0)


def by_jvp(x):
    found = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        along = np.zeros(x.shape)
        along[place] = 1.0
        found[place] = pb.jvp(spread, (x, 0.3), (along, 0.0))[1]
    return found


def by_tape(x):
    with pb.GradientTape() as tape:
        tape.watch(variable := pb.Variable(x))
        y = spread(variable, 0.3)
    return np.asarray(tape.gradient(y, variable))


def by_jacobian(x):
    return pb.jacrev(spread)(x, 0.3)


gradient_of_spread = pb.grad(spread)


@njit
def _in_numba(x):
    return gradient_of_spread(x, 0.3)


def by_numba(x):
    return _in_numba(x)


WAYS = [by_grad, by_value_and_grad, by_vjp, by_jvp, by_tape, by_jacobian, by_numba]


@pytest.mark.drawn(10)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sizes", [(3, 2, 3, 7), (2, 3), (9, 3, 4), (1, 3, 2)])
def test_each_way_is_right_for_one_size_after_another(way, sizes):
    for dims in sizes:
        x = points(4, dims)
        np.testing.assert_allclose(way(x), expected(x, 0.3), rtol=1e-12, atol=1e-14)


def test_the_value_is_that_of_the_plain_call_for_one_size_after_another():
    for dims in (3, 4, 2, 8):
        x = points(5, dims)
        assert spread(x, 0.3) == pytest.approx(spread.__wrapped__(x, 0.3), rel=1e-13)


def test_second_derivatives_are_right_for_one_size_after_another():
    for dims in (2, 3):
        x = points(3, dims)
        hessian = pb.hessian(spread)(x, 0.3)
        weights = np.array([[0.5 ** (i - j) if j <= i else 0.0 for j in range(3)] for i in range(3)])
        np.testing.assert_allclose(
            hessian, np.einsum("ij,ab->iajb", 0.3 * (weights + weights.T), np.eye(dims)), rtol=1e-12, atol=1e-14
        )


def solved_in_a_loop(x, a):
    total = 0.0
    for t in range(x.shape[0]):
        total += np.sum(np.linalg.solve(a + np.outer(x[t], x[t]), x[t]))
    return total


def inverted_in_a_loop(x, a):
    total = 0.0
    for t in range(x.shape[0]):
        total += np.sum(np.linalg.inv(a + np.outer(x[t], x[t])))
    return total


@pytest.mark.drawn(3)
@pytest.mark.parametrize("function", [solved_in_a_loop, inverted_in_a_loop])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_small_systems_that_are_singular_raise(function, n):
    x, a = np.zeros((3, n)), np.ones((n, n))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        function(x, a)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        pb.grad(function, argnums=1)(x, a)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("function", [solved_in_a_loop, inverted_in_a_loop])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_pivots_of_small_systems_are_chosen(function, n):
    """Zeros on the diagonal, rows of very different sizes, and NaN."""
    x = points(4, n) * 1e-3
    for a in (np.eye(n)[::-1].copy(), np.diag(10.0 ** -np.arange(n)) + 1e-4, np.full((n, n), np.nan)):
        value, gradients = pb.value_and_grad(function, argnums=(0, 1))(x, a)
        plain, others = pb.value_and_grad(pb.differentiable(jit=False)(function), argnums=(0, 1))(x, a)
        np.testing.assert_allclose(value, function(x, a), rtol=1e-10)
        for found, wanted in zip((plain, *gradients), (value, *others), strict=True):
            largest = np.max(np.abs(wanted), initial=0.0, where=np.isfinite(wanted))
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * largest)


def logarithm_in_a_loop(x, a):
    total = 0.0
    for t in range(x.shape[0]):
        total += np.linalg.slogdet(a + np.outer(x[t], x[t]))[1]
    return total


@pytest.mark.drawn(2)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_logarithm_of_no_volume_is_not_finite_and_nor_are_its_derivatives(n):
    x, a = np.zeros((3, n)), np.zeros((n, n))
    compiled = pb.differentiable()(logarithm_in_a_loop)
    assert compiled(x, a) == logarithm_in_a_loop(x, a) == -np.inf
    try:
        assert not np.isfinite(pb.grad(compiled, argnums=1)(x, a)).any()
    except np.linalg.LinAlgError:
        assert n not in (2, 3), "elements of small matrices are numbers, and raise nothing"


@pytest.mark.parametrize("a", [[[0.0, 1.0], [0.0, 5.0]], [[1.0, 2.0], [2.0, 4.0]], np.zeros((2, 2)), np.ones((3, 3))])
def test_the_derivative_of_a_determinant_is_that_of_a_polynomial(a):
    @pb.differentiable
    def volume(a):
        total = 0.0
        for t in range(3):
            total += np.linalg.det(a + 0.0 * t) * t
        return total

    a = np.array(a)
    cofactors = np.empty(a.shape)
    for i, j in np.ndindex(a.shape):
        cofactors[i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, axis=0), j, axis=1))
    np.testing.assert_allclose(pb.grad(volume)(a), 3 * cofactors, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("function", [solved_in_a_loop, inverted_in_a_loop, logarithm_in_a_loop])
def test_pivots_are_no_choice_that_cotangents_are_masked_for(function):
    assert "masked" not in pb.inspect_source(pb.differentiable()(function), points(4, 3), np.eye(3))


def test_products_are_numpys_where_nothing_is_added_up_in_another_order():
    x, a = points(4, 3), points(3, 3)

    def products(x, a):
        v = np.ones(3)
        for t in range(x.shape[0]):
            v = a @ v + x[t]
        return v[0]

    assert "product_into(" not in pb.inspect_source(pb.differentiable()(products), x, a)
    assert "product_into(" in pb.inspect_source(pb.differentiable(fastmath=False)(products), x, a)


def exponentials(a, ts):
    total = 0.0
    for t in ts:
        m = a * t
        e = np.eye(len(a))
        term = np.eye(len(a))
        for k in range(1, 7):
            term = term @ m / k
            e = e + term
        total += np.trace(e) * e[0, -1]
    return total


def test_parts_of_a_long_function_assert_sizes_behind_the_checks_of_its_entry():
    text = pb.inspect_source(exponentials, np.ones((3, 3)), np.ones(2))
    *parts, whole = [piece for piece in text.split("\n\n\n") if "def " in piece]
    assert any("assert a.shape[1] == 3" in part for part in parts)
    assert not any("SizesDiffer" in part for part in parts)
    assert whole.index("raise SizesDiffer") < whole.index("_part")


def test_another_size_than_that_of_a_long_function():
    for n in (3, 5):
        a = np.linspace(0.1, 0.9, n * n).reshape(n, n)
        value, gradient = pb.value_and_grad(exponentials)(a, np.ones(2))
        assert value == pytest.approx(exponentials(a, np.ones(2)), rel=1e-12)
        np.testing.assert_allclose(gradient, pb.grad(pb.differentiable(jit=False)(exponentials))(a, np.ones(2)), 1e-11)
