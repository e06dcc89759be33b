"""Where strips compute indices, their checks are one condition, and errors are those of the plain call."""

import numpy as np
import pytest

import pullback as pb
from programs import computed_indices, indirect_loops
from programs.computed_indices import Y

RANDOM = np.random.default_rng(7)
V = RANDOM.uniform(0.05, 0.95, 70)
IMAGE, SHIFT = RANDOM.normal(size=(6, 70)), 2.0 * RANDOM.normal(size=(6, 70))
PREDICATED = [
    (computed_indices.interpolated, V, Y),
    (computed_indices.soft_histogram, V, 0.3),
    (computed_indices.warped_rows, IMAGE, SHIFT),
    (computed_indices.offsets_beside_loaded_indices, V, Y, np.arange(70) % 4),
]
POINTS = np.linspace(0.0, 0.99, 200)


def gradients(function, *arguments):
    compiled = pb.value_and_grad(function)
    plain = pb.value_and_grad(pb.differentiable(function, optimisations=False, jit=False))
    return compiled(*arguments), plain(*arguments)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("case", PREDICATED, ids=lambda case: case[0].__name__)
def test_the_checks_of_a_strip_are_one_condition(case):
    function, *arguments = case
    text = pb.inspect_source(pb.value_and_grad(function), *arguments)
    assert "if inside:" in text
    (value, gradient), (expected, known) = gradients(function, *arguments)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, known, rtol=1e-10, atol=1e-13)


def test_where_indices_are_only_loaded_there_is_none():
    text = pb.inspect_source(indirect_loops.energy_of_bonds, V[:7], Y[:7], indirect_loops.pairs(90), 0.7)
    assert "inside" not in text


@pytest.mark.parametrize("place", [0, 63, 64, 199])
@pytest.mark.parametrize("point", [-0.05, -1.0, -1.2, 1.0, 1.1, np.nan, np.inf, 1e30, -1e30])
def test_errors_are_those_of_the_plain_call(place, point):
    points = POINTS.copy()
    points[place] = point
    if -1.0 <= point < 1.0:
        (value, gradient), (expected, known) = gradients(computed_indices.interpolated, points, Y)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient, known, rtol=1e-10, atol=1e-13)
        return
    with pytest.raises((IndexError, ValueError, OverflowError)) as raised:
        computed_indices.interpolated(points, Y)
    with pytest.raises(raised.type):
        pb.grad(computed_indices.interpolated)(points, Y)


@pytest.mark.parametrize(("first", "second"), [(1.1, np.nan), (np.nan, 1.1), (np.inf, np.nan)])
def test_the_first_of_several_errors_is_raised(first, second):
    points = POINTS.copy()
    points[70], points[90] = first, second
    with pytest.raises((IndexError, ValueError, OverflowError)) as expected:
        computed_indices.interpolated(points, Y)
    with pytest.raises(expected.type):
        pb.grad(computed_indices.interpolated)(points, Y)


def test_sums_that_wrap_around_raise():
    def far(x, start):
        total = 0.0
        for p in range(x.shape[0]):
            k = int(x[p] * 3.0) + start
            total += np.exp(x[k - start]) * np.sin(x[p]) + np.tanh(x[k - start]) * np.cos(x[p])
        return total

    for start in (0, 5, 2**63 - 3, -(2**63) + 1):
        np.testing.assert_allclose(*(r[1] for r in gradients(far, V, start)), rtol=1e-10)
    with pytest.raises(OverflowError):
        pb.grad(far)(V, 2**63 - 1)
