"""Derivatives of derivatives: every program against dual numbers of dual numbers, by each nesting of both modes."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import cells
import oracle
import pullback as pb
from pullback.frontend.values.arguments import form_of, leaves_of
from test_forward import direction_like, paired
from test_programs import PROGRAMS, assert_close, case_id, rtol_of

# Reverse mode through 1/√(1 - x²) has 0 · ∞ at its end where dual numbers have infinity.
AT_AN_END = {"tangent.numpy_arccos", "tangent.numpy_arcsin"}


SCALAR = [p for p in PROGRAMS if p.samples[0].cotangent is None and p.id not in AT_AN_END]


class Along:
    """A sample of a program, and a direction for each of its arguments that are differentiated."""

    def __init__(self, program: Any, sample: Any, **options: Any) -> None:
        rng = np.random.default_rng(0)
        self.program, self.sample, self.wrt = program, sample, tuple(sample.wrt)
        self.function = pb.differentiable(**options)(program.function)
        self.directions = tuple(direction_like(sample.args[k], rng) for k in self.wrt)
        self.every: list[Any] = [None] * len(sample.args)
        for k, direction in zip(self.wrt, self.directions, strict=True):
            self.every[k] = direction
        self.options = options

    def pushed_function(self, function: Any) -> Any:
        """The tangent of a function, as a function of the same arguments."""
        names = list(inspect.signature(self.program.function).parameters)[: len(self.every)]
        outside = {f"direction_{k}": t for k, t in enumerate(self.every)}
        tangents = "".join("None, " if t is None else f"direction_{k}, " for k, t in enumerate(self.every))
        given = "".join(f"{name}, " for name in names)
        text = f"def along({given}):\n    return push(function_of_it, ({given}), ({tangents}))[1]\n"
        made = cells.run(text, push=pb.jvp, function_of_it=function, **outside)["along"]
        return pb.differentiable(**self.options)(made)

    def hvp(self) -> Any:
        place = max(self.wrt) + 1
        args = self.sample.fresh()
        return pb.hvp(self.function, self.wrt)(*args[:place], self.directions, *args[place:])

    def vhp(self) -> Any:
        place = max(self.wrt) + 1
        args = self.sample.fresh()
        return pb.vhp(self.function, self.wrt)(*args[:place], self.directions, *args[place:])

    def reverse_over_reverse(self) -> Any:
        _, pullback = pb.vjp(pb.grad(self.function, self.wrt), self.wrt)(*self.sample.fresh())
        return pullback(self.directions)

    def forward_over_forward(self) -> float:
        _, second = pb.jvp(self.pushed_function(self.function), self.sample.fresh(), self.every)
        return float(second)


WAYS = "forward over reverse", "reverse over forward", "reverse over reverse", "forward over forward"


def check_second_order(along: Along, ways: tuple[str, ...] = WAYS) -> None:
    sample, program = along.sample, along.program
    _, expected = oracle.hvp(program.function, sample.fresh(), list(along.directions), along.wrt)
    single = rtol_of(sample.fresh()) != 1e-10
    rtol = 2e-4 if single else 1e-10  # second derivatives of single precision lose as much again
    for way, made in zip(WAYS, (along.hvp, along.vhp, along.reverse_over_reverse), strict=False):
        if way in ways:
            assert_close(made(), expected, rtol, way)
    terms = paired(tuple(expected), along.directions)
    if WAYS[-1] in ways and np.all(np.isfinite(terms)):
        found, scale = along.forward_over_forward(), max(1.0, sum(map(abs, terms)))
        assert abs(found - sum(terms)) <= rtol * scale, "forward over forward"


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", SCALAR, ids=case_id)
def test_second_order(program: Any) -> None:
    for sample in program.samples:
        check_second_order(Along(program, sample, jit=False))


@pytest.mark.drawn(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", SCALAR, ids=case_id)
@pytest.mark.parametrize("way", WAYS)
def test_second_order_compiled(program: Any, way: str) -> None:
    check_second_order(Along(program, program.samples[0]), (way,))


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", [p for p in SCALAR if rtol_of(p.samples[0].args) == 1e-10], ids=case_id)
def test_third_and_fourth_order(program: Any) -> None:
    """Along a line, forward mode alone agrees with reverse mode over it, and with forward over reverse over it."""
    along = Along(program, program.samples[0], jit=False)
    second = along.pushed_function(along.pushed_function(along.function))
    third = along.pushed_function(second)
    by_gradient = pb.grad(second, along.wrt)(*along.sample.fresh())
    assert_sum(third(*along.sample.fresh()), paired(tuple(by_gradient), along.directions))
    place, args = max(along.wrt) + 1, along.sample.fresh()
    by_both = pb.hvp(second, along.wrt)(*args[:place], along.directions, *args[place:])
    fourth = along.pushed_function(third)
    assert_sum(fourth(*along.sample.fresh()), paired(tuple(by_both), along.directions))


def assert_sum(found: float, terms: list[float]) -> None:
    scale = max(1.0, sum(map(abs, terms)))
    if np.isfinite(scale):
        assert abs(found - sum(terms)) <= 1e-9 * scale


ANALYTIC = [
    (
        lambda t: np.sin(t) * t**3,
        lambda t: np.sin(t) * t**3 - 12 * np.cos(t) * t**2 - 36 * np.sin(t) * t + 24 * np.cos(t),
    ),
    (lambda t: np.exp(2.0 * t), lambda t: 16.0 * np.exp(2.0 * t)),
    (lambda t: np.log(t), lambda t: -6.0 / t**4),
    (lambda t: 1.0 / (1.0 + t), lambda t: 24.0 / (1.0 + t) ** 5),
    (lambda t: np.sqrt(t), lambda t: -15.0 / 16.0 * t**-3.5),
]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("k", range(len(ANALYTIC)))
def test_the_fourth_derivative_is_that_of_the_formula(k: int, jit: bool) -> None:
    function, fourth = ANALYTIC[k]
    made = pb.differentiable(jit=jit)(function)
    assert pb.grad(pb.grad(pb.grad(pb.grad(made))))(0.7) == pytest.approx(fourth(0.7), rel=1e-12)
    assert pb.hessian(pb.hessian(made))(0.7) == pytest.approx(fourth(0.7), rel=1e-12)
    assert pb.jacfwd(pb.grad(pb.jacrev(pb.jacfwd(made))))(0.7) == pytest.approx(fourth(0.7), rel=1e-12)


# Jacobians


def contracted(jacobian: Any, value: Any, directions: tuple[Any, ...]) -> list[Any]:
    """J v for each float of the value, from the parts of J by all floats of the arguments."""
    parts = leaves_of(jacobian, form_of(jacobian))
    along = [v for direction in directions for v in leaves_of(direction, form_of(direction))]
    found = []
    for y in floats_of(value):
        total = np.zeros(np.shape(y))
        for v in along:
            part = np.asarray(next(parts))
            assert part.shape == np.shape(y) + np.shape(v)
            total = total + np.tensordot(part, np.asarray(v), np.ndim(v))
        found.append(total)
    assert not list(parts), "there is nothing else in it"
    return found


def floats_of(value: Any) -> list[Any]:
    return [leaf for leaf in leaves_of(value, form_of(value)) if np.asarray(leaf).dtype.kind == "f"]


def check_jacobian(program: Any, kind: Any, **options: Any) -> None:
    along = Along(program, program.samples[0], **options)
    sample = along.sample
    value, tangent = oracle.jvp(program.function, sample.fresh(), list(along.directions), along.wrt)
    made = kind(along.function, along.wrt)(*sample.fresh())
    pushed = [leaf for leaf in leaves_of(tangent, form_of(value)) if np.asarray(leaf).dtype.kind == "f"]
    for found, expected in zip(contracted(made, value, along.directions), pushed, strict=True):
        assert_close(found, expected, 10 * rtol_of(sample.fresh()), "J v")


def has_float_arguments(program: Any) -> bool:
    sample = program.samples[0]
    leaves = [leaf for k in sample.wrt for leaf in leaves_of(sample.args[k], form_of(sample.args[k]))]
    return all(np.asarray(leaf).dtype.kind == "f" for leaf in leaves)


FLOATS = [program for program in PROGRAMS if has_float_arguments(program)]


@pytest.mark.drawn(15)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", [pb.jacfwd, pb.jacrev], ids=["forward", "reverse"])
@pytest.mark.parametrize("program", FLOATS, ids=case_id)
def test_jacobian(program: Any, kind: Any) -> None:
    check_jacobian(program, kind, jit=False)


@pytest.mark.drawn(10)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", FLOATS, ids=case_id)
def test_columns_side_by_side(program: Any) -> None:
    """Where array statements are loops, many columns are computed in one sweep."""
    check_jacobian(program, pb.jacfwd, jit=False, fuse=True)


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", [program for program in FLOATS if program in SCALAR], ids=case_id)
def test_columns_of_hessians(program: Any) -> None:
    along = Along(program, program.samples[0], jit=False, fuse=True)
    sample = along.sample
    made = pb.hessian(along.function, along.wrt)(*sample.fresh())
    _, expected = oracle.hvp(program.function, sample.fresh(), list(along.directions), along.wrt)
    single = rtol_of(sample.fresh()) != 1e-10
    found = contracted(made, tuple(sample.args[k] for k in along.wrt), along.directions)
    for column, wanted in zip(found, floats_of(tuple(expected)), strict=True):
        assert_close(column, wanted, 5e-4 if single else 1e-10, "H v")


def test_more_columns_than_lie_side_by_side() -> None:
    def chain(x):
        y = np.zeros(x.shape[0])
        for i in range(x.shape[0]):
            y[i] = np.sin(x[i]) * x[i - 1] if i > 0 else x[i] ** 2
        return y

    for size in (0, 1, 31, 32, 33, 70):
        x = np.linspace(-1.0, 1.0, size)
        expected = np.diag(np.cos(x) * np.roll(x, 1)) + np.diag(np.sin(x[1:]), -1)
        expected[:1, :1] = 2.0 * x[:1, None]
        np.testing.assert_allclose(pb.jacfwd(chain)(x), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.drawn(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", [pb.jacfwd, pb.jacrev], ids=["forward", "reverse"])
@pytest.mark.parametrize("program", FLOATS, ids=case_id)
def test_jacobian_compiled(program: Any, kind: Any) -> None:
    check_jacobian(program, kind)


TO_BE_COMPILED = {
    "gaps.two_arguments_changed",
    "gaps.comprehension_with_condition",
    "loops.buffers_kept_in_a_list",
    "products_in_loops.left_early",
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("program", [program for program in FLOATS if program.id in TO_BE_COMPILED], ids=case_id)
def test_buffers_that_grow_and_arguments_that_are_written_compile(program: Any) -> None:
    check_jacobian(program, pb.jacfwd)


def until_it_is_small(x, s, limit):
    y = 1.0
    for t in range(x.shape[0]):
        y = (y + 0.1) / s[t] * x[t]
        if y < limit:
            break
    return y


def twice_until_it_is_small(x, s, limit, v):
    with pb.GradientTape() as outer:
        outer.watch((x, s))
        with pb.GradientTape() as inner:
            inner.watch((x, s))
            y = until_it_is_small(x, s, limit)
        of_x, _ = inner.gradient(y, (x, s))
        product = np.sum(of_x * v)
    return outer.gradient(product, (x, s))


@pytest.mark.parametrize("jit", [False, True])
def test_adjoints_that_a_backward_sweep_keeps_are_those_before_and_after_its_iterations(jit):
    x, s, v = np.linspace(0.9, 0.5, 5), np.linspace(1.5, 2.2, 5), np.linspace(0.3, 0.9, 5)
    found = pb.differentiable(jit=jit)(twice_until_it_is_small)(x, s, 0.3, v)
    gradient = pb.grad(pb.differentiable(until_it_is_small, jit=False, optimisations=False), argnums=(0, 1))
    step = 1e-6
    above, below = (gradient(x + h * v, s, 0.3) for h in (step, -step))
    for actual, a, b in zip(found, above, below, strict=True):
        np.testing.assert_allclose(actual, (a - b) / (2 * step), atol=1e-8)


def squares_in_place(x: Any) -> Any:
    y = x.copy()
    for i in range(x.shape[0]):
        y[i] = y[i] ** 2
    return y


def smoothed_in_place(x: Any) -> Any:
    y = np.sin(x)
    for i in range(1, x.shape[0]):
        if y[i] > y[i - 1]:
            y[i] = y[i] * y[i - 1]
        y[i - 1] = np.exp(y[i]) * x[i]
    return y


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("jacobian", [pb.jacfwd, pb.jacrev, pb.jacobian])
@pytest.mark.parametrize("inner", [squares_in_place, smoothed_in_place])
def test_gradients_of_jacobians_of_what_loops_write(inner: Any, jacobian: Any, jit: bool) -> None:
    def function(x: Any) -> Any:
        return np.sum(jacobian(inner)(x) ** 2 * np.arange(1.0, 17.0).reshape(4, 4))

    x, step = np.array([0.4, -0.2, 0.3, 0.8]), 1e-5 * np.eye(4)
    gradient = pb.grad(pb.differentiable(jit=jit)(function))(x)
    value = pb.differentiable(jit=False)(function)
    expected = [(value(x + h) - value(x - h)) / 2e-5 for h in step]
    np.testing.assert_allclose(gradient, expected, rtol=1e-7)
