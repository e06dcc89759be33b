"""A block behind `insert_grad_of` runs in the backward sweep alone: what it shows and checks is the cotangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

MODES: list[dict[str, Any]] = [
    {"jit": False},
    {"jit": False, "fuse": True},
    {"jit": False, "fuse": False},
    {"jit": False, "optimisations": False},
    {"jit": False, "max_residual_bytes": 0},
    {"jit": True},
    {"jit": True, "max_residual_bytes": 0},
]


def shown_in_map_loop(x):
    y = np.zeros(3)
    for i in range(3):
        s = x[i] * x[i]
        with pb.insert_grad_of(s) as g:
            print("round", i, "at", s, g)
        y[i] = s * (i + 1.0)
    return np.sum(y)


def shown_in_sum_loop(x):
    t = 0.0
    for i in range(3):
        s = x[i] * x[i]
        with pb.insert_grad_of(s) as g:
            print("round", i, "at", s, g)
        t += s * (i + 1.0)
    return t


def shown_in_carrying_loop(x):
    t = 0.0
    for i in range(3):
        s = x[i] * x[i]
        with pb.insert_grad_of(s) as g:
            print("round", i, "at", s, g)
        t = np.where(t > -1.0, t, t * t) + s * (i + 1.0)
    return t


def shown_in_while(x):
    t, i = 0.0, 0
    while i < 3:
        s = x[i] * x[i]
        if i >= 0:
            with pb.insert_grad_of(s) as g:
                print("round", i, "at", s, g)
        t = t + s * (i + 1.0)
        i += 1
    return t


LOOPS = [shown_in_map_loop, shown_in_sum_loop, shown_in_carrying_loop, shown_in_while]


@pytest.mark.drawn(10)
@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_the_last_iteration_shows_its_cotangent_first(
    function: Callable[..., Any], options: dict[str, Any], capsys: Any
) -> None:
    x = np.array([0.5, 1.0, 2.0])
    gradient = pb.grad(pb.differentiable(**options)(function))(x)
    np.testing.assert_array_equal(gradient, 2.0 * x * [1.0, 2.0, 3.0])
    assert capsys.readouterr().out.splitlines() == [
        "round 2 at 4.0 3.0",
        "round 1 at 1.0 2.0",
        "round 0 at 0.25 1.0",
    ]


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_the_two_functions_of_a_pair_show_it_going_back(function: Callable[..., Any], capsys: Any) -> None:
    x = np.array([0.5, 1.0, 2.0])
    _, backward = pb.vjp(pb.differentiable(jit=False)(function))(x)
    assert not capsys.readouterr().out
    backward(1.0)
    assert len(capsys.readouterr().out.splitlines()) == 3


def checked(x):
    y = x * x
    with pb.insert_grad_of(y) as g:
        assert np.all(np.abs(g) < 10.0), "the gradient explodes"
        if g[0] == 0.0:
            raise ValueError("the gradient vanishes")
    return np.sum(y**3)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_cotangents_can_be_checked(options: dict[str, Any]) -> None:
    gradient = pb.grad(pb.differentiable(**options)(checked))
    np.testing.assert_allclose(gradient(np.ones(2)), 6.0 * np.ones(2))
    with pytest.raises(AssertionError, match="the gradient explodes"):
        gradient(np.array([1.0, 3.0]))
    with pytest.raises(ValueError, match="the gradient vanishes"):
        gradient(np.array([0.0, 1.0]))


def shown_on_both_ways(x):
    t = x[0]
    for i in range(3):
        for j in range(2):
            s = np.sin(t) * x[j]
            with pb.insert_grad_of(s) as g:
                print("back", i, j)
                assert abs(g) < 1e9, "the gradient explodes"
            print("forth", i, j)
            t = s * t + x[i]
    return t


@pytest.mark.drawn(4)
@pytest.mark.parametrize("options", MODES, ids=str)
def test_what_runs_again_for_memory_shows_nothing_again(options: dict[str, Any], capsys: Any) -> None:
    pb.grad(pb.differentiable(**options)(shown_on_both_ways))(np.array([0.5, 1.0, 2.0]))
    iterations = [f"{i} {j}" for i in range(3) for j in range(2)]
    forth, back = [f"forth {r}" for r in iterations], [f"back {r}" for r in reversed(iterations)]
    assert capsys.readouterr().out.splitlines() == [*forth, *back]
