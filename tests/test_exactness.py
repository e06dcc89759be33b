"""Values are NumPy's: no product of the user's is contracted, and strict code computes as Python does, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import oracle
import pullback as pb
from pullback.frontend.arguments import form_of, leaves_of
from pullback.frontend.build import build
from pullback.frontend.context import StaticNeeded
from pullback.frontend.source import find_source
from pullback.ir.nodes import Call, Function, Let, walk
from test_programs import PROGRAMS

OF_THEIR_OWN = {
    *(np.sum, np.mean, np.var, np.std, np.prod, np.cumsum, np.cumprod, np.linalg.norm, np.trace),
    *(np.matmul, np.dot, np.inner, np.vdot, np.outer, np.linalg.solve, np.linalg.inv, np.linalg.det),
    *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.power, np.cbrt, np.hypot, np.logaddexp),
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2, np.sinc),
    *(np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh),
}
"""Sums and products of matrices, whose order is NumPy's own, and functions that NumPy and the C library round apart."""


def is_exact(program: Any) -> bool:
    """Whether a program computes by nothing but operations that have one right result."""
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


@pytest.mark.drawn(200)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.id)
def test_strict_values_are_pythons_bit_for_bit(program):
    if not is_exact(program):
        pytest.skip("what it calls is rounded apart by NumPy and the C library")
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
