"""Functions that are called and not read: of SciPy, of C, of Cython and Numba, and whatever else can be called."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import math
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
import scipy
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import cython_special

import oracle
import pullback as pb

X, V = np.array([0.3, -0.7, 1.1]), np.array([1.0, 2.0, -0.5])
MODES: list[Any] = [{}, {"jit": False, "optimisations": False}]

# Externals with rules, and what they compute

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def of_libm(name: str, count: int = 1) -> Any:
    function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * count
    return function


CURVE = CubicSpline(np.linspace(-2.0, 2.0, 9), np.sin(np.linspace(-2.0, 2.0, 9)))
slope = pb.custom_vjp(pb.external(CURVE.derivative(), result=float))
bend = pb.external(CURVE.derivative(2), result=float)
slope.defvjp(lambda x: (slope(x), bend(x)), lambda bend, y_bar: (bend * y_bar,))
spline = pb.custom_vjp(pb.external(CURVE, result=float))
spline.defvjp(lambda x: (spline(x), slope(x)), lambda slope, y_bar: (slope * y_bar,))

cosine = pb.external(of_libm("cos"))
c_sine = pb.custom_jvp(of_libm("sin"))


@c_sine.defjvp
def c_sine_jvp(primals: Any, tangents: Any) -> Any:
    return c_sine(primals[0]), np.cos(primals[0]) * tangents[0]


c_power = pb.custom_jvp(of_libm("pow", 2))
c_power.defjvps(lambda t, y, x, n: t * n * c_power(x, n - 1.0), lambda t, y, x, n: t * np.log(x) * y)


@pb.custom_vjp
@pb.external(result=np.zeros(3))
def softmax(x: Any) -> Any:
    return np.exp(x) / sum(math.exp(item) for item in x)


softmax.defvjp(lambda x: (softmax(x), softmax(x)), lambda y, y_bar: (y * (y_bar - np.sum(y * y_bar)),))


@pb.custom_vjp
@pb.external(result=(float, np.zeros((2, 2))))
def both(x: Any) -> Any:
    return float(np.sum(x * x)), np.outer(x[:2], x[1:])


def both_bwd(x: Any, bars: Any) -> Any:
    s_bar, m_bar = bars
    x_bar = 2.0 * x * s_bar
    x_bar[:2] += m_bar @ x[1:]
    x_bar[1:] += m_bar.T @ x[:2]
    return (x_bar,)


both.defvjp(lambda x: (both(x), x), both_bwd)

# The integral of exp(-a t²) from 0 to b, by Leibniz's rule.
second_moment = pb.external(lambda b, a: quad(lambda t: -t * t * math.exp(-a * t * t), 0.0, b)[0], result=float)
integral = pb.custom_vjp(pb.external(lambda b, a: quad(lambda t: math.exp(-a * t * t), 0.0, b)[0], result=float))
integral.defvjp(
    lambda b, a: (integral(b, a), (b, a, second_moment(b, a))),
    lambda kept, y_bar: (y_bar * np.exp(-kept[1] * kept[0] ** 2), y_bar * kept[2]),
)

root = pb.implicit(lambda x, a: x**3 + x - a)(
    pb.external(lambda start, a: brentq(lambda x: x**3 + x - a, -10.0, 10.0, xtol=1e-15), result=float)
)
largest = pb.constant_function(pb.external(lambda x: float(np.max(np.abs(x))), result=float))


@pb.custom_gradient
def bessel(x: Any) -> Any:
    value = j0(x)
    return value, lambda y_bar: -j1(x) * y_bar


j0, j1 = pb.external(cython_special.j0, result=float), pb.external(cython_special.j1, result=float)


def bisected(a: Any) -> Any:
    x = 1.0
    for _ in range(30):
        x = x - (x**3 + x - a) / (3.0 * x * x + 1.0)
    return x


def in_loops(x: Any) -> Any:
    s = 0.0
    for i in range(3):
        if x[i] > 0.0:
            s += c_sine(x[i]) * s + x[i]
        k = 0
        while k < 2:
            s = c_sine(s + k)
            k += 1
    return s


def in_loops_plainly(x: Any) -> Any:
    s = 0.0
    for i in range(3):
        if x[i] > 0.0:
            s += np.sin(x[i]) * s + x[i]
        k = 0
        while k < 2:
            s = np.sin(s + k)
            k += 1
    return s


def with_both(x: Any) -> Any:
    s, m = both(2.0 * x)
    return s * np.sum(m**2)


def with_both_plainly(x: Any) -> Any:
    return np.sum(4.0 * x * x) * np.sum(np.outer(2.0 * x[:2], 2.0 * x[1:]) ** 2)


CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], bool]] = {
    "c by ctypes": (lambda x: c_sine(x[0]) * np.sum(x), lambda x: np.sin(x[0]) * np.sum(x), True),
    "c of two": (lambda x: c_power(x[2], x[0] + 2.0), lambda x: x[2] ** (x[0] + 2.0), True),
    "array": (
        lambda x: np.sum(softmax(x * x) * x),
        lambda x: np.sum(np.exp(x * x) * x) / np.sum(np.exp(x * x)),
        True,
    ),
    "tuple": (with_both, with_both_plainly, True),
    "root": (lambda x: root(0.0, x[0] + 1.0) * x[1], lambda x: bisected(x[0] + 1.0) * x[1], True),
    "loops": (in_loops, in_loops_plainly, False),
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("name", CASES)
def test_externals_with_rules_have_the_derivatives_of_what_they_compute(name: str, options: Any) -> None:
    calling, plain, has_hessian = CASES[name]
    f = pb.differentiable(**options)(calling)
    value, gradient = oracle.gradient(plain, (X,), 0)
    close = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(calling(X), value, **close)
    for _ in range(3):
        np.testing.assert_allclose(f(X), value, **close)
        np.testing.assert_allclose(pb.grad(f)(X), gradient, **close)
    made, (x_bar,) = pb.value_and_grad(f, (0,))(X)
    np.testing.assert_allclose(made, value, **close)
    np.testing.assert_allclose(x_bar, gradient, **close)
    np.testing.assert_allclose(pb.jvp(f, (X,), (V,))[1], gradient @ V, **close)
    np.testing.assert_allclose(pb.vjp(f)(X)[1](2.0), 2.0 * gradient, **close)
    np.testing.assert_allclose(pb.jacobian(f)(X), gradient, **close)
    hessian = pb.hessian(plain)(X)
    np.testing.assert_allclose(pb.jacrev(pb.grad(f))(X), hessian, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(pb.hvp(f)(X, V), hessian @ V, rtol=1e-8, atol=1e-8)
    if has_hessian:
        np.testing.assert_allclose(pb.hessian(f)(X), hessian, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("options", MODES)
def test_routines_of_scipy(options: Any) -> None:
    f = pb.differentiable(**options)(lambda x: spline(x) ** 2 + x)
    close = {"rtol": 1e-10, "atol": 1e-10}
    for x in (0.3, -1.2):
        y, dy, ddy = (float(CURVE(x, n)) for n in range(3))
        np.testing.assert_allclose(f(x), y * y + x, **close)
        np.testing.assert_allclose(pb.grad(f)(x), 2.0 * y * dy + 1.0, **close)
        np.testing.assert_allclose(pb.grad(pb.grad(f))(x), 2.0 * (dy * dy + y * ddy), **close)
    g = pb.differentiable(**options)(lambda b, a: integral(b, a) * a)
    for k, wanted in enumerate(pb.grad(g, (0, 1))(1.3, 0.7)):
        step = np.eye(2)[k] * 1e-5
        numeric = (g(1.3 + step[0], 0.7 + step[1]) - g(1.3 - step[0], 0.7 - step[1])) / 2e-5
        np.testing.assert_allclose(wanted, numeric, rtol=1e-8)
    h = pb.differentiable(**options)(lambda x: bessel(x) * x)
    np.testing.assert_allclose(pb.grad(h)(1.5), cython_special.j0(1.5) - 1.5 * cython_special.j1(1.5), **close)
    np.testing.assert_allclose(pb.grad(lambda x: np.sum(x) / largest(x))(np.array([1.0, -4.0])), 0.25)


def test_functions_of_c_are_called_without_python() -> None:
    def f(x: Any) -> Any:
        return c_sine(x) * 2.0

    assert "call_address" in pb.source(pb.grad(f), 0.5)
    numba_sine = numba.cfunc("float64(float64)")(lambda x: math.sin(x))
    capsule = scipy.LowLevelCallable.from_cython(cython_special, "j0")
    for given, expected in ((numba_sine, math.sin(0.5)), (capsule, cython_special.j0(0.5))):
        called = pb.external(given)
        assert called.c is not None
        for options in MODES:
            assert pb.differentiable(**options)(lambda x, called=called: called(x) * 3.0)(0.5) == 3.0 * expected
        assert called(0.5) == expected


def test_integers_and_narrow_numbers_of_c() -> None:
    absolute, rounded, single = LIBM.labs, LIBM.lrint, LIBM.sinf
    absolute.restype, absolute.argtypes = ctypes.c_long, [ctypes.c_long]
    rounded.restype, rounded.argtypes = ctypes.c_long, [ctypes.c_double]
    single.restype, single.argtypes = ctypes.c_float, [ctypes.c_float]
    scale = LIBM.ldexp
    scale.restype, scale.argtypes = ctypes.c_double, [ctypes.c_double, ctypes.c_int]
    plain = absolute, rounded, single, scale
    labs, lrint, sinf, ldexp = map(pb.external, plain)

    def f(x: Any, n: Any) -> Any:
        return labs(n), lrint(x), sinf(x), ldexp(x, n), ldexp(n, n)

    for options in MODES:
        made = pb.differentiable(**options)(f)(1.7, -3)
        assert made == (3, 2, single(1.7), scale(1.7, -3), scale(-3, -3)) == f(1.7, -3)
        assert [type(one) for one in made] == [int, int, float, float, float]
    with pytest.raises(pb.TypingError, match="argument 0 of 'labs' is float64"):
        pb.differentiable(lambda x: labs(x))(1.5)
    with pytest.raises(pb.TypingError, match="takes 2 arguments"):
        pb.differentiable(lambda x: ldexp(x))(1.5)


def test_functions_of_cffi() -> None:
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("double cos(double); double pow(double, double);")
    library = ffi.dlopen(ctypes.util.find_library("m"))
    power, cos = pb.custom_jvp(library.pow), pb.external(library.cos)
    power.defjvps(lambda t, y, x, n: t * n * power(x, n - 1.0), None)

    def f(x: Any) -> Any:
        return power(x, 3.0) * cos(2.0)

    assert cos.c is not None
    assert "call_address" in pb.source(pb.grad(f), 0.5)
    for options in MODES:
        np.testing.assert_allclose(pb.grad(pb.differentiable(**options)(f))(0.5), 0.75 * math.cos(2.0), rtol=1e-12)


# What a call does


SEEN: list[Any] = []


@pb.external(result=float)
def noted(x: Any) -> Any:
    SEEN.append(x)
    return float(x) if np.ndim(x) == 0 else float(np.sum(x))


@pb.external(result=None)
def logged(name: Any, *, level: Any = 0) -> None:
    SEEN.append((name, level))


silent = pb.constant_function(noted)


@pytest.mark.parametrize("options", MODES)
def test_calls_are_as_many_and_in_the_order_of_the_text(options: Any) -> None:
    def f(x: Any, n: Any) -> Any:
        noted(-1.0)
        s = 0.0
        for i in range(n):
            if i % 2 == 0:
                s += silent(float(i)) * x
            else:
                noted(100.0 + i)
                logged(i, level=2)
        k = 0
        while k < 2:
            silent(7.0)
            k += 1
        noted(-2.0)
        return s + x * x

    SEEN.clear()
    f(2.0, 4)
    expected = list(SEEN)
    for take in (pb.differentiable(**options)(f), pb.grad(pb.differentiable(**options)(f)), pb.hessian(f)):
        for _ in range(3):
            SEEN.clear()
            take(2.0, 4)
            assert expected == SEEN
    SEEN.clear()
    pb.jvp(pb.differentiable(**options)(f), (2.0, 4), (1.0, None))
    assert expected == SEEN


def in_conditions(x: Any) -> Any:
    n = 0.0
    while silent(n) < 3.0:
        n = n + 1.0
        x = x * 1.5
    a = (x > 0.0 and silent(x) > 0.0) or silent(-x) > 5.0
    b = silent(1.0) if x > 10.0 else silent(2.0)
    found = [silent(float(i)) for i in range(3)]
    return x * b + found[2] * x + a


def in_jumps(x: Any) -> Any:
    for i in range(10):
        noted(float(i))
        if silent(float(i)) > 3.0:
            break
        if i == 1:
            continue
        x = np.sin(x)
    if x > 0:
        return x * silent(77.0)
    noted(78.0)
    return x


def unread(x: Any) -> Any:
    v = np.array([x, x])
    for i in range(2):
        y = twice(v)
        z = y * float(i)  # noqa: F841
    lost = silent(x)
    kept = lost * 2.0  # noqa: F841
    return x * x


@pb.custom_vjp
@pb.external(result=np.zeros(1))
def twice(x: Any) -> Any:
    SEEN.append("twice")
    return 2.0 * x


twice.defvjp(lambda x: (twice(x), None), lambda _, y_bar: (2.0 * y_bar,))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("f", [in_conditions, in_jumps, unread])
def test_calls_are_as_many_in_all_modes(f: Callable[..., Any]) -> None:
    SEEN.clear()
    f(0.7)
    expected = list(SEEN)
    modes: dict[str, Callable[..., Any]] = {
        "value": pb.differentiable(f),
        "gradient": pb.grad(f),
        "plain gradient": pb.grad(pb.differentiable(jit=False, optimisations=False)(f)),
        "tangent": lambda x: pb.jvp(f, (x,), (1.0,)),
        "pullback": lambda x: pb.vjp(f)(x)[1](1.0),
        "hessian": pb.hessian(f),
        "jacobian": pb.jacobian(f),
        "second": pb.grad(pb.grad(f)),
    }
    for name, take in modes.items():
        for _ in range(2):
            SEEN.clear()
            take(0.7)
            assert expected == SEEN, name


def test_unread_calls_in_functions_with_rules_are_made() -> None:
    ruled = pb.custom_jvp(lambda x: noted(x) * 0.0 + x)
    ruled.defjvps(lambda t, y, x: t)
    scaled = pb.custom_vjp(lambda x: 2.0 * x)
    scaled.defvjp(lambda x: (noted(x) * 0.0 + 2.0 * x, x), lambda x, bar: (2.0 * bar + 0.0 * noted(10.0),))
    for options in MODES:
        SEEN.clear()
        assert pb.grad(pb.differentiable(**options)(lambda x: (ruled(x), scaled(x))[1] * 3.0))(0.5) == 6.0
        assert SEEN == [0.5, 0.5, 10.0]


class Odd(Exception):
    """An error of the user's own."""


@pb.external(result=float)
def fails(x: Any) -> Any:
    SEEN.append(x)
    if x > 1.0:
        raise Odd(f"{x} is too large")
    return 1.0


@pytest.mark.parametrize("options", MODES)
def test_what_an_external_raises_is_raised(options: Any) -> None:
    f = pb.differentiable(**options)(lambda x: np.sum(x * fails(x[0])) if x[0] > 0.0 else fails(5.0))
    constant = pb.constant_function(fails)
    g = pb.grad(pb.differentiable(**options)(lambda x: np.sum(x * constant(x[0]))))
    for take in (f, f, g, g, g):
        SEEN.clear()
        with pytest.raises(Odd, match=r"3\.0 is too large"):
            take(np.array([3.0, 1.0]))
        assert SEEN == [3.0]
        take(np.array([0.5, 1.0]))


def test_errors_of_ours_after_a_call_do_not_repeat_it() -> None:
    def f(x: Any, i: Any) -> Any:
        noted(1.0)
        return x[i] * 2.0

    for take in (pb.differentiable(f), pb.grad(f)):
        for _ in range(3):
            SEEN.clear()
            with pytest.raises(IndexError):
                take(X, 7)
            assert SEEN == [1.0]
    SEEN.clear()
    g = pb.grad(lambda x, y: np.sum(x + y) * silent(1.0))
    for y in (X, X[:1], X[:2], X):
        SEEN.clear()
        try:
            g(X, y)
        except ValueError:
            assert len(y) == 2
        assert SEEN in ([1.0], []), "sizes are looked at before the call"


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize(
    ("returned", "said", "message"),
    [
        (lambda x: 1, float, "returned int64"),
        (lambda x: np.float32(1.0), float, "returned float32"),
        (lambda x: np.ones(3), float, r"returned float64\[:\]"),
        (lambda x: 1.0, np.ones(3), r"returned float64\*, and result= says float64\[:\]"),
        (lambda x: np.ones((3, 1)), np.ones(3), r"returned float64\[:, :\]"),
        (lambda x: np.ones(3, np.float32), np.ones(3), r"returned float32\[:\]"),
        (lambda x: None, float, "returned a NoneType"),
        (lambda x: "text", float, "returned a str"),
        (lambda x: [1.0], np.ones(1), "returned a list"),
        (lambda x: (1.0,), (float, float), "returned 1 items"),
        (lambda x: 1.0, (float, float), "returned a float"),
        (lambda x: 10**30, int, "more than 64 bits"),
        (lambda x: np.ma.masked_array([1.0]), np.ones(1), "returned a MaskedArray"),
    ],
)
def test_results_of_other_types_are_refused(options: Any, returned: Any, said: Any, message: str) -> None:
    called = pb.constant_function(pb.external(returned, result=said))
    with pytest.raises(pb.TypingError, match=message):
        pb.differentiable(**options)(lambda x: called(x))(0.5)
    with pytest.raises(pb.TypingError, match=message):
        pb.external(returned, result=said)(0.5)


@pytest.mark.parametrize("options", MODES)
def test_results_have_the_types_that_were_said(options: Any) -> None:
    given: list[tuple[Any, Any]] = [
        (np.float64(2.5), float),
        (np.array(2.5), np.float64),
        (2.5, np.float64),
        (np.float32(2.5), np.float32),
        (np.array(2.5, np.float32), np.dtype("float32")),
        (3, int),
        (np.int32(3), np.int32),
        (True, bool),
        (np.array([], np.float64), np.zeros(1)),
        (np.array(2.5), np.array(0.0)),
        (np.arange(6.0).reshape(2, 3).T, np.zeros((1, 1))),
        (np.arange(6, dtype=np.int32)[::-2], np.zeros(1, np.int32)),
        (np.array([1.0, 2.0], ">f8"), np.zeros(1)),
        ((np.float64(1.0), np.arange(3.0)), (float, np.zeros(1))),
        ((2.5,), (float,)),
        ([np.arange(3)], (np.zeros(1, int),)),
        ((), ()),
    ]
    for value, said in given:
        called = pb.external(lambda value=value: value, result=said)
        made = pb.differentiable(**options)(lambda called=called: called())()
        for one, other in zip(
            *((part if isinstance(said, tuple) else (part,)) for part in (made, called())), strict=True
        ):
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_array_equal(one, other)
            assert isinstance(one, np.ndarray) == isinstance(other, np.ndarray)


@pytest.mark.parametrize("options", MODES)
def test_arguments_are_what_the_plain_call_gives(options: Any) -> None:
    kinds: list[Any] = []

    def kept(*arguments: Any) -> float:
        kinds.append([(type(a), getattr(a, "dtype", None), np.shape(a)) for a in arguments])
        values.append([np.array(a) for a in arguments])
        return 1.0

    values: list[Any] = []
    called = pb.external(kept, result=float)

    def f(a: Any, b: Any, c: Any, n: Any, m: Any) -> Any:
        called(a, a[::2], a.T, a[0], a[0, 1], b, c, n, m, 2, True, None)
        return 1.0

    matrix = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    given = matrix, np.float32(1.5), np.array(2.5), 3, np.int32(4)
    f(*given)
    pb.differentiable(**options)(f)(*given)
    assert kinds[0][:10] == kinds[1][:10]
    assert [kind[0] for kind in kinds[1][10:]] == [bool, type(None)]
    for one, other in zip(values[0][:11], values[1][:11], strict=True):
        np.testing.assert_array_equal(one, other)
    g = pb.differentiable(**options)(lambda x: called(x, x[::-1]))
    for x in (np.zeros(0), np.arange(5.0)[::2], np.arange(4, dtype=np.int8), np.ones((0, 3))):
        g(x)
        np.testing.assert_array_equal(values[-1][0], x)
        np.testing.assert_array_equal(values[-1][1], x[::-1])
        assert kinds[-1][0] == (np.ndarray, x.dtype, x.shape)


@pytest.mark.parametrize("options", MODES)
def test_sizes_of_results_are_a_matter_of_the_run(options: Any) -> None:
    total = pb.custom_vjp(pb.external(lambda x: np.array([np.sum(x)]), result=np.zeros(1)))
    total.defvjp(lambda x: (total(x), x), lambda x, y_bar: (y_bar[0] * np.ones_like(x),))

    def f(x: Any) -> Any:
        y = total(x)
        return np.sum(y * x * x + y)

    def plain(x: Any) -> Any:
        y = np.array([np.sum(x)])
        return np.sum(y * x * x + y)

    g = pb.differentiable(**options)(f)
    np.testing.assert_allclose(pb.grad(g)(X), pb.grad(plain)(X), rtol=1e-12)
    np.testing.assert_allclose(pb.hessian(g)(X), pb.hessian(plain)(X), rtol=1e-12)


@pytest.mark.parametrize("options", MODES)
def test_numbers_and_arrays_of_32_bits(options: Any) -> None:
    def squared(x: Any) -> Any:
        assert x.dtype == np.float32
        return x * x

    for said, x in ((np.zeros(1, np.float32), X.astype(np.float32)), (np.float32, np.float32(1.5))):
        called = pb.custom_vjp(pb.external(squared, result=said))
        called.defvjp(lambda x, called=called: (called(x), x), lambda x, y_bar: (2.0 * x * y_bar,))
        f = pb.differentiable(**options)(lambda x, called=called: np.sum(called(x) * x))
        made = pb.grad(f)(x)
        assert made.dtype == np.float32
        np.testing.assert_allclose(made, 3.0 * x * x, rtol=1e-6)


def test_long_functions_and_wide_integers() -> None:
    lines = ["s = np.sin(s) * c_sine(s)" if k % 10 == 0 else f"s = np.sin(s * 1.{k}) + 0.1 * s" for k in range(120)]
    text = "def f(s, n):\n    " + "\n    ".join(lines) + "\n    return s * fails(0.1 * n) + n**3 * (n + 1)\n"
    made = []
    for called in (c_sine, np.sin):
        space = {"np": np, "c_sine": called, "fails": pb.constant_function(fails)}
        exec(text, space)
        made.append(pb.grad(pb.differentiable(source=text)(space["f"])))
    np.testing.assert_allclose(made[0](0.3, 2), made[1](0.3, 2), rtol=1e-9)
    with pytest.raises(Odd):
        made[0](0.3, 20)
    np.testing.assert_allclose(made[0](0.3, 3), made[1](0.3, 3), rtol=1e-9)


@pytest.mark.parametrize("options", MODES)
def test_memory_is_not_shared_with_an_external(options: Any) -> None:
    own, kept = np.arange(3.0), []

    def writes(x: Any) -> Any:
        x[0] = 1.0
        return x

    def gives_own(x: Any) -> Any:
        kept.append(x)
        return own

    written, owned = pb.external(writes, result=np.zeros(1)), pb.external(gives_own, result=np.zeros(1))
    same = pb.external(lambda x: x, result=np.zeros(1))
    with pytest.raises(ValueError, match="read-only"):
        pb.differentiable(**options)(lambda x: np.sum(written(x)))(X)

    @pb.differentiable(**options)
    def f(x: Any) -> Any:
        y = x * 2.0
        z, w = owned(y), same(y)
        z[0] = 5.0
        w[1] = 7.0
        y[2] = 9.0
        return np.sum(y) + np.sum(z) + np.sum(w)

    assert f(X) == np.sum(X[:2] * 2.0) + 9.0 + 8.0 + 2 * (X[0] + X[2]) + 7.0
    np.testing.assert_array_equal(own, np.arange(3.0))
    np.testing.assert_array_equal(kept[-1], 2.0 * X)


# Places


def test_an_external_that_stands_for_another_one_is_called() -> None:
    space: dict[str, Any] = {"called": pb.external(lambda x: x + 1.0, result=float), "np": np}
    text = "def f(x):\n    return called(x) * 2.0\n"
    exec(text, space)
    f = pb.differentiable(source=text)(space["f"])
    for _ in range(3):
        assert f(1.0) == 4.0
    space["called"] = pb.external(lambda x: x + 2.0, result=float)
    gc.collect()
    assert f(1.0) == f(1.0) == 6.0
    space["called"] = pb.external(lambda x: np.ones(2), result=np.ones(1))
    np.testing.assert_array_equal(f(1.0), [2.0, 2.0])


def test_externals_are_passed_as_arguments_and_stand_in_containers() -> None:
    double, triple = (pb.external(lambda x, k=k: k * x, result=float) for k in (2.0, 3.0))
    table = {"double": double, "triple": [triple]}

    @pb.differentiable
    def f(g: Any, x: Any) -> Any:
        return g(x) + table["double"](x) + table["triple"][0](x)

    assert (f(double, 1.0), f(triple, 1.0), f(double, 1.0)) == (7.0, 8.0, 7.0)


def test_an_external_may_take_derivatives_itself() -> None:
    inner = pb.grad(lambda x: x**3)
    called = pb.custom_vjp(pb.external(lambda x: inner(x), result=float))
    called.defvjp(lambda x: (called(x), x), lambda x, y_bar: (6.0 * x * y_bar,))
    for options in MODES:
        assert pb.grad(pb.differentiable(**options)(lambda x: called(x) + x))(2.0) == 13.0

    def again(x: float) -> float:
        return 1.0 if x < 1.0 else x * pb.differentiable(lambda y: outside(y))(x - 1.0)

    outside = pb.external(again, result=float)
    assert pb.differentiable(lambda x: outside(x))(4.0) == 24.0


def test_threads_and_parallel_loops() -> None:
    called = pb.constant_function(pb.external(lambda x: x + 1.0, result=float))

    @pb.differentiable
    def f(x: Any) -> Any:
        s = 0.0
        for i in range(x.shape[0]):
            s += called(x[i]) * x[i]
        return s

    gradient = pb.grad(f)
    x, made = np.arange(200.0), {}
    gradient(x)

    def run(k: int) -> None:
        made[k] = [gradient(x + k) for _ in range(20)]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, gradients in made.items():
        for one in gradients:
            np.testing.assert_array_equal(one, x + k + 1.0)
    both = pb.grad(pb.differentiable(parallel=True)(lambda x: np.sum(np.sin(x) * called(x[0])) + f(x)))
    np.testing.assert_allclose(both(x), np.cos(x) + x + 1.0)


def test_calls_from_compiled_code() -> None:
    f = pb.differentiable(lambda x: spline(x) * c_sine(x) + silent(x) * x)
    slope_of_f = pb.grad(f)

    @numba.njit
    def compiled(x: Any) -> Any:
        return f(x), slope_of_f(x)

    for got, expected in zip(compiled(0.7), (f(0.7), slope_of_f(0.7)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
    failing = pb.differentiable(lambda x: fails(x) * 2.0)

    @numba.njit
    def raising(x: Any) -> Any:
        return failing(x)

    assert raising(0.5) == 2.0
    with pytest.raises(Odd):
        raising(3.0)

    @numba.njit(parallel=True)
    def in_parallel(x: Any) -> Any:
        out = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            out[i] = slope_of_f(x[i])
        return out

    x = np.linspace(-1.0, 1.0, 50)
    np.testing.assert_allclose(in_parallel(x), [slope_of_f(one) for one in x], rtol=1e-12)


def test_tapes() -> None:
    x = pb.Variable(0.4)
    with pb.GradientTape(persistent=True) as tape:
        y, z = spline(x) * x, integral(x, 0.5)
        w = pb.differentiable(lambda x: spline(x) * c_sine(x))(x)
        v, u = noted(x) * x, silent(x) * x
    slope_at, at = float(CURVE(0.4, 1)), float(CURVE(0.4))
    np.testing.assert_allclose(tape.gradient(y, x), slope_at * 0.4 + at, rtol=1e-12)
    np.testing.assert_allclose(tape.gradient(z, x), math.exp(-0.5 * 0.16), rtol=1e-12)
    np.testing.assert_allclose(tape.gradient(w, x), slope_at * math.sin(0.4) + at * math.cos(0.4), rtol=1e-12)
    np.testing.assert_allclose(tape.gradient(u, x), 0.4)
    with pytest.raises(pb.MissingRuleError, match="noted has no derivative rule"):
        tape.gradient(v, x)
    with pb.GradientTape() as tape:
        y = bessel(x) * 2.0
    np.testing.assert_allclose(tape.gradient(y, x), -2.0 * cython_special.j1(0.4), rtol=1e-12)


SCRIPT = """
import sys
import numpy as np, pullback as pb, ctypes, ctypes.util
kept = [pb.external(lambda k=k: float(k), result=float) for k in range(int(sys.argv[1]))]
scale = float(sys.argv[2])
called = pb.custom_vjp(pb.external(lambda x: scale * x, result=float))
called.defvjp(lambda x: (called(x), None), lambda _, y_bar: (scale * y_bar,))
plain = pb.external(lambda x: scale * x, result=float)
name = "cos" if scale == 2.0 else "sin"
function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), name)
function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
machine = pb.external(function)

def f(x):
    return called(x) * 3.0 + x

def g(x):
    return plain(x) + machine(x)

def h(x, y):
    return plain(x) * y

for _ in range(3):
    print(pb.grad(f)(1.0), pb.differentiable(g)(1.0), pb.grad(h, 1)(2.0, 1.0))
"""


def test_machine_code_of_another_process_calls_what_stands_there_now(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = os.environ | {"PULLBACK_CACHE_DIR": str(tmp_path / "cache")}
    for count, scale in ((0, 2.0), (7, 2.0), (3, 5.0), (0, 5.0)):
        command = [sys.executable, str(script), str(count), str(scale)]
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        of_c = math.cos(1.0) if scale == 2.0 else math.sin(1.0)
        line = f"{3.0 * scale + 1.0} {scale + of_c} {2.0 * scale}"
        assert finished.stdout.split("\n")[:3] == [line] * 3, finished.stderr


COMPILED = """
import sys
import numba, pullback as pb
kept = [pb.external(lambda: 1.0, result=float) for _ in range(int(sys.argv[1]))]
scale = float(sys.argv[2])
called = pb.custom_vjp(pb.external(lambda x: scale * x, result=float))
called.defvjp(lambda x: (called(x), None), lambda _, y_bar: (scale * y_bar,))
f = pb.differentiable(lambda x: called(x) * x)
g = pb.grad(f)

@numba.njit(cache=True)
def compiled(x):
    return f(x) + 10.0 * g(x)

print(compiled(1.0))
"""


def test_compiled_code_of_another_process_calls_what_stands_there_now(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(COMPILED, encoding="utf-8")
    environment = os.environ | {"PULLBACK_CACHE_DIR": str(tmp_path / "cache")}
    for count, scale in ((0, 2.0), (0, 3.0), (4, 3.0)):
        command = [sys.executable, str(script), str(count), str(scale)]
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert float(finished.stdout) == 21.0 * scale


# What is refused


@pytest.mark.parametrize("jit", [True, False])
def test_a_derivative_needs_a_rule(jit: bool) -> None:
    f = pb.differentiable(jit=jit)(lambda x: x * noted(x))
    remedy = r"'noted' is called and not read[\s\S]*pb.custom_vjp\(noted\)[\s\S]*x \* noted\(x\)"
    for take in (
        lambda: pb.grad(f)(0.5),
        lambda: pb.jvp(f, (0.5,), (1.0,)),
        lambda: pb.hessian(f)(0.5),
        lambda: pb.jacobian(f)(0.5),
    ):
        with pytest.raises(pb.MissingRuleError, match=remedy):
            take()
    for given in (pb.grad, pb.differentiable):
        with pytest.raises(pb.TypingError, match=r"'noted' is called and not read[\s\S]*pb.custom_vjp\(noted\)"):
            given(noted)(0.5)


def test_what_does_not_tell_its_result_is_refused_with_the_remedy() -> None:
    for make in (pb.custom_vjp, pb.custom_jvp, pb.constant_function, pb.implicit(lambda x: x)):
        with pytest.raises(pb.TypingError, match=r"pb.external\(j0, result=float\)"):
            make(cython_special.j0)
    with pytest.raises(pb.TypingError, match=r"say it by an example or a type"):
        pb.external(cython_special.j0)
    bare = ctypes.CDLL(ctypes.util.find_library("m")).tan
    with pytest.raises(pb.TypingError, match=r"pb.external\(tan, result=float\)"):
        pb.external(bare)
    with pytest.raises(pb.LanguageError, match=r"has no Python source and no rule[\s\S]*pb.external"):
        pb.differentiable(lambda x: cython_special.j0(x))(0.5)
    with pytest.raises(pb.TypingError, match="cannot be called"):
        pb.external(3.0, result=float)
    for said in ("float", complex, np.float16, object, np.array(["a"]), np.dtype(object)):
        with pytest.raises(pb.TypingError, match="tells no type of numbers"):
            pb.external(math.sin, result=said)
    with pytest.raises(pb.TypingError, match="parameters of 'max' are not known"):
        pb.custom_vjp(pb.external(max, result=float))


def test_what_an_external_cannot_take_is_refused() -> None:
    for f in (lambda x: noted((x, x)), lambda x: noted([x]), lambda x: noted("text"), lambda x: noted(np.sin)):
        with pytest.raises(pb.TypingError, match="something else than numbers and arrays"):
            pb.differentiable(f)(0.5)
    with pytest.raises(pb.TypingError, match="cannot stand in a module"):
        pb.emit(lambda x: silent(x) * x, 0.5)

    def recursive(x: Any, n: Any) -> Any:
        if n == 0:
            return noted(x)
        return recursive(x, n - 1)

    with pytest.raises(pb.LanguageError, match="calls itself calls 'noted'"):
        pb.differentiable(recursive)(0.5, 2)


def test_a_loop_with_calls_is_not_run_again_for_a_jacobian() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        for i in range(2):
            y = y * silent(float(i) + 1.0)
        return y

    SEEN.clear()
    np.testing.assert_array_equal(pb.jacobian(f)(X), 2.0 * np.eye(3))
    assert SEEN == [1.0, 2.0]
    for take in (pb.jacfwd(f), pb.hessian(lambda x: np.sum(f(x) ** 2))):
        with pytest.raises(pb.LanguageError, match=r"'noted', which is called and not read[\s\S]*pb.jacrev"):
            take(X)
    np.testing.assert_allclose(pb.jacrev(pb.grad(lambda x: np.sum(f(x) ** 2)))(X), 8.0 * np.eye(3))


def test_an_external_that_nobody_keeps_is_an_error() -> None:
    from pullback.runtime import call_external

    number = pb.external(lambda x: x, result=float).number
    gc.collect()
    with pytest.raises(ReferenceError, match="nobody has kept"):
        call_external(number, "(float64*) -> float64*", 1.0)


sine = pb.custom_vjp(pb.external(math.sin, result=float))


def sine_fwd(x: Any) -> Any:
    return sine(x), np.cos(x)


def sine_bwd(slope: Any, y_bar: Any) -> Any:
    return (slope * y_bar,)


sine.defvjp(sine_fwd, sine_bwd)


def test_pickles() -> None:
    unnamed = pb.custom_vjp(pb.external(math.sin, result=float))
    unnamed.defvjp(sine_fwd, sine_bwd)
    for given in (sine, unnamed):
        again = pickle.loads(pickle.dumps(given))
        assert again(0.5) == math.sin(0.5)
        assert pb.grad(again)(0.5) == math.cos(0.5)
    assert pickle.loads(pickle.dumps(pb.external(math.cos, result=float)))(0.5) == math.cos(0.5)
