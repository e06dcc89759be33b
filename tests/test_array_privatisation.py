"""Which arrays of a loop hand nothing from iteration to iteration, so that the loop is swept once."""

import pytest

import pullback as pb
from programs import preallocated_arrays as programs

ONE_SWEEP = [
    (programs.overwritten_in_every_iteration, (programs.X, programs.W)),
    (programs.two_levels, (programs.X, programs.W)),
    (programs.matrix_overwritten, (programs.X, programs.M)),
    (programs.assigned_as_a_whole, (programs.X, programs.W)),
    (programs.inner_loop_without_iterations_at_first, (programs.X, programs.W)),
]
TWO_SWEEPS = [
    (programs.added_to_from_iteration_to_iteration, (programs.X, programs.W)),
    (programs.one_element_never_written, (programs.X, programs.W)),
    (programs.read_before_it_is_written, (programs.X, programs.W)),
    (programs.the_one_before_is_read, (programs.X, programs.W)),
    (programs.read_after_the_loop, (programs.X, programs.W)),
    (programs.written_in_some_iterations, (programs.X, programs.W)),
    (programs.loop_that_may_have_no_iterations, (programs.X, programs.W, 2)),
]


def sweeps(function, arguments):
    line = pb.explain(function, *arguments).split("for i in")[1].splitlines()[1]
    return line.removeprefix("  64 iterations side by side;").split(maxsplit=2)[:2]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("function", "arguments"), ONE_SWEEP, ids=lambda f: getattr(f, "__name__", ""))
def test_a_private_array_is_made_in_every_iteration(function, arguments):
    assert sweeps(function, arguments) == ["runs", "once:"]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("function", "arguments"), TWO_SWEEPS, ids=lambda f: getattr(f, "__name__", ""))
def test_arrays_that_hand_numbers_on_do_so_backwards(function, arguments):
    assert sweeps(function, arguments) == ["runs", "twice,"]
