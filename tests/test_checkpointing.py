"""Loops run in segments where a call would keep more than it may: the same numbers, in less memory, told before."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import collect
import pullback as pb
from pullback import runtime
from pullback.compilation.memory import Memory
from pullback.ir import primitives
from pullback.ir.nodes import Effect, Value
from pullback.ir.types import INT
from pullback.transform.reverse.sweep import TripCounts
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


@pytest.mark.drawn(2)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_segments_compiled(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "served", lambda memory, plain, arguments: memory.make(frozenset(memory.numbers)))
    check_program(program)


@pytest.mark.drawn(7)
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

{text}

gradient = pb.grad(pb.differentiable(max_residual_bytes=10_000_000)(recurrence))
gradient(0.3, 1.1, 1_300_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
gradient(0.3, 1.1, 10_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""

RECURRENCES = {
    "for": """
def recurrence(x, a, n):
    for _ in range(n):
        x = np.sin(a * x + 0.5)
    return x
""",
    "while": """
def recurrence(x, a, n):
    while n > 0:
        x = np.sin(a * x + 0.5)
        n -= 1
    return x
""",
    "break": """
def recurrence(x, a, n):
    for k in range(10**12):
        x = np.sin(a * x + 0.5)
        if k == n:
            break
    return x
""",
    "branch and loop": """
def recurrence(x, a, n):
    if n > 0:
        for _ in range(100):
            for _ in range(n // 100):
                x = np.sin(a * x + 0.5)
    return x
""",
    "while in a loop": """
def recurrence(x, a, n):
    for _ in range(10):
        left = n // 10
        while left > 0:
            x = np.sin(a * x + 0.5)
            left -= 1
    return x
""",
}


@pytest.mark.drawn(2)
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is that of Linux")
@pytest.mark.parametrize("kind", RECURRENCES)
def test_ten_million_steps_take_little_memory(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "measure.py"
    script.write_text(MEASURE.format(text=RECURRENCES[kind]))
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 3_000  # kilobytes; without segments, 78 000


def test_segments_of_loops_that_end_where_a_condition_says_so_are_explained():
    def until(x, most):
        while x < most:
            x = x + 0.1 * np.sin(x)
        return x

    text = pb.explain(pb.differentiable(max_residual_bytes=1000)(until), 0.5, 2.5)
    assert "runs in segments of 1, 2, 3, … iterations, and the backward sweep runs each of them once more" in text
    assert "keeps x, 8 bytes a segment: each segment starts with it" in text
    assert "keeps end, 8 bytes a segment: each segment ends with it" in text
    assert "segment" not in pb.explain(until, 0.5, 2.5)


def test_an_array_that_outweighs_what_a_while_loop_keeps_is_not_copied_for_each_segment():
    def filled(x, n):
        y = np.empty(n + 1)
        y[0] = x
        k = 0
        while k < n:
            y[k + 1] = np.sin(y[k]) * np.exp(-y[k])
            k += 1
        return y[n]

    def in_place(u, n):
        u = u.copy()
        while n > 0:
            for j in range(1, u.shape[0] - 1):
                u[j] = np.sin(u[j - 1] * u[j + 1]) + 0.5 * u[j]
            n -= 1
        return np.sum(u)

    def has_segments(function: Any, *arguments: Any) -> bool:
        return "segments" in pb.explain(pb.differentiable(max_residual_bytes=0)(function), *arguments)

    assert not has_segments(filled, 0.3, 10)
    assert has_segments(in_place, np.ones(4), 10)


def test_effects_of_iterations_are_seen_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x, n):
        for i in range(n):
            while x < i:
                x = x * x + 0.5
                print("inner", i)
            print("outer", i)
            if x > 50.0:
                break
        return x

    def factorial(x, n):
        print("called", n)
        return x if n <= 0 else x * factorial(np.sin(x), n - 1)

    def calls(x, n):
        while n > 0:
            x = factorial(x, 2) + 1.0
            n -= 1
        return x

    for function in (told, calls):
        function(0.5, 6)
        expected = capsys.readouterr().out
        slope = pb.grad(pb.differentiable(jit=False, max_residual_bytes=0)(function))(0.5, 6)
        assert capsys.readouterr().out == expected
        assert slope == pytest.approx(pb.grad(pb.differentiable(jit=False)(function))(0.5, 6), rel=1e-12)
        capsys.readouterr()


def test_a_condition_is_evaluated_as_often_as_by_a_plain_call():
    def beyond(x, w):
        i = 0
        while w[i] > 0.0:
            x = np.sin(x * w[i])
            i += 1
        return x

    def stops(x, w):
        i = 0
        while w[i] > 0.0:
            x = np.sin(x * w[i])
            i += 1
            if i == w.shape[0]:
                break
        return x

    for jit in (False, True):
        less = pb.differentiable(jit=jit, max_residual_bytes=0)
        with pytest.raises(IndexError):
            pb.grad(less(beyond))(0.5, np.ones(9))
        assert pb.grad(less(stops))(0.5, np.ones(9)) == pytest.approx(pb.grad(stops)(0.5, np.ones(9)), rel=1e-12)


def given(x, a, n, most):
    for _ in pb.checkpointed(range(n), memory=most):
        x = np.sin(a * x + 0.5)
    return x


def test_checkpoints_take_the_memory_that_they_are_given():
    for most in (800, 8_000, 80_000):
        function = pb.differentiable(jit=False)(given)
        told = pb.residual_bytes(function, 0.3, 1.1, 40_000, most)
        assert told <= most + 64 * 8
        peak = peak_of(lambda most=most, function=function: pb.grad(function)(0.3, 1.1, 40_000, most))
        assert told <= peak <= most + 30_000


def test_iterations_run_again_as_rarely_as_a_binomial_schedule_allows():
    @functools.cache
    def fewest(steps: int, free: int) -> int:
        if steps == 1:
            return 0
        if free == 1:
            return steps * (steps - 1) // 2
        return min(m + fewest(steps - m, free - 1) + fewest(m, free) for m in range(1, steps))

    def taken(steps: int, free: int) -> int:
        if steps == 1:
            return 0
        if free == 1:
            return steps * (steps - 1) // 2
        m = runtime.checkpoint_distance(steps, free)
        return m + taken(steps - m, free - 1) + taken(m, free)

    compiled = njit(lambda steps, free: runtime.checkpoint_distance(steps, free))
    for steps in range(1, 60):
        for free in range(1, 8):
            assert taken(steps, free) == fewest(steps, free)
            assert compiled(steps, free) == runtime.checkpoint_distance(steps, free)


def test_checkpointed_loops_in_compiled_code_under_tapes_and_in_derivatives():
    def plain(x, a, n):
        for _ in range(n):
            x = np.sin(a * x + 0.5)
        return x

    def taped(x, a, n):
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in pb.checkpointed(range(n), memory=64):
                y = np.sin(a * y + 0.5)
        return tape.gradient(y, x)

    slope = pb.grad(given)

    @njit
    def called(x, n):
        for _ in pb.checkpointed(range(2), memory=8):
            x = slope(x, 1.1, n, 32)
        return x

    expected = pb.grad(plain)(0.3, 1.1, 9)
    assert pb.differentiable(taped)(0.3, 1.1, 9) == pytest.approx(expected, rel=1e-12)
    assert taped(pb.constant(0.3), 1.1, 9).numpy() == pytest.approx(expected, rel=1e-12)
    assert called(0.3, 9) == pytest.approx(pb.grad(plain)(expected, 1.1, 9), rel=1e-12)
    second = pb.hessian(plain)(0.3, 1.1, 9)
    for other in (
        pb.hessian(given)(0.3, 1.1, 9, 40),
        pb.grad(pb.grad(given))(0.3, 1.1, 9, 40),
        pb.grad(taped)(0.3, 1.1, 9),
    ):
        assert other == pytest.approx(second, rel=1e-10)
    assert pb.jvp(given, (0.3, 1.1, 9, 40), (1.0, 0.0, 0, 0))[1] == pytest.approx(expected, rel=1e-12)


CALLS: list[float] = []
counted = pb.constant_function(pb.external(lambda x: CALLS.append(x) or 1.0, result=float))


def test_functions_that_are_not_read_are_called_as_often_as_in_a_plain_call():
    def until(x, most):
        while x < most:
            x = x + 0.1 * np.sin(x) * counted(x)
        return x

    for jit in (False, True):
        CALLS.clear()
        until(0.5, 3.0)
        expected = CALLS.copy()
        CALLS.clear()
        slope = pb.grad(pb.differentiable(until, jit=jit, max_residual_bytes=0))(0.5, 3.0)
        assert pytest.approx(expected) == CALLS
        assert slope == pytest.approx(pb.grad(pb.differentiable(until, jit=False))(0.5, 3.0), rel=1e-12)


def test_what_a_given_memory_cannot_serve_is_refused_with_its_place():
    def leaves(x, n):
        for _ in pb.checkpointed(range(n), memory=10):
            x = np.sin(x)
            if x < 0.1:
                break
        return x

    def appends(x, n):
        found = []
        for _ in pb.checkpointed(range(n), memory=10):
            x = np.sin(x)
            found.append(x)
        return np.sum(np.array(found))

    def grows(x, n):
        for _ in pb.checkpointed(range(n), memory=10):
            x = np.concatenate((x, np.sin(x[:1])))
        return np.sum(x * x)

    def takes_a_float(x, n):
        for _ in pb.checkpointed(range(n), memory=1e6):
            x = np.sin(x)
        return x

    def printed(x, n):
        print(n)
        return x if n == 0 else printed(np.sin(x), n - 1)

    def external(x, n):
        for _ in pb.checkpointed(range(n)):
            x = counted(x) * np.sin(x)
        return x

    def prints(x, n):
        for _ in pb.checkpointed(range(n)):
            x = printed(x, 2)
        return x

    def draws(x, n):
        for _ in pb.checkpointed(range(n)):
            x = np.sin(x) * np.random.rand()
        return x

    for function, error, reason in (
        (leaves, pb.LanguageError, "without 'break' or 'return'"),
        (appends, pb.ShapeError, "cannot carry 'found', whose size may change"),
        (grows, pb.ShapeError, "cannot carry 'x', whose size may change"),
        (takes_a_float, pb.TypingError, "a number of bytes"),
        (prints, pb.LanguageError, "prints, or is not read"),
        (external, pb.LanguageError, "prints, or is not read"),
        (draws, pb.LanguageError, "draws random numbers"),
    ):
        with pytest.raises(error, match=reason) as raised:
            pb.grad(function)(np.ones(2) if function is grows else 0.5, 4)
        assert "test_checkpointing.py" in str(raised.value)


def test_loops_that_a_function_differentiates_itself_run_in_segments_with_a_limit():
    def taped(x, a, n):
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = x
            k = 0
            while k < n:
                y = np.sin(a * y + 0.5)
                k += 1
        return tape.gradient(y, x)

    def inner(x, a, n):
        def steps(x):
            for _ in range(n):
                x = np.sin(a * x + 0.5)
            return x

        return pb.grad(steps)(x)

    for function in (taped, inner):
        usual, less = (pb.differentiable(function, jit=False, max_residual_bytes=most) for most in (None, 0))
        assert less(0.3, 1.1, 900) == pytest.approx(usual(0.3, 1.1, 900), rel=1e-12)
        assert peak_of(lambda less=less: less(0.3, 1.1, 9000)) < 0.2 * peak_of(
            lambda usual=usual: usual(0.3, 1.1, 9000)
        )
        assert pb.grad(less)(0.3, 1.1, 9) == pytest.approx(pb.grad(usual)(0.3, 1.1, 9), rel=1e-10)


def kept_where_it_has_no_value(x, m):
    """On one path, one of the two arrays that each segment starts with has no value."""
    if x[2] < 0.7:
        y = x
    else:
        y = x - x[0:]
    for row in m:
        if y[4] >= 0.78:
            y = x
        y[:1:-1] += m @ y[0:-1]
        if row[0] > 0.3:
            break
    return np.min(x) + y[1]


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("third", [0.5, 0.8])
def test_an_array_without_a_value_is_kept_for_segments(jit, third):
    x, m = np.array([0.7, 1.3, third, 0.5, 1.2]), np.arange(12.0).reshape(3, 4) / 90.0
    inside = pb.differentiable(kept_where_it_has_no_value, jit=jit, max_residual_bytes=0)
    found = pb.value_and_grad(inside, argnums=(0, 1))(x.copy(), m)
    plain = pb.differentiable(kept_where_it_has_no_value, jit=False, optimisations=False)
    expected = pb.value_and_grad(plain, argnums=(0, 1))(x.copy(), m)
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    for one, other in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def test_the_number_of_a_loop_is_that_of_no_statement_that_takes_its_place_in_memory() -> None:
    counts = TripCounts()
    counts.note(Effect(primitives.evaluated, ()), Value("trips", INT))
    others = [Effect(primitives.evaluated, ()) for _ in range(100)]
    assert [counts.of(other) for other in others] == [None] * 100
