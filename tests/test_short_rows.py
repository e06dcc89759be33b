"""Functions that are specialised to the lengths of short rows, and integers that stay floats."""

import numpy as np
import pytest

import pullback as pb


def distances(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            d = 0.0
            for c in range(x.shape[1]):
                d += (x[i, c] - x[j, c]) ** 2
            total += np.sqrt(d)
    return total


def expected(x):
    difference = x[:, None] - x
    return np.sum(difference / (np.sqrt(np.sum(difference**2, axis=2)) + np.eye(len(x)))[:, :, None], axis=1)


def points(n, dims):
    return np.random.default_rng(n + dims).standard_normal((n, dims))


@pytest.mark.parametrize("sizes", [(3, 4, 3, 2), (4, 9, 4), (2, 2, 3, 1), (5, 3)])
def test_rows_of_any_length_are_right_after_each_other(sizes):
    gradient = pb.grad(distances)
    for dims in sizes:
        x = points(6, dims)
        np.testing.assert_allclose(gradient(x), expected(x), rtol=1e-12)


def test_the_form_for_rows_of_one_length_checks_it():
    def norms(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sqrt(x[i, 0] ** 2 + x[i, 1] ** 2)
        return total

    assert "constant_sizes" in pb.explain(norms, points(6, 3), passes=["constant_sizes"])
    assert "x.shape[1] != 3" in pb.inspect_source(norms, points(6, 3))
    pb.grad(norms)(points(6, 9))
    assert "x.shape[1] != " not in pb.inspect_source(norms, points(6, 3))


def test_forms_for_rows_of_one_length_are_an_optimisation():
    without = pb.differentiable(distances, optimisations=pb.OPTIMISATIONS - {"constant_sizes"})
    assert "x.shape[1] != " not in pb.inspect_source(without, points(6, 3))


def rounded(x, box):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * box * round(x[i] / box)
    return total


def truncated_in_a_branch(x, box):
    total = 0.0
    for i in range(x.shape[0]):
        if not x[i] < 3.0:
            total += x[i] * int(x[i])
    return total + box


@pytest.mark.parametrize("function", [rounded, truncated_in_a_branch])
@pytest.mark.parametrize("derivative", [pb.grad, pb.value_and_grad])
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.nan, ValueError, "cannot convert float NaN to integer"),
        (np.inf, OverflowError, "cannot convert float infinity to integer"),
    ],
)
def test_what_is_no_number_is_no_integer(function, derivative, value, error, message):
    x = np.array([1.0, value, 2.0])
    with pytest.raises(error, match=message):
        function(x, 0.5)
    with pytest.raises(error, match=message):
        derivative(function)(x, 0.5)


def test_integers_beyond_64_bits_stay_numbers():
    x = np.array([2.0**70, -3.5, 1e300])
    np.testing.assert_allclose(pb.grad(truncated_in_a_branch)(x, 0.5), [2.0**70, 0.0, 1e300], rtol=1e-15)


def doubled_in_place(x, out):
    for i in range(x.shape[0]):
        out[i] = 2.0 * round(x[i])
    return np.sum(out * x)


def test_what_was_written_before_an_error_is_what_the_plain_call_writes():
    x = np.array([1.2, 2.6, np.nan, 4.0])
    plain, given = np.zeros(4), np.zeros(4)
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        doubled_in_place(x, plain)
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        pb.grad(doubled_in_place)(x, given)
    np.testing.assert_array_equal(given, plain)
