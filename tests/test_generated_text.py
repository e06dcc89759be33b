"""Generated text: the same whatever was asked before, and a program of its own that computes the derivatives."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import collect
import pullback as pb
from pullback.api.differentiable import engine_of
from pullback.api.specialise import build_for
from pullback.emission.names import RESERVED
from pullback.emission.nouns import _NOUNS
from pullback.errors import PullbackError
from pullback.frontend.source.passed import captured_value
from pullback.frontend.values.arguments import leaf_types, leaves_of

PROGRAMS = [p for p in collect.programs() if p.samples[0].cotangent is None]
drawn = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.id)


def interpreted(program: collect.Program) -> Any:
    return pb.differentiable(jit=False)(program.function)


def asked(function: Any, sample: collect.Sample) -> list[str]:
    """All texts of a function for these arguments."""
    ways: list[Callable[[], str]] = [
        lambda: pb.source(function, *sample.fresh()),
        lambda: pb.source(function, *sample.fresh(), argnums=()),
        lambda: pb.source(pb.grad(function, sample.wrt), *sample.fresh()),
        lambda: pb.source(pb.value_and_grad(function, sample.wrt), *sample.fresh()),
        lambda: pb.inspect_source(function, *sample.fresh(), argnums=sample.wrt),
    ]
    return [way() for way in ways]


def use(function: Any, program: collect.Program) -> None:
    """Call a function in all modes, with the arguments of all samples and with others."""
    for sample in program.samples:
        for call in (function, pb.value_and_grad(function, sample.wrt), pb.grad(function, sample.wrt)):
            call(*sample.fresh())
        value, pullback = pb.vjp(function, sample.wrt)(*sample.fresh())
        pullback(1.0 if np.ndim(value) == 0 else np.ones(np.shape(value)))
    narrow = [np.float32(a) if isinstance(a, float | np.ndarray) else a for a in program.samples[0].fresh()]
    with contextlib.suppress(PullbackError, ValueError, IndexError):  # not every program takes float32
        pb.source(function, *narrow)


@pytest.mark.drawn(5)
@drawn
def test_text_does_not_depend_on_what_was_called_before(program: collect.Program) -> None:
    sample = program.samples[0]
    fresh, used = interpreted(program), interpreted(program)
    first = asked(fresh, sample)
    assert asked(fresh, sample)[::-1] == first[::-1]
    use(used, program)
    assert asked(used, sample) == first


def run(text: str, number: int, arguments: list[Any]) -> tuple[Any, ...]:
    """What a function of a text returns, which stands alone in a namespace: the last one, or one counted from there."""
    names: dict[str, Any] = {}
    exec(text, names)
    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    with np.errstate(all="ignore"):
        made = names[functions[number]](*(np.float64(a) if type(a) is float else a for a in arguments))
    return made if isinstance(made, tuple) else (made,)


def flat(function: Any, sample: collect.Sample) -> tuple[list[Any], int]:
    """The numbers and arrays that a generated function takes, those from outside too, and how many results it has."""
    engine = engine_of(function)
    bound = engine.bind(sample.fresh(), {})
    forms, built = build_for(engine, bound)
    leaves = [leaf for name, form in forms.items() for leaf in leaves_of(bound[name], form)]
    return [*leaves, *map(captured_value, built.captures)], len(leaf_types(built.result))


def leaves_in(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves_in(value[key])]
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in leaves_in(item)]
    return [] if value is None else [value]


@pytest.mark.drawn(10)
@drawn
def test_text_runs_on_its_own(program: collect.Program) -> None:
    sample, function = program.samples[0], interpreted(program)
    gradient = pb.grad(function, sample.wrt)
    expected = leaves_in(gradient(*sample.fresh()))
    text = pb.source(gradient, *sample.fresh())
    found = run(text, -1, flat(function, sample)[0])
    np.testing.assert_equal(len(found), len(expected))
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, other)
    pair = pb.source(function, *sample.fresh(), argnums=sample.wrt)
    leaves, count = flat(function, sample)
    returned = run(pair, -2, leaves)
    one = np.asarray(returned[0]).dtype.type(1.0)
    again = run(pair, -1, [*returned[count:], one])
    for own, other in zip(again, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-12)


@pytest.mark.drawn(8)
@drawn
def test_what_the_forward_function_returns_is_what_the_backward_function_takes(program: collect.Program) -> None:
    sample, function = program.samples[0], interpreted(program)
    text = pb.source(function, *sample.fresh(), argnums=sample.wrt)
    *_, forward, backward = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    _, count = flat(function, sample)
    returned = forward.body[-1].value
    items = returned.elts if isinstance(returned, ast.Tuple) else [returned]
    residuals = [base(item) for item in items[count:]]
    taken = [argument.arg for argument in backward.args.args[: len(residuals)]]
    assert [name or taken[k] for k, name in enumerate(residuals)] == taken
    assert "saved" not in taken


def base(expression: ast.expr) -> str:
    """The name of what is returned, or of what is copied to be returned; empty for another expression."""
    if (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Attribute)
        and expression.func.attr == "copy"
    ):
        expression = expression.func.value
    return expression.id if isinstance(expression, ast.Name) else ""


def test_names_say_what_is_kept() -> None:
    def f(x, n):
        for t in range(n):
            x = np.sin(x) * x + t
        while x > 0.5:
            x = x * 0.5
        return np.exp(x), x

    text = pb.source(f, 0.5, 3)
    assert "def f_backward(n, x, trips, exp_x, sin_x_saved, x_saved, " not in text
    signature = next(line for line in text.splitlines() if line.startswith("def f_backward"))
    assert {"n", "exp_x", "sin_x_saved", "x_saved", "trips"} <= set(signature[len("def f_backward(") : -2].split(", "))
    assert "for t in range(n):" in text


def test_variable_called_like_a_helper_keeps_its_name() -> None:
    def f(x, gamma):
        sign = np.tanh(gamma * x)
        sum = sign * sign + gamma
        return sum

    text = pb.source(f, 2.0, 3.0)
    assert "def f_forward(x, gamma):" in text
    assert "sign = np.tanh(gamma * x)" in text
    assert "sum = sign * sign + gamma" in text


def test_variable_called_like_what_the_text_mentions_gets_another_name() -> None:
    def f(x, max):
        for _ in range(max):
            x = np.sin(x)
        return x

    text = pb.source(f, 2.0, 3)
    assert "def f_forward(x, max2):" in text
    assert run(text, -2, [2.0, 3])[0] == np.sin(np.sin(np.sin(2.0)))


def test_noun_is_never_a_name_of_the_users_text() -> None:
    exp_x = 3.0

    def f(x):
        return np.exp(x) * exp_x * np.exp(x)

    forward = pb.source(f, 2.0).split("\n\n\n")[1]
    assert "exp_x = np.exp(x)" not in forward


def test_no_noun_is_the_name_of_a_helper() -> None:
    kept_for_variables = {"sum"}  # only behind the name of a variable: `y_sum`
    assert not (set(_NOUNS.values()) & RESERVED) - kept_for_variables


def test_what_returns_an_array_has_no_text_of_value_and_grad():
    def doubled(x):
        y = x.copy()
        for i in range(x.shape[0]):
            y[i] += x[i] ** 2
        return y

    with pytest.raises(pb.TypingError, match="does not return a float number"):
        pb.inspect_source(doubled, np.ones(3))
    assert "def doubled" in pb.inspect_source(doubled, np.ones(3), argnums=())


def test_nests_over_numbers_stay_nests() -> None:
    """A nest over known numbers does not copy the loop in it, unless an iteration needs to know its number."""

    def neighbours(x: Any, n: int, weights: tuple[Any, ...]) -> Any:
        total = 0.0
        for a in (-1, 0, 1):
            for b in (-1, 0, 1):
                for i in range(n):
                    total += x[(i + a) % n] * x[(i + b) % n] * weights[a]
        return total

    def loops_in_text(kind: Any) -> int:
        weights = (0.5, 0.25, kind)
        text = pb.source(neighbours, np.ones(4), 4, weights, argnums=())
        return sum(isinstance(node, ast.For) for node in ast.walk(ast.parse(text)))

    assert loops_in_text(2.0) == 3
    assert loops_in_text(np.ones(())) == 9
