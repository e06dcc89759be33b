"""Whole arrays are stored in compiled code as NumPy stores them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from pullback.runtime import helpers as rt
from pullback.runtime.memory import copying

copy = njit(lambda out, value: rt.copy_into(out, value))


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(24.0).reshape(4, 6)[::2, ::2],
        np.arange(3.0),
        np.array([[5.0], [6.0]]),
        np.arange(6, dtype=np.float32).reshape(2, 3),
    ],
    ids=["same", "fortran", "strided", "vector", "column", "float32"],
)
def test_value_is_broadcast(value):
    out, wanted = np.zeros((2, 3)), np.zeros((2, 3))
    copy(out, value)
    wanted[...] = value
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (2,), (0, 3)])
def test_shape_that_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match="broadcast"):
        copy(np.zeros((2, 3)), np.zeros(shape))


@pytest.mark.parametrize(
    ("target", "source"), [(slice(0, 6), slice(1, 7)), (slice(1, 7), slice(0, 6)), (slice(0, 7), slice(None, None, -1))]
)
def test_memory_may_be_shared(target, source):
    x, wanted = np.arange(7.0), np.arange(7.0)
    copy(x[target], x[source])
    wanted[target] = wanted[source].copy()
    np.testing.assert_array_equal(x, wanted)


def test_elements_that_lie_alike_are_known():
    alike = njit(lambda a, b: copying.lies_alike(a, b))
    x = np.arange(12.0).reshape(3, 4)
    for a, b in ((x, x), (x, x[:]), (x[1:], x[1:]), (x, x[::-1]), (x, x.T), (x, x[:2]), (x, x.copy()), (x, x[0])):
        assert alike(a, b) == copying.lies_alike(a, b)
