"""What the backward function takes: no array for its shape alone, and nothing twice."""

import numpy as np
import pytest

import pullback as pb
from programs import changing_shapes


def chosen(x, n):
    if n > 0:
        y = np.exp(x)
        z = y * y
    else:
        z = x * 2.0
    return np.sum(z)


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("n", "slope"), [(0, 2.0), (1, 2.0 * np.e**2)])
def test_no_size_is_read_from_an_array_that_only_one_branch_makes(jit, n, slope):
    _, pullback = pb.vjp(pb.differentiable(jit=jit)(chosen))(np.ones(3), n)
    np.testing.assert_allclose(pullback(1.0), np.full(3, slope), rtol=1e-12)


def test_text_is_of_the_form_that_serves_the_arguments():
    def product(x, y):
        return np.sum(x * y)

    assert "sum_to" not in pb.source(product, np.ones(3), np.ones(3))
    assert "sum_to" in pb.source(product, np.ones(3), np.ones(1))


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("size", [12, 11, 5])
def test_slices_that_do_not_end_in_their_array_go_to_the_general_form(jit, size):
    def gates(z, c):
        n = c.shape[0]
        return np.sum(np.tanh(z[:n]) * c) + np.sum(z[n : 2 * n]) + np.sum(np.exp(z[3 * n :]))

    z, c = np.linspace(0.1, 1.0, size), np.ones(3)
    slopes = np.concatenate([1 - np.tanh(z[:3]) ** 2, np.ones(z[3:6].size), np.zeros(z[6:9].size), np.exp(z[9:])])
    np.testing.assert_allclose(pb.grad(pb.differentiable(jit=jit)(gates))(z, c), slopes, rtol=1e-12)


def test_gradient_of_the_mean_of_nothing_is_empty():
    assert pb.grad(pb.differentiable(jit=False)(lambda x: np.mean(x * x)))(np.ones(0)).shape == (0,)


def test_sizes_that_a_loop_changes_alike_are_one():
    text = pb.inspect_source(pb.grad(changing_shapes.two_that_shrink_alike), 1.1, 0.3, 5)
    assert text.count("_saved = np.empty((trips,), dtype=np.int64)") == 1
    assert "sum_to" not in text

    def shrunk(x, y):
        for _ in range(2):
            x, y = x[1:] * 2.0, y[2:] * 2.0
        return np.sum(x) + np.sum(y)

    assert pb.inspect_source(pb.grad(shrunk, argnums=(0, 1)), np.ones(6), np.ones(6)).count("size_saved = ") == 2
