"""Additions to neighbours that become sums of rows: which row serves several of them, and the signs of zeros."""

import itertools
import re

import numpy as np
import pytest

import pullback as pb


def outwards(u, v, n, k):
    now = u.copy()
    for _ in range(n):
        after = now.copy()
        for i in range(u.shape[0] - 1):
            flux = v[i] * now[i]
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return now[k]


def inwards(u, v, n, k):
    now = u.copy()
    for _ in range(n):
        after = now.copy()
        for i in range(u.shape[0] - 1):
            flux = v[i] * now[i]
            after[i] += flux
            after[i + 1] -= flux
        now = after
    return now[k]


def over_a_gap(u, v, n, k):
    now = u.copy()
    for _ in range(n):
        after = now.copy()
        for i in range(1, u.shape[0] - 1):
            flux = v[i] * now[i]
            after[i - 1] -= flux
            after[i + 1] += flux
        now = after
    return now[k]


def to_both_sides(u, v, n, k):
    """Zeros before the first iteration are subtracted here and added there: the row cannot be shared."""
    now = u.copy()
    for _ in range(n):
        after = now.copy()
        for i in range(1, u.shape[0] - 1):
            flux = v[i] * now[i]
            after[i - 1] += flux
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return now[k]


ROWS = [(outwards, 1), (inwards, 1), (over_a_gap, 1), (to_both_sides, 2)]


@pytest.mark.parametrize(("function", "rows"), ROWS, ids=lambda f: getattr(f, "__name__", ""))
def test_a_number_and_its_negative_share_a_row(function, rows):
    text = pb.inspect_source(function, np.ones(9), np.ones(9), 2, 1, argnums=1)
    (total,) = re.findall(r"now\[i\] = now\[i\] .*", text)
    assert len(set(re.findall(r"\brow\d*", total))) == rows


@pytest.mark.parametrize("function", [function for function, _ in ROWS], ids=lambda f: f.__name__)
def test_zeros_keep_their_signs(function):
    gradient = pb.value_and_grad(function, argnums=1)
    factors = ([0.0] * 4, [-0.0] * 4, [1.0, -1.0, 2.0, -2.0])
    for state in itertools.product([0.0, -0.0, 1.0], repeat=4):
        for v, n, k in itertools.product(factors, (0, 1, 2), range(4)):
            given = np.array(state), np.array(v), n, k
            expected, found = function(*given), gradient(*given)[0]
            assert (found, np.signbit(found)) == (expected, np.signbit(expected)), given


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", [function for function, _ in ROWS], ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_loop_as_it_was(function):
    random = np.random.default_rng(4)
    plain = pb.differentiable(optimisations=pb.OPTIMISATIONS - {"scatter_to_gather"})(function)
    gradients = [pb.grad(f, argnums=(0, 1)) for f in (function, plain)]
    for size, n in itertools.product((1, 2, 3, 9), (0, 1, 3)):
        given = random.standard_normal(size), random.standard_normal(size), n, size // 2
        found, expected = (gradient(*given) for gradient in gradients)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)
