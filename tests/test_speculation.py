"""Loads before branches, and sums of neighbours written once: which text is made, and that no bit changes."""

import numpy as np
import pytest

import pullback as pb
from programs import speculative_loads

U, V = speculative_loads.U, speculative_loads.V


def text(function, *arguments):
    return pb.inspect_source(pb.differentiable()(function), *arguments)


def test_branches_only_choose_numbers_and_neighbours_are_added_once():
    found = text(speculative_loads.upwind, U, V, 3)
    assert "flux = 0.3 * velocity_i * select(velocity_i > 0, now[i], now[i + 1])" in found
    assert "if velocity_i" not in found
    assert "+= row" in found
    assert "now[i] = now[i] + row" in found


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (speculative_loads.inside_by_the_condition_alone, (U, V)),
        (speculative_loads.first_element_left_out, (U,)),
        (speculative_loads.places_of_the_run, (U, np.array([3, 0, 2, 5, 1]))),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_elements_that_may_not_be_there_are_read_in_the_branch(function, arguments):
    without = pb.differentiable(optimisations=pb.OPTIMISATIONS - {"speculation"})(function)
    assert text(function, *arguments) == pb.inspect_source(without, *arguments)


def exact(y, v, w):
    y = y.copy()
    for i in range(v.shape[0]):
        y[i] -= v[i]
        y[i + 1] += w[i]
        y[i + 2] -= 0.1 * w[i]
    return y


def steps(y, v, w, count):
    for _ in range(count):
        y = exact(y, v, w)
    return y


@pytest.mark.parametrize("seed", range(5))
def test_sums_are_rounded_as_in_a_plain_call(seed):
    random = np.random.default_rng(seed)
    y, v, w = random.standard_normal(12), random.standard_normal(10) * 1e-3, random.standard_normal(10) * 1e3

    assert "row" in pb.inspect_source(pb.differentiable()(steps), y, v, w, 3, argnums=())
    assert pb.differentiable()(steps)(y, v, w, 3).tobytes() == steps(y, v, w, 3).tobytes()


def test_zeros_keep_their_signs():
    y, v, w = np.full(4, -0.0), np.zeros(2), np.full(2, -0.0)

    found = pb.differentiable()(steps)(y, v, w, 2)
    assert np.signbit(found).tolist() == np.signbit(steps(y, v, w, 2)).tolist()
