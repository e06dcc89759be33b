"""Additions to neighbours that become sums of rows: which row serves several of them, and the signs of zeros."""

import itertools
import re

import numpy as np
import pytest

import pullback as pb
from programs import states_in_rows, time_steps


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


IN_ROWS = [
    (states_in_rows.upwind_on_a_ring, True),
    (states_in_rows.central_differences, True),
    (states_in_rows.fluxes_of_a_limited_scheme, True),
    (states_in_rows.two_rows_back, True),
    (states_in_rows.rows_that_may_be_the_same, False),
]
WITHOUT = pb.OPTIMISATIONS - {"scatter_to_gather", "loop_peeling", "loop_reversal"}


@pytest.mark.parametrize(("function", "in_two"), IN_ROWS, ids=lambda f: getattr(f, "__name__", ""))
def test_rows_that_are_never_the_same_are_added_to_apart_from_others(function, in_two):
    arguments = (np.linspace(0.1, 0.9, 9), 3) if function.__code__.co_argcount == 2 else (np.linspace(-1, 1, 9), 0.3, 3)
    gradient = pb.grad(pb.differentiable(function), argnums=0)
    assert ("row" in re.findall(r"\b\w+\b", pb.inspect_source(gradient, *arguments))) is in_two


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", [function for function, _ in IN_ROWS[:4]], ids=lambda f: f.__name__)
def test_gradients_of_states_in_rows_are_those_of_the_loop_as_it_was(function):
    random = np.random.default_rng(5)
    plain = pb.differentiable(optimisations=WITHOUT)(function)
    gradients = [pb.grad(f, argnums=(0, 1)) for f in (function, plain)]
    for size, n in itertools.product((1, 2, 3, 4, 9, 70), (0, 1, 2, 5)):
        given = random.uniform(-1, 1, size), 0.1, n
        found, expected = (gradient(*given) for gradient in gradients)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_two_fields_have_lines_of_their_own():
    """No iteration hands a sum of neighbours on to the next one, in either array."""
    matrix = np.arange(12.0).reshape(3, 4) / 7
    text = pb.inspect_source(time_steps.two_fields, matrix, matrix + 0.1, 2, argnums=(0, 1))
    assert "_previous" not in text
    assert len(set(re.findall(r"(\w+_bar\d*)\[i, j\] \+= ", text))) == 2
