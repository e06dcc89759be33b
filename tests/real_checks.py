"""A program of tests/real through the library: right, refused, wrong or crash; with a derivative that shares nothing.

The derivative is checked along random directions, one for each leaf of the arguments, as the sum of the results times
random weights. It is that of the oracle (1e-9) where the oracle runs the program and agrees with central differences
that are extrapolated to a step of zero, and that of the differences (1e-6) elsewhere.
"""

import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import oracle
import pullback as pb
from real_programs import Real

REFUSED = oracle.__file__.replace("oracle.py", "real/refused.txt")


@dataclass(frozen=True)
class Outcome:
    """verdict: right, refused, wrong or crash. detail: what was said or found. reference: oracle or differences.

    seconds: of processor time, for the first derivative.
    """

    verdict: str
    detail: str = ""
    reference: str = ""
    seconds: float = 0.0


def examine(program: Real, compiled: bool) -> Outcome:
    """The value and the derivative of a program, both compared."""
    function: Callable[..., Any] = pb.differentiable(program.function, jit=compiled)
    expected = program.function(*fresh(program))
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, gradients = derivative(function, program, expected)
    except pb.PullbackError as error:
        return Outcome("refused", sentence_of(error), seconds=time.process_time() - begin)
    except Exception as error:
        return Outcome("crash", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
    seconds = time.process_time() - begin
    problem = difference(value, expected)
    if problem:
        return Outcome("wrong", problem, seconds=seconds)
    reference = "oracle"
    for name, direction, gradient in directions(program, gradients):
        actual, size = along(gradient, direction)
        right, reference = reference_along(program, direction, expected)
        tolerance = 1e-9 if reference == "oracle" else 1e-6
        if not abs(actual - right) <= tolerance * max(size, abs(right), 1e-3):
            return Outcome("wrong", f"along {name}: {actual!r}, not {right!r}", reference, seconds)
    if program.wrt and not compiled:
        problem = forward_problem(function, program, gradients, expected)
        if problem:
            return Outcome("wrong", problem, reference, seconds)
    return Outcome("right", "", reference, seconds)


def forward_problem(function: Any, program: Real, gradients: tuple[Any, ...], expected: Any) -> str:
    """How the derivative of forward mode differs from that of reverse mode along a direction of all leaves."""
    tangents: list[Any] = [None] * len(program.arguments)
    total = size = 0.0
    for gradient, position in zip(gradients, program.wrt, strict=True):
        steps = dict(steps_of(program, position))
        tangents[position] = oracle.rebuild(program.arguments[position], steps)
        for path, step in steps.items():
            terms = np.asarray(oracle.get(gradient, path)) * step
            total, size = total + float(np.sum(terms)), size + float(np.sum(np.abs(terms)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, pushed = pb.jvp(function, fresh(program), tangents)
    except Exception as error:
        return f"forward mode: {type(error).__name__}: {sentence_of(error)}"
    forward = oracle.pair_plain(weights_of(expected), pushed)
    return "" if abs(forward - total) <= 1e-9 * max(size, 1e-6) else f"forward mode: {forward!r}, not {total!r}"


def fresh(program: Real) -> tuple[Any, ...]:
    return oracle.copy_arguments(program.arguments)


def derivative(function: Callable[..., Any], program: Real, expected: Any) -> tuple[Any, tuple[Any, ...]]:
    """The value, and the gradients of the results times their weights."""
    if not program.wrt:
        return function(*fresh(program)), ()
    if isinstance(expected, float):
        return pb.value_and_grad(function, argnums=program.wrt)(*fresh(program))
    value, back = pb.vjp(function, argnums=program.wrt)(*fresh(program))
    return value, back(weights_of(expected))


def weights_of(result: Any) -> Any:
    """Weights of the structure of a result; 1 of a number, None of what is no float."""
    if isinstance(result, float):
        return 1.0
    rng = np.random.default_rng(7)
    return oracle.map_leaves(
        lambda _, leaf: (
            np.asarray(rng.uniform(0.5, 1.5, np.shape(leaf)), getattr(leaf, "dtype", np.float64))[()]
            if oracle.is_float(leaf)
            else None
        ),
        result,
    )


def difference(actual: Any, expected: Any) -> str:
    """How a value differs from that of the plain call, in type, dtype, shape or number; empty if it does not."""
    parts = oracle.children(expected)
    if parts is not None:
        found = dict(oracle.children(actual) or ())
        return next(filter(None, (difference(found.get(key), part) for key, part in parts)), "")
    kinds = [getattr(each, "dtype", type(each)) for each in (actual, expected)]
    if isinstance(expected, np.ndarray) and kinds[0] != kinds[1]:
        return f"a value of {kinds[0]}, not {kinds[1]}"
    if np.shape(actual) != np.shape(expected):
        return f"a value of shape {np.shape(actual)}, not {np.shape(expected)}"
    if not np.allclose(actual, expected, 1e-10, 1e-12, equal_nan=True):
        return f"value {actual!r}, not {expected!r}"
    return ""


def directions(program: Real, gradients: tuple[Any, ...]) -> Iterator[tuple[str, dict[Any, Any], Any]]:
    """For each floating leaf of the differentiated arguments, a direction in which it alone changes."""
    for gradient, position in zip(gradients, program.wrt, strict=True):
        for path, step in steps_of(program, position):
            yield f"{(position, *path)}", {(position, path): step}, oracle.get(gradient, path)


def steps_of(program: Real, position: int) -> Iterator[tuple[Any, Any]]:
    """The paths of the floating leaves of an argument, and how each changes."""
    rng = np.random.default_rng(position)
    for path, leaf in oracle.float_leaves(program.arguments[position]):
        step = rng.uniform(0.5, 1.0, np.shape(leaf)) * rng.choice((-1.0, 1.0), np.shape(leaf))
        yield path, step + step.T if position in program.symmetric else step


def along(gradient: Any, direction: dict[Any, Any]) -> tuple[float, float]:
    """The product of a gradient and a direction, and the sum of the sizes of its terms."""
    (step,) = direction.values()
    terms = np.asarray(gradient) * step
    return float(np.sum(terms)), float(np.sum(np.abs(terms)))


def reference_along(program: Real, direction: dict[Any, Any], expected: Any) -> tuple[float, str]:
    """The derivative of the weighted results along a direction, and where it is from."""
    weights = weights_of(expected)
    extrapolated = differences_along(program, direction, weights)
    exact = oracle_along(program, direction, weights)
    if exact is not None and abs(exact - extrapolated) <= 1e-5 * max(1.0, abs(extrapolated)):
        return exact, "oracle"
    return extrapolated, "differences"


def oracle_along(program: Real, direction: dict[Any, Any], weights: Any) -> float | None:
    """By dual numbers; None where the oracle does not know what the program calls."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            function = oracle.patched(getattr(program.function, "py_func", program.function))
            return oracle.pair(weights, function(*oracle.lift_arguments(program.arguments, direction, direction=True)))
    except Exception:
        return None


def differences_along(program: Real, direction: dict[Any, Any], weights: Any) -> float:
    """Central differences at steps of 2⁻⁶ to 2⁻²², extrapolated in the square of the step: the steadiest entry."""

    def moved(size: float) -> float:
        def change(path: Any, leaf: Any) -> Any:
            step = direction.get((path[0], path[1:]))
            return leaf if step is None else leaf + size * step

        arguments = oracle.map_leaves(change, fresh(program))
        return oracle.pair_plain(weights, program.function(*arguments))

    best, error = np.nan, np.inf
    row: list[float] = []
    for size in 4.0 ** -np.arange(3, 12):
        column = [(moved(size) - moved(-size)) / (2 * size)]
        for order, coarse in enumerate(row, start=1):
            column.append(column[-1] + (column[-1] - coarse) / (16.0**order - 1))
            doubt = max(abs(column[-1] - column[-2]), abs(column[-1] - coarse))
            if doubt < error:
                best, error = column[-1], doubt
        row = column
    return float(best)


def sentence_of(error: BaseException) -> str:
    """The first line of a refusal without places on this machine, with the line that it is about."""
    lines = [re.sub(r" \(/[^)]*\)", "", line.strip()) for line in str(error).splitlines() if line.strip()]
    place = getattr(error, "lineno", None)
    return (f"line {place}: " if place else "") + (lines[0] if lines else type(error).__name__)


def refused_programs() -> dict[str, str]:
    """What tests/real/refused.txt lists: names of programs, and why they are refused today."""
    with open(REFUSED, encoding="utf-8") as file:
        entries = [line.rstrip("\n").split(": ", 1) for line in file if line.strip() and not line.startswith("#")]
    return {entry[0]: entry[1] for entry in entries}
