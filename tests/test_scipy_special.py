"""Functions of `scipy.special`, whose derivatives are those of mpmath's functions: interpreted, compiled, on tapes."""

from __future__ import annotations

import linecache
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

import pullback as pb
from pullback.functions import RECORDS, load_scipy, rule_of
from special_samples import CASES, Arguments

load_scipy(["scipy.special"])

CALLS = [
    pytest.param(function, reference, arguments, id=f"{function.__name__}-{k}")
    for function, reference, samples in CASES
    for k, arguments in enumerate(samples)
]


def differentiated(arguments: Arguments) -> list[int]:
    return [k for k, argument in enumerate(arguments) if isinstance(argument, np.ndarray)]


def calling(function: Callable[..., Any], arguments: Arguments) -> Callable[..., Any]:
    """The sum of the function's values, as a function of the arrays, whose text is found."""
    places = differentiated(arguments)
    given = [f"x{k}" if k in places else repr(argument) for k, argument in enumerate(arguments)]
    text = f"call = lambda {', '.join(f'x{k}' for k in places)}: np.sum(function({', '.join(given)}))\n"
    file = f"<sample {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, [text], file)
    names: dict[str, Any] = {"np": np, "function": function, "__name__": "sample"}
    exec(compile(text, file, "exec"), names)
    made: Callable[..., Any] = names["call"]
    return made


def expected(reference: Callable[..., Any], arguments: Arguments, order: int = 1) -> list[Any]:
    """Derivatives of the sum by each array, by mpmath with 40 digits."""
    exact = np.broadcast_arrays(*[np.asarray(a, dtype=object) for a in arguments])
    found = []
    with mpmath.workdps(40):
        for place in differentiated(arguments):
            each = [derivative(reference, point, place, order) for point in zip(*[e.flat for e in exact], strict=True)]
            whole = np.array(each, dtype=float).reshape(exact[0].shape)
            found.append(summed_to(whole, arguments[place].shape))
    return found


def derivative(reference: Callable[..., Any], point: tuple[Any, ...], place: int, order: int) -> float:
    numbers = [x if isinstance(x, int) else mpmath.mpf(float(x)) for x in point]

    def along(moved: Any) -> Any:
        return reference(*numbers[:place], moved, *numbers[place + 1 :])

    return float(mpmath.re(mpmath.diff(along, numbers[place], order)))


def summed_to(whole: Any, shape: tuple[int, ...]) -> Any:
    added = tuple(range(whole.ndim - len(shape)))
    whole = whole.sum(axis=added)
    kept = tuple(k for k, n in enumerate(shape) if n == 1)
    return whole.sum(axis=kept, keepdims=True) if kept else whole


@pytest.mark.drawn(60)
@pytest.mark.parametrize(("function", "reference", "arguments"), CALLS)
def test_a_derivative_is_that_of_mpmath(
    function: Callable[..., Any], reference: Callable[..., Any], arguments: Arguments
) -> None:
    call = calling(function, arguments)
    arrays = [arguments[k] for k in differentiated(arguments)]
    numbers = tuple(range(len(arrays)))
    found = pb.grad(pb.differentiable(jit=False)(call), argnums=numbers)(*arrays)
    exact = expected(reference, arguments)
    for x_bar, by_mpmath in zip(found, exact, strict=True):
        np.testing.assert_allclose(x_bar, by_mpmath, rtol=1e-10, atol=1e-12)
    tangents = [np.linspace(0.5, 1.5, max(np.size(x), 1)).reshape(np.shape(x)) for x in arrays]
    _, y_dot = pb.jvp(pb.differentiable(jit=False)(call), tuple(arrays), tuple(tangents))
    np.testing.assert_allclose(y_dot, sum(np.sum(a * t) for a, t in zip(exact, tangents, strict=True)), rtol=1e-10)


@pytest.mark.drawn(6)
@pytest.mark.parametrize(("function", "reference", "arguments"), CALLS)
def test_a_second_derivative_is_that_of_mpmath(
    function: Callable[..., Any], reference: Callable[..., Any], arguments: Arguments
) -> None:
    """Those by one array alone; some functions have first derivatives without a rule."""
    call = pb.differentiable(jit=False)(calling(function, arguments))
    arrays = [arguments[k] for k in differentiated(arguments)]
    ones = tuple(np.ones_like(x) if k == 0 else None for k, x in enumerate(arrays))
    if function in ONCE:
        with pytest.raises(pb.MissingRuleError, match="elliprd"):
            pb.jvp(pb.grad(call), tuple(arrays), ones)
        return
    _, found = pb.jvp(pb.grad(call, argnums=tuple(range(len(arrays)))), tuple(arrays), ones)
    np.testing.assert_allclose(found[0], expected(reference, arguments, 2)[0], 1e-8, 1e-10)


ONCE = {special.ellipk, special.ellipe, special.ellipkm1}


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("function", "reference", "arguments"), CALLS)
def test_compiled_values_and_derivatives_are_those_of_plain_calls(
    function: Callable[..., Any], reference: Callable[..., Any], arguments: Arguments
) -> None:
    call = calling(function, arguments)
    arrays = [arguments[k] for k in differentiated(arguments)]
    numbers = tuple(range(len(arrays)))
    for dtype, tolerance in ((np.float64, 1e-11), (np.float32, 2e-5)):
        given = [x.astype(dtype) for x in arrays]
        value, x_bars = pb.value_and_grad(call, argnums=numbers)(*given)
        plain = call(*given)
        assert np.asarray(value).dtype == plain.dtype
        np.testing.assert_allclose(value, plain, rtol=tolerance)
        by_python = pb.grad(pb.differentiable(jit=False)(call), argnums=numbers)(*given)
        for found, x, other in zip(x_bars, given, by_python, strict=True):
            assert found.dtype == other.dtype == dtype
            assert found.shape == x.shape
            np.testing.assert_allclose(found, other, rtol=tolerance, atol=tolerance)


def test_every_rule_has_samples() -> None:
    several = {special.airy, special.fresnel, special.shichi, special.sici}
    with_rule = {f for f in vars(special).values() if callable(f) and f in RECORDS and rule_of(f) is not None}
    assert with_rule - several - {special.logsumexp, np.sinc} == {
        function for function, _, _ in CASES if rule_of(function)
    }


def twice(x):
    """Products of functions with several results and of reductions, of one array."""
    s, c = special.sici(x)
    ai, aip, bi, bip = special.airy(x)
    fs, fc = special.fresnel(x)
    shi, chi = special.shichi(x)
    return np.sum(s * ai + c * aip * bi - bip + fs * fc + shi * chi)


def in_mpmath(x):
    e = [*(f(x) for f in (mpmath.si, mpmath.ci, mpmath.airyai, mpmath.airybi, mpmath.fresnels, mpmath.fresnelc))]
    primes = mpmath.airyai(x, derivative=1), mpmath.airybi(x, derivative=1)
    return e[0] * e[2] + e[1] * primes[0] * e[3] - primes[1] + e[4] * e[5] + mpmath.shi(x) * mpmath.chi(x)


@pytest.mark.parametrize("jit", [False, True])
def test_functions_with_several_results(jit: bool) -> None:
    x = np.array([0.3, 1.7, 2.9])
    found = pb.grad(pb.differentiable(jit=jit)(twice))(x)
    np.testing.assert_allclose(found, [float(mpmath.diff(in_mpmath, mpmath.mpf(v))) for v in x], 1e-10)


REDUCTIONS = {
    "logsumexp": lambda x: np.sum(special.logsumexp(x, axis=1) ** 2),
    "logsumexp of all": lambda x: special.logsumexp(x) ** 2,
    "logsumexp keepdims": lambda x: np.sum(special.logsumexp(x, 0, keepdims=True) * x),
    "logsumexp weighted": lambda x: np.sum(special.logsumexp(x, axis=(0, 1), b=x * x) * x),
    "logsumexp signed": lambda x: np.sum(special.logsumexp(x, axis=1, b=np.sin(3 * x), return_sign=True)[0] * x[:, 1]),
    "softmax": lambda x: np.sum(special.softmax(x, axis=1) ** 3),
    "softmax of all": lambda x: np.sum(special.softmax(x) ** 3),
    "log_softmax": lambda x: np.sum(special.log_softmax(x, axis=-1) * x**2),
    "softplus": lambda x: np.sum(special.softplus(x) ** 2),
    "xlogy": lambda x: np.sum(special.xlogy(x, x * x)),
}
"""Texts in others, which complex numbers follow as well."""


@pytest.mark.drawn(6)
@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_have_the_derivative_of_differences(name: str, jit: bool) -> None:
    x = np.random.default_rng(3).normal(size=(2, 3)) + np.array([[2.0], [0.3]])
    x[0, 1] = x[0, 0]
    call = pb.differentiable(jit=jit)(REDUCTIONS[name])
    value, found = pb.value_and_grad(call)(x)
    np.testing.assert_allclose(value, REDUCTIONS[name](x), 1e-14)
    np.testing.assert_allclose(found, by_differences(REDUCTIONS[name], x), 1e-9, 1e-10)
    if not jit:
        hessian = pb.hessian(call)(x)
        by_steps = [by_differences(lambda v, k=k: pb.grad(call)(v)[k], x) for k in np.ndindex(2, 3)]
        np.testing.assert_allclose(hessian, np.reshape(by_steps, hessian.shape), 1e-8, 1e-9)


def by_differences(function: Callable[..., Any], x: Any) -> Any:
    """By differences of order 8."""
    weights, step = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}, 2e-3
    out = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        for n, weight in weights.items():
            ahead, back = x.copy(), x.copy()
            ahead[index] += n * step
            back[index] -= n * step
            out[index] += weight * (function(ahead) - function(back)) / step
    return out


def test_what_has_no_weight_moves_nothing() -> None:
    x = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    found = pb.grad(pb.differentiable(jit=False)(lambda x: np.sum(special.logsumexp(x, axis=1)[1:])))(x)
    np.testing.assert_array_equal(found, [[0, 0], [1, 0]])
    alone = pb.grad(pb.differentiable(jit=False)(lambda x: special.logsumexp(x)))(x[0])
    np.testing.assert_array_equal(alone, [0, 0])


def test_a_derivative_by_an_order_is_refused() -> None:
    with pytest.raises(pb.MissingRuleError, match="by the argument 'v'"):
        pb.grad(lambda v: special.jv(v, 2.0))(1.3)
    v = pb.Variable(1.3)
    with pb.GradientTape() as tape:
        y = special.jv(v, 2.0)
    with pytest.raises(pb.MissingRuleError, match="argument 1"):
        tape.gradient(y, v)


def test_tapes_follow_special_functions() -> None:
    x = pb.Variable(np.array([0.3, 1.7]))
    with pb.GradientTape() as tape:
        y = special.j0(x) * special.xlogy(x, 2.0)
    expected_ = pb.grad(lambda x: np.sum(special.j0(x) * special.xlogy(x, 2.0)))(x.numpy())
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected_, 1e-12)


def test_limits() -> None:
    """At the ends, where one of two factors is 0."""
    both = pb.differentiable(jit=False)(lambda x, y: special.xlogy(x, y))
    assert pb.grad(both, argnums=1)(0.0, 0.0) == 0.0
    assert pb.grad(pb.grad(both, argnums=1), argnums=0)(0.0, 2.0) == 0.5
    assert pb.grad(pb.differentiable(jit=False)(lambda x: special.gammainc(1.0, x)))(0.0) == 1.0
    assert pb.grad(pb.differentiable(jit=False)(lambda d: special.huber(d, 2.0)))(3.0) == 0.0


def test_compiled_code_is_found_on_disk(tmp_path: Path) -> None:
    """The second process compiles nothing, and finds the functions of C by their names."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport numpy as np\nimport pullback as pb\nfrom scipy import special\n"
        "@pb.differentiable\n"
        "def f(x):\n    return np.sum(special.jv(1, x) * special.zeta(2.5, x))\n"
        "print(pb.grad(f)(np.array([0.5, 1.5])), 'pullback.runtime.exact.special' in sys.modules)\n"
    )
    environment = os.environ | {"PULLBACK_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(program)]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    )
    assert first[:-1] == second[:-1]
    assert (first[-1], second[-1]) == ("True", "False")
