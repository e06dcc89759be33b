"""Parts of arguments between constant places: they have as many elements as that, which the entry checks."""

import numpy as np

import pullback as pb
from programs import unpacked_arguments as unpacked


def test_arithmetic_of_parts_is_loops_without_sums_over_sizes():
    for function, arguments in (
        (unpacked.positions_and_momenta, (unpacked.THETA, 0.1)),
        (unpacked.parts_that_may_be_shorter, (unpacked.THETA,)),
        (unpacked.layers, (unpacked.THETA, np.ones(3))),
    ):
        text = pb.inspect_source(function, *arguments)
        assert "sum_to" not in text
        assert "push_block" not in text
        assert "raise SizesDiffer()" in text


def test_shorter_arguments_are_served_by_another_form():
    gradient = pb.grad(unpacked.parts_that_may_be_shorter)
    for size in (12, 9, 3, 12, 1, 0):
        x = unpacked.THETA[:size]
        expected = np.zeros(size)
        expected[:7] += 3 * x[:7] ** 2
        expected[2:10] += np.cos(x[2:10])
        expected[-8:] += 2 * x[-8:]
        expected[-3:-1] += 1.0
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-13)
