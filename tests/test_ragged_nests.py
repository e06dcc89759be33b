"""Ragged nests: what they keep has its room at once, what they read is checked before, and errors are NumPy's."""

import re

import numpy as np
import pytest

import pullback as pb
from programs import bands, changing_shapes, ragged_nests
from pullback.passes.pipeline import REORDERING

X, FIRST, NEAR, POINTS = ragged_nests.X, ragged_nests.FIRST, ragged_nests.NEAR, ragged_nests.POINTS


def machine_text(function, *arguments, argnums=0):
    return pb.inspect_source(function, *arguments, argnums=argnums)


@pytest.mark.parametrize(
    ("function", "arguments", "is_counted"),
    [
        (ragged_nests.carried_through_rows, (X, FIRST, NEAR), True),
        (ragged_nests.three_deep, (X, np.array([1, 2, 1]), FIRST), True),
        (ragged_nests.in_steps_and_downwards, (X, FIRST), True),
        (ragged_nests.in_some_rows, (X, FIRST, np.ones(4, bool)), False),
        (ragged_nests.bounds_that_change, (X, FIRST), False),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_iterations_are_counted_before_where_the_bounds_are_known(function, arguments, is_counted):
    text = machine_text(function, *arguments)
    assert ("_saved = np.empty((iterations" in text) == is_counted
    assert ("reserve(" in text or "keep(" in text) != is_counted


@pytest.mark.parametrize(
    ("function", "arguments", "buffers"),
    [
        (ragged_nests.quotients_of_ties, (np.abs(X) + 0.1, np.array([2.0, 2.0, 5.0, 5.0, 5.0, 1.0])), []),
        (
            ragged_nests.quotients_beside_states,
            (np.abs(X) + 0.1, np.array([1, 3, 0])),
            ["total_saved", "total_exp_saved", "total_quotient_saved"],
        ),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_quotients_are_computed_again_where_that_saves_the_buffer(function, arguments, buffers):
    text = machine_text(function, *arguments)
    assert re.findall(r"(\w+) = reserve\(", text) == buffers


def test_quotients_are_kept_where_their_operands_would_have_to_be():
    matrix = np.arange(16.0).reshape(4, 4) / 9.0 + 2.0 * np.eye(4)
    assert "m_quotient_saved[" in machine_text(changing_shapes.determinant_by_elimination, matrix)


def test_places_of_kept_values_are_seen_not_to_be_negative():
    text = machine_text(ragged_nests.energy_of_neighbours, POINTS, FIRST, NEAR, 1.9)
    saved = re.findall(r"\w+_saved\[(.*?)\]", text)
    assert saved
    assert all(place.startswith("np.uint64(") for place in saved)


def test_indices_are_checked_before_a_loop_that_gathers():
    text = machine_text(ragged_nests.energy_of_neighbours, POINTS, FIRST, NEAR, 1.9, argnums=())
    assert text.count("check_elements(near, ") == 1
    assert "check_index(" not in text


def test_indices_of_few_operations_are_checked_where_they_are_used():
    def row_sums(x, first, near):
        s = 0.0
        for i in range(first.shape[0] - 1):
            for k in range(first[i], first[i + 1]):
                s += x[near[k]]
        return s

    assert "check_elements(" not in machine_text(row_sums, X, FIRST, NEAR)


@pytest.mark.parametrize(
    "near",
    [[1, 2, 5, 0, 4, 3, 6], [1, 2, 5, 0, 4, 3, -7], [1, 2, 99, 0, 4, 3, 1]],
    ids=["above", "below", "far above"],
)
def test_an_index_outside_is_an_index_error(near):
    arguments = POINTS, FIRST, np.array(near), 1.9
    with pytest.raises(IndexError):
        ragged_nests.energy_of_neighbours(*arguments)
    for transform in (pb.differentiable, pb.value_and_grad):
        with pytest.raises(IndexError):
            transform(ragged_nests.energy_of_neighbours)(*arguments)


def test_an_index_outside_that_no_row_reads_is_no_error():
    near = np.append(NEAR, 99)
    value = pb.differentiable(ragged_nests.energy_of_neighbours)(POINTS, FIRST, near, 1.9)
    assert value == pytest.approx(ragged_nests.energy_of_neighbours(POINTS, FIRST, near, 1.9), rel=1e-13)


@pytest.mark.parametrize("first", [[0, 3, 9], [0, 3, 5, 7, 8]], ids=["beyond the list", "one row too many"])
def test_bounds_outside_are_an_index_error(first):
    arguments = X, np.array(first), NEAR
    with pytest.raises(IndexError):
        ragged_nests.carried_through_rows(*arguments)
    with pytest.raises(IndexError):
        pb.value_and_grad(ragged_nests.carried_through_rows)(*arguments)


def test_rows_that_begin_before_the_list_count_from_its_end():
    first = np.array([-2, 0, 1])
    expected = ragged_nests.energy_of_neighbours(POINTS, first, NEAR, 1.9)
    value, _ = pb.value_and_grad(ragged_nests.energy_of_neighbours)(POINTS, first, NEAR, 1.9)
    assert value == pytest.approx(expected, rel=1e-13)


def test_zeros_keep_their_signs():
    """Where no branch is taken, -0.0 stays, unless sums may begin with 0."""

    def summed(x, y):
        for i in range(y.shape[0]):
            for k in range(x.shape[0]):
                if x[k] > 10.0:
                    y[i] += x[k]
        return y

    made = pb.differentiable(optimisations=pb.OPTIMISATIONS - REORDERING)(summed)(X, np.array([-0.0, 0.0]))
    assert list(np.signbit(made)) == [True, False]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (bands.within_a_band, (bands.X, bands.Y, 2)),
        (bands.between_conditions, (bands.X, bands.Y, 2)),
        (bands.factor_of_a_band, (bands.SQUARE, 1)),
        (bands.first_values, (bands.X, bands.Y[:5])),
        (bands.red_and_black, (np.ones((4, 5)), 0.5, 2)),
        (bands.up_to_the_edges, (np.ones((4, 5)), bands.KERNEL)),
        (bands.downwards_from_the_smaller, (bands.X, 3)),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_bands_have_room_for_their_width_in_each_iteration(function, arguments):
    text = machine_text(function, *arguments)
    assert re.search(r"_saved = np\.empty\(\(.+, .+\)", text)
    assert "reserve(" not in text
    assert "iterations" not in text


def test_a_bound_that_only_its_iteration_knows_gives_no_room():
    text = machine_text(bands.up_to_what_an_array_says, bands.X, np.array([2, 0, 5, 1, 3, 2]))
    assert "iterations" in text or "reserve(" in text


@pytest.mark.parametrize("width", [2**20, 2**40])
def test_a_band_that_is_wider_than_the_array_takes_no_more_room(width):
    gradient = pb.value_and_grad(bands.within_a_band, argnums=(0, 1))
    value, (x_bar, y_bar) = gradient(bands.X, bands.Y, width)
    expected, (expected_x, expected_y) = gradient(bands.X, bands.Y, 100)
    assert value == expected
    np.testing.assert_array_equal(x_bar, expected_x)
    np.testing.assert_array_equal(y_bar, expected_y)


def smaller(i, n):
    return i if i < n else n


def larger(i, n):
    return n if i <= n else i


def none_of_both(i, n):
    return i if i < 2 * n else n


@pytest.mark.parametrize(("function", "written"), [(smaller, "min("), (larger, "max("), (none_of_both, None)])
@pytest.mark.parametrize("number", [3, 3.0])
def test_a_branch_that_chooses_the_smaller_integer_is_a_minimum(function, written, number):
    def chosen(x, i, n):
        return x * function(i, n)

    text = machine_text(chosen, 2.0, 2, number)
    assert [name for name in ("min(", "max(") if name in text] == [written] * (
        type(number) is int and written is not None
    )
    for i, n in ((2, number), (4, number), (type(number)(3), number)):
        assert pb.value_and_grad(chosen)(2.0, i, n) == (chosen(2.0, i, n), function(i, n))
