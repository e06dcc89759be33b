"""np.convolve and np.correlate in compiled code: modes, dtypes and lengths; and what they raise."""

import numpy as np
import pytest

import pullback as pb

LENGTHS = [(5, 3), (3, 5), (4, 4), (1, 1), (1, 6), (7, 2), (6, 4), (4, 6)]


@pytest.mark.parametrize("function", [np.convolve, np.correlate])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_values_are_those_of_numpy(function, mode):
    def filtered(a, v):
        return function(a, v, mode)

    compiled, random = pb.differentiable(filtered), np.random.default_rng(3)
    for n, m in LENGTHS:
        for dtype, other in ((np.float64, np.float64), (np.float32, np.float32), (np.complex128, np.float64)):
            a, v = random.normal(size=2 * n).astype(dtype)[::2], random.normal(size=m).astype(other)
            expected = filtered(a, v)
            found = compiled(a, v)
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype is np.float32 else 1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_gradients_are_those_of_sums_of_products(mode):
    def filtered(a, v, w):
        return np.sum(w * np.convolve(a, v, mode))

    gradient, random = pb.grad(filtered, argnums=(0, 1)), np.random.default_rng(4)
    for n, m in LENGTHS:
        a, v = random.normal(size=n), random.normal(size=m)
        w = random.normal(size=np.convolve(a, v, mode).size)
        a_bar, v_bar = gradient(a, v, w)
        np.testing.assert_allclose(a_bar, [w @ np.convolve(e, v, mode) for e in np.eye(n)], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(v_bar, [w @ np.convolve(a, e, mode) for e in np.eye(m)], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("n", "m"), [(0, 2), (2, 0), (0, 0)])
def test_vectors_without_elements_are_refused_as_by_numpy(n, m):
    def filtered(a, v):
        return np.convolve(a, v)

    with pytest.raises(ValueError, match="cannot be empty") as raised:
        filtered(np.ones(n), np.ones(m))
    with pytest.raises(ValueError, match=str(raised.value)):
        pb.differentiable(filtered)(np.ones(n), np.ones(m))
