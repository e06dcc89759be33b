"""Iterations in which a condition on the index differs are peeled, and values, gradients and errors stay the same."""

import numpy as np
import pytest

import pullback as pb
from programs import peeled_loops
from programs.peeled_loops import LABELS, M, X

PEELED = [
    (peeled_loops.fixed_ends, X, 0.3),
    (peeled_loops.insulated_ends, X, 0.3),
    (peeled_loops.on_a_ring, X, 0.3),
    (peeled_loops.alignment_of_labels, M, LABELS),
    (peeled_loops.trapezoidal, X),
    (peeled_loops.index_from_a_number, X, 3),
]
WHERE_THEY_ARE = [(peeled_loops.ends_in_the_middle, X), (peeled_loops.divided_in_the_middle, X, 4)]
WITHOUT = pb.OPTIMISATIONS - {"loop_peeling"}


def conditions_in_loops(function, arguments, optimisations=True):
    """The lines of the primal that test the index in its innermost loop."""
    compiled = pb.differentiable(function, optimisations=optimisations)
    lines = [line for line in pb.inspect_source(compiled, *arguments).splitlines() if not line.lstrip().startswith("#")]
    loops = [k for k, line in enumerate(lines) if line.lstrip().startswith("for i in range(1") or "for s in" in line]
    tests = ("if i ", "if s ", "select(i ", "select(s ", "% n", "max(i", "min(i")
    return [lines[j] for k in loops for j in body_of(lines, k) if any(test in lines[j] for test in tests)]


def body_of(lines, k):
    depth = len(lines[k]) - len(lines[k].lstrip())
    for j in range(k + 1, len(lines)):
        if lines[j].strip() and len(lines[j]) - len(lines[j].lstrip()) <= depth:
            return
        yield j


@pytest.mark.parametrize(
    ("function", "arguments"), [(f, a) for f, *a in PEELED], ids=lambda v: getattr(v, "__name__", "")
)
def test_the_loop_of_most_iterations_has_no_such_condition(function, arguments):
    assert not conditions_in_loops(function, arguments)


@pytest.mark.parametrize(
    ("function", "arguments"), [(f, a) for f, *a in WHERE_THEY_ARE], ids=lambda v: getattr(v, "__name__", "")
)
def test_other_loops_stay_as_they_are(function, arguments):
    texts = [
        pb.inspect_source(pb.differentiable(function, optimisations=chosen), *arguments) for chosen in (True, WITHOUT)
    ]
    assert texts[0] == texts[1]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("size", range(7))
@pytest.mark.parametrize("name", ["fixed_ends", "insulated_ends", "on_a_ring", "trapezoidal"])
def test_arrays_of_any_size(name, size):
    function = getattr(peeled_loops, name)
    arguments = (X[:size],) if name == "trapezoidal" else (X[:size], 0.3)
    plain = pb.differentiable(function, optimisations=False, jit=False)
    value, gradient = pb.value_and_grad(pb.differentiable(function))(*arguments)
    expected, other = pb.value_and_grad(plain)(*arguments)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    np.testing.assert_allclose(gradient, other, rtol=1e-12, atol=1e-14)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("shape", [(n, m) for n in range(4) for m in range(4)])
def test_plates_of_any_size(shape):
    plate = np.random.default_rng(3).uniform(0.5, 1.5, shape)
    plain = pb.differentiable(peeled_loops.plate, optimisations=False, jit=False)
    for gradient, other in zip(
        pb.grad(peeled_loops.plate, argnums=(0, 1))(plate, 0.2), pb.grad(plain, argnums=(0, 1))(plate, 0.2), strict=True
    ):
        np.testing.assert_allclose(gradient, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("steps", [1, -1])
@pytest.mark.parametrize("bounds", [(0, 0), (0, 1), (2, 3), (3, 1), (1, 8), (-3, 2), (7, 8)])
def test_bounds_that_are_arguments(steps, bounds):
    """Conditions that hold from the first iteration on, from the second one on, and up to the last one."""

    def ends(x, start, stop):
        total = 0.0
        for i in range(start, stop):
            if i > start:
                total += x[i] * x[i - 1]
            if i != stop - 1:
                total += np.sin(x[i + 1])
            if i >= start + 2 or i + 1 < stop:
                total *= 1.1 * x[i]
        return total

    def ends_downwards(x, start, stop):
        total = 0.0
        for i in range(stop, start, -1):
            if i < stop:
                total += x[i] * x[i + 1]
            if i != start + 1:
                total += np.sin(x[i - 1])
            if i <= stop - 2 or i - 1 > start:
                total *= 1.1 * x[i]
        return total

    function = ends if steps == 1 else ends_downwards
    plain = pb.differentiable(function, optimisations=False, jit=False)
    value, gradient = pb.value_and_grad(function)(X, *bounds)
    expected, other = pb.value_and_grad(plain)(X, *bounds)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    np.testing.assert_allclose(gradient, other, rtol=1e-12, atol=1e-14)


def test_a_remainder_by_a_number_that_is_not_the_size():
    def wrapped(x, period):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] * x[(i + 1) % period] + x[(i - 1) % period] ** 2
        return total

    for period in (1, 3, 9):
        plain = pb.differentiable(wrapped, optimisations=False, jit=False)
        np.testing.assert_allclose(pb.grad(wrapped)(X, period), pb.grad(plain)(X, period), rtol=1e-12)
    with pytest.raises(ZeroDivisionError):
        pb.grad(wrapped)(X, 0)
    with pytest.raises(IndexError):
        pb.grad(wrapped)(X, 20)


def test_elements_are_written_in_order_up_to_an_error():
    def first_differences(out, x, n):
        for i in range(n):
            out[i] = x[i] - x[i - 1] if i > 0 else x[i]
        return np.sum(out)

    outs = [np.zeros(12), np.zeros(12)]
    for run, out in zip((first_differences, pb.differentiable(first_differences)), outs, strict=True):
        with pytest.raises(IndexError):
            run(out, X, 12)
    np.testing.assert_allclose(*outs, rtol=1e-14)
