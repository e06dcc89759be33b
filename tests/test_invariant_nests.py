"""What moves out of loops as a nest: where that is done, that it changes no bit, and what it must not overtake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.build import normal_form
from pullback.passes.loops.invariant_nests import hoist_invariant_nests
from pullback.passes.pipeline import OPTIMISATIONS
from pullback.transform.derivative import prepared
from test_programs import PROGRAMS, case_id

NESTS = [program for program in PROGRAMS if program.module == "invariant_nests"]
MOVED = {
    "a_root_that_has_no_derivative",
    "array_after_the_loop",
    "array_handed_on",
    "elimination_in_numbers",
    "implicit_steps",
    "invariant_in_two_loops",
    "part_of_an_array",
    "steps_by_a_function",
    "steps_of_two",
    "the_last_iterations_numbers",
    "weights_of_each_iteration",
    "weights_that_are_written",
}


@pytest.mark.parametrize("program", NESTS, ids=case_id)
def test_what_moves(program: Any) -> None:
    function = prepared(normal_form(program.function, *program.samples[0].fresh()))
    moves = hoist_invariant_nests(function).body != function.body
    assert moves == (program.function.__name__ in MOVED)


@pytest.mark.drawn(6)
@pytest.mark.usefixtures("numba_off")
@pytest.mark.parametrize("program", NESTS, ids=case_id)
def test_the_value_is_the_same_to_the_last_bit(program: Any) -> None:
    without = pb.differentiable(optimisations=OPTIMISATIONS - {"invariant_nests"})(program.function)
    for sample in program.samples:
        value, _ = pb.value_and_grad(program.function, sample.wrt)(*sample.fresh())
        assert value == pb.value_and_grad(without, sample.wrt)(*sample.fresh())[0] == program.function(*sample.fresh())


def writes_then_reads(u: np.ndarray, x: np.ndarray, n: int) -> float:
    s = 0.0
    for t in range(u.shape[0]):
        u[t] = 7.0
        for j in range(n):
            s += u[t] / (1.0 + x[j])
    return s


def reads_then_raises(u: np.ndarray, x: np.ndarray, n: int) -> float:
    s = 0.0
    for t in range(2):
        if u[t] < 0.0:
            raise ValueError(f"u[{t}] is negative")
        for j in range(n):
            s += u[t] * np.exp(x[j])
    return s


@pytest.mark.usefixtures("numba_off")
@pytest.mark.parametrize("function", [writes_then_reads, reads_then_raises])
def test_an_error_of_a_nest_comes_after_what_stands_before_it(function: Any) -> None:
    for n in (3, 4):
        u, plain = np.array([-1.0, 2.0]), np.array([-1.0, 2.0])
        messages = []
        for called, argument in ((function, plain), (pb.value_and_grad(function, 1), u)):
            try:
                called(argument, np.ones(3), n)
                messages.append("")
            except (IndexError, ValueError) as error:
                messages.append(f"{type(error).__name__} {error}".split("\n")[0])
        assert messages[0].split()[:1] == messages[1].split()[:1]
        np.testing.assert_array_equal(u, plain)


def nothing_to_do(x: np.ndarray, table: np.ndarray, steps: int) -> float:
    s = 0.0
    for t in range(steps):
        w = np.empty(table.shape[0] - 5)
        for j in range(w.shape[0]):
            w[j] = np.sqrt(x[j + 7])
        s += w[0] * t
    return s + x[0]


@pytest.mark.usefixtures("numba_off")
def test_a_loop_without_iterations_neither_raises_nor_has_a_derivative() -> None:
    value, gradient = pb.value_and_grad(nothing_to_do)(np.array([2.0, 0.0]), np.ones(3), 0)
    assert value == 2.0
    np.testing.assert_array_equal(gradient, [1.0, 0.0])
    with pytest.raises(ValueError, match="negative dimensions"):
        pb.value_and_grad(nothing_to_do)(np.array([2.0, 0.0]), np.ones(3), 1)
