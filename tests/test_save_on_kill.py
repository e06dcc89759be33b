"""Arrays that the backward sweep restores: which are, what is kept for them, and that results are the same."""

import numpy as np
import pytest

import pullback as pb
from programs import restored_arrays as nests

COUPLING, STATE = nests.COUPLING, nests.STATE
WITHOUT = pb.OPTIMISATIONS - {"save_on_kill"}
NESTS = [
    (nests.mean_field, (COUPLING, STATE, 2)),
    (nests.sparse_relaxation, (nests.VALUES, nests.FIRST, nests.COLUMNS, STATE, 3)),
    (nests.both_ways, (COUPLING, STATE, 2)),
    (nests.boundary_written_before_the_nest, (COUPLING, STATE)),
    (nests.boundary_written_after_the_nest, (COUPLING, STATE)),
    (nests.writes_in_branches, (COUPLING, STATE, np.array([True, False, True]))),
    (nests.several_stores_to_one_element, (COUPLING, STATE)),
    (nests.until_it_settles, (COUPLING, STATE)),
    (nests.two_arrays_of_two_dimensions, (COUPLING, STATE)),
    (nests.a_view_and_a_copy, (COUPLING, STATE)),
    (nests.a_function_of_its_own, (COUPLING, STATE)),
]


def explanations(function, arguments):
    """With the pass, and without it."""
    both = (pb.differentiable(function, optimisations=options) for options in (pb.OPTIMISATIONS, WITHOUT))
    return [pb.explain(one, *arguments) for one in both]


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("function", "arguments"), NESTS, ids=[f.__name__ for f, _ in NESTS])
def test_arrays_whose_elements_inner_loops_load_are_restored(function, arguments):
    with_it, without = explanations(function, arguments)
    print(with_it)
    assert with_it != without


def test_stores_among_nests_are_not_undone():
    with_it, without = explanations(nests.stores_among_nests, (COUPLING, STATE))
    assert with_it == without


def test_a_restored_array_is_not_kept_for_inner_loops():
    with_it, without = explanations(nests.mean_field, (COUPLING, STATE, 2))
    assert "keeps what it overwrites, 48 bytes: the array is restored on the way back" in with_it
    assert with_it.count("keeps") == 1
    assert "keeps what it computes, 144 bytes" in without


def test_loads_in_the_loop_of_the_stores_are_kept():
    """Nothing is restored where loads stand in no more loops than stores."""

    def relaxed(x, sweeps):
        for _ in range(sweeps):
            for i in range(1, x.shape[0] - 1):
                x[i] += 0.3 * (x[i - 1] * x[i] - x[i + 1] ** 2)
        return np.sum(x)

    with_it, without = explanations(relaxed, (np.ones(5), 2))
    assert with_it == without


@pytest.mark.drawn(10)
@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("sweeps", [0, 1, 4])
@pytest.mark.parametrize("checkpointed", [False, True])
def test_gradients_are_those_without_it(size, sweeps, checkpointed):
    random = np.random.default_rng(size)
    coupling, start = random.normal(size=(size, size)), random.uniform(0.1, 0.9, size)

    def relaxed(coupling, start):
        x, y = start.copy(), start * 0.5
        for t in pb.checkpointed(range(sweeps)) if checkpointed else range(sweeps):
            y[:1] = 0.1 * t
            for i in range(x.shape[0]):
                total = 0.0
                for j in range(x.shape[0]):
                    total += coupling[i, j] * x[j] * y[j] ** 2
                x[i] = np.sin(total)
                y[-1 - i] += x[i] * 0.3
        return np.sum(x * y)

    differentiated = [
        pb.value_and_grad(pb.differentiable(relaxed, optimisations=options), argnums=(0, 1))(coupling, start)
        for options in (pb.OPTIMISATIONS, WITHOUT, frozenset())
    ]
    (value, gradients), *others = differentiated
    assert value == pytest.approx(relaxed(coupling, start), rel=1e-12)
    for _, expected in others:
        for ours, theirs in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-13)


def test_an_argument_is_changed_as_by_the_call():
    x = STATE.copy()
    pb.value_and_grad(nests.an_argument_written_in_place)(COUPLING, x, 2)
    y = STATE.copy()
    nests.an_argument_written_in_place(COUPLING, y, 2)
    np.testing.assert_array_equal(x, y)
