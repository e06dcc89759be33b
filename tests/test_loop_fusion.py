"""Loop fusion and array contraction: which nests become one, which arrays rows, and that results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import row_nests

X, W, S = row_nests.X, row_nests.W, row_nests.S
WITHOUT = pb.OPTIMISATIONS - {"loop_fusion", "array_contraction"}


def outer_loops(function, *arguments, argnums=()):
    text = pb.inspect_source(function, *arguments, argnums=argnums)
    return sum(line.startswith("    for ") for line in text.splitlines())


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (row_nests.softmax_of_rows, (X, W), 1),
        (row_nests.normalised_rows, (X, W), 1),
        (row_nests.scaled_by_sums, (X, W), 1),
        (row_nests.reads_the_row_before, (S,), 2),
        (row_nests.needs_the_whole_sum, (S,), 2),
        (row_nests.one_element_for_all, (S,), 2),
        (row_nests.counts_of_rows, (S, W), 1),
        (row_nests.in_branches, (S, True), 1),
        (row_nests.counted_from_the_end, (S,), 3),
        (row_nests.found_by_an_index, (S, np.array([2, 0, 1])), 2),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_nests_over_the_same_rows_become_one(function, arguments, expected):
    assert outer_loops(function, *arguments) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [(row_nests.copied_between, 1), (row_nests.copy_read_behind, 2), (row_nests.copied_before_it_changes, 2)],
)
def test_copies_come_after_both_nests_where_the_second_one_has_no_part_in_them(function, expected):
    text = pb.inspect_source(function, S, 2, argnums=())
    assert sum(line.startswith("        for i in") for line in text.splitlines()) == expected


def test_both_sweeps_are_one_nest():
    assert outer_loops(row_nests.normalised_rows, X, W, argnums=0) == 1


def test_what_only_one_row_needs_is_a_row():
    text = pb.inspect_source(row_nests.normalised_rows, X, W, argnums=0)
    made = [line for line in text.splitlines() if "np.empty(" in line or "np.zeros(" in line]
    assert len(made) > 1
    assert all("shape[0]," not in line for line in made if "x_bar" not in line)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("found", programs("row_nests"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    functions = [pb.differentiable(optimisations=o, cache=False)(found.function) for o in (pb.OPTIMISATIONS, WITHOUT)]
    for sample in found.samples:
        results = [function(*sample.fresh()) for function in functions]
        np.testing.assert_allclose(*results, rtol=1e-5 if sample.fresh()[0].dtype == np.float32 else 1e-13)


def test_sums_of_integers_are_exact():
    """Beyond 2**53, where floats leave out numbers."""

    def summed(x, k):
        y = np.zeros(2, dtype=np.int64)
        for i in range(2):
            for j in range(k.shape[0]):
                y[i] += k[j]
        return y, x * 2.0

    k = np.array([2**60 + 1, 3, 5])
    counts, _ = pb.differentiable(summed)(1.0, k)
    assert counts.tolist() == summed(1.0, k)[0].tolist()


def room_told_by_a_later_loop(x, n, m):
    y = np.empty(n)
    for i in range(m):
        y[i] = x[i] ** 2
    s = 0.0
    for i in range(m):
        s += y[i]
    for i in range(m, n):
        s += x[i]
    return s


def room_told_by_a_branch(x, n, m):
    s = 0.0
    if n >= m:
        y = np.empty(n)
        for i in range(m):
            y[i] = x[i] ** 2
        for i in range(m):
            s += y[i]
    return s + x[0]


def test_what_a_loop_or_branch_tells_does_not_hold_outside_of_it():
    x = np.linspace(0.1, 0.9, 8)
    for call in (pb.differentiable, pb.grad, pb.value_and_grad):
        with pytest.raises(IndexError):
            call(room_told_by_a_later_loop)(x, 3, 5)
    assert pb.differentiable(room_told_by_a_later_loop)(x, 7, 5) == pytest.approx(room_told_by_a_later_loop(x, 7, 5))
    assert outer_loops(room_told_by_a_later_loop, x, 7, 5) == 3
    assert "np.empty((" not in pb.inspect_source(room_told_by_a_branch, x, 7, 5, argnums=())


def read_behind_the_end(x, w):
    x += 1.0
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * w[i]
    return total


def rows_read_behind_the_end(x, w):
    for i in range(x.shape[0]):
        for j in range(2):
            x[i] += 0.5 * j
    total = 0.0
    for i in range(x.shape[0]):
        for _ in range(2):
            total += x[i] * w[i]
    return total


def written_behind_the_end(x, w):
    for i in range(x.shape[0]):
        x[i] = 1.0 + i
    for i in range(x.shape[0]):
        w[i] = w[i] * x[i]
    return np.sum(w)


def read_behind_the_end_first(x, w):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] * w[i]
    for i in range(x.shape[0]):
        x[i] = y[i] + 1.0
    return np.sum(x)


@pytest.mark.parametrize(
    "function", [read_behind_the_end, rows_read_behind_the_end, written_behind_the_end, read_behind_the_end_first]
)
def test_a_caller_sees_the_same_after_an_error(function, numba_off):
    seen = []
    for call in (function, pb.differentiable(function), pb.grad(function), pb.grad(function, (0, 1))):
        x, w = np.ones(6), np.full(3, 2.0)
        with pytest.raises(IndexError):
            call(x, w)
        seen.append((x.tolist(), w.tolist()))
    assert seen == seen[:1] * 4
