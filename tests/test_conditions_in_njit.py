"""Compiled code calls the form with loops where sizes are as that assumes, and the general form where they are not."""

from dataclasses import replace

import numba
import numpy as np
import pytest

import pullback as pb
from pullback.api.numba_calls import compiled_for, general_of
from pullback.frontend.build import normal_form
from pullback.ir.nodes import Block
from pullback.passes.pipeline import ALL
from pullback.passes.running import run
from pullback.transform.entry_condition import entry_condition


def weighted(x, w):
    return np.sum(np.exp(0.1 * x) * w + x * w**2)


def of_products(a, b, x):
    return np.sum(np.tanh(a @ x + b) * np.arange(b.shape[0]))


def of_neighbours(u, v, n):
    for _ in range(n):
        u = u + 0.1 * (np.roll(u, 1, axis=0) - 2 * u + np.roll(u, -1, axis=0)) * v[:, None]
        v = v * np.mean(u, axis=1)
    return np.sum(u * v[:, None])


def into_an_argument(x, w):
    x *= w
    return np.sum(x[1:] * w[:-1] ** 2)


def numbers_of(*shapes):
    rng = np.random.default_rng(sum(map(len, shapes)))
    return [rng.uniform(0.3, 1.2, shape) for shape in shapes]


CALLS = {
    weighted: [[(5,), (5,)], [(5,), (1,)], [(1,), (5,)], [(1,), (1,)], [(0,), (0,)], [(0,), (1,)]],
    of_products: [[(4, 3), (4,), (3,)], [(1, 3), (4,), (3,)], [(4, 3), (1,), (3,)], [(0, 3), (0,), (3,)]],
    of_neighbours: [[(6, 4), (6,)], [(2, 4), (2,)], [(1, 3), (1,)], [(6, 4), (1,)], [(6, 1), (6,)]],
    into_an_argument: [[(4,), (4,)], [(1,), (1,)], [(2,), (2,)]],
}
MORE = {of_neighbours: (3,)}


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_calls_of_all_sizes_are_those_from_python(function):
    gradient = pb.value_and_grad(function, argnums=(0, 1))
    right = pb.value_and_grad(pb.differentiable(optimisations=False, jit=False)(function), argnums=(0, 1))
    more = MORE.get(function, ())

    @numba.njit
    def caller(*arguments):
        return gradient(*arguments)

    for shapes in CALLS[function]:
        value, gradients = caller(*numbers_of(*shapes), *more)
        expected, those = right(*numbers_of(*shapes), *more)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for mine, theirs in zip(gradients, those, strict=True):
            assert mine.shape == theirs.shape
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-14)


def test_layouts():
    gradient = pb.grad(weighted, argnums=(0, 1))
    u, v = numbers_of((6, 4), (6, 4))

    @numba.njit
    def caller(x, w):
        return gradient(x, w)

    for given in (np.asfortranarray(u), np.repeat(u, 2, 1)[:, ::2], u[::-1].copy()[::-1]):
        for mine, theirs in zip(caller(given, v), gradient(u, v), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_sizes_that_do_not_fit_raise_what_numpy_raises():
    gradient = pb.grad(weighted)

    @numba.njit
    def caller(x, w):
        return gradient(x, w)

    for _ in range(2):
        with pytest.raises(ValueError, match=r"broadcast|shape"):
            caller(*numbers_of((5,), (4,)))
        np.testing.assert_allclose(caller(*numbers_of((5,), (5,))), gradient(*numbers_of((5,), (5,))))


def test_both_forms_take_part_in_the_key_of_a_caller():
    types = (numba.float64[::1], numba.float64[::1])
    compiled = compiled_for(pb.grad(weighted), types)
    assert compiled.lowered
    assert not general_of(compiled).lowered
    assert compiled.condition.interpreted(*numbers_of((5,), (5,))) is True
    assert compiled.condition.interpreted(*numbers_of((5,), (1,))) is False


def test_the_first_call_from_python_does_not_choose_what_compiled_code_calls():
    gradient = pb.grad(of_products, argnums=2)
    types = (numba.float64[:, ::1], numba.float64[::1], numba.float64[::1])
    before = compiled_for(gradient, types)
    gradient(*numbers_of((2, 3), (2,), (3,)))
    assert compiled_for(gradient, types) is before


def test_a_check_that_reads_an_array_is_no_condition():
    lowered = run(normal_form(weighted, np.ones(3), np.ones(3)), replace(ALL, lowered=True), "lowering")
    assert entry_condition(lowered) is not None
    loops_before_checks = (*lowered.body.statements[2:], *lowered.body.statements[:2])
    assert entry_condition(replace(lowered, body=Block(loops_before_checks, lowered.body.yields))) is None
