"""The oracle against finite differences on every program, against published numbers, and at the golden points."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import collect
import oracle
from collect import Program, Sample

PROGRAMS = collect.programs()
BY_ID = {program.id: program for program in PROGRAMS}


def each(programs: list[Program]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", programs, ids=lambda program: program.id)


# Programs that finite differences cannot judge, by sample, with the reason.
NOT_SMOOTH = {
    ("tangent.numpy_arccos", 1.0): "the derivative at 1 is infinite, and beyond 1 there is no value",
    ("tangent.numpy_arcsin", 1.0): "the derivative at 1 is infinite, and beyond 1 there is no value",
    ("regressions.dissipation", 0.0045): "a kink at each start of plastic flow lies within the step",
    ("short_loops.convolution_by_numbers", None): "a factor may be infinite",
    ("behind_where.number_behind_where", 0.0): "0 is the edge of a branch, in which the derivative is infinite",
    **{
        (f"behind_where.{name}", None): "an element is at the edge of a branch, in which the derivative is infinite"
        for name in (
            *("entropy", "entropy_by_iterations", "entropy_by_iterations_in_an_array", "entropy_in_single_precision"),
            *("overwritten_by_mask", "read_by_mask", "nested_choices", "replaced_by_number", "repeatedly"),
            *("chosen_in_each_iteration", "through_a_branch", "through_a_call", "the_other_one_only_compared"),
            "elements_of_which_one_is_only_compared",
        )
    },
}
# Relative tolerance of finite differences where their own error is larger than 1e-6, with the reason.
ROUGH = {
    "gaps.kahan_sum": (1e-3, "the sum is near 1e6, the smallest derivative 2e-3"),
    "independent_chains.arrays_of_single_precision": (1e-2, "an array in it is of float32"),
}


@pytest.fixture(autouse=True)
def without_floating_point_warnings() -> Iterator[None]:
    """Programs leave their domain on purpose."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def derivatives(program: Program, sample: Sample) -> tuple[Any, Any]:
    if sample.cotangent is None:
        return oracle.gradient(program.function, sample.args, sample.wrt)
    return oracle.vjp(program.function, sample.args, sample.cotangent, sample.wrt)


def exception_key(program: Program, sample: Sample) -> tuple[str, Any]:
    return program.id, sample.args[0] if isinstance(sample.args[0], float) else None


@pytest.mark.drawn(46)
@each(PROGRAMS)
def test_value_is_that_of_plain_numpy_and_samples_stay_unchanged(program: Program) -> None:
    for sample in program.samples:
        before = oracle.copy_arguments(sample.args)
        expected, _ = oracle.run(program.function, sample.args)
        value, _ = derivatives(program, sample)
        rtol = 1e-6 if holds_float32(sample.args) else 1e-13
        assert oracle.agree(value, expected, rtol, 1e-14), (value, expected)
        assert oracle.agree(sample.args, before, 0.0, 0.0)


@pytest.mark.drawn(46)
@each(PROGRAMS)
def test_gradient_agrees_with_finite_differences(program: Program) -> None:
    rtol, _ = ROUGH.get(program.id, (1e-6, ""))
    for sample in program.samples:
        if exception_key(program, sample) in NOT_SMOOTH:
            continue
        cotangent = 1.0 if sample.cotangent is None else sample.cotangent
        value, gradients = derivatives(program, sample)
        if isinstance(value, float) and np.isnan(value):  # no difference is a number then
            continue
        expected = oracle.finite_difference(program.function, sample.args, sample.wrt, cotangent)
        assert oracle.agree(gradients, expected, rtol, 1e-7), (gradients, expected)


def test_every_exception_names_a_sample() -> None:
    keys = {exception_key(program, sample) for program in PROGRAMS for sample in program.samples}
    assert set(NOT_SMOOTH) <= keys
    assert set(ROUGH) <= set(BY_ID)


def holds_float32(args: tuple[Any, ...]) -> bool:
    return any(leaf.dtype == np.float32 for _, leaf in oracle.float_leaves(args) if isinstance(leaf, np.ndarray))


@pytest.mark.drawn(46)
@each([program for program in PROGRAMS if program.samples[0].cotangent is None])
def test_forward_and_reverse_form_agree(program: Program) -> None:
    """The directional derivative equals the gradient times the direction."""
    sample = program.samples[0]
    tangents = tuple(oracle.map_leaves(direction, sample.args[i]) for i in sample.wrt)
    _, gradients = derivatives(program, sample)
    _, tangent = oracle.jvp(program.function, sample.args, tangents, sample.wrt)
    assert oracle.agree(np.float64(tangent), np.float64(inner(gradients, tangents)), 1e-6, 1e-10)


def direction(_: Any, leaf: Any) -> Any:
    return np.cos(np.arange(np.size(leaf))).reshape(np.shape(leaf)) if oracle.is_float(leaf) else None


def inner(left: Any, right: Any) -> float:
    parts = oracle.children(left)
    if parts is not None:
        return sum(inner(part, oracle.get(right, (key,))) for key, part in parts)
    return 0.0 if left is None else float(np.sum(np.asarray(left, dtype=np.float64) * right))


SMOOTH = [
    "gaps.runge_kutta",
    "gaps.swapped_buffers",
    "gaps.awkward_names",
    "gaps.horner",
    "imperative.p10",
    "traps.recursion",
]


@pytest.mark.parametrize(
    "name", [*SMOOTH, "traps.recursion", "gaps.solve_and_inverse", "gaps.broadcast_power", "tangent.bilinear"]
)
def test_second_order_agrees_with_differences_of_gradients(name: str) -> None:
    program = BY_ID[name]
    sample = program.samples[0]
    tangents = tuple(direction((), sample.args[i]) for i in sample.wrt)
    _, products = oracle.hvp(program.function, sample.args, tangents, sample.wrt)

    def moved(distance: float) -> Any:
        args = list(sample.args)
        for i, tangent in zip(sample.wrt, tangents, strict=True):
            args[i] = args[i] + distance * tangent
        return oracle.gradient(program.function, args, sample.wrt)[1]

    step = 1e-5
    for product, plus, minus in zip(products, moved(step), moved(-step), strict=True):
        np.testing.assert_allclose(product, (plus - minus) / (2.0 * step), rtol=1e-6, atol=1e-6)


# Published numbers


def test_view_scaled_in_place_has_the_published_gradient() -> None:
    program = BY_ID["imperative.p3"]
    value, gradients = derivatives(program, program.samples[0])
    assert value == 54.0
    assert gradients[0].tolist() == [0.0, 18.0, 36.0, 6.0]


@pytest.mark.parametrize("name", ["dissipation", "assigned_state", "loop_carried_product"])
def test_regressions_have_the_published_numbers(name: str) -> None:
    program = BY_ID[f"regressions.{name}"]
    expected_value, expected = collect.load(collect.FOLDER / "regressions.py").EXPECTED[name]
    value, gradients = derivatives(program, program.samples[0])
    assert float(value) == pytest.approx(expected_value, rel=1e-6)
    np.testing.assert_allclose(gradients[0], expected[0], rtol=1e-7)


def test_equal_loops_have_equal_gradients() -> None:
    first, second = BY_ID["regressions.first_of_equal_loops"], BY_ID["regressions.second_of_equal_loops"]
    assert oracle.agree(derivatives(first, first.samples[0]), derivatives(second, second.samples[0]))


def test_unselected_singular_branch_contributes_nothing() -> None:
    program = BY_ID["imperative.p12"]
    _, (gradient,) = derivatives(program, program.samples[0])
    assert gradient[:2].tolist() == [0.0, 0.0]
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize(("program", "args", "error"), collect.failing_programs())
def test_failing_programs_fail(program: Program, args: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        oracle.run(program.function, args)
    with pytest.raises(error):
        oracle.gradient(program.function, args)


# Golden points: reference/points.md, column "ours"

INF, NAN = math.inf, math.nan
V = np.array
POINTS: list[tuple[str, Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = [
    ("abs at 0", lambda x: np.abs(x), (0.0,), (0.0,)),
    ("abs at -0", lambda x: np.abs(x), (-0.0,), (0.0,)),
    ("sign at 0", lambda x: np.sign(x), (0.0,), (0.0,)),
    ("sqrt at 0", lambda x: np.sqrt(x), (0.0,), (INF,)),
    ("x sqrt x at 0", lambda x: x * np.sqrt(x), (0.0,), (NAN,)),
    ("sqrt of square at 0", lambda x: np.sqrt(x * x), (0.0,), (NAN,)),
    ("log at 0", lambda x: np.log(x), (0.0,), (INF,)),
    ("x log x at 0", lambda x: x * np.log(x), (0.0,), (NAN,)),
    ("reciprocal at 0", lambda x: 1.0 / x, (0.0,), (-INF,)),
    ("quotient at 0", lambda x: x / x, (0.0,), (NAN,)),
    ("maximum tie", lambda x, y: np.maximum(x, y), (1.0, 1.0), (0.5, 0.5)),
    ("minimum tie", lambda x, y: np.minimum(x, y), (1.0, 1.0), (0.5, 0.5)),
    ("maximum with 0 at 0", lambda x: np.maximum(x, 0), (0.0,), (0.5,)),
    ("builtin max tie", lambda x, y: max(x, y), (1.0, 1.0), (1.0, 0.0)),
    ("where x at 0", lambda x: np.where(x > 0, x, 0), (0.0,), (0.0,)),
    ("where sqrt at 0", lambda x: np.where(x > 0, np.sqrt(x), 0), (0.0,), (0.0,)),
    ("where sqrt at -1", lambda x: np.where(x > 0, np.sqrt(x), 0), (-1.0,), (0.0,)),
    ("where reciprocal at 0", lambda x: np.where(x != 0, 1 / x, 0), (0.0,), (0.0,)),
    ("where log at -1", lambda x: np.where(x > 0, np.log(x), x), (-1.0,), (1.0,)),
    ("clip at the lower bound", lambda x: np.clip(x, 0, 1), (0.0,), (1.0,)),
    ("clip at the upper bound", lambda x: np.clip(x, 0, 1), (1.0,), (1.0,)),
    ("clip outside", lambda x: np.clip(x, 0, 1), (1.5,), (0.0,)),
    ("x**0 at 0", lambda x: x**0, (0.0,), (0.0,)),
    ("x**1 at 0", lambda x: x**1, (0.0,), (1.0,)),
    ("x**2 at 0", lambda x: x**2, (0.0,), (0.0,)),
    ("x**2.0 at -1", lambda x: x**2.0, (-1.0,), (-2.0,)),
    ("x**0.5 at 0", lambda x: x**0.5, (0.0,), (INF,)),
    ("x**y at 0, 0", lambda x, y: x**y, (0.0, 0.0), (0.0, 0.0)),
    ("x**y at 0, 1", lambda x, y: x**y, (0.0, 1.0), (1.0, 0.0)),
    ("x**y at 0, 2", lambda x, y: x**y, (0.0, 2.0), (0.0, 0.0)),
    ("x**y at -2, 3", lambda x, y: x**y, (-2.0, 3.0), (12.0, NAN)),
    ("x**y at 2, 0", lambda x, y: x**y, (2.0, 0.0), (0.0, math.log(2.0))),
    ("hypot at 0, 0", lambda x, y: np.hypot(x, y), (0.0, 0.0), (0.0, 0.0)),
    ("arctan2 at 0, 0", lambda x, y: np.arctan2(x, y), (0.0, 0.0), (NAN, NAN)),
    ("arcsin at 1", lambda x: np.arcsin(x), (1.0,), (INF,)),
    ("arccos at 1", lambda x: np.arccos(x), (1.0,), (-INF,)),
    ("arccosh at 1", lambda x: np.arccosh(x), (1.0,), (INF,)),
    ("arctanh at 1", lambda x: np.arctanh(x), (1.0,), (INF,)),
    ("floor", lambda x: np.floor(x), (2.0,), (0.0,)),
    ("round", lambda x: np.round(x), (2.5,), (0.0,)),
    ("x % 1 at 2", lambda x: x % 1, (2.0,), (1.0,)),
    ("x % y", lambda x, y: x % y, (5.5, 2.0), (1.0, -2.0)),
    ("sinc at 0", lambda x: np.sinc(x), (0.0,), (0.0,)),
    ("tanh at 1000", lambda x: np.tanh(x), (1000.0,), (0.0,)),
    ("log1p of exp at 1000", lambda x: np.log1p(np.exp(x)), (1000.0,), (NAN,)),
    ("logaddexp tie", lambda x, y: np.logaddexp(x, y), (0.0, 0.0), (0.5, 0.5)),
    ("logaddexp at -inf", lambda x, y: np.logaddexp(x, y), (-INF, -INF), (NAN, NAN)),
    ("where x==x at nan", lambda x: np.where(x == x, x, 0), (NAN,), (0.0,)),
    ("norm at 0", lambda v: np.linalg.norm(v), (V([0.0, 0.0]),), (V([0.0, 0.0]),)),
    ("written norm at 0", lambda v: np.sqrt(np.sum(v * v)), (V([0.0, 0.0]),), (V([NAN, NAN]),)),
    ("1-norm at 0", lambda v: np.linalg.norm(v, 1), (V([0.0, 0.0]),), (V([0.0, 0.0]),)),
    ("inf-norm tie", lambda v: np.linalg.norm(v, np.inf), (V([1.0, 1.0]),), (V([0.5, 0.5]),)),
    ("max tie", lambda v: np.max(v), (V([1.0, 1.0, 0.0]),), (V([0.5, 0.5, 0.0]),)),
    ("min tie", lambda v: np.min(v), (V([1.0, 1.0, 2.0]),), (V([0.5, 0.5, 0.0]),)),
    ("prod with a zero", lambda v: np.prod(v), (V([0.0, 2.0, 3.0]),), (V([6.0, 0.0, 0.0]),)),
    ("prod with two zeros", lambda v: np.prod(v), (V([0.0, 0.0, 3.0]),), (V([0.0, 0.0, 0.0]),)),
    ("cumprod with a zero", lambda v: np.cumprod(v)[2], (V([2.0, 0.0, 3.0]),), (V([0.0, 6.0, 0.0]),)),
    ("std of equals", lambda v: np.std(v), (V([1.0, 1.0, 1.0]),), (V([0.0, 0.0, 0.0]),)),
    ("var of equals", lambda v: np.var(v), (V([1.0, 1.0, 1.0]),), (V([0.0, 0.0, 0.0]),)),
    ("sort tie", lambda v: np.sort(v)[0], (V([1.0, 1.0, 2.0]),), (V([1.0, 0.0, 0.0]),)),
    ("median tie", lambda v: np.median(v), (V([1.0, 1.0, 2.0]),), (V([0.0, 1.0, 0.0]),)),
    ("logsumexp at -inf", lambda v: np.log(np.sum(np.exp(v))), (V([-INF, -INF]),), (V([NAN, NAN]),)),
    ("logsumexp at inf", lambda v: np.log(np.sum(np.exp(v))), (V([INF, 0.0]),), (V([NAN, 0.0]),)),
]


@pytest.mark.parametrize(("function", "args", "expected"), [pytest.param(*rest, id=name) for name, *rest in POINTS])
def test_golden_point(function: Callable[..., Any], args: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    _, gradients = oracle.gradient(function, args)
    assert oracle.agree(gradients, expected, 1e-15, 0.0), (gradients, expected)


def test_lost_derivatives_are_an_error() -> None:
    """A dual that goes where floats are kept must not lose its tangent in silence."""
    table = np.zeros(2)

    def store(x: Any, buffer: Any) -> Any:
        buffer.table[0] = x
        return buffer.table[0]

    class Holder:
        pass

    holder = Holder()
    holder.table = table  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="plain float storage"):
        oracle.gradient(store, (1.0, holder))


def test_counts_of_programs_do_not_shrink() -> None:
    counts = {path.stem: len(collect.programs(path.stem)) for path in collect.module_paths(None)}
    least = {"tangent": 106, "traps": 24, "imperative": 12, "regressions": 12, "gaps": 133}
    assert all(counts[module] >= count for module, count in least.items()), counts
