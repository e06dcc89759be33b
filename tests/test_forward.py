"""Forward mode: every program and every rule against dual numbers, and against the pullback that it is dual to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cells
import oracle
import pullback as pb
from pullback.api.specialise import Code
from pullback.compilation.options import Options
from pullback.frontend.values.arguments import form_of, leaves_of, rebuild
from pullback.functions import RECORDS
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, Function, Let, Value
from pullback.ir.types import is_float, type_of
from pullback.passes.pipeline import ALL
from pullback.runtime.numpy.items import put_item, take_item
from pullback.transform.forward.pushforward import pushed
from rule_samples import SMOOTH, Sample
from test_programs import PROGRAMS, assert_close, case_id, rtol_of
from test_rules import cotangents_of, name_of

X = np.array([0.5, 1.5, -0.7, 2.0])
MATRIX = np.array([[2.0, 0.3], [0.1, 1.5]])


def direction_like(value: Any, rng: np.random.Generator) -> Any:
    """A tangent of a value: its structure with random floats, None for what is no float."""
    form = form_of(value)
    return rebuild(form, iter([_random(leaf, rng) for leaf in leaves_of(value, form)]), lambda known: None)


def _random(leaf: Any, rng: np.random.Generator) -> Any:
    if np.asarray(leaf).dtype.kind != "f":
        return None
    drawn = rng.standard_normal(np.shape(leaf)).astype(np.asarray(leaf).dtype)
    return drawn if isinstance(leaf, np.ndarray) else type(leaf)(drawn)


def check_forward(program: Any, **options: Any) -> None:
    """Compare the samples: value with a plain call, tangent with the oracle, arguments afterwards."""
    function = pb.differentiable(**options)(program.function)
    for sample in program.samples:
        rng = np.random.default_rng(0)
        tangents = {k: direction_like(sample.args[k], rng) for k in sample.wrt}
        given = sample.fresh()
        value, tangent = pb.jvp(function, given, [tangents.get(k) for k in range(len(given))])
        plain, after_plain = oracle.run(program.function, sample.fresh())
        _, expected = oracle.jvp(program.function, sample.fresh(), list(tangents.values()), sample.wrt)
        rtol = rtol_of(given)
        assert_close(value, plain, rtol, "value")
        assert_close(given, after_plain, rtol, "arguments afterwards")
        assert_tangents(tangent, expected, rtol)


def assert_tangents(tangent: Any, expected: Any, rtol: float) -> None:
    form = form_of(expected)
    for a, e in zip(leaves_of(tangent, form), leaves_of(expected, form), strict=True):
        if a is not None:
            assert_close(a, e, rtol, "tangent")


@pytest.mark.drawn(64)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("optimisations", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_interpreted(program: Any, optimisations: bool) -> None:
    check_forward(program, jit=False, optimisations=optimisations)


@pytest.mark.drawn(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_compiled(program: Any) -> None:
    check_forward(program)


TO_BE_COMPILED = {"mixed_lists.array_of_a_mixed_list", "internal_errors.norms_along_axes"}


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.id in TO_BE_COMPILED], ids=case_id)
def test_writes_into_arrays_without_axes_and_lists_of_integers_compile(program: Any) -> None:
    check_forward(program)


# The duality of both sweeps: ⟨w, J v⟩ = ⟨Jᵀ w, v⟩


def paired(left: Any, right: Any) -> list[float]:
    """The products of the floats of two structures, element by element."""
    pairs = zip(leaves_of(left, form_of(left)), leaves_of(right, form_of(left)), strict=True)
    floats = [(a, b) for a, b in pairs if b is not None and np.asarray(a).dtype.kind == "f"]
    return [float(p) for a, b in floats for p in np.ravel(np.asarray(a, float) * np.asarray(b, float))]


def assert_dual(forward: list[float], reverse: list[float], rtol: float) -> None:
    scale = sum(map(abs, forward)) + sum(map(abs, reverse))
    if np.isfinite(scale):
        assert abs(sum(forward) - sum(reverse)) <= rtol * scale


@pytest.mark.drawn(24)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_programs_are_dual(program: Any) -> None:
    function = pb.differentiable(jit=False)(program.function)
    for sample in program.samples:
        rng = np.random.default_rng(1)
        tangents = {k: direction_like(sample.args[k], rng) for k in sample.wrt}
        given = sample.fresh()
        rtol = 1e-12 if rtol_of(given) == 1e-10 else 5e-6
        _, tangent = pb.jvp(function, given, [tangents.get(k) for k in range(len(given))])
        value, pullback = pb.vjp(function, argnums=sample.wrt)(*sample.fresh())
        cotangent = direction_like(value, rng)
        pulled = pullback(cotangent)
        assert_dual(paired(tangent, cotangent), paired(pulled, tuple(tangents.values())), rtol)


def fixed(argument: Any) -> Any:
    """An operand that is known before the run."""
    if isinstance(argument, tuple):
        return tuple(map(fixed, argument))
    return constant(argument) if type_of(argument) is not None else Constant(argument)


class Call:
    """One call of a function as a normal form, with a parameter for each array and float."""

    def __init__(self, function: Any, sample: Sample) -> None:
        self.parameters: list[Value] = []
        self.given: list[Any] = []
        operands = tuple(map(self.operand, sample.arguments))
        options = tuple(map(fixed, sample.options.values()))
        keywords = tuple(sample.options)
        type_ = type_of(function(*sample.arguments, **sample.options))
        assert type_ is not None, "a function with several results is no sample"
        y = Value("y", type_)
        body = Block((Let(y, function, (*operands, *options), keywords),), (y,))
        self.function = Function("called", tuple(self.parameters), body)
        self.wrt = tuple(k for k, p in enumerate(self.parameters) if is_float(p.type))

    def operand(self, argument: Any) -> Any:
        if isinstance(argument, tuple):
            return tuple(map(self.operand, argument))
        type_ = type_of(argument)
        if type_ is None or not (isinstance(argument, np.ndarray) or is_float(type_)):
            return fixed(argument)
        self.parameters.append(Value(f"x{len(self.parameters)}", type_))
        self.given.append(argument)
        return self.parameters[-1]

    def pushed(self, *tangents: Any) -> Any:
        made = pushed(self.function, self.wrt, 0, ALL)
        return Code(made, Options(jit=False)).derivative("primal", ()).call(*self.given, *tangents)


NEVER_IN_NORMAL_FORMS = {take_item, put_item, np.transpose, np.array}
"""Functions of tapes, and those that are written otherwise."""
SAMPLES = [
    pytest.param(function, sample, id=f"{name_of(function)}-{k}")
    for function, samples in SMOOTH.items()
    if function not in NEVER_IN_NORMAL_FORMS
    for k, sample in enumerate(samples)
    if np.asarray(function(*sample.arguments, **sample.options)).dtype.kind in "fc"
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("function", "sample"), SAMPLES)
def test_rules_are_dual(function: Any, sample: Sample) -> None:
    """What a rule pulls back in plain Python is dual to what the same rule pushes forward."""
    call = Call(function, sample)
    rng = np.random.default_rng(2)
    tangents = [direction_like(call.given[k], rng) for k in call.wrt]
    value, tangent = call.pushed(*tangents)
    plain = function(*sample.arguments, **sample.options)
    np.testing.assert_array_equal(value, plain)
    assert np.shape(tangent) == np.shape(plain)
    y_bar = rng.uniform(0.5, 1.5, np.shape(plain))[()]
    cotangents = cotangents_of(function, sample, plain, y_bar)
    flat = [part for a_bar in cotangents for part in (a_bar if isinstance(a_bar, tuple) else (a_bar,))]
    floats = [part for part in flat if part is not None]
    if len(floats) == len(tangents):
        assert_dual(paired(tangent, y_bar), paired(tuple(floats), tuple(tangents)), 1e-12)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", [np.sin, np.cumsum, np.dot, np.linalg.inv])
def test_both_sweeps_need_the_one_rule(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call = "np.sum(function(x, x))" if function is np.dot else "np.sum(function(x))"
    text = f"def program(x):\n    return {call}\n"
    program = cells.run(text, np=np, function=function)["program"]
    assert np.isfinite(pb.jvp(program, (MATRIX,), (MATRIX,))[1])
    monkeypatch.setattr(RECORDS[function], "rule", None)
    program = cells.run(text, np=np, function=function)["program"]
    with pytest.raises(pb.MissingRuleError):
        pb.jvp(program, (MATRIX,), (MATRIX,))
    with pytest.raises(pb.MissingRuleError):
        pb.grad(program)(MATRIX)


# What users call


def structured(params: Any, k: int) -> Any:
    return {"value": k * params["x"] ** 2, "count": k}, k


def test_structures_keep_theirs() -> None:
    params = {"x": X, "n": 2}
    value, tangent = pb.jvp(structured, (params, 3), ({"x": np.ones(4), "n": None}, None))
    np.testing.assert_allclose(value[0]["value"], 3 * X**2)
    np.testing.assert_allclose(tangent[0]["value"], 6 * X)
    assert tangent[0]["count"] is tangent[1] is None
    value, tangent, aux = pb.jvp(structured, (params, 3), ({"x": 1, "n": None}, None), has_aux=True)
    np.testing.assert_allclose(tangent["value"], 6 * X)
    assert aux == 3


def same(x: Any) -> Any:
    return x


def shifted(x: Any) -> Any:
    x[0] = 2.0 * x[1]
    return x[0] * x


def test_tangents_are_fresh_memory() -> None:
    direction = np.ones(4)
    value, tangent = pb.jvp(same, (X,), (direction,))
    assert not np.shares_memory(tangent, direction)
    assert not np.shares_memory(value, tangent)


def test_arguments_change_as_in_a_plain_call_and_tangents_do_not() -> None:
    given, direction, plain = X.copy(), np.arange(4.0), X.copy()
    value, tangent = pb.jvp(shifted, (given,), (direction,))
    np.testing.assert_array_equal(value, shifted(plain))
    np.testing.assert_array_equal(given, plain)
    np.testing.assert_array_equal(direction, np.arange(4.0))
    _, expected = oracle.jvp(shifted, (X.copy(),), (np.arange(4.0),))
    np.testing.assert_allclose(tangent, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "message"),
    [
        ((X,), (np.ones(3),), pb.ShapeError, r"the tangent has shape \(3,\), the argument 'x' \(4,\)"),
        ((X,), ({},), pb.TypingError, "a tangent must be made of numbers, not dict"),
        ((X,), ("up",), pb.TypingError, "a tangent must be made of numbers, not str"),
        ((X,), (), pb.TypingError, "there are 1 arguments and 0 tangents"),
        ((X,), (1j,), pb.TypingError, "the tangent is complex, and the argument 'x' is real"),
        (({"a": X},), ({"b": X},), pb.TypingError, "the tangent does not have the structure of the argument 'x'"),
        (X, X, pb.TypingError, "the arguments stand in a tuple, and the tangents in another"),
        ((X, X), (X, X), TypeError, "too many positional arguments"),
    ],
)
def test_errors(primals: Any, tangents: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        pb.jvp(same, primals, tangents)


def variance(x: Any, freedom: float) -> Any:
    return np.var(x, ddof=freedom)


def test_a_number_on_which_the_code_depends_has_no_tangent() -> None:
    assert pb.jvp(variance, (X, 1.0), (X, None))[1] == pytest.approx(2 * np.var(X, ddof=1), rel=1e-12)
    with pytest.raises(pb.TypingError, match="the value of 'freedom' decides what is compiled for 'variance'"):
        pb.jvp(variance, (X, 1.0), (X, 1.0))


def test_aux_must_be_there() -> None:
    with pytest.raises(pb.TypingError, match=r"with has_aux the function returns \(value, aux\)"):
        pb.jvp(same, (X,), (X,), has_aux=True)


def test_what_runs_can_be_read() -> None:
    text = pb.source(shifted, X, mode="forward")
    names: dict[str, Any] = {}
    exec(text, names)
    given = X.copy()
    value, tangent = names["shifted_jvp"](given, np.ones(4))
    expected = pb.jvp(shifted, (X.copy(),), (1,))
    np.testing.assert_array_equal(value, expected[0])
    np.testing.assert_array_equal(tangent, expected[1])
    assert "def shifted_jvp(x, x_dot):" in pb.inspect_source(shifted, X, mode="forward")
    with pytest.raises(ValueError, match="'reverse' or 'forward'"):
        pb.source(shifted, X, mode="sideways")  # type: ignore[arg-type]
    with pytest.raises(pb.TypingError, match="is a gradient already"):
        pb.source(pb.grad(same), 1.0, mode="forward")


def test_a_global_is_read_anew() -> None:
    names = cells.run("scale = 2.0\ndef program(x):\n    return scale * x * x\n")
    assert pb.jvp(names["program"], (3.0,), (1.0,)) == (18.0, 12.0)
    names["scale"] = 5.0
    assert pb.jvp(names["program"], (3.0,), (1.0,)) == (45.0, 30.0)


def test_tapes_in_a_function_are_pushed_through() -> None:
    text = (
        "def program(w):\n    with pb.GradientTape() as tape:\n        tape.watch(w)\n"
        "        s = np.sum(np.sin(w) * w)\n    return tape.gradient(s, w)\n"
    )
    program = cells.run(text, np=np, pb=pb)["program"]
    _, tangent = pb.jvp(program, (X,), (np.ones(4),))
    np.testing.assert_allclose(tangent, 2 * np.cos(X) - X * np.sin(X), rtol=1e-12)


@pytest.mark.parametrize("call", ["pb.source(square, x)", "pb.check_grads(square, x)"])
def test_other_functions_of_the_package_are_refused_at_their_place(call: str) -> None:
    text = f"def square(x):\n    return x * x\n\n\ndef program(x):\n    y = 2.0 * x\n    return y * {call}\n"
    names = cells.run(text, pb=pb)
    with pytest.raises(pb.LanguageError, match="cannot be called in a function that is differentiated") as caught:
        pb.grad(names["program"])(1.0)
    assert caught.value.lineno == 7


def replaced_nan(x: Any, number: Any) -> Any:
    return np.sum(np.nan_to_num(x, nan=number))


def test_arguments_that_a_rule_does_not_know_have_no_derivative() -> None:
    given = np.array([1.0, np.nan])
    np.testing.assert_array_equal(pb.grad(replaced_nan)(given, 2.0), [1.0, 0.0])
    with pytest.raises(pb.MissingRuleError, match="no derivative rule by the argument 'nan'"):
        pb.grad(replaced_nan, argnums=1)(given, 2.0)
    with pytest.raises(pb.MissingRuleError, match="no derivative rule by the argument 'nan'"):
        pb.jvp(replaced_nan, (given, 2.0), (None, 1.0))


@pytest.mark.parametrize("optimisations", [True, False])
def test_what_no_argument_flows_into_needs_no_rule(optimisations: bool) -> None:
    def weighted(x: Any) -> Any:
        return np.sum(x * np.arange(3.0))

    function = pb.differentiable(weighted, optimisations=optimisations, jit=False)
    value, tangent = pb.jvp(function, (np.ones(3),), (np.array([1.0, 2.0, 4.0]),))
    assert (value, tangent) == (3.0, 10.0)
