"""Products of a few elements are loops of constant lengths: which, and that results are the same."""

import numpy as np
import pytest

import pullback as pb

A = np.linspace(-0.8, 1.2, 16).reshape(4, 4)
H = np.array([[1.0, 0.2, 0.0, -0.3], [0.1, 0.9, 0.4, 0.0]])
X = np.array([0.3, -0.7, 1.1, 0.2])
WITHOUT = pb.OPTIMISATIONS - {"allocation_hoisting"}


def step(p, h, x):
    gain = p @ h.T
    s = np.sum(np.sin(h @ gain)) + np.sum(np.cos(h @ x))
    p = 0.5 * p - 0.1 * gain @ gain.T + 0.2 * np.outer(x, x)
    return s, p, np.tanh(p @ x + x @ p.T)


def filtered(p, h, x, n):
    """Factors that are transposed, and kept for the backward sweep; outer products, and products with vectors.

    It is a long function, whose parts are compiled one by one.
    """
    s = 0.0
    for _ in range(n):
        one, p, x = step(p, h, x)
        other, p, x = step(p, h, x)
        s += one * other
    return s


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "made",
    [np.array, np.asfortranarray, lambda a: np.array(a, np.float32), lambda a: np.array(a)[::-1]],
    ids=["C", "Fortran", "float32", "negative strides"],
)
def test_gradients_are_the_same(made):
    args = made(A), made(H), made(X), 3
    gradients = [
        pb.grad(pb.differentiable(optimisations=o)(filtered), argnums=(0, 1, 2))(*args)
        for o in (pb.OPTIMISATIONS, WITHOUT)
    ]
    single = args[0].dtype == np.float32
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4 if single else 1e-12, atol=1e-5 if single else 1e-13)


def test_products_of_known_sizes_are_loops():
    text = pb.inspect_source(filtered, A, H, X, 3, argnums=(0, 1, 2))
    assert "product_into(" not in text
    assert "for j in range(2):" in text


def test_large_products_are_called():
    def power(a, n):
        for _ in range(n):
            a = a @ a
        return np.sum(a)

    assert "product_into(" in pb.inspect_source(power, np.eye(5) * 0.5, 3, argnums=0)


def test_other_sizes_are_served_by_code_of_their_own():
    gradient = pb.grad(pb.differentiable(filtered))
    gradient(A, H, X, 2)
    three = A[:3, :3], H[:, :3], X[:3], 2
    np.testing.assert_allclose(gradient(*three), pb.grad(pb.differentiable(jit=False)(filtered))(*three), rtol=1e-12)
    with pytest.raises(ValueError, match="matmul"):
        gradient(A, H[:, :3], X, 2)
