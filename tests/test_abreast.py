"""Chains of steps run side by side where rounds hand nothing to one another out of order, and nowhere else."""

import numpy as np
import pytest

import pullback as pb
from programs import abreast

X, W = abreast.many(67), abreast.W

ABREAST = [
    abreast.chains_summed,
    abreast.two_chains_in_a_round,
    abreast.carried_number_read_after_the_chain,
    abreast.results_of_the_last_chain,
    abreast.element_that_the_round_before_has_written,
]
IN_ORDER = [
    abreast.chain_that_starts_where_the_last_one_ended,
    abreast.start_that_the_round_before_has_set,
    abreast.carried_number_that_the_chain_reads,
    abreast.chain_that_reads_what_rounds_write,
    abreast.array_written_before_and_after_the_chain,
    abreast.chain_that_may_stop,
    abreast.numbers_of_two_rounds_before,
]


@pytest.mark.parametrize("function", ABREAST, ids=lambda f: f.__name__)
def test_independent_chains_run_side_by_side(function):
    assert "in range(64):" in pb.inspect_source(function, X, W)


@pytest.mark.parametrize("function", IN_ORDER, ids=lambda f: f.__name__)
def test_rounds_that_wait_for_each_other_run_in_order(function):
    assert "in range(64):" not in pb.inspect_source(function, X, W)


def test_what_people_read_has_the_loops_they_wrote():
    assert "in range(64):" not in pb.source(abreast.chains_summed, X, W)


def along_a_row(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = 0.1
        for t in range(w.shape[0]):
            s = s * x[p + t - 70] + w[t]
        total += s
    return total


@pytest.mark.parametrize("n", [0, 5, 63, 64, 70, 71, 134, 135, 200])
def test_an_index_error_comes_where_python_has_one(n):
    x = abreast.many(n)
    try:
        expected = along_a_row(x, W)
    except IndexError:
        with pytest.raises(IndexError):
            pb.value_and_grad(along_a_row)(x, W)
    else:
        value, gradient = pb.value_and_grad(along_a_row)(x, W)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient, pb.grad(pb.differentiable(jit=False)(along_a_row))(x, W), rtol=1e-12)
