"""Loops with indirect accesses are distributed where iterations do not load what others write, and give the same."""

import numpy as np
import pytest

import pullback as pb
from programs import indirect_loops, rows_in_strips
from programs.indirect_loops import P, X, Y, pairs, rows_of
from programs.rows_in_strips import letters, table

TRIPLES = np.array([[0, 1, 2], [2, 3, 4], [5, 3, 0], [6, 1, 4]])
WON = np.arange(90) % 3 > 0
DISTRIBUTED = [
    (indirect_loops.energy_of_bonds, X, Y, pairs(90), 0.7),
    (indirect_loops.ratings, X, pairs(90)[:, 0].copy(), pairs(90)[:, 1].copy(), WON),
    (indirect_loops.angles, P, TRIPLES),
    (indirect_loops.index_that_is_computed, X, Y, pairs(90)),
    (pb.value_and_grad(indirect_loops.energy_of_neighbours), X, Y, *rows_of(3, 0, 9, 1, 70, 0, 2), 0.8),
    (rows_in_strips.log_sums_of_a_row, table(3), letters(70)),
    (rows_in_strips.stores_on_both_sides, rows_in_strips.X, letters(70)),
    (rows_in_strips.branches_in_branches, rows_in_strips.X, letters(70)),
    (pb.value_and_grad(rows_in_strips.log_sums_of_a_row), table(3), letters(70)),
]
WHERE_THEY_ARE = [
    (indirect_loops.reads_what_it_writes, X, pairs(90)),
    (rows_in_strips.loads_what_an_iteration_before_has_written, rows_in_strips.X, letters(80)),
    (rows_in_strips.loads_its_own_element_after_it_stores, table(70), letters(70)),
    (indirect_loops.energy_of_bonds, X.astype(np.float32), Y.astype(np.float32), pairs(90), np.float32(0.7)),
]
LENGTHS = [(0, 0, 0, 0, 0, 0, 0), (1, 2, 3, 4, 5, 6, 7), (63, 0, 64, 65, 0, 0, 130)]
WITHOUT = pb.OPTIMISATIONS - {"strip_distribution"}


def cases(listed):
    return [pytest.param(function, arguments, id=f"{function.__name__}{k}") for k, (function, *arguments) in listed]


@pytest.mark.parametrize(("function", "arguments"), cases(enumerate(DISTRIBUTED)))
def test_loops_are_distributed(function, arguments):
    assert "in range(width):" in pb.inspect_source(function, *arguments)
    assert "in range(width" not in pb.source(function, *arguments)


@pytest.mark.parametrize(("function", "arguments"), cases(enumerate(WHERE_THEY_ARE)))
def test_other_loops_stay_as_they_are(function, arguments):
    assert "in range(width" not in pb.inspect_source(function, *arguments)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 200])
@pytest.mark.parametrize("negative", [False, True])
def test_the_gradient_is_the_same_for_any_number_of_iterations(count, negative):
    bonds = pairs(count) - 7 * negative
    function = indirect_loops.energy_of_bonds
    plain = pb.differentiable(function, optimisations=WITHOUT)
    gradients = pb.grad(function, argnums=(0, 1, 3))(X, Y, bonds, 0.7)
    for gradient, other in zip(gradients, pb.grad(plain, argnums=(0, 1, 3))(X, Y, bonds, 0.7), strict=True):
        np.testing.assert_allclose(gradient, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("lengths", LENGTHS)
def test_the_gradient_is_the_same_for_rows_of_any_length(lengths):
    function, arguments = indirect_loops.energy_of_neighbours, (X, Y, *rows_of(*lengths), 0.8)
    plain = pb.differentiable(function, optimisations=WITHOUT)
    gradients = pb.grad(function, argnums=(0, 1, 4))(*arguments)
    for gradient, other in zip(gradients, pb.grad(plain, argnums=(0, 1, 4))(*arguments), strict=True):
        np.testing.assert_allclose(gradient, other, rtol=1e-11, atol=1e-13)


def test_a_neighbour_that_is_outside_raises():
    offsets, neighbours = rows_of(3, 0, 9, 1, 70, 0, 2)
    neighbours[50] = 7
    with pytest.raises(IndexError):
        pb.grad(indirect_loops.energy_of_neighbours)(X, Y, offsets, neighbours, 0.8)


@pytest.mark.parametrize("place", [0, 40, 63, 64, 89])
def test_an_index_that_is_outside_raises(place):
    bonds = pairs(90)
    bonds[place, 1] = 7
    with pytest.raises(IndexError):
        pb.grad(indirect_loops.energy_of_bonds, argnums=(0, 1))(X, Y, bonds, 0.7)


def test_arrays_of_the_caller_are_written_in_order():
    """What is written before an index is outside is written, as in the plain loop."""

    def scatter(out, x, places):
        for p in range(places.shape[0]):
            out[places[p]] = np.exp(x[p]) * np.sin(x[p]) + np.tanh(x[p]) * np.cos(x[p])
        return np.sum(out)

    places = np.array([0, 2, 4, 9, 1])
    outs = [np.zeros(5), np.zeros(5)]
    for run, out in zip((scatter, pb.differentiable(scatter)), outs, strict=True):
        with pytest.raises(IndexError):
            run(out, X, places)
    np.testing.assert_allclose(*outs, rtol=1e-14)


def test_an_array_that_is_read_under_another_name_is_not_written_late():
    def shared(x, places):
        y = np.zeros(7)
        view = y[1:]
        total = 0.0
        for p in range(places.shape[0]):
            v = np.exp(-x[places[p]]) * np.sin(x[p % 7]) + np.tanh(x[places[p]])
            y[places[p]] = v * v * 0.5 + np.cos(v)
            total += view[p % 6] * v
        return total

    places = np.arange(130) % 7
    compiled, plain = pb.differentiable(shared), pb.differentiable(shared, optimisations=False, jit=False)
    assert compiled(X, places) == pytest.approx(shared(X, places), rel=1e-12)
    np.testing.assert_allclose(pb.grad(compiled)(X, places), pb.grad(plain)(X, places), rtol=1e-10)


def test_the_error_of_an_index_in_a_branch_comes_in_its_order():
    def in_branches(x, places):
        y = np.zeros(9)
        for p in range(places.shape[0]):
            v = np.exp(-x[places[p]]) * np.tanh(x[places[p]])
            if places[p] > 1:
                y[places[p] + 5] += np.exp(v) * np.sin(v)
            else:
                y[places[p] - 12] += np.cos(v) * np.exp(v)
        return np.sum(y * y)

    places = np.full(100, 2)
    for place, what in ((70, 4), (71, 0)):
        places[place] = what
        with pytest.raises(IndexError) as expected:
            in_branches(rows_in_strips.X, places)
        with pytest.raises(IndexError) as found:
            pb.grad(in_branches)(rows_in_strips.X, places)
        assert str(found.value) == str(expected.value)
        places[place] = 2
    plain = pb.differentiable(in_branches, optimisations=False, jit=False)
    computed, known = (pb.grad(f)(rows_in_strips.X, places) for f in (in_branches, plain))
    np.testing.assert_allclose(computed, known, rtol=1e-10)


def test_loops_of_a_function_that_calls_itself_are_distributed():
    def levels(x, labels, depth):
        low = np.zeros((3, labels.shape[0]))
        for t in range(1, 3):
            for s in range(1, labels.shape[0]):
                v = np.exp(-low[t - 1, s]) * np.tanh(x[labels[s]]) + np.sin(x[labels[s - 1]])
                if v > 0.2:
                    low[t, s] = v * np.cos(v) + np.exp(low[t - 1, s - 1] * 0.1)
        if depth > 0:
            return levels(x * 0.9, labels, depth - 1) + np.sum(low[2])
        return np.sum(low[2])

    arguments = rows_in_strips.X, letters(70), 2
    compiled = pb.value_and_grad(levels)
    plain = pb.value_and_grad(pb.differentiable(levels, optimisations=False, jit=False))
    (value, gradient), (expected, known) = compiled(*arguments), plain(*arguments)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, known, rtol=1e-10)
