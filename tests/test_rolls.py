"""Rolls in loops: which are loops themselves, and that results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import rolled_arrays as rolls

U, P = rolls.U, rolls.P
WITHOUT = pb.OPTIMISATIONS - {"allocation_hoisting"}


@pytest.mark.parametrize(
    ("function", "arguments", "calls"),
    [
        (rolls.advected, (U, 3), 0),
        (rolls.rolled_by_more, (U, 3), 0),
        (rolls.rolled_by_the_iteration, (U, 3), 0),
        (rolls.on_a_torus, (P, 2), 0),
        (rolls.rolled_flat_and_along_both_axes, (P, 2), 2),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_rolls_along_one_axis_are_loops(function, arguments, calls):
    text = pb.inspect_source(lambda *args: np.sum(function(*args)), *arguments, argnums=0)
    assert text.count("rolled(") == calls


@pytest.mark.drawn(4)
@pytest.mark.parametrize("found", programs("rolled_arrays"), ids=lambda found: found.name)
def test_values_are_the_same(found):
    functions = [pb.differentiable(optimisations=o, cache=False)(found.function) for o in (pb.OPTIMISATIONS, WITHOUT)]
    for sample in found.samples:
        results = [function(*sample.fresh()) for function in functions]
        np.testing.assert_allclose(*results, rtol=1e-5 if sample.fresh()[0].dtype == np.float32 else 1e-13)
