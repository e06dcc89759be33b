"""Stencils with branches: what is read before them, how the adjoint is added up, and that the results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs, with_and_without
from programs import branching_stencils

U, V, W, CUBES = branching_stencils.U, branching_stencils.V, branching_stencils.W, branching_stencils.CUBES
SERVING = {"speculation", "load_scheduling", "scatter_to_gather", "strip_distribution"}
WITHOUT = pb.OPTIMISATIONS - {"load_scheduling"}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(branching_stencils.upwind, (U, V, W, 0.1, 2)), (branching_stencils.limited, (U, 0.2, 2))],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_the_inner_loop_is_vectorised_in_both_sweeps(function, arguments):
    lines = pb.explain(function, *arguments).splitlines()
    (at,) = (k for k, line in enumerate(lines) if "for j in range(1, columns - 1):" in line)
    assert lines[at + 1].strip() == "runs twice, forwards both times; neighbours are added up row by row; vectorised"


def test_contributions_of_seven_neighbours_are_added_up_row_by_row():
    text = pb.explain(branching_stencils.upwind_in_a_cube, *CUBES, 0.1)
    assert "neighbours are added up row by row" in text


def test_a_step_keeps_its_array_once():
    text = pb.inspect_source(branching_stencils.fluxes, U[0], 0.3, 2, argnums=0)
    kept = [line.split()[0] for line in text.splitlines() if "_saved = np.empty" in line and "float64" in line]
    assert kept == ["u_saved"]


@pytest.mark.parametrize(
    ("function", "arguments", "before", "after", "store"),
    [
        (branching_stencils.faces, (U[0] + 3.0, V[0], 0.1, 2), "q2[i_minus_one]", "q2[i]", "q_previous_saved[k, i] ="),
        (branching_stencils.backwards, (U[0], V[0]), "x[np.uint64(i + 1)]", "x[np.uint64(i)]", "a_saved["),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_what_is_stored_between_an_element_and_the_next_is_stored_behind_both(
    function, arguments, before, after, store
):
    text = pb.inspect_source(function, *arguments)
    without = pb.inspect_source(pb.differentiable(optimisations=WITHOUT)(function), *arguments)
    assert max(text.index(before), text.index(after)) < text.index(f" {store}")
    assert without.index(before) < without.index(f" {store}") < without.index(after)


def test_what_follows_from_one_element_alone_is_stored_where_it_is_computed():
    def pairs(x, y):
        for i in range(y.shape[0]):
            y[i] = 2.0
            y[i] = np.sin(x[i]) * np.cos(x[i + 1])
        return np.sum(y)

    texts = [
        pb.inspect_source(pb.differentiable(optimisations=chosen)(pairs), U[0], np.ones(6), argnums=())
        for chosen in (pb.OPTIMISATIONS, WITHOUT)
    ]
    assert texts[0] == texts[1]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("option", sorted(SERVING))
@pytest.mark.parametrize("found", programs("branching_stencils"), ids=lambda found: found.name)
def test_results_are_the_same_without(found, option):
    for (value, gradients), (value_without, gradients_without) in with_and_without(found, option):
        assert value == pytest.approx(value_without, rel=1e-14)
        for gradient, without in zip(gradients, gradients_without, strict=True):
            np.testing.assert_allclose(gradient, without, rtol=1e-13, atol=1e-13)
