"""Loops that pick a number keep the iteration where they picked it; those that use what they picked keep more."""

import numpy as np
import pytest

import pullback as pb
from programs import argument_selection

REMEMBERED = [
    (argument_selection.largest, argument_selection.X),
    (argument_selection.smallest_square_and_its_place, argument_selection.X),
    (argument_selection.row_sums_of_exponentials, argument_selection.M, argument_selection.X[:3]),
    (argument_selection.largest_and_smallest, argument_selection.X),
    (argument_selection.two_numbers_of_one_iteration, argument_selection.X),
    (argument_selection.overwritten_afterwards, argument_selection.X),
    (argument_selection.until_one_is_large, argument_selection.X),
    (argument_selection.among_chosen_places, argument_selection.X, np.array([3, 0, 2, 5])),
]
NOT_REMEMBERED = [
    (argument_selection.where_the_loop_writes, argument_selection.X),
    (argument_selection.sum_of_running_maxima, argument_selection.X),
    (argument_selection.grows_by_what_it_was, argument_selection.X),
    (argument_selection.from_the_end, argument_selection.X),
    (argument_selection.one_before_and_one_now, argument_selection.X),
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
    assert pb.grad(argument_selection.largest)(x).tolist() == [0.0, 27.0, 0.0, 0.0]


def test_a_number_that_is_none_is_never_left():
    gradient = pb.grad(argument_selection.with_numbers_that_are_none)(argument_selection.NAN)
    np.testing.assert_array_equal(gradient, [1.0, np.nan, 0.0])
