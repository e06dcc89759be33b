"""Loops distributed around their recurrences: which are, into what, and that results and exceptions are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import recurrence_parts
from pullback.passes.vector import recurrence_distribution

LONG, A = recurrence_parts.LONG, recurrence_parts.A
WITHOUT = pb.OPTIMISATIONS - {"recurrence_distribution"}


@pytest.fixture
def wherever_legal(monkeypatch):
    """Whether it pays or not."""
    monkeypatch.setattr(recurrence_distribution, "LEAST_GAIN", 0.0)


def machine_text(function, *arguments, optimisations=pb.OPTIMISATIONS, argnums=()):
    differentiated = pb.differentiable(optimisations=optimisations)(function)
    return pb.inspect_source(differentiated, *arguments, argnums=argnums)


@pytest.mark.parametrize(
    ("function", "arguments", "argnums", "loops"),
    [
        (recurrence_parts.volatility, (LONG, 0.1, 0.2, 0.7), (), 3),
        (recurrence_parts.computed_before, (LONG, A), (), 2),  # nothing is to compute behind
        (recurrence_parts.downwards, (LONG, A), (), 3),
        (recurrence_parts.rotations, (LONG, LONG, 0.3), (), 3),
        (recurrence_parts.rotations, (LONG, LONG, 0.3), (0, 1, 2), 6),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_each_part_is_a_loop_over_the_lanes(function, arguments, argnums, loops):
    text = machine_text(function, *arguments, argnums=argnums)
    assert text.count(" in range(width):") + text.count(" in range(width - 1, -1, -1):") == loops


@pytest.mark.drawn(3)
@pytest.mark.parametrize("found", programs("recurrence_parts"), ids=lambda found: found.name)
def test_results_are_the_same(found, wherever_legal):
    """Up to the order in which sums are added up, which LLVM chooses."""
    functions = [pb.differentiable(optimisations=o, cache=False)(found.function) for o in (pb.OPTIMISATIONS, WITHOUT)]
    for sample in found.samples:
        results = [pb.value_and_grad(function, argnums=sample.wrt)(*sample.fresh()) for function in functions]
        (value, gradients), (expected, slopes) = results
        single = any(np.asarray(argument).dtype == np.float32 for argument in sample.fresh())
        np.testing.assert_allclose(value, expected, rtol=1e-6 if single else 1e-13)
        for mine, other in zip(gradients, slopes, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-5 if single else 1e-10, atol=1e-14)


def solved(x, singular):
    h, total = 0.5, 0.0
    for t in range(x.shape[0]):
        h = 0.5 * h + np.exp(-(x[t] ** 2))
        m = np.array([[h - h * singular[t], 0.0], [0.0, 1.0]])
        total += np.log(2.0 + np.linalg.solve(m, np.array([h, x[t]]))[0])
    return total


@pytest.mark.parametrize("place", [None, 0, 40, 69])
def test_a_system_that_is_singular_raises(place):
    singular = np.full(LONG.shape[0], 2.0)
    function = pb.differentiable()(solved)
    text = machine_text(solved, LONG, singular)
    assert "chosens" in text  # the numbers of checks that fail
    if place is None:
        np.testing.assert_allclose(function(LONG, singular), solved(LONG, singular), rtol=1e-13)
        return
    singular[place] = 1.0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        solved(LONG, singular)
    for compiled in (function, pb.value_and_grad(function)):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            compiled(LONG, singular)


def written_by_all(x, out):
    h = 0.5
    for t in range(x.shape[0]):
        h = 0.5 * h + np.exp(-(x[t] ** 2))
        out[t] = np.log(h)


def few(x):
    h = 0.5
    for t in range(8):
        h = 0.5 * h + np.exp(-(x[t] ** 2))
    return h


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(written_by_all, (LONG, LONG.copy())), (few, (LONG,))],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_loops_that_stay(function, arguments, wherever_legal):
    """What others see is written in its order, and a few iterations are not worth a strip."""
    assert machine_text(function, *arguments) == machine_text(function, *arguments, optimisations=WITHOUT)
