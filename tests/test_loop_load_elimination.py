"""Elements handed on from iteration to iteration: which are, which are loaded, and that the results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import recurrences

X, Y, TABLE = recurrences.X, recurrences.Y, recurrences.TABLE
WITHOUT = pb.OPTIMISATIONS - {"loop_load_elimination"}


def machine_text(function, *arguments, optimisations=pb.OPTIMISATIONS, argnums=None):
    differentiated = pb.differentiable(optimisations=optimisations)(function)
    return pb.inspect_source(differentiated, *arguments, argnums=argnums)


@pytest.mark.parametrize(
    ("function", "arguments", "handed_on"),
    [
        (recurrences.filtered, (X, 0.4), ["y_previous", "y_bar_previous"]),
        (recurrences.tridiagonal_solves, (X, Y, 2), ["upper_previous", "upper_bar_previous", "x_bar_previous"]),
        (recurrences.table, (TABLE, 0.5), ["r_bar_previous"]),
        (recurrences.read_in_a_branch, (X, Y), ["y_previous", "y_bar_previous"]),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_what_the_iteration_before_stored_is_not_loaded(function, arguments, handed_on):
    text, without = machine_text(function, *arguments), machine_text(function, *arguments, optimisations=WITHOUT)
    for name in handed_on:
        assert f" {name} = 0.0\n" in text
        assert f" {name} = 0.0\n" not in without


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (recurrences.written_at_an_unknown_place, (X, Y, 1)),
        (recurrences.written_in_a_branch, (X, Y)),
        (recurrences.read_behind_a_place, (X, Y, 2)),
        (recurrences.left_early, (X, Y)),
        (recurrences.rows_that_are_one_row, (TABLE,)),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_elements_that_may_have_been_written_otherwise_are_loaded(function, arguments):
    text = machine_text(function, *arguments, argnums=())
    assert text == machine_text(function, *arguments, argnums=(), optimisations=WITHOUT)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("found", programs("recurrences"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    """Up to the order in which the sums of all elements are added up, which LLVM chooses."""
    functions = [pb.differentiable(optimisations=chosen)(found.function) for chosen in (pb.OPTIMISATIONS, WITHOUT)]
    for sample in found.samples:
        results = [pb.value_and_grad(function, argnums=sample.wrt)(*sample.fresh()) for function in functions]
        for one, other in zip(*((value, *gradients) for value, gradients in results), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-14)
