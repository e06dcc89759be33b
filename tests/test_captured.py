"""Numbers from outside are passed on each call: a new value needs no new code, unless the code depends on it."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

import cells
import pullback as pb
from pullback.api import specialise

quiet = pb.differentiable(jit=False)
X = np.array([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]])


@pytest.fixture
def forbid(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, reading a function is an error."""

    def read(*arguments: Any, **keywords: Any) -> Any:
        raise AssertionError("the function was read again")

    return lambda: monkeypatch.setattr(specialise, "build", read)


# A text that defines `f`, and what changes the number `k` into another one.
PLACES: dict[str, tuple[str, str]] = {
    "a global": ("k = 2.0\ndef f(x):\n    return k * np.sum(x * x)\n", "k = {}"),
    "a global of a helper": (
        "k = 2.0\ndef h(v):\n    return k * v\ndef f(x):\n    return np.sum(h(x * x))\n",
        "k = {}",
    ),
    "a closure": (
        "def make():\n    k = 2.0\n    def f(x):\n        return k * np.sum(x * x)\n    def change(v):\n"
        "        nonlocal k\n        k = v\n    return f, change\nf, change = make()\n",
        "change({})",
    ),
    "an attribute": (
        "class Model:\n    k = 2.0\nm = Model()\ndef f(x):\n    return m.k * np.sum(x * x)\n",
        "m.k = {}",
    ),
    "an attribute of a module": (
        "from types import ModuleType\nm = ModuleType('m')\nm.k = 2.0\ndef f(x):\n    return m.k * np.sum(x * x)\n",
        "m.k = {}",
    ),
    "an item of a dict": (
        "m = {'the rate': 2.0}\ndef f(x):\n    return m['the rate'] * np.sum(x * x)\n",
        "m['the rate'] = {}",
    ),
    "an item of a list": ("m = [1.0, [2.0]]\ndef f(x):\n    return m[1][0] * np.sum(x * x)\n", "m[1][0] = {}"),
    "a condition": ("k = 2.0\ndef f(x):\n    return np.sum(x) if k > 2.5 else k * np.sum(x * x)\n", "k = {}"),
    "a number that is named as a local one": (
        "k = 2.0\ndef h(v):\n    return k * v\ndef f(x):\n    k = 3.0 * np.sum(x)\n    return h(k) * k\n",
        "k = {}",
    ),
    "a number that is named as the argument": (
        "x = 2.0\ndef h(v):\n    return x * v\ndef f(x):\n    return np.sum(h(x) * x)\n",
        "x = {}",
    ),
}
VALUES = ["3.0", "0.0", "-0.0", "1.5", "float('inf')", "1e-300", "2.0"]
MAKERS: dict[str, Callable[..., Any]] = {
    "value": lambda f: f,
    "grad": pb.grad,
    "value_and_grad": pb.value_and_grad,
    "vjp": lambda f: lambda x: pb.vjp(f)(x)[1](1.0),
}


def flat(result: Any) -> list[float]:
    return [n for part in result for n in flat(part)] if isinstance(result, tuple) else np.ravel(result).tolist()


@pytest.mark.drawn(14)
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("place", PLACES)
def test_new_value_needs_no_new_code(place: str, kind: str, forbid: Callable[[], None]) -> None:
    text, change = PLACES[place]
    scope = cells.run(text, np=np)
    made = MAKERS[kind](quiet(scope["f"]))
    made(X)
    expected = []
    for value in VALUES:
        exec(change.format(value), scope)
        # What an equal function computes that has never seen another value.
        fresh = cells.run(text, np=np)
        exec(change.format(value), fresh)
        expected.append(flat(MAKERS[kind](quiet(fresh["f"]))(X)))
    forbid()
    for value, result in zip(VALUES, expected, strict=True):
        exec(change.format(value), scope)
        for _ in range(2):
            np.testing.assert_array_equal(flat(made(X)), result)


def test_rate_that_decays_compiles_nothing(forbid: Callable[[], None]) -> None:
    rate = 1.0

    def f(x):
        return rate * np.sum(x * x)

    gradient = pb.grad(f)
    gradient(X)
    (compiled,) = gradient.engine.made.values()
    forbid()
    for _ in range(5):
        rate *= 0.9
        assert gradient(X).tolist() == (2.0 * X * rate).tolist()
    assert len(compiled.dispatcher.overloads) == 1


# Numbers that the code depends on: the text, the values that they take, and the names that remain parameters.
DEPENDS: dict[str, tuple[str, list[Any], set[str]]] = {
    "axis": ("def f(x):\n    return rate * np.sum(np.max(x, axis=k))\n", [0, 1, -1], {"rate"}),
    "axis of a sum": ("def f(x):\n    return rate * np.sum(np.cumsum(x, axis=k % 2) * x)\n", [0, 1, 3], {"rate"}),
    "rounds": (
        "def f(x):\n    for _ in range(k):\n        x = rate * x\n    return np.sum(x)\n",
        [0, 3],
        {"rate", "k"},
    ),
    "size": ("def f(x):\n    return rate * np.sum(np.ones((k, 3)) * x[0])\n", [1, 4], {"rate", "k"}),
    "power": ("def f(x):\n    return rate * np.sum(x ** k)\n", [2, 3, 0, -1.5], {"rate", "k"}),
    "item of a tuple": ("def f(x):\n    return rate * np.sum((x, x * x, 3.0)[k])\n", [0, 1, 2], {"rate"}),
    "type of a branch": (
        "def f(x):\n    if k == 1:\n        y = x\n    else:\n        y = (x, x)\n    return rate * np.sum(y[0])\n",
        [1, 2],
        {"rate"},
    ),
    "bool": ("def f(x):\n    return rate * np.sum(x) if k else rate * np.sum(x * x)\n", [True, False], {"rate"}),
    "repetition": ("def f(x):\n    return rate * sum((x[0, 0],) * k)\n", [2, 3], {"rate"}),
}


@pytest.mark.parametrize("name", DEPENDS)
def test_number_that_code_depends_on_is_part_of_it(name: str) -> None:
    text, values, parameters = DEPENDS[name]
    scope = cells.run("rate = 2.0\nk = 0\n" + text, np=np)
    made = pb.value_and_grad(quiet(scope["f"]))
    for value in values * 2:
        scope["k"] = value
        for scope["rate"] in (2.0, 3.0):
            fresh = cells.run("rate = 2.0\nk = 0\n" + text, np=np, check=True)
            fresh["k"], fresh["rate"] = value, scope["rate"]
            assert made(X)[0] == pytest.approx(scope["f"](X), rel=1e-14)
            np.testing.assert_array_equal(made(X)[1], pb.grad(quiet(fresh["f"]))(X))
            engine = made.engine
            ((_, stored),) = engine.built.items()
            assert {c.name for c in stored.restored(engine.source).captures} == parameters


@pytest.mark.parametrize(
    ("first", "second", "dtype"),
    [(2.0, 3, "float32"), (2.0, np.float64(3.0), "float64"), (np.float32(2.0), 3.0, "float32"), (2, True, "float32")],
)
@pytest.mark.parametrize("jit", [False, True])
def test_type_that_changes_gives_new_code(first: Any, second: Any, dtype: str, jit: bool) -> None:
    scope = cells.run("def f(x):\n    return np.sum(k * x)\n", np=np, k=first)
    x = np.ones(2, np.float32)
    function = pb.differentiable(jit=jit)(scope["f"])
    for scope["k"] in (first, second, first, second):
        for _ in range(3):
            result, expected = function(x), scope["f"](x)
            assert (result, np.asarray(result).dtype) == (expected, expected.dtype)
    assert np.asarray(function(x)).dtype == dtype


def test_numbers_that_are_no_parameters() -> None:
    scope = cells.run(
        "from math import pi\nimport math\nimport numpy\nbig = 2 ** 70\nlong = [1.0] * 30\n"
        "def f(x):\n    return pi * math.tau * numpy.e * x * long[3] * (1.0 if big > 5 else 2.0)\n"
    )
    gradient = pb.grad(quiet(scope["f"]))
    assert gradient(2.0) == pytest.approx(math.pi * math.tau * math.e)
    scope["long"][3], scope["pi"] = 5.0, 1.0
    assert gradient(2.0) == pytest.approx(5.0 * math.tau * math.e)
    scope["big"] = 2
    assert gradient(2.0) == pytest.approx(10.0 * math.tau * math.e)


def test_refusal_is_that_of_the_number() -> None:
    """Where no value of a number from outside helps, the error is what it was with the number in the text."""
    loop = "for _ in range(x.shape[0]):\n        y = np.sum(y) * k"
    scope = cells.run(f"k = 2.0\ndef f(x):\n    y = x\n    {loop}\n    return y\n", np=np)
    with pytest.raises(pb.LanguageError, match="before this loop, and a number after"):
        pb.grad(scope["f"])(X)


def test_caller_in_compiled_code_keeps_the_number() -> None:
    scope = cells.run("k = 2.0\ndef f(x):\n    return k * x * x\n", np=np)
    gradient = pb.grad(scope["f"])
    assert gradient(1.0) == 4.0

    @njit
    def outer(x):
        return gradient(x)

    assert outer(1.0) == 4.0
    scope["k"] = 3.0
    assert (outer(1.0), gradient(1.0)) == (4.0, 6.0)


@pytest.mark.parametrize("jit", [False, True])
def test_pullback_has_the_number_of_its_call(jit: bool) -> None:
    k = 2.0

    def f(x):
        return k * x * x * x

    _, pullback = pb.vjp(pb.differentiable(jit=jit)(f))(X)
    k = 7.0
    assert pullback(np.ones_like(X)).tolist() == (6.0 * X * X).tolist()


def test_second_derivative_on_a_tape_has_the_number_of_its_call() -> None:
    k = 2.0

    def f(x):
        return k * x * x * x

    function = quiet(f)
    with pb.GradientTape() as outer:
        v = pb.constant(3.0)
        outer.watch(v)
        with pb.GradientTape() as inner:
            inner.watch(v)
            y = function(v)
        k = 7.0
        first = inner.gradient(y, v)
    assert float(first) == 54.0
    assert float(outer.gradient(first, v)) == 36.0


def test_text_shows_the_number_under_its_name() -> None:
    scope = cells.run("rate = 2.0\ndef f(x):\n    return rate * x * x\n", np=np)
    assert "def f_forward(x, rate):" in pb.source(quiet(scope["f"]), 1.0)
    assert pb.explain(quiet(scope["f"]), 1.0) == ""


def scaled_power(a, x, *, b=2.0):
    return np.sum(a * x**b)


FACTORS = np.array([1.0, 2.0])
CUBIC = functools.partial(scaled_power, FACTORS, b=3.0)
OF_A_PARTIAL = functools.partial(functools.partial(scaled_power, 2.0), b=2)
ROWS = functools.partial(np.sum, axis=0)


def calls_partials(x):
    return CUBIC(x) + 0.5 * OF_A_PARTIAL(x) + ROWS(x * x)


@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
def test_partials_are_called_with_what_they_hold_now(jit, monkeypatch):
    x = np.array([1.0, 2.0])
    gradient = pb.grad(pb.differentiable(jit=jit)(calls_partials))
    np.testing.assert_allclose(gradient(x), 3 * FACTORS * x**2 + 4 * x, rtol=1e-14)
    monkeypatch.setitem(CUBIC.keywords, "b", 1.0)
    np.testing.assert_allclose(gradient(x), FACTORS + 4 * x, rtol=1e-14)
    monkeypatch.setitem(globals(), "CUBIC", functools.partial(scaled_power, 5.0))
    np.testing.assert_allclose(gradient(x), 10 * x + 4 * x, rtol=1e-14)


DRAWN = np.random.default_rng(0)
WITH_METHODS: dict[str, Callable[[Any], Any]] = {
    "add.at": lambda x: np.sum(added_at(np.zeros(4), np.array([0, 3, 3]), x[0]) ** 2),
    "add.reduce": lambda x: np.sum(np.add.reduce(x) ** 2),
    "maximum.accumulate": lambda x: np.sum(np.maximum.accumulate(x[0])),
    "multiply.outer": lambda x: np.sum(np.multiply.outer(x[0], x[1])),
    "a generator": lambda x: np.sum(x[0] * DRAWN.normal(size=3)),
    "a text": lambda x: np.sum(x) * len("abc".upper()),
}


def added_at(y: Any, k: Any, x: Any) -> Any:
    np.add.at(y, k, x)
    return y


@pytest.mark.parametrize("name", WITH_METHODS)
def test_a_method_that_is_made_anew_each_time_is_the_same(name: str, forbid: Callable[[], None]) -> None:
    gradient = pb.grad(quiet(WITH_METHODS[name]))
    gradient(X)
    forbid()
    gradient(X)
