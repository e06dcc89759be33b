"""Values are NumPy's: no product of the user's is contracted, and strict code computes as Python does, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special

import oracle
import pullback as pb
from pullback.frontend.build import build
from pullback.frontend.calls import exact_libraries as exactly
from pullback.frontend.source.finding import find_source
from pullback.frontend.values.arguments import form_of, leaves_of
from pullback.frontend.values.context import StaticNeeded
from pullback.functions import RECORDS
from pullback.ir.nodes import Call, Function, Let, walk
from pullback.runtime import vectormath
from pullback.runtime.exact import libm, ufuncs
from test_programs import PROGRAMS

OF_THEIR_OWN = {
    *(np.sum, np.mean, np.var, np.std, np.prod, np.cumsum, np.cumprod, np.linalg.norm, np.trace),
    *(np.matmul, np.dot, np.inner, np.vdot, np.outer, np.linalg.solve, np.linalg.inv, np.linalg.det),
}
"""Sums and products of matrices, whose order is NumPy's own."""


def is_exact(program: Any) -> bool:
    """Whether a program adds up nothing by functions of NumPy, which do so in an order of their own."""
    source = find_source(program.function)
    given = dict(zip(source.function.__code__.co_varnames, program.samples[0].fresh(), strict=False))
    try:
        function = build(source, {name: form_of(value) for name, value in given.items()}).function
    except (pb.PullbackError, StaticNeeded):
        return False
    return _is_exact(function)


def _is_exact(function: Function) -> bool:
    statements = list(walk(function.body))
    if any(isinstance(s, Let) and s.function in OF_THEIR_OWN for s in statements):
        return False
    return not any(isinstance(s, Call) for s in statements) or all(map(_is_exact, function.callees))


def bits(value: Any) -> list[Any]:
    """The dtype, shape and bytes of all numbers in a value; every NaN is the same."""
    leaves = [np.asarray(leaf) for leaf in leaves_of(value, form_of(value))]
    return [(a.dtype.kind, a.shape, np.where(a == a, a, np.nan).astype(a.dtype).tobytes()) for a in leaves]


@pytest.mark.drawn(24)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.id)
def test_strict_values_are_pythons_bit_for_bit(program):
    if not is_exact(program):
        pytest.skip("NumPy adds up in an order of its own")
    with np.errstate(all="ignore"):
        plain, _ = oracle.run(program.function, program.samples[0].fresh())
    strict = pb.differentiable(fastmath=False, math="libm")(program.function)
    assert bits(strict(*program.samples[0].fresh())) == bits(plain)


def difference_of_squares(x, y):
    return np.sqrt(x * x - y * y)


def double_root(b, c):
    return -b / 2 + math.sqrt(b * b / 4 - c)


def spread(x):
    return np.mean(x * x) - np.mean(x) ** 2


def determinant(a, b, c, d):
    return a * d - b * c


def difference_in_a_loop(x, y):
    worst = 0.0
    for i in range(x.shape[0]):
        worst = min(worst, x[i] * x[i] - y[i] * y[i])
    return worst


VALUES = np.random.default_rng(5).uniform(0.1, 3.0, 1000)


def test_no_product_of_the_user_is_contracted():
    root = pb.differentiable(difference_of_squares)
    assert all(root(v, v) == 0.0 for v in VALUES)
    roots = pb.differentiable(double_root)
    assert all(roots(2 * v, v * v) == double_root(2 * v, v * v) for v in VALUES)
    product = pb.differentiable(determinant)
    assert all(product(v, v, v, v) == 0.0 for v in VALUES)
    assert pb.value_and_grad(difference_in_a_loop)(VALUES, VALUES.copy())[0] == 0.0
    assert pb.differentiable(np_row)(VALUES, VALUES.copy()) == 0.0
    spreads = pb.differentiable(spread)
    for v in VALUES[:100]:
        x = np.full(7, v)
        assert spreads(x) == pytest.approx(spread(x), abs=1e-15)


def np_row(x, y):
    return np.max(np.abs(x * x - y * y))


def test_what_a_gradient_computes_again_of_the_user_is_not_contracted():
    def root(x, y):
        return np.sqrt(x * x - y * y + 1e-40)

    gradient = pb.grad(root)
    assert all(np.isfinite(gradient(v, v)) for v in VALUES)


def added(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    return total


def compensated(x):
    total, lost = 0.0, 0.0
    for i in range(x.shape[0]):
        y = x[i] - lost
        t = total + y
        lost = (t - total) - y
        total = t
    return total


def test_strict_sums_are_added_up_in_order():
    x = np.array([1e16, *[1.0] * 1000, -1e16])
    strict = pb.differentiable(fastmath=False)(added)
    assert strict(x) == added(x) == 0.0
    assert pb.value_and_grad(strict)(x)[0] == 0.0
    assert pb.differentiable(compensated)(x) == compensated(x)


def test_strict_sums_stay_in_order_in_parallel_loops_and_elements_of_arrays():
    def rows(x):
        total = 1e16
        for i in range(x.shape[0]):
            total += x[i] * x[i]
        return total

    def columns(x):
        y = np.full(3, 1e16)
        for j in range(3):
            for i in range(x.shape[0]):
                y[j] += x[i]
        return y[0] - y[1] + y[2]

    def at_places(x):
        y = np.full(2, 1e16)
        for i in range(x.shape[0]):
            np.add.at(y, np.array([1, 1]), np.array([x[i], 1.0]))
        return y[1]

    x = np.ones(1_000_000)
    for f in (rows, columns, at_places):
        for parallel in (False, True):
            strict = pb.differentiable(f, fastmath=False, parallel=parallel)
            assert pb.value_and_grad(strict)(x[:5000])[0] == strict(x[:5000]) == f(x[:5000])
    assert pb.differentiable(rows, fastmath=False, parallel=True)(x) == rows(x)


def test_functions_are_those_of_the_library_that_is_called():
    def numbers(x):
        out = np.empty((x.size, 20))
        for i in range(x.size):
            v = x[i]
            out[i, 0], out[i, 1] = math.exp(v), np.exp(v)
            out[i, 2], out[i, 3] = math.tanh(v), np.tanh(v)
            out[i, 4], out[i, 5] = math.hypot(v, 0.3), np.hypot(v, 0.3)
            out[i, 6], out[i, 7] = math.gamma(v), math.lgamma(v)
            out[i, 8], out[i, 9] = math.cbrt(v), np.cbrt(v)
            out[i, 10], out[i, 11] = v**2, np.power(v, 2)
            out[i, 12], out[i, 13] = v**0.5, np.power(v, 0.5)
            out[i, 14], out[i, 15] = math.log10(v), np.log10(v)
            out[i, 16], out[i, 17] = math.pow(v, -1.0), np.power(v, -1.0)
            out[i, 18], out[i, 19] = math.atan2(v, 0.7), np.arctan2(v, 0.7)
        return out

    def arrays(x):
        y = np.array(x[0])
        return np.sinc(x) + x**2 + x**0.5 + x**-1 + x**1.5 + 1.5**x + x**x + np.logaddexp(x, y**0.5)

    def wide_powers(x):
        return np.float_power(x, 2) + np.float_power(x, 0.5) + np.float_power(x, x)

    def of_scipy(x):
        return special.erf(x) * special.gammaln(x) + special.expit(x) - special.digamma(x) / special.erfc(x)

    x = np.random.default_rng(8).uniform(0.05, 4.0, 2000)
    for f in (numbers, arrays, wide_powers, of_scipy):
        for given in (x, x.astype(np.float32), np.asfortranarray(x.reshape(50, 40))[3], x[::7]):
            for jit in (False, True):
                strict = pb.differentiable(f, jit=jit, fastmath=False, math="libm")
                assert bits(strict(given)) == bits(f(given)), (f.__name__, given.dtype, jit)


def test_functions_of_math_compute_with_64_bits():
    def f(x):
        return math.exp(x) + math.log(x)

    for jit in (False, True):
        value = pb.differentiable(f, jit=jit)(np.float32(0.3))
        assert value == pytest.approx(f(np.float32(0.3)), rel=1e-15)
        assert pb.grad(pb.differentiable(f, jit=jit))(np.float32(0.3)) == np.float32(
            math.exp(np.float32(0.3)) + 1 / np.float32(0.3)
        )


def test_where_math_raises_strict_values_are_numpys():
    def f(x):
        return math.log(x) + math.exp(1.0 / x)

    for jit in (False, True):
        strict = pb.differentiable(f, jit=jit, fastmath=False, math="libm")
        with np.errstate(all="ignore"):
            assert np.isnan(strict(-1.0))
            assert strict(1e-4) == np.inf


def test_iteration_of_a_python_float_is_decimal_and_that_of_numpys_is_numpys():
    def rounded(x, n):
        return round(x, 1) + round(2 * x, n) + round(x * 1e3, -2)

    for jit in (False, True):
        f = pb.differentiable(rounded, jit=jit)
        for x in (0.15, 2.675, 1.005, -0.25, 1e300, -0.0, 5e-324, np.float64(0.15)):
            assert f(x, 2) == rounded(x, 2)
        assert f(math.inf, 2) == math.inf
        assert math.isnan(f(math.nan, 2))
        assert pb.value_and_grad(f)(0.15, 2) == (rounded(0.15, 2), 0.0)


def test_negative_zero_keeps_its_sign():
    def shifted(x):
        return np.copysign(1.0, x + 0) + np.copysign(1.0, x - 0) + np.copysign(1.0, x * 1)

    for jit in (False, True):
        for x in (-0.0, 0.0):
            assert pb.differentiable(jit=jit)(shifted)(x) == shifted(x)


def test_a_division_by_a_product_is_rounded_as_it_is_written():
    def scaled(a, b):
        return a * (1 / b)

    f = pb.differentiable(scaled)
    assert all(f(v, w) == scaled(v, w) for v, w in zip(VALUES, VALUES[::-1], strict=True))


def test_names_in_exact_code_are_those_of_functions():
    for name in [name for name in dir(math) if exactly.by_call(getattr(math, name))]:
        assert callable(getattr(libm, name))
    for record in RECORDS.values():
        assert not record.loop or callable(getattr(ufuncs, record.function.__name__))
        assert not record.vector or record.function.__name__ in vectormath.__all__
    assert callable(getattr(ufuncs, exactly.POWER_TO.removeprefix("ufuncs.")))


X32 = np.array([0.3, 1.7], np.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * math.exp(x[0]),
        lambda x: x + math.sqrt(2.0),
        lambda x: x * math.pow(x[0], 2),
        lambda x: x * math.floor(x[1]) + x[math.floor(x[0])],
        lambda x: x * math.ceil(2.5),
        lambda x: x * math.trunc(float(x[1])),
        lambda x: x * math.log(x[1], 2) + math.log(x[0]),
        lambda x: x * math.hypot(x[0], x[1]) * math.fabs(-1.0),
        lambda x: x * float(x[0]),
        lambda x: x * np.exp(float(x[0])),
        lambda x: x * (x[0] ** 0.5),
        lambda x: x * math.comb(5, 2),
        lambda x: x * 3**-1 + x[0] * len(x) ** -2,
    ],
)
def test_functions_of_math_take_and_give_numbers_of_python(function):
    for jit in (False, True):
        value = pb.differentiable(function, jit=jit)(X32)
        assert value.dtype == function(X32).dtype
        np.testing.assert_allclose(value, function(X32), rtol=2 * np.finfo(np.float32).eps)
        if jit is False:
            assert bits(value) == bits(function(X32))


def test_a_negative_power_of_an_integer_that_loops_count_is_a_fraction():
    def harmonic(x):
        total = 0.0
        for i in range(1, 6):
            total += x * i**-1
        return total

    for options in ({"jit": False}, {}, {"fastmath": False, "math": "libm"}):
        assert pb.value_and_grad(pb.differentiable(harmonic, **options))(1.0) == (harmonic(1.0), harmonic(1.0))
