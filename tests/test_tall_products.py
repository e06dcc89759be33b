"""Products of tall matrices: which are written out, and what is left to the library."""

import numpy as np
import pytest

import pullback as pb
from programs import tall_products as products

LIBRARY = (" @ ", "matrix_product", "product_into", "concatenate", "np.stack")
X, Y, W, A = products.X, products.Y, products.W, products.A


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (products.residuals_of_a_line, (X, Y, W)),
        (products.normal_equations, (X, Y)),
        (products.a_polynomial_of_columns, (Y, Y[::-1] * 0.7)),
        (products.rows_that_are_stacked, (Y, Y[::-1] * 0.7)),
        (products.points_that_are_turned, (X, A, W)),
        (products.a_regression_in_each_iteration, (Y, 0.1)),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_products_with_few_columns_take_no_library(function, arguments):
    lines = pb.inspect_source(function, *arguments, argnums=0).splitlines()
    text = "\n".join(line for line in lines if not line.strip().startswith("#"))
    print(text)
    assert not any(name in text for name in LIBRARY)


def test_symmetric_products_are_summed_once():
    def gram(x):
        return np.sum(np.sin(x.T @ x))

    text = pb.inspect_source(gram, X)
    print(text)
    loop = text[text.index("for i in") : text.index("[0, 0] = ")]
    assert loop.count("plus(total") == 6


@pytest.mark.parametrize("shape", [(5, 9), (300, 200)])
def test_products_of_longer_axes_are_those_of_the_library(shape):
    def product(a, b):
        return np.sum((a @ b) ** 2)

    a = np.ones(shape)
    assert "matrix_product" in pb.inspect_source(product, a, a.T.copy())


def test_products_of_a_few_known_elements_are_left_to_other_passes():
    def spread(x):
        points = np.zeros((9, 3))
        for k in range(3):
            points[k + 1] = x
        return np.sum(np.sin(points.T @ points))

    assert any(name in pb.inspect_source(spread, W) for name in LIBRARY)


def test_other_numbers_of_columns_are_served_by_another_form():
    gradient = pb.value_and_grad(products.residuals_of_a_line, argnums=(0, 2))
    for columns in (3, 2, 7, 3):
        x, w = np.ones((6, columns)) * np.arange(columns), np.arange(columns) * 0.3
        value, (x_bar, w_bar) = gradient(x, np.ones(6), w)
        r = x @ w - 1.0
        assert value == pytest.approx(r @ r, rel=1e-13)
        np.testing.assert_allclose(x_bar, 2 * np.outer(r, w), rtol=1e-12)
        np.testing.assert_allclose(w_bar, 2 * x.T @ r, rtol=1e-12)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("rows", [0, 1, 2, 5, 64, 1001])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_gradients_are_those_without_it(rows, dtype):
    random = np.random.default_rng(rows)
    x, y, w = (random.normal(size=size).astype(dtype) for size in ((rows, 3), rows, 3))

    def fitted(x, y, w):
        basis = np.column_stack((x[:, 0], y, x[:, 1] * x[:, 2]))
        gram = basis.T @ x
        turned = x @ (gram + gram.T)
        return np.sum(np.tanh(turned @ w) * y) + np.sum(y @ basis)

    without = pb.differentiable(fitted, optimisations=pb.OPTIMISATIONS - {"tall_products"})
    value, gradients = pb.value_and_grad(fitted, argnums=(0, 1, 2))(x, y, w)
    expected, others = pb.value_and_grad(without, argnums=(0, 1, 2))(x, y, w)
    close = {"rtol": 1e-10, "atol": 1e-12} if dtype is np.float64 else {"rtol": 2e-3, "atol": 2e-3}
    np.testing.assert_allclose(value, expected, **close)
    for ours, theirs in zip(gradients, others, strict=True):
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours, theirs, **close)
