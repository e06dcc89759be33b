"""Lists that are arrays from the start: which they are, and that values, gradients and errors stay the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import preallocated_lists as lists

WITHOUT = pb.OPTIMISATIONS - {"list_preallocation"}
PREALLOCATED = [
    (lists.smoothed, 0.4, 0.7, lists.Y, lists.F, lists.H),
    (lists.with_the_first_state, lists.X, lists.A, 4),
    (lists.two_before, lists.X, lists.A, 3),
    (lists.of_numbers, lists.Y),
    (lists.changed_after_it_was_appended, lists.X, 3),
]
OTHERS = [
    (lists.appended_to_again, lists.X, 3),
    (lists.in_some_iterations, lists.Y, 0.6),
    (lists.until_it_is_left, lists.X, 4),
    (lists.items_of_other_sizes, lists.Y),
]


def named(given):
    return getattr(given[0], "__name__", "")


@pytest.mark.parametrize("given", PREALLOCATED, ids=named)
def test_no_list_grows(given):
    text = pb.inspect_source(*given)
    assert "push" not in text
    assert "push" in pb.inspect_source(pb.differentiable(given[0], optimisations=WITHOUT), *given[1:])


@pytest.mark.parametrize("given", OTHERS, ids=named)
def test_lists_that_grow_otherwise_are_left(given):
    assert "push" in pb.inspect_source(*given)


@pytest.mark.parametrize("program", programs("preallocated_lists"), ids=lambda program: program.name)
def test_gradients_are_those_of_lists_that_grow(program):
    for sample in program.samples:
        with_, without = (
            pb.value_and_grad(
                pb.differentiable(program.function, jit=False, optimisations=optimisations), argnums=sample.wrt
            )(*sample.fresh())
            for optimisations in (True, WITHOUT)
        )
        assert with_[0] == pytest.approx(without[0], rel=1e-12)
        for one, other in zip(with_[1], without[1], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_items_of_another_shape_are_refused_as_before():
    """Rows of one element are not spread over longer ones."""

    def mixed(x, y, n):
        rows = [x]
        for _ in range(n):
            rows.append(y * 2.0)
        return np.sum(rows[-1]) + np.sum(rows[0])

    gradient = pb.value_and_grad(mixed, argnums=(0, 1))
    for _ in range(2):
        with pytest.raises(ValueError, match="one shape"):
            gradient(np.ones(3), np.ones(1), 2)
    value, _ = gradient(np.ones(3), np.ones(3), 2)
    assert value == 9.0


def test_sizes_of_one_are_those_of_the_first_call_and_others_are_right_too():
    for h in (lists.H, lists.F, np.vstack((lists.F, lists.H)), lists.H):
        given = 0.4, 0.7, lists.Y[:3], lists.F, h
        value, gradient = pb.value_and_grad(lists.smoothed)(*given)
        assert value == pytest.approx(lists.smoothed(*given))
        assert np.isfinite(gradient)
