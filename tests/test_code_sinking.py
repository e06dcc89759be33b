"""Code sinking: what moves into a branch, and that the results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs, with_and_without


def changes(function, *arguments):
    return pb.explain(function, *arguments, passes=["code_sinking"]) != ""


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("exercised_at_times", True),
        ("discounted", True),
        ("either_side", True),
        ("in_branches_in_branches", True),
        ("read_by_the_condition", False),
        ("yielded_by_a_side", True),
        ("read_after_the_branch", False),
        ("changed_in_between", True),
        ("elements_overwritten_in_between", True),
        ("before_a_loop_in_a_branch", True),
        ("rows", True),
        ("in_a_while", True),
        ("without_a_loop", True),
        ("integers", True),
    ],
)
def test_what_one_side_alone_reads_moves(name, moves):
    (found,) = (found for found in programs("sunk_code") if found.name == name)
    assert changes(found.function, *found.samples[0].fresh()) == moves


def in_a_loop_of_sums(x, chosen):
    total = 0.0
    for i in range(x.shape[0]):
        e = np.exp(x[i])
        if chosen[i]:
            total += e
    return total


def of_cheap_numbers(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = 2.0 * x[i] + 1.0
        if i % 2 == 0:
            total = total * 0.5 + y
    return total


def of_elements(x, k):
    total = 0.0
    for i in range(k.shape[0]):
        y = x[k[i]]
        if i % 2 == 0:
            total = total * 0.5 + y
    return total


def test_what_is_vectorised_or_cheap_or_may_raise_stays():
    assert not changes(in_a_loop_of_sums, np.ones(4), np.ones(4, bool))
    assert not changes(of_cheap_numbers, np.ones(4))
    assert not changes(of_elements, np.ones(4), np.ones(4, int))
    with pytest.raises(IndexError):
        pb.grad(of_elements)(np.ones(4), np.array([0, 7]))


@pytest.mark.drawn(4)
@pytest.mark.parametrize("found", programs("sunk_code"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    for (value, gradients), (value_without, gradients_without) in with_and_without(found, "code_sinking"):
        assert value == value_without
        for gradient, without in zip(gradients, gradients_without, strict=True):
            np.testing.assert_allclose(gradient, without, rtol=1e-13, atol=1e-13)
