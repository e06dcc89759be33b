"""Iterations run side by side where they hand nothing to one another out of order, and nowhere else."""

import numpy as np
import pytest

import pullback as pb
from programs import columns, independent_chains, outer_vectorisation
from pullback.passes.vector import outer_vectorisation as strip_mining
from pullback.passes.vector import strips

X, W = outer_vectorisation.many(67), outer_vectorisation.W

INDEPENDENT = [
    outer_vectorisation.chains_summed,
    outer_vectorisation.two_chains_in_an_iteration,
    outer_vectorisation.carried_number_read_after_the_chain,
    outer_vectorisation.results_of_the_last_chain,
    outer_vectorisation.element_that_the_iteration_before_has_written,
]
IN_ORDER = [
    outer_vectorisation.chain_that_starts_where_the_last_one_ended,
    outer_vectorisation.start_that_the_iteration_before_has_set,
    outer_vectorisation.carried_number_that_the_chain_reads,
    outer_vectorisation.chain_that_reads_what_iterations_write,
    outer_vectorisation.array_written_before_and_after_the_chain,
    outer_vectorisation.chain_that_may_stop,
    outer_vectorisation.numbers_of_two_iterations_before,
]


@pytest.mark.parametrize("function", INDEPENDENT, ids=lambda f: f.__name__)
def test_independent_chains_run_side_by_side(function):
    assert "in range(width):" in pb.inspect_source(function, X, W)


@pytest.mark.parametrize("function", IN_ORDER, ids=lambda f: f.__name__)
def test_iterations_that_wait_for_each_other_run_in_order(function):
    """Loop skewing and recurrence distribution, which have strips too, are other things."""
    others = {"loop_skewing", "recurrence_distribution"}
    alone = pb.differentiable(optimisations=pb.OPTIMISATIONS - others)(function)
    assert "in range(width):" not in pb.inspect_source(alone, X, W)


def test_what_people_read_has_the_loops_they_wrote():
    assert "in range(width):" not in pb.source(outer_vectorisation.chains_summed, X, W)


SMALL_ARRAYS = [
    independent_chains.array_filled_twice,
    independent_chains.elements_written_under_a_condition,
    independent_chains.elements_found_by_each_iteration,
    independent_chains.arrays_that_change_places,
    independent_chains.array_made_anew_in_an_inner_iteration,
    independent_chains.numbers_between_the_loops,
    independent_chains.what_an_iteration_hands_to_the_next,
    independent_chains.loop_with_a_number_for_all,
]
IN_PLACE = [
    independent_chains.array_read_by_the_next_iteration,
    independent_chains.array_read_after_the_loop,
    independent_chains.array_summed_by_a_function,
    independent_chains.inner_iterations_that_differ,
    independent_chains.inner_loop_that_stops,
    independent_chains.whole_rows_kept,
]


def arguments(function, count):
    others = [np.array([0, 3, -1, 1])] if function is independent_chains.elements_found_by_each_iteration else []
    return independent_chains.rows(count), independent_chains.W, *others


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", SMALL_ARRAYS, ids=lambda f: f.__name__)
def test_arrays_of_an_iteration_get_an_axis_more(function):
    given = arguments(function, 131)
    assert "in range(width):" in pb.inspect_source(function, *given)
    value, gradients = pb.value_and_grad(function, argnums=(0, 1))(*given)
    plain = pb.differentiable(function, optimisations=pb.OPTIMISATIONS - {"outer_vectorisation"})
    expected, in_order = pb.value_and_grad(plain, argnums=(0, 1))(*given)
    assert value == pytest.approx(expected, rel=1e-12)
    assert pb.differentiable(function)(*given) == pytest.approx(function(*given), rel=1e-12)
    for gradient, other in zip(gradients, in_order, strict=True):
        np.testing.assert_allclose(gradient, other, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
def test_arrays_that_iterations_share_stay_as_they_are(function):
    assert "in range(width):" not in pb.inspect_source(function, *arguments(function, 131))


def test_large_arrays_of_an_iteration_stay_as_they_are():
    """The text has strips; with that many elements, none of them runs."""
    x, w = independent_chains.rows(70, 5000), np.linspace(-1.0, 1.0, 5000)
    gradient = pb.grad(independent_chains.distance_of_each_row)(x, w)
    plain = pb.differentiable(
        independent_chains.distance_of_each_row, optimisations=pb.OPTIMISATIONS - {"outer_vectorisation"}
    )
    np.testing.assert_array_equal(gradient, pb.grad(plain)(x, w))


def distances_to_all_rows(x):
    total = 0.0
    for i in range(x.shape[0]):
        squares = np.sum((x - x[i]) ** 2, axis=1)
        total += np.sum(np.exp(-np.sqrt(squares + 0.1)))
    return total


@pytest.mark.parametrize("shape", [(300, 7), (70, 300), (131, 1), (3, 4)])
def test_what_loops_go_over_once_may_be_larger(shape):
    """The squares of all rows are made and read once, the row is subtracted from each of them."""
    x = independent_chains.rows(*shape)
    assert "chosen = strips if x.shape[0] + 16 * x.shape[1] <= 4096 else 0" in pb.inspect_source(
        distances_to_all_rows, x
    )
    plain = pb.differentiable(jit=False)(distances_to_all_rows)
    np.testing.assert_allclose(pb.grad(distances_to_all_rows)(x), pb.grad(plain)(x), rtol=1e-11, atol=1e-13)


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
    x = outer_vectorisation.many(n)
    try:
        expected = along_a_row(x, W)
    except IndexError:
        with pytest.raises(IndexError):
            pb.value_and_grad(along_a_row)(x, W)
    else:
        value, gradient = pb.value_and_grad(along_a_row)(x, W)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient, pb.grad(pb.differentiable(jit=False)(along_a_row))(x, W), rtol=1e-12)


def matrices(rows, count):
    return columns.matrix(rows, count), columns.vector(count)


ALONG_ROWS = [
    (columns.row_times_matrix, (columns.vector(3), columns.matrix(3, 7))),
    (columns.column_softmax, matrices(3, 7)),
    (columns.column_softmax, (np.where(columns.matrix(3, 7) > 0.9, np.nan, columns.matrix(3, 7)), columns.vector(7))),
    (columns.row_behind_row, (columns.matrix(8, 8), columns.matrix(3, 8))),
    (columns.neighbouring_columns, matrices(2, 9)),
    (columns.product_by_columns, (columns.matrix(2, 3), columns.matrix(3, 7))),
    (columns.sines_of_column_sums, (columns.vector(3), columns.matrix(3, 6))),
    (columns.integers_down_the_columns, (np.arange(12).reshape(3, 4), columns.vector(4))),
]
DOWN_COLUMNS = [
    (columns.sums_through_all_columns, (columns.matrix(3, 7), columns.vector(3))),
    (columns.row_behind_itself, (columns.matrix(4, 4), columns.matrix(3, 4))),
    (columns.row_that_may_be_the_last, matrices(4, 4)),
    (columns.written_in_place, matrices(4, 4)),
    (columns.columns_up_to_the_diagonal, (columns.matrix(4, 4),)),
    (columns.until_a_threshold, (columns.matrix(3, 4), columns.vector(3))),
    (columns.scaled_down_the_columns, matrices(3, 4)),
]


def name_of(value):
    return getattr(value, "__name__", "")


def floats_of(given):
    return tuple(k for k, array in enumerate(given) if array.dtype.kind == "f")


@pytest.mark.drawn(2)
@pytest.mark.parametrize("width", [2, 3, 7])
@pytest.mark.parametrize(("function", "given"), ALONG_ROWS, ids=name_of)
def test_loops_down_columns_go_along_rows_in_strips_of_any_width(function, given, width, monkeypatch):
    monkeypatch.setattr(strips, "WIDE", width)
    monkeypatch.setattr(strip_mining, "WIDE", width)
    narrow = pb.differentiable(function, cache=False)
    assert "width = min(room, " in pb.inspect_source(narrow, *given, argnums=())
    plain = pb.differentiable(function, optimisations=pb.OPTIMISATIONS - {"outer_vectorisation"})
    for one, other in zip(pulled(narrow, given), pulled(plain, given), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def pulled(function, given):
    """The value, and the cotangents of the arguments for a cotangent that differs from element to element."""
    value, pull = pb.vjp(function, argnums=floats_of(given))(*given)
    cotangent = np.cos(np.arange(float(np.size(value)))).reshape(np.shape(value))
    found = pull(cotangent)
    return [value, *(found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize(("function", "given"), DOWN_COLUMNS, ids=name_of)
def test_loops_down_columns_stay_where_their_order_matters(function, given):
    assert "width = min(room, " not in pb.inspect_source(function, *given)


def test_a_few_columns_are_summed_one_after_the_other():
    def stages(a, k):
        total = 0.0
        for s in range(1, a.shape[0]):
            for c in range(4):
                y = 0.0
                for i in range(s):
                    y += a[s, i] * k[i, c]
                total += np.tanh(y)
        return total

    assert "width = min(" not in pb.inspect_source(stages, np.ones((7, 7)), np.ones((7, 9)))
