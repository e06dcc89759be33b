"""Which short loops run their iterations together, as Numba is given them."""

import re

import numpy as np
import pytest

import pullback as pb
from programs import short_loops as programs


def machine_text(function, *arguments, **options):
    return pb.inspect_source(pb.differentiable(**options)(function), *arguments)


def heads(text):
    """The loops of a text, without their indentation."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("for ")]


def is_short(head):
    return re.match(r"for j in range\([-0-9, ]*\):", head) is not None


WIDE = np.cos(np.arange(60.0)).reshape(6, 10)  # not so short that the loops over it are unrolled

JAMMED = [
    (programs.convolution_by_elements, (WIDE, programs.K)),
    (programs.own_elements_changed_in_order, (programs.X, programs.K)),
    (programs.sums_of_each_iteration, (WIDE, programs.K)),
    (programs.triangle_in_each_iteration, (WIDE, programs.K)),
    (programs.scattered_by_neighbours, (WIDE, programs.K)),
    (programs.numbers_handed_on, (WIDE, programs.K, 0.5)),
]
AS_THEY_ARE = [
    (programs.iterations_that_read_what_the_nest_wrote, (programs.X, programs.K)),
    (programs.sums_read_in_the_next_iteration, (programs.X, programs.K)),
    (programs.elements_read_by_other_iterations_of_the_nest, (programs.X, programs.K)),
    (programs.a_row_of_each_iteration, (programs.X, programs.K)),
    (programs.a_nest_that_grows_with_the_iteration, (WIDE, programs.K)),
    (programs.two_nests_in_each_iteration, (WIDE, programs.K)),
    (programs.an_array_that_the_nest_and_what_follows_write, (programs.X, programs.K)),
    (programs.iterations_left_early, (WIDE, programs.K)),
]


@pytest.mark.parametrize(("function", "arguments"), JAMMED, ids=lambda f: getattr(f, "__name__", ""))
def test_iterations_run_together(function, arguments):
    before = heads(machine_text(function, *arguments, optimisations=pb.OPTIMISATIONS - {"unroll_and_jam"}))
    after = heads(machine_text(function, *arguments))
    assert sum(map(is_short, after)) < sum(map(is_short, before))


@pytest.mark.parametrize(("function", "arguments"), AS_THEY_ARE, ids=lambda f: getattr(f, "__name__", ""))
def test_iterations_run_one_after_the_other(function, arguments):
    before = heads(machine_text(function, *arguments, optimisations=pb.OPTIMISATIONS - {"unroll_and_jam"}))
    assert heads(machine_text(function, *arguments)) == before
    assert any(map(is_short, before))


def test_neighbours_are_multiples_of_one_row():
    text = machine_text(programs.convolution, WIDE, programs.K2)
    assert text.count("row = np.empty(") == 1
    assert "row2" not in text


def test_a_multiple_of_nothing_is_not_added():
    """The last factor is infinite: behind the end of a row, its multiple of 0 would be NaN."""
    kernel = np.array([[0.7, 0.2], [0.4, np.inf]])

    def total(image, kernel):
        return programs.convolution_without_logarithm(image, kernel)

    found = [pb.grad(pb.differentiable(jit=jit)(total))(programs.M, kernel) for jit in (False, True)]
    np.testing.assert_array_equal(*found)
    assert np.isfinite(found[0]).sum() == 7
