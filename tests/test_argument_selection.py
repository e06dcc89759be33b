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
    assert "dtype=np.bool" in source or "top_saved" in source or "last" not in source


def test_the_first_of_equal_numbers_has_the_gradient():
    x = np.array([1.0, 3.0, 3.0, 2.0])
    assert pb.grad(argument_selection.largest)(x).tolist() == [0.0, 27.0, 0.0, 0.0]


def test_a_number_that_is_none_is_never_left():
    gradient = pb.grad(argument_selection.with_numbers_that_are_none)(argument_selection.NAN)
    np.testing.assert_array_equal(gradient, [1.0, np.nan, 0.0])


SEARCHED = [
    (argument_selection.largest, argument_selection.X),
    (argument_selection.largest_and_its_place, argument_selection.LONG),
    (argument_selection.smallest_below_a_limit, argument_selection.LONG),
    (argument_selection.row_sums_of_exponentials, np.hstack([argument_selection.M] * 2), argument_selection.X[:3]),
]
NOT_SEARCHED = [
    (argument_selection.smallest_square_and_its_place, argument_selection.X),
    (argument_selection.where_the_loop_writes, argument_selection.X),
    (argument_selection.from_the_end, argument_selection.X),
]


@pytest.mark.parametrize(("function", "arguments"), cases(SEARCHED))
def test_an_element_is_searched_after_the_loop(function, arguments):
    assert "while not " in pb.inspect_source(pb.differentiable()(function), *arguments)


@pytest.mark.parametrize(("function", "arguments"), cases(NOT_SEARCHED))
def test_what_is_no_element_is_remembered_in_the_loop(function, arguments):
    assert "while not " not in pb.inspect_source(pb.differentiable()(function), *arguments)


def test_what_is_found_is_what_the_plain_loop_finds():
    compiled = pb.differentiable(argument_selection.number_and_place)
    random = np.random.default_rng(0)
    for n in range(1, 40):
        x = random.choice([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5], n)
        for given in (x, np.sort(x), -x, x[::-1], x.astype(np.float32)):
            top, at = argument_selection.number_and_place(given)
            found, place = compiled(given)
            assert (at, np.asarray(top).tobytes()) == (place, np.asarray(found, given.dtype).tobytes())
