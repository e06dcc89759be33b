"""Shared quotients: where one division serves both operands, and that the results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs, with_and_without
from programs import quotients

WITHOUT = pb.OPTIMISATIONS - {"shared_quotients"}


def divisions(function, *arguments, optimisations):
    text = pb.inspect_source(pb.differentiable(optimisations=optimisations)(function), *arguments)
    return sum(line.count(" / ") for line in text.splitlines() if not line.lstrip().startswith("#"))


@pytest.mark.parametrize(
    ("function", "arguments", "saved"),
    [
        (quotients.ratios, (quotients.X, quotients.Y), 1),
        (quotients.shares_of_rows, (quotients.M,), 1),
        (quotients.normalised, (quotients.M,), 1),
        (quotients.a_quotient_of_quotients, (quotients.X, quotients.Y), 3),
        (quotients.continued_fraction, (quotients.X, quotients.Y), 0),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_one_division_serves_both_operands(function, arguments, saved):
    without = divisions(function, *arguments, optimisations=WITHOUT)
    assert divisions(function, *arguments, optimisations=pb.OPTIMISATIONS) == without - saved


@pytest.mark.drawn(3)
@pytest.mark.parametrize("found", programs("quotients"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    for (value, gradients), (value_without, gradients_without) in with_and_without(found, "shared_quotients"):
        assert value == value_without
        for gradient, without in zip(gradients, gradients_without, strict=True):
            np.testing.assert_allclose(gradient, without, rtol=1e-13, atol=1e-13)


@pytest.mark.drawn(10)
@pytest.mark.parametrize("y", [0.0, np.inf, np.nan, 1e-320, 1e308])
@pytest.mark.parametrize("x", [0.0, 1.0, np.inf, np.nan, 1e-320, 1e308])
def test_numbers_at_the_ends_of_the_range(x, y):
    results = [
        pb.value_and_grad(pb.differentiable(optimisations=chosen)(ratio), argnums=(0, 1))(np.full(2, x), np.full(2, y))
        for chosen in (pb.OPTIMISATIONS, WITHOUT)
    ]
    for found, wanted in zip(*results, strict=True):
        np.testing.assert_array_equal(found, wanted)


def ratio(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] / y[i]
    return total
