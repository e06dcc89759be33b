"""What is differentiated becomes the CPU seconds of its first gradient, in a process of its own with an empty cache."""

import multiprocessing
import os
import random
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.growing import from_text, statements
from harness.measure import environment
from harness.problems import load
from harness.programs import KINDS, find_program
from harness.stages import sampled
from harness.worker import import_what_is_shared

SMALL = 0.05  # the size of the problems, as they are to compile here and not to run
DEEP = 20


@dataclass(frozen=True, slots=True)
class FirstCall:
    """CPU seconds of a first call, those of a later one taken off, and its share of each stage."""

    seconds: float
    stages: dict[str, float]


def measure_first(make: Callable[[], Callable[[], Any]]) -> FirstCall:
    """Of the call that `make`, a function of a module, returns."""
    with tempfile.TemporaryDirectory(prefix="pullback-first-") as cache:
        return _in_new_process(make, Path(cache))


def measure_first_and_later(make: Callable[[], Callable[[], Any]]) -> tuple[FirstCall, FirstCall]:
    """The same, and where other functions have been differentiated before, which use the same helpers."""
    with tempfile.TemporaryDirectory(prefix="pullback-first-") as cache:
        first = _in_new_process(make, Path(cache))
        for path in Path(cache).iterdir():
            if path.suffix != ".helper":
                path.unlink()
        return first, _in_new_process(make, Path(cache))


def _in_new_process(make: Callable[[], Callable[[], Any]], cache: Path) -> FirstCall:
    before = dict(os.environ)
    os.environ.update(environment(cache))
    try:
        with ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn")) as pool:
            return pool.submit(in_this_process, make).result()
    finally:
        os.environ.clear()
        os.environ.update(before)


def in_this_process(make: Callable[[], Callable[[], Any]]) -> FirstCall:
    import_what_is_shared()
    call = make()
    start = time.process_time()
    with sampled() as stages:
        call()
    seconds = time.process_time() - start
    call()  # which may compile what calls from Python take
    start = time.process_time()
    call()
    return FirstCall(max(0.0, seconds - (time.process_time() - start)), dict(stages))


def hand_written(problem: Path) -> Callable[[], Any]:
    module = load(problem)
    return partial(module.hand, *module.make(SMALL))


def of_problem(problem: Path) -> Callable[[], Any]:
    module = load(problem)
    return gradient_of(module.primal, module.WRT, module.make(SMALL))


def of_program(name: str, kind: str) -> Callable[[], Any]:
    program = find_program(name, kind)
    return gradient_of(program.function, program.wrt, program.make())


def drawn_programs(count: int, seed: int) -> list[str]:
    """Names of programs of the tests that return a number, chosen at random."""
    names = [program.id for program in KINDS["tests"]("tests") if returns_number(program)]
    return random.Random(seed).sample(names, count)


def returns_number(program: Any) -> bool:
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            return isinstance(program.function(*program.make()), float | np.floating)
        except Exception:
            return False


def gradient_of(function: Callable[..., Any], wrt: tuple[int, ...], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    import pullback as pb

    return partial(pb.value_and_grad(function, argnums=wrt), *arguments)


def of_statements(count: int) -> Callable[[], Any]:
    return partial(from_text(statements(count)), 0.5)


def of_nested_loops(depth: int) -> Callable[[], Any]:
    """Loops inside loops, `depth` of them, around one product."""
    lines = ["def program(x, n):", "    y = x"]
    lines += [f"{'    ' * (k + 1)}for i{k} in range(n):" for k in range(depth)]
    text = "\n".join([*lines, f"{'    ' * (depth + 1)}y = y + 0.001 * np.sin(y)", "    return y", ""])
    return partial(from_text(text), 0.5, 1)


def of_mlp() -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    arguments = (rng.standard_normal((8, 16)), np.zeros(16), rng.standard_normal((16, 4)), np.zeros(4))
    return gradient_of(mlp, (0, 1, 2, 3), (*arguments, rng.standard_normal((32, 8)), rng.standard_normal((32, 4))))


def mlp(w1, b1, w2, b2, x, y):
    hidden = np.tanh(x @ w1 + b1)
    error = hidden @ w2 + b2 - y
    return np.mean(error**2)


def of_filter() -> Callable[[], Any]:
    measured = np.cumsum(np.random.default_rng(0).standard_normal(50))
    return gradient_of(two_state_filter, (0, 1), (0.1, 0.5, measured))


def two_state_filter(q, r, measured):
    """The negative logarithm of the likelihood of positions, for a body of nearly constant velocity."""
    transition = np.array([[1.0, 1.0], [0.0, 1.0]])
    noise = q * np.array([[0.25, 0.5], [0.5, 1.0]])
    state, covariance, total = np.zeros(2), np.eye(2), 0.0
    for k in range(measured.shape[0]):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise
        spread = covariance[0, 0] + r
        gain = covariance[:, 0] / spread
        surprise = measured[k] - state[0]
        total += 0.5 * (np.log(spread) + surprise**2 / spread)
        state = state + gain * surprise
        covariance = covariance - np.outer(gain, covariance[0])
    return total


OTHERS: dict[str, tuple[Callable[[], Callable[[], Any]], float]] = {
    "network of two layers": (of_mlp, 2.0),
    "classifier": (partial(of_program, "learning.perceptron", "kernels"), 3.0),
    "filter of two states": (of_filter, 4.0),
    "horizontal diffusion": (partial(of_program, "stencils.horizontal_diffusion", "kernels"), 5.0),
    "digits example": (partial(of_program, "digits.loss", "examples"), 3.0),
    "1,000 statements": (partial(of_statements, 1000), 10.0),
    f"{DEEP} nested loops": (partial(of_nested_loops, DEEP), 5.0),
}
"""What else is measured, with the seconds that it may take."""
