"""Every record in every mode: the derivative that tests/test_rules.py holds against numbers, wherever it is asked for.

One sample of each function with a rule is differentiated from source (interpreted, and compiled), on a tape, and
forward on a tape.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import pullback as pb
from pullback.functions import RECORDS
from pullback.tape import ForwardAccumulator
from rule_samples import FACTORISED, OF_COMPLEX, SMOOTH, Sample, is_of_scipy
from test_rules import cotangents_of, is_differentiated, name_of

FUNCTIONS = [
    function
    for function, record in RECORDS.items()
    if record.rule is not None
    and function not in FACTORISED
    and not is_of_scipy(function)
    and function not in OF_COMPLEX
    and (record.in_scipy or not name_of(function).startswith("pullback."))
]
"""The functions that users can call: those of ours without another spelling stand in what is generated."""

UNSEEN = {np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.full}
"""Functions that NumPy computes without asking what it is given: no tape can follow them."""


def sample_of(function: Callable[..., Any]) -> Sample:
    """The largest sample whose arrays have at most two axes."""

    def size(sample: Sample) -> tuple[bool, int]:
        arrays = [a for a in sample.arguments if not isinstance(a, tuple)]
        return all(np.ndim(a) <= 2 for a in arrays), sum(np.size(a) for a in arrays)

    return max(SMOOTH[function], key=size)


class Case:
    """A weighted sum of what a function returns, as a function in a file; its arguments, and their cotangents.

    Settings stand in the text as they are, other arrays under names from outside.
    """

    def __init__(self, function: Callable[..., Any], path: Path) -> None:
        sample = sample_of(function)
        y = function(*sample.arguments, **sample.options)
        weights = np.random.default_rng(7).uniform(0.5, 1.5, np.shape(y))[()]
        in_scipy = getattr(scipy.special, RECORDS[function].in_scipy, None)
        self.outside = {"np": np, "function": in_scipy or function, "weights": weights}
        self.arguments: list[Any] = []
        self.expected: list[Any] = []
        written = [self.written(argument) for argument in sample.arguments]
        written += [f"{name}={value!r}" for name, value in sample.options.items()]
        for argument, bar in zip(sample.arguments, cotangents_of(function, sample, y, weights), strict=False):
            if is_differentiated(argument):
                self.expected += bar if isinstance(argument, tuple) else (bar,)
        parameters = ", ".join(f"x{k}" for k in range(len(self.arguments)))
        path.write_text(f"def call({parameters}):\n    return np.sum(weights * function({', '.join(written)}))\n")
        exec(compile(path.read_text(), str(path), "exec"), self.outside)
        self.call = self.outside["call"]

    def written(self, argument: Any) -> str:
        if isinstance(argument, tuple) and is_differentiated(argument):
            return f"({', '.join(map(self.written, argument))},)"
        if is_differentiated(argument):
            self.arguments.append(argument)
            return f"x{len(self.arguments) - 1}"
        if not isinstance(argument, np.ndarray | np.generic):
            return repr(argument)
        name = f"array{len(self.outside)}"
        self.outside[name] = argument
        return name

    def compare(self, found: Any) -> None:
        assert len(found) == len(self.expected) > 0
        for one, bar in zip(found, self.expected, strict=True):
            one, bar = (np.zeros(()) if bar is None else one), (0.0 if bar is None else bar)
            np.testing.assert_allclose(one, bar, rtol=1e-10, atol=1e-12)


@pytest.fixture(params=FUNCTIONS, ids=name_of)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return Case(request.param, tmp_path / "calling.py")


def test_a_gradient_of_interpreted_source(case: Case) -> None:
    compare_gradient(case, jit=False)


@pytest.mark.drawn(5)
def test_a_gradient_of_compiled_source(case: Case) -> None:
    compare_gradient(case, jit=True)


def compare_gradient(case: Case, jit: bool) -> None:
    numbers = tuple(range(len(case.arguments)))
    case.compare(pb.grad(pb.differentiable(jit=jit)(case.call), argnums=numbers)(*case.arguments))


def test_a_gradient_of_a_tape(case: Case) -> None:
    if case.outside["function"] in UNSEEN:
        assert_refused(case)
        return
    variables = [pb.Variable(argument) for argument in case.arguments]
    with pb.GradientTape() as tape:
        y = case.call(*variables)
    case.compare([None if x_bar is None else x_bar.numpy() for x_bar in tape.gradient(y, variables)])


def test_a_tangent(case: Case) -> None:
    """Forward: the tangent of the result is the product of the gradient and the tangents of the arguments."""
    draw = np.random.default_rng(8)
    tangents = [np.asarray(draw.uniform(0.5, 1.5, np.shape(x))) for x in case.arguments]
    if case.outside["function"] in UNSEEN:
        assert_refused(case)
        return
    variables = [pb.Variable(argument) for argument in case.arguments]
    with ForwardAccumulator(variables, [pb.constant(tangent) for tangent in tangents]) as accumulator:
        y = case.call(*variables)
    expected = sum(np.sum(0.0 if bar is None else bar * t) for bar, t in zip(case.expected, tangents, strict=True))
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), expected, rtol=1e-10)


def assert_refused(case: Case) -> None:
    variables = [pb.Variable(argument) for argument in case.arguments]
    with pb.GradientTape(), pytest.raises(pb.TypingError, match="take a tensor out of the tape"):
        case.call(*variables)
