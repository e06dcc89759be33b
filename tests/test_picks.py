"""Loops that pick a number keep the round where they picked it; those that use what they picked keep more."""

import numpy as np
import pytest

import pullback as pb
from programs import picks

REMEMBERED = [
    (picks.largest, picks.X),
    (picks.smallest_square_and_its_place, picks.X),
    (picks.row_sums_of_exponentials, picks.M, picks.X[:3]),
    (picks.largest_and_smallest, picks.X),
    (picks.two_numbers_of_one_round, picks.X),
    (picks.overwritten_afterwards, picks.X),
    (picks.until_one_is_large, picks.X),
    (picks.among_chosen_places, picks.X, np.array([3, 0, 2, 5])),
]
NOT_REMEMBERED = [
    (picks.where_the_loop_writes, picks.X),
    (picks.sum_of_running_maxima, picks.X),
    (picks.grows_by_what_it_was, picks.X),
    (picks.from_the_end, picks.X),
    (picks.one_before_and_one_now, picks.X),
]


def cases(listed):
    return [pytest.param(function, arguments, id=function.__name__) for function, *arguments in listed]


@pytest.mark.parametrize(("function", "arguments"), cases(REMEMBERED))
def test_no_conditions_are_kept(function, arguments):
    source = pb.source(function, *arguments)
    assert "last >= 0" in source
    assert "dtype=np.bool" not in source


@pytest.mark.parametrize(("function", "arguments"), cases(NOT_REMEMBERED))
def test_numbers_that_depend_on_each_other_are_followed(function, arguments):
    source = pb.source(function, *arguments)
    assert "dtype=np.bool" in source or "last" not in source


def test_the_first_of_equal_numbers_has_the_gradient():
    x = np.array([1.0, 3.0, 3.0, 2.0])
    assert pb.grad(picks.largest)(x).tolist() == [0.0, 27.0, 0.0, 0.0]


def test_a_number_that_is_none_is_never_left():
    gradient = pb.grad(picks.with_numbers_that_are_none)(picks.NAN)
    np.testing.assert_array_equal(gradient, [1.0, np.nan, 0.0])
