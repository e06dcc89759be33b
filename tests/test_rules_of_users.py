"""Derivatives of users' own: rules, functions that run again, solvers, constants; in every mode, to second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import pullback as pb
from pullback.frontend.source.user_rules import RULE

RNG = np.random.default_rng(0)
W, X, V = 0.3 * RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)
A, START = np.array([3.0, 4.0]), np.array([1.0, 1.2])
FACTOR, WEIGHTS = 2.0, np.array([1.0, 2.0, 3.0])


@pb.custom_vjp
def layer(p: Any, x: Any) -> Any:
    return np.tanh(p["w"] @ x + p["b"]), np.sum(x)


def layer_fwd(p: Any, x: Any) -> Any:
    h, s = layer(p, x)
    return (h, s), (p, x, h)


def layer_bwd(residuals: Any, cotangents: Any) -> Any:
    p, x, h = residuals
    h_bar, s_bar = cotangents
    z = h_bar * (1.0 - h * h)
    return {"w": np.outer(z, x), "b": z}, p["w"].T @ z + s_bar


layer.defvjp(layer_fwd, layer_bwd)


@pb.custom_jvp
def scaled(x: Any, n: Any) -> Any:
    return n * np.sin(x)


@scaled.defjvp
def scaled_jvp(primals: Any, tangents: Any) -> Any:
    x, n = primals
    x_dot, _ = tangents
    total = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        total[i] = n * np.cos(x[i]) * x_dot[i]
    return scaled(x, n), total


@pb.custom_jvp
def product(x: Any, y: Any) -> Any:
    return x * y * y


product.defjvps(lambda t, z, x, y: t * y * y, lambda t, z, x, y: 2.0 * t * x * y)


@pb.checkpoint
def step(w: Any, x: Any) -> Any:
    y = np.tanh(w @ x)
    return y * y + x


@pb.implicit(lambda x, a: np.array([x[0] ** 2 + x[1] - a[0], x[0] + x[1] ** 3 - a[1]]))
def solved(x: Any, a: Any) -> Any:
    for _ in range(30):
        r = np.array([x[0] ** 2 + x[1] - a[0], x[0] + x[1] ** 3 - a[1]])
        x = x - np.linalg.solve(np.array([[2.0 * x[0], 1.0], [1.0, 3.0 * x[1] ** 2]]), r)
    return x


@pb.custom_gradient
def wavy(x: Any, y: Any) -> Any:
    z = np.sin(x)

    def gradient(u: Any) -> Any:
        return u * np.cos(x) * y, np.sum(u * z)

    return z * y, gradient


@pb.custom_vjp(nondiff_argnums=(0, 2))
def repeated(f: Any, x: Any, n: Any) -> Any:
    for _ in range(n):
        x = f(x)
    return x


def repeated_bwd(f: Any, n: Any, x: Any, y_bar: Any) -> Any:
    values = [x]
    for _ in range(n - 1):
        values.append(f(values[-1]))
    for k in range(n):
        y_bar = y_bar * np.cos(values[n - 1 - k])
    return (y_bar,)


repeated.defvjp(lambda f, x, n: (repeated(f, x, n), x), repeated_bwd)


def through_layers(x: Any) -> Any:
    p = {"w": W, "b": WEIGHTS}
    s = 0.0
    for _ in range(3):
        x, s = layer(p, x)
    return np.sum(x**2) + s


def through_layers_plainly(x: Any) -> Any:
    s = 0.0
    for _ in range(3):
        s = np.sum(x)
        x = np.tanh(W @ x + WEIGHTS)
    return np.sum(x**2) + s


def in_branches(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += product(x[i], x[0]) if x[i] > 0.0 else product(x[0], x[i])
    return total


def in_branches_plainly(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[0] * x[0] if x[i] > 0.0 else x[0] * x[i] * x[i]
    return total


def checkpointed(x: Any) -> Any:
    for _ in range(4):
        x = step(W, x)
    return np.sum(x)


def checkpointed_plainly(x: Any) -> Any:
    for _ in range(4):
        y = np.tanh(W @ x)
        x = y * y + x
    return np.sum(x)


def at_the_root(a: Any) -> Any:
    return np.sum(np.sin(solved(START, a)))


def at_the_root_plainly(a: Any) -> Any:
    x = START.copy()
    for _ in range(30):
        r = np.array([x[0] ** 2 + x[1] - a[0], x[0] + x[1] ** 3 - a[1]])
        x = x - np.linalg.solve(np.array([[2.0 * x[0], 1.0], [1.0, 3.0 * x[1] ** 2]]), r)
    return np.sum(np.sin(x))


CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any]] = {
    "vjp": (through_layers, through_layers_plainly, X),
    "jvp": (lambda x: np.sum(scaled(x, 3) ** 2), lambda x: np.sum((3 * np.sin(x)) ** 2), X),
    "jvps": (in_branches, in_branches_plainly, X),
    "checkpoint": (checkpointed, checkpointed_plainly, X),
    "implicit": (at_the_root, at_the_root_plainly, A),
    "gradient": (lambda x: np.sum(wavy(x, x[0]) * x), lambda x: np.sum(np.sin(x) * x[0] * x), X),
    "nondiff": (lambda x: np.sum(repeated(np.sin, x, 3)), lambda x: np.sum(np.sin(np.sin(np.sin(x)))), X),
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("options", [{}, {"jit": False, "optimisations": False}])
@pytest.mark.parametrize("name", CASES)
def test_rules_say_what_the_plain_function_has(name: str, options: Any) -> None:
    ruled, plain, x = CASES[name]
    f, g = pb.differentiable(**options)(ruled), pb.differentiable(plain)
    v = V[: len(x)]
    close = {"rtol": 1e-9, "atol": 1e-10}
    np.testing.assert_allclose(f(x), g(x), **close)
    np.testing.assert_allclose(pb.grad(f)(x), pb.grad(g)(x), **close)
    np.testing.assert_allclose(pb.jvp(f, (x,), (v,))[1], pb.grad(g)(x) @ v, **close)
    hessian = pb.hessian(g)(x)
    np.testing.assert_allclose(pb.hessian(f)(x), hessian, **close)
    np.testing.assert_allclose(pb.jacrev(pb.grad(f))(x), hessian, **close)
    np.testing.assert_allclose(pb.vhp(f)(x, v), hessian @ v, **close)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", ["vjp", "jvps", "checkpoint", "implicit", "gradient"])
def test_rules_on_tapes(name: str) -> None:
    ruled, plain, x = CASES[name]
    expected = pb.grad(plain)(x)
    variable = pb.Variable(x)
    with pb.GradientTape() as tape:
        y = pb.differentiable(ruled)(variable)
    np.testing.assert_allclose(tape.gradient(y, variable), expected, rtol=1e-9, atol=1e-10)


def test_functions_with_rules_are_called_on_tapes_and_in_compiled_code() -> None:
    variable = pb.Variable(X)
    with pb.GradientTape() as tape:
        y = np.sum(step(W, variable)) + np.sum(product(variable, 2.0))
    np.testing.assert_allclose(tape.gradient(y, variable), pb.grad(lambda x: np.sum(step(W, x)))(X) + 4.0)

    by_steps = pb.grad(lambda w, x: np.sum(step(w, step(w, x))), 1)
    by_root = pb.jacobian(solved, 1)
    by_waves = pb.grad(lambda x: np.sum(wavy(x, x[0])))
    by_products = pb.grad(in_branches)

    @numba.njit
    def compiled(w: Any, x: Any, start: Any, a: Any) -> Any:
        values = step(w, x), product(x, 2.0), solved(start, a)
        return values, by_steps(w, x), by_root(start, a), by_waves(x), by_products(x)

    values, *derivatives = compiled(W, X, START, A)
    for got, expected in zip(values, (step(W, X), product(X, 2.0), solved(START, A)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
    interpreted = by_steps(W, X), by_root(START, A), by_waves(X), by_products(X)
    for got, expected in zip(derivatives, interpreted, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_one_declaration_serves_both_modes() -> None:
    @pb.custom_vjp
    def f(x: Any) -> Any:
        return np.sin(x)

    with pytest.raises(pb.MissingRuleError, match=r"'f' has no derivative rule yet[\s\S]*f.defvjp"):
        pb.grad(f)(0.5)
    with pytest.raises(pb.MissingRuleError):
        pb.jvp(f, (0.5,), (1.0,))
    assert f(0.5) == np.sin(0.5)
    f.defvjp(lambda x: (f(x), x), lambda x, y_bar: (3.0 * np.cos(x) * y_bar,))
    assert pb.grad(f)(0.5) == pb.jvp(f, (0.5,), (1.0,))[1] == 3.0 * np.cos(0.5)
    getattr(f, RULE).parts = ()
    for take in (lambda: pb.grad(f)(0.5), lambda: pb.jvp(f, (0.5,), (1.0,))):
        with pytest.raises(pb.MissingRuleError):
            take()


def test_a_rule_that_changes_is_read_again() -> None:
    @pb.custom_vjp
    def f(x: Any) -> Any:
        return x

    outer = pb.grad(lambda x: 2.0 * f(x))
    for factor in (3.0, 5.0):
        f.defvjp(lambda x: (x, None), lambda _, y_bar, factor=factor: (factor * y_bar,))
        assert outer(1.0) == 2.0 * factor


def test_a_function_that_runs_again_may_call_others_with_rules() -> None:
    again = pb.checkpoint(lambda x: np.sum(product(np.sin(x), x)))
    np.testing.assert_allclose(pb.grad(again)(X), pb.grad(lambda x: np.sum(np.sin(x) * x * x))(X), rtol=1e-12)
    np.testing.assert_allclose(pb.hessian(again)(X), pb.hessian(lambda x: np.sum(np.sin(x) * x * x))(X), rtol=1e-9)
    mixed = pb.custom_jvp(lambda x: 3.0 * x)
    tripled = pb.custom_vjp(lambda t: 3.0 * t)
    tripled.defvjp(lambda t: (tripled(t), None), lambda _, bar: (3.0 * bar,))
    mixed.defjvps(lambda t, y, x: tripled(t))
    assert pb.grad(mixed)(1.0) == pb.jvp(mixed, (1.0,), (1.0,))[1] == 3.0


def test_what_a_function_does_besides_is_done_where_its_value_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    @pb.custom_vjp
    def loud(x: Any) -> Any:
        print("heard")
        return x

    loud.defvjp(lambda x: (loud(x), None), lambda _, bar: (bar,))

    def f(x: Any) -> Any:
        y = loud(x)
        z = y * 2.0  # noqa: F841
        return x * x

    for take in (pb.differentiable(f), pb.grad(f), pb.grad(pb.grad(f))):
        take(1.0)
        assert capsys.readouterr().out == "heard\n"


def test_what_a_rule_uses_from_outside_is_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    @pb.custom_vjp
    def f(x: Any) -> Any:
        return np.sum(x * WEIGHTS) * FACTOR

    f.defvjp(lambda x: (f(x), None), lambda _, y_bar: (10.0 * y_bar * WEIGHTS * FACTOR,))
    outer = pb.grad(lambda x: f(x) * x[0])
    for factor in (2.0, 3.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        value = np.sum(X * WEIGHTS) * factor
        np.testing.assert_allclose(outer(X), 10.0 * WEIGHTS * factor * X[0] + np.array([value, 0.0, 0.0]))


def test_a_constant_function_has_no_derivative() -> None:
    largest = pb.constant_function(lambda x: np.max(x))
    np.testing.assert_array_equal(pb.grad(lambda x: np.sum(x) * largest(x))(X), np.full(3, np.max(X)))


def test_the_function_runs_where_nothing_is_differentiated(capsys: pytest.CaptureFixture[str]) -> None:
    @pb.custom_vjp
    def f(x: Any) -> Any:
        print("itself")
        return x

    def forward(x: Any) -> Any:
        print("forward")
        return x, None

    f.defvjp(forward, lambda _, y_bar: (y_bar,))
    g = pb.differentiable(jit=False)(lambda x, y: f(x) * y)
    g(1.0, 2.0)
    pb.grad(g, 1)(1.0, 2.0)
    assert capsys.readouterr().out == "itself\nitself\n"
    pb.grad(g)(1.0, 2.0)
    assert capsys.readouterr().out == "forward\n"


def test_keywords_find_their_arguments() -> None:
    f = pb.custom_vjp(lambda x, k=2.0: np.sum(np.sin(x)) * k)
    f.defvjp(lambda x, k=2.0: (f(x, k), (x, k)), lambda r, g: (np.cos(r[0]) * r[1] * g, np.sum(np.sin(r[0])) * g))
    np.testing.assert_allclose(pb.grad(lambda x: f(k=3.0, x=x))(X), 3.0 * np.cos(X))
    np.testing.assert_allclose(pb.grad(lambda x: f(x))(X), 2.0 * np.cos(X))


def test_a_function_that_calls_itself_calls_one_with_a_rule() -> None:
    def folded(x: Any, n: Any) -> Any:
        return x if n == 0 else folded(product(x, 0.9), n - 1) * x

    def plain(x: Any, n: Any) -> Any:
        return x if n == 0 else plain(x * 0.9 * 0.9, n - 1) * x

    assert pb.grad(folded)(0.7, 4) == pytest.approx(pb.grad(plain)(0.7, 4), rel=1e-12)
    assert pb.jvp(folded, (0.7, 4), (1.0, None))[1] == pytest.approx(pb.grad(plain)(0.7, 4), rel=1e-12)
    with pytest.raises(pb.MissingRuleError, match="calls itself"):
        pb.grad(pb.grad(folded))(0.7, 4)


def test_what_a_function_with_a_rule_raises_is_raised_where_nobody_reads_it() -> None:
    @pb.custom_vjp
    def checked(x: Any) -> Any:
        if x < 0.0:
            raise ValueError("negative")
        return x

    checked.defvjp(lambda x: (checked(x), None), lambda _, y_bar: (y_bar,))

    def f(x: Any) -> Any:
        checked(x - 1.0)
        return x * x

    assert pb.grad(f)(2.0) == 4.0
    for take in (pb.differentiable(f), pb.grad(f), pb.grad(lambda x: pb.grad(f)(x))):
        with pytest.raises(ValueError, match="negative"):
            take(0.5)


def written(x: Any) -> Any:
    x[0] = 1.0
    return np.sum(x)


VARIABLE = pb.Variable(2.0)


def refused() -> dict[str, tuple[Callable[[], Any], type[Exception], str]]:
    writes = pb.custom_vjp(written)
    several, shaped, other, pair = (pb.custom_vjp(lambda x: x) for _ in range(4))
    several.defvjp(lambda x: (x, None), lambda _, y_bar: (y_bar, y_bar))
    shaped.defvjp(lambda x: (x, None), lambda _, y_bar: (np.ones(2),))
    other.defvjp(lambda x: (np.ones(2), None), lambda _, y_bar: (y_bar,))
    pair.defvjp(lambda x: x, lambda _, y_bar: (y_bar,))
    captured = pb.custom_vjp(lambda x: x * VARIABLE)
    captured.defvjp(lambda x: (captured(x), None), lambda _, y_bar: (y_bar,))
    tangents = pb.custom_jvp(lambda x: x)
    tangents.defjvp(lambda primals, tangents: (tangents[0], tangents[0]))
    return {
        "writes": (lambda: pb.grad(writes)(X), pb.LanguageError, "'x' is an argument of 'written', whose derivative"),
        "several": (lambda: pb.grad(several)(1.0), pb.TypingError, "returns 2 cotangents, for 1 arguments"),
        "shape": (lambda: pb.grad(lambda x: np.sum(shaped(x)))(X), ValueError, "another shape"),
        "value": (lambda: pb.grad(other)(1.0), pb.TypingError, "another structure, rank or dtype"),
        "pair": (lambda: pb.grad(pair)(1.0), pb.TypingError, r"does not return a pair \(value, residuals\)"),
        "tensor": (lambda: pb.grad(captured)(1.0), pb.LanguageError, "uses the tensor 'VARIABLE' from outside"),
        "tangents": (lambda: pb.grad(tangents)(1.0), pb.TypingError, "depends on the tangents"),
        "local": (lambda: pb.grad(lambda x: repeated(lambda y: y, x, 2))(1.0), pb.LanguageError, "made in this text"),
    }


@pytest.mark.parametrize("name", refused())
def test_rules_that_do_not_fit_are_refused(name: str) -> None:
    take, error, message = refused()[name]
    with pytest.raises(error, match=message):
        take()


def test_a_rule_cannot_belong_to_a_method() -> None:
    class Model:
        f = pb.checkpoint(lambda self, x: x)

    with pytest.raises(pb.TypingError, match="is a method"):
        Model().f(1.0)


@pytest.mark.parametrize("name", ["vjp", "view", "constant"])
def test_memory_that_a_result_may_share_is_not_written_and_read_by_two_names(name: str) -> None:
    handed_on, part = pb.custom_vjp(lambda x: x), pb.custom_vjp(lambda x: x[1:])
    handed_on.defvjp(lambda x: (x, None), lambda _, y_bar: (y_bar,))
    part.defvjp(lambda x: (x[1:], None), lambda _, y_bar: (np.append(0.0, y_bar),))
    constant = pb.constant_function(lambda x: x)
    f = {"vjp": handed_on, "view": part, "constant": constant}[name]

    def result_is_written(x: Any) -> Any:
        z = 1.0 * x
        y = f(z)
        y[0] = 5.0
        return np.sum(z)

    def argument_is_written(x: Any) -> Any:
        z = 1.0 * x
        y = f(z)
        z[1] = 5.0
        return np.sum(y)

    def argument_alone_is_read(x: Any) -> Any:
        z = 1.0 * x
        f(z)
        z[1] = 5.0
        return np.sum(z)

    for refused in (result_is_written, argument_is_written):
        with pytest.raises(pb.LanguageError, match="may or may not share"):
            pb.differentiable(refused)(X)
    assert pb.differentiable(argument_alone_is_read)(X) == pytest.approx(X[0] + 5.0 + X[2])


@pytest.mark.parametrize("jit", [False, True])
def test_a_checkpoint_that_draws_or_prints_is_refused_where_it_would_run_again(jit: bool) -> None:
    def printed(x: Any, n: int) -> Any:
        print(n)
        return x if n == 0 else printed(np.sin(x), n - 1)

    @pb.checkpoint
    def noisy(x: Any) -> Any:
        return x * np.random.rand()

    @pb.checkpoint
    def told(x: Any) -> Any:
        return printed(x, 2)

    @pb.checkpoint
    def seeded(x: Any) -> Any:
        return x * np.random.default_rng(3).normal()

    for f, reason in ((noisy, "draws random numbers"), (told, "'told' prints")):
        called = pb.differentiable(lambda x, f=f: f(x) * x, jit=jit)
        called(0.5)
        with pytest.raises(pb.LanguageError, match=reason) as raised:
            pb.grad(called)(0.5)
        assert "test_rules_of_users.py" in str(raised.value)
    drawn = np.random.default_rng(3).normal()
    assert pb.grad(pb.differentiable(lambda x: seeded(x) * x, jit=jit))(0.5) == pytest.approx(drawn)
