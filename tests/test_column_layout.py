"""Matrices held by columns: which are, and that results, their layout and errors are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import few_columns

P, Q = few_columns.P, few_columns.Q
WITHOUT = pb.OPTIMISATIONS - {"column_layout"}


def text_of(function, *arguments, argnums=0):
    return pb.inspect_source(function, *arguments, argnums=argnums)


@pytest.mark.parametrize(
    ("function", "arguments", "copied", "made"),
    [
        (few_columns.energy_of_pairs, (P, Q), True, True),
        (few_columns.forces, (P, Q), True, True),
        (few_columns.some_found_by_an_index, (P, Q, np.zeros(5, int)), False, False),
        (few_columns.an_argument_that_is_changed, (P, Q), False, False),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_those_that_loops_go_down_are_held_by_columns(function, arguments, copied, made):
    text = text_of(function, *arguments, argnums=() if function is few_columns.forces else 0)
    assert ("in_columns(points)" in text) == copied
    assert ("= column_zeros((" in text) == made


def test_rows_of_unknown_length_stay():
    def total(points):
        s = 0.0
        for _ in range(points.shape[0]):
            for j in range(points.shape[0]):
                s += np.sin(points[j, 0]) * points[j, 1]
        return s

    assert "in_columns(" not in text_of(total, np.ones((5, 5)))


def test_results_are_held_by_rows():
    force = pb.differentiable(few_columns.forces)(P, Q)
    assert force.flags.c_contiguous
    gradient = pb.grad(pb.differentiable(few_columns.energy_of_pairs))(P, Q)
    assert gradient.flags.c_contiguous


@pytest.mark.drawn(3)
@pytest.mark.parametrize("found", programs("few_columns"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    functions = [pb.differentiable(optimisations=o, cache=False)(found.function) for o in (pb.OPTIMISATIONS, WITHOUT)]
    for sample in found.samples:
        results = [function(*sample.fresh()) for function in functions]
        np.testing.assert_allclose(*results, rtol=1e-6 if sample.fresh()[0].dtype == np.float32 else 1e-13)
