"""Loops run in segments where a call would keep more than it may: the same numbers, in less memory, told before."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numba import njit

import collect
import pullback as pb
from pullback.compilation.memory import Memory
from test_explain import peak_of
from test_programs import assert_close, check_program

PROGRAMS = collect.programs("checkpointing")


def recurrence(x, a, n):
    for _ in range(n):
        x = np.sin(a * x + 0.5)
    return x


def rows(x, n):
    for _ in range(n):
        x = np.sin(x) * x
    return np.sum(x)


def structured(parameters, xs):
    state = parameters["x"]
    for x in xs:
        state = np.tanh(parameters["w"] @ state + x)
    return np.sum(state), state


def path(x, n):
    y = np.empty(n + 1)
    y[0] = x
    for i in range(n):
        y[i + 1] = np.sin(y[i]) * np.exp(-y[i])
    return y[n]


@pytest.mark.drawn(8)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_segments_compiled(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "served", lambda memory, plain, arguments: memory.make(frozenset(memory.numbers)))
    check_program(program)


@pytest.mark.drawn(18)
@pytest.mark.parametrize(("most", "jit"), [(0, False), (64, False), (200, False), (0, True)])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_a_limit_changes_no_number(program: Any, most: int, jit: bool) -> None:
    for sample in program.samples:
        plain = pb.value_and_grad(pb.differentiable(jit=jit)(program.function), sample.wrt)(*sample.fresh())
        less = pb.differentiable(jit=jit, max_residual_bytes=most)(program.function)
        rtol = 5e-6 if program.name == "single_precision" else 1e-12
        gradient = pb.value_and_grad(less, sample.wrt)
        for _ in range(2):
            assert_close(gradient(*sample.fresh()), plain, rtol, "with less memory")
        value, pullback = pb.vjp(less, sample.wrt)(*sample.fresh())
        assert_close((value, pullback(1.0)), plain, rtol, "with less memory, in two functions")


@pytest.mark.parametrize(
    ("function", "arguments"), [(recurrence, (0.3, 1.1, 40_000)), (rows, (np.linspace(0.1, 1.0, 500), 300))]
)
def test_bytes_told_before_are_those_that_a_call_takes(function: Any, arguments: tuple[Any, ...]) -> None:
    usual = pb.residual_bytes(function, *arguments)
    less = pb.differentiable(jit=False, max_residual_bytes=usual - 1)(function)
    enough = pb.differentiable(jit=False, max_residual_bytes=usual)(function)
    told = pb.residual_bytes(less, *arguments)
    assert pb.residual_bytes(enough, *arguments) == usual
    assert told < 0.2 * usual
    peak = peak_of(lambda: pb.value_and_grad(less)(*arguments))
    assert told <= peak <= 1.2 * told + 40_000
    assert peak_of(lambda: pb.value_and_grad(enough)(*arguments)) >= usual


def test_segments_are_explained():
    text = pb.explain(pb.differentiable(max_residual_bytes=1000)(recurrence), 0.3, 1.1, 1000)
    assert "runs in 32 segments" in text
    assert "keeps x, 256 bytes: each segment starts with it" in text
    assert "keeps x, 256 bytes for one segment" in text
    assert "runs twice, forwards and backwards" in pb.explain(recurrence, 0.3, 1.1, 1000)


def test_only_loops_that_save_enough_run_in_segments():
    def both(x, n, m):
        for _ in range(n):
            x = np.sin(x)
        for _ in range(m):
            x = np.exp(-x)
        return x

    def segments(most: int) -> int:
        return pb.explain(pb.differentiable(max_residual_bytes=most)(both), 0.3, 10_000, 100).count(" segments,")

    assert [segments(most) for most in (100_000, 80_000, 2_000)] == [0, 1, 2]


def test_array_that_outweighs_what_is_kept_is_not_copied_for_each_segment():
    told = pb.residual_bytes(pb.differentiable(max_residual_bytes=0)(path), 0.3, 1000)
    assert told == pb.residual_bytes(path, 0.3, 1000)


def test_compiled_code_decides_at_each_call():
    gradient = pb.grad(pb.differentiable(max_residual_bytes=800)(recurrence))
    usual = pb.grad(recurrence)
    for n in (10, 50, 100, 101, 5000, 20):
        assert gradient(0.3, 1.1, n) == pytest.approx(usual(0.3, 1.1, n), rel=1e-12)
    chosen = [request.checkpointed for _, request in gradient.engine.made]
    assert chosen == [None, frozenset({0})]


def test_gradients_go_into_given_arrays_above_the_limit_too():
    x = np.linspace(0.1, 0.9, 5)
    gradient = pb.grad(pb.differentiable(max_residual_bytes=1000)(rows))
    for n in (2, 300, 3):
        out = np.empty(5)
        assert gradient(x, n, out=out) is out
        np.testing.assert_allclose(out, pb.grad(rows)(x, n), rtol=1e-12)


def test_structures_and_auxiliary_results_above_the_limit():
    random = np.random.default_rng(0)
    arguments = ({"x": np.ones(3), "w": random.normal(size=(3, 3))}, random.normal(size=(40, 3)))
    for jit in (False, True):
        less = pb.differentiable(jit=jit, fuse=True, max_residual_bytes=0)(structured)
        less, usual = (pb.value_and_grad(f, has_aux=True) for f in (less, structured))
        assert_close(less(*arguments), usual(*arguments), 1e-12, "with less memory")
        assert any(request.checkpointed for _, request in less.engine.made)


def test_compiled_callers_have_no_limit():
    slope = pb.grad(pb.differentiable(max_residual_bytes=0)(recurrence))

    @njit
    def twice(x, n):
        return 2.0 * slope(x, 1.1, n)

    assert twice(0.3, 50) == pytest.approx(2.0 * pb.grad(recurrence)(0.3, 1.1, 50), rel=1e-12)


def test_inserted_cotangents_are_changed_in_every_segment():
    def damped(x, n):
        for _ in range(n):
            x = np.sin(x)
            with pb.insert_grad_of(x) as x_bar:
                x_bar = x_bar * 0.5
        return x

    for jit in (False, True):
        less = pb.differentiable(jit=jit, max_residual_bytes=0)(damped)
        usual = pb.grad(pb.differentiable(jit=jit)(damped))(0.7, 20)
        assert pb.grad(less)(0.7, 20) == pytest.approx(usual, rel=1e-12)


def test_chains_inside_a_loop_that_only_adds_run_in_segments_each():
    chains = next(program for program in PROGRAMS if program.name == "chains_in_a_sum").function
    arguments = (np.linspace(0.1, 0.9, 3), 0.2, 1000)
    less = pb.differentiable(jit=False, max_residual_bytes=2000)(chains)
    assert pb.residual_bytes(less, *arguments) < 0.1 * pb.residual_bytes(
        pb.differentiable(jit=False)(chains), *arguments
    )
    np.testing.assert_allclose(pb.grad(less)(*arguments), pb.grad(chains)(*arguments), rtol=1e-12)


def test_prints_are_seen_once(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x, n):
        for i in range(n):
            x = np.sin(x)
            print("round", i)
        return x

    pb.grad(pb.differentiable(jit=False, max_residual_bytes=0)(told))(0.5, 20)
    assert capsys.readouterr().out.split("\n")[:-1] == [f"round {i}" for i in range(20)]


def test_errors_of_the_call_are_those_of_a_plain_call():
    def divided(x, n, k):
        for i in range(n // k):
            x = np.sin(x) / (3 - i)
        return x

    def beyond(x, w, n):
        for i in range(n):
            x = np.sin(x * w[i])
        return x

    for jit in (False, True):
        less = pb.differentiable(jit=jit, max_residual_bytes=0)
        with pytest.raises(IndexError):
            pb.grad(less(beyond))(0.5, np.ones(9), 10)
    with pytest.raises(ZeroDivisionError):
        pb.grad(pb.differentiable(jit=False, max_residual_bytes=0)(divided))(0.5, 5, 0)


def test_sizes_that_differ_meet_the_limit_too():
    def scaled(x, w, n):
        for _ in range(n):
            x = np.sin(x * w)
        return np.sum(x)

    x, w = np.linspace(0.1, 0.9, 4), np.array([0.7])
    less = pb.differentiable(max_residual_bytes=300)(scaled)
    np.testing.assert_allclose(pb.grad(less)(x, w, 60), pb.grad(scaled)(x, w, 60), rtol=1e-12)


@pytest.mark.parametrize("most", [-1, 2.5, "much"])
def test_a_limit_is_a_number_of_bytes(most: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        pb.differentiable(max_residual_bytes=most)


MEASURE = """
import resource
import numpy as np, pullback as pb

def recurrence(x, a, n):
    for _ in range(n):
        x = np.sin(a * x + 0.5)
    return x

gradient = pb.grad(pb.differentiable(max_residual_bytes=10_000_000)(recurrence))
gradient(0.3, 1.1, 1_300_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
gradient(0.3, 1.1, 10_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is that of Linux")
def test_ten_million_steps_take_little_memory(tmp_path):
    script = tmp_path / "measure.py"
    script.write_text(MEASURE)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 3_000  # kilobytes; without segments, 78 000
