"""Powers: where a quotient stands for a second one, and that gradients stay what they are at all edges."""

import itertools

import numba
import numpy as np
import pytest

import pullback as pb
from collect import programs, with_and_without
from programs import powers
from pullback.runtime import power_slope

WITHOUT = pb.OPTIMISATIONS - {"branching_rules"}
TINY, HUGE, INF, NAN = 1e-170, 1e200, np.inf, np.nan
BASES = (0.0, -0.0, 5e-324, TINY, 0.5, 1.0, 1.7, HUGE, 1e308, INF, NAN, -1.0, -1.5, -TINY, -INF)
EXPONENTS = (0.0, -0.0, 1e-20, 0.5, 1.0, 1.5, 2.0, 3.0, 40.5, 1e6, INF, NAN, -0.5, -1.0, -2.0, -3.5, -1e6, -INF)


@pytest.mark.parametrize(
    ("function", "arguments", "slopes"),
    [
        (powers.one_power, (1.7, 2.3), 1),
        (powers.one_power, (1.7, 3), 0),
        (powers.one_power, (np.float32(1.7), np.float32(2.3)), 0),
        (powers.power_of_a_power, (0.8, 1.4), 2),
        (powers.in_a_branch, (powers.X, 2.3), 1),
        (powers.three_elements_each, (powers.X[:3], 2.3), 3),
        (powers.trajectory, (powers.X, 2.3), 1),
        (powers.side_by_side, (powers.X, powers.X), 1),
        (powers.leaky_sum, (powers.X, 2.3), 1),
        (powers.repressed, (powers.X, 2.3), 1),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_a_power_is_divided_where_its_exponent_is_known_to_the_run_alone(function, arguments, slopes):
    text = pb.inspect_source(pb.differentiable(function), *arguments)
    assert text.count("power_slope(") == slopes


@pytest.mark.drawn(3)
@pytest.mark.parametrize("found", programs("powers"), ids=lambda found: found.name)
def test_results_are_the_same(found):
    for (value, gradients), (value_without, gradients_without) in with_and_without(found, "branching_rules"):
        np.testing.assert_array_equal(value, value_without)
        for gradient, without in zip(gradients, gradients_without, strict=True):
            np.testing.assert_allclose(gradient, without, rtol=1e-13, atol=1e-13)


def test_gradients_at_the_ends_of_the_range():
    found, wanted = (
        pb.value_and_grad(pb.differentiable(optimisations=chosen)(powers.one_power), argnums=(0, 1))
        for chosen in (pb.OPTIMISATIONS, WITHOUT)
    )
    for x, n in itertools.product(BASES, EXPONENTS):
        for a, b in zip(found(x, n)[1], wanted(x, n)[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, err_msg=f"at {x}, {n}")
            assert np.signbit(a) == np.signbit(b) or np.isnan(b)


@pytest.mark.parametrize(
    ("x", "n", "slope"),
    [
        (1e-170, 2.0, 2e-170),  # x ** n is 0
        (1e-155, 2.0, 2e-155),  # x ** n has lost bits
        (1e200, 2.0, 2e200),  # x ** n is infinite
        (1e-300, -1.5, -INF),
        (1e300, -1.5, -0.0),
        (5e-324, 1.0, 1.0),
        (0.0, 0.0, 0.0),
        (0.0, 1.0, 1.0),
        (0.0, 0.5, INF),
        (-2.0, 3.0, 12.0),
        (INF, 0.5, 0.0),
        (NAN, 2.0, NAN),
    ],
)
def test_the_slope_of_a_power(x, n, slope):
    np.testing.assert_allclose(pb.grad(powers.one_power)(x, n), slope, rtol=1e-15)


@pytest.mark.parametrize("n", [0.0, 1.0, 2.0, -3.0])
@pytest.mark.parametrize("x", [TINY, 0.5, 1.7, HUGE, -1.5])
def test_plain_python_takes_the_same_slope(x, n):
    with np.errstate(all="ignore"):
        raised = np.power(x, n)
        assert power_slope(x, n, float(raised)) == pytest.approx(np.power(x, n - 1), rel=1e-15)


def test_vectors_take_the_same_slope():
    """Elements at the ends of the range among usual ones."""
    x, n = np.array([*itertools.product((*BASES, 2.5, 3.5), EXPONENTS)]).T
    with np.errstate(all="ignore"):
        raised = np.power(x, n)
        wanted = np.power(np.where((x == 0) & (n == 0), 1.0, x), n - 1)
    found = numba.njit(_slopes)(x.copy(), n.copy(), raised)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(wanted)], np.signbit(wanted)[~np.isnan(wanted)])


def _slopes(x, n, raised):
    slopes = np.empty(x.size)
    for i in range(x.size):
        slopes[i] = power_slope(x[i], n[i], raised[i])
    return slopes


@pytest.mark.filterwarnings("error")
def test_plain_python_divides_nothing_by_zero():
    assert power_slope(0.0, 2.0, 0.0) == 0.0
    assert power_slope(0.0, 0.0, 1.0) == 1.0


def test_a_derivative_that_is_differentiated_again():
    def slope(x, n):
        return pb.grad(powers.repressed)(x, n)[0]

    for f in (slope, lambda x, n: pb.grad(powers.hill)(x, n)):
        x = powers.X if f is slope else 1.7
        wanted = pb.grad(pb.differentiable(optimisations=WITHOUT)(f), argnums=(0, 1))(x, 2.3)
        for a, b in zip(pb.grad(f, argnums=(0, 1))(x, 2.3), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


def test_constant_exponents_are_written_out_or_of_the_vector_library():
    def total(x):
        return np.sum(x**1.5 + x**0.3 + x**-2)

    def recurrence(x):
        y = 1.3
        for i in range(x.shape[0]):
            y = y**0.3 + x[i]
        return y

    text = pb.inspect_source(total, np.ones(3), argnums=())
    assert all(part in text for part in ("x_i ** 1.5", "vm.power(x_i, 0.3)", "x_i ** -2"))
    assert "y ** 0.3" in pb.inspect_source(recurrence, np.ones(3), argnums=())  # one after the other, by C's pow
