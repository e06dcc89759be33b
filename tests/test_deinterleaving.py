"""Rows in phases: which are, and that results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import elements_in_steps as steps

PRICES, VALUES = steps.PRICES, steps.VALUES
WITHOUT = pb.OPTIMISATIONS - {"deinterleaving"}


@pytest.mark.parametrize(
    ("function", "arguments", "taken", "taken_back"),
    [
        (steps.tree, (PRICES, VALUES), 3, 1),
        (steps.tree_of_a_row_made_inside, (PRICES, VALUES), 2, 1),
        (steps.slices_with_a_step, (PRICES, VALUES), 3, 1),
        (steps.sums_over_three_phases, (PRICES, 4), 2, 1),
        (steps.added_to_in_steps, (PRICES,), 1, 1),
        (steps.added_to_and_read, (PRICES,), 0, 0),
        (steps.written_in_the_nest, (PRICES,), 0, 0),
        (steps.another_name_is_written, (PRICES,), 0, 0),
        (steps.starts_from_a_table, (PRICES, np.array([1, 0, 2])), 0, 0),
        (steps.negative_starts, (PRICES, 3), 0, 0),
        (steps.red_and_black, (PRICES,), 1, 1),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_rows_that_nests_come_back_to_are_held_in_phases(function, arguments, taken, taken_back):
    text = pb.inspect_source(function, *arguments, argnums=0)
    print(text)
    assert text.count("= deinterleaved(") == taken
    assert text.count(", interleaved(") == taken_back


def test_a_loop_that_is_not_come_back_to_reads_the_row_itself():
    def total(x):
        s = 0.0
        for j in range(x.shape[0] // 2):
            s += np.sin(x[2 * j])
        return s

    assert "deinterleaved" not in pb.inspect_source(total, PRICES)


def test_large_moves_of_a_start_are_not_followed():
    """Each element is read once, as of a matrix in rows."""

    def total(x, n):
        y = np.exp(x)
        s = 0.0
        for i in range(n):
            for j in range(n):
                s += np.sin(y[2 * j + 2 * n * i])
        return s

    assert "deinterleaved" not in pb.inspect_source(total, np.linspace(0.0, 1.0, 8), 2)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("found", programs("elements_in_steps"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    functions = [pb.differentiable(optimisations=o, cache=False)(found.function) for o in (pb.OPTIMISATIONS, WITHOUT)]
    for sample in found.samples:
        results = [function(*sample.fresh()) for function in functions]
        np.testing.assert_array_equal(*results)


def test_complex_numbers_and_views():
    def total(z):
        y = np.exp(z)
        s = 0.0
        for i in range(3):
            for j in range(3):
                s += np.abs(y[2 * j + i]) * (i + 1.0)
        return s

    z = np.linspace(0.1, 0.9, 18).reshape(9, 2) + 0.5j
    gradients = [pb.grad(pb.differentiable(optimisations=o)(total))(z[:, 1]) for o in (pb.OPTIMISATIONS, WITHOUT)]
    np.testing.assert_allclose(*gradients, rtol=1e-13)


def test_an_index_outside_is_refused_as_before():
    def total(x, n):
        s = 0.0
        for i in range(n):
            for j in range(n):
                s += x[2 * j + i]
        return s

    function = pb.differentiable(total)
    with pytest.raises(IndexError):
        total(PRICES, 4)
    with pytest.raises(IndexError):
        function(PRICES, 4)
    with pytest.raises(IndexError):
        pb.grad(function)(PRICES, 4)
