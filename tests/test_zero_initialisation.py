"""Which adjoints a loop finds empty, as Numba is given them."""

import numpy as np
import pytest

import pullback as pb
from programs import zero_initialisation as programs


def machine_text(function, *arguments):
    return pb.inspect_source(pb.differentiable(function), *arguments, argnums=(0, 1))


EMPTY = [
    (programs.longer_than_the_loop, (programs.X, programs.LONG), {"x", "y"}),
    (programs.row_read_twice, (programs.M, programs.X), {"m", "x"}),
    (programs.each_column_by_name, (programs.M, programs.X), {"m", "x"}),
    (programs.one_column_left_out, (programs.M, programs.X), {"x"}),
    (programs.row_read_before_the_whole, (np.hstack([programs.M] * 2), programs.X), {"m", "x"}),
    (programs.iterations_from_an_argument, (programs.X, programs.LONG, 3), set()),
    (programs.iterations_left_over, (programs.X, programs.LONG), set()),
    (programs.next_row_read_too, (programs.M, programs.X), set()),
    (programs.only_in_some_iterations, (programs.X, programs.LONG), {"x"}),
]


@pytest.mark.parametrize(("function", "arguments", "empty"), EMPTY, ids=lambda f: getattr(f, "__name__", ""))
def test_adjoints_that_need_no_zeros(function, arguments, empty):
    text = machine_text(function, *arguments)
    assert {name for name in "xym" if f"{name}_bar = np.empty" in text} == empty


def test_what_a_loop_does_not_reach_is_zero():
    text = machine_text(programs.longer_than_the_loop, programs.X, programs.LONG)
    assert "y_bar[x.shape[0]:] = 0.0" in text
    _, y_bar = pb.grad(programs.longer_than_the_loop, argnums=(0, 1))(programs.X, programs.LONG)
    assert y_bar[4:].tolist() == [0.0, 0.0]


def test_what_people_read_has_no_such_line():
    text = pb.source(programs.longer_than_the_loop, programs.X, programs.LONG)
    assert ":] = 0.0" not in text
