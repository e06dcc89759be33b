"""Random generators: the numbers are those of the plain call, and so is the state of the generator behind it."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

GENERATOR, LEGACY, OF_PYTHON = np.random.default_rng(7), np.random.RandomState(5), random.Random(3)
X = np.array([0.5, 1.5, 0.7])


class Noise:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(11)


NOISE = Noise()


def one_array(x, rng):
    return np.sum(x * rng.normal(size=3))


def in_a_loop(x, rng):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i] * rng.standard_normal() + rng.uniform(0.1, 2.0) * x[i]
    return s


def by_parameters(x, rng):
    z = rng.normal(x, np.exp(x)) + rng.uniform(x, 2.0 + x, size=(2, 3)) + rng.exponential(x)
    return np.sum(z**2)


def in_another_order(x, rng):
    y = x * 2
    rng.shuffle(y)
    z = y[rng.permutation(3)] @ rng.random((3,))
    return z + y[0] * 3 + y[1] * y[2] + rng.permutation(x)[0]


def chosen(x, rng):
    some = np.sum(rng.choice(x, size=5) ** 2) + x[0] * rng.choice([1.0, 2.0, 5.0], p=[0.2, 0.3, 0.5])
    return some + np.sum(rng.choice(x, 2, replace=False) ** 3) + x[rng.integers(3)] * rng.integers(2, 9)


def constants(x, rng):
    some = np.sum(x) * rng.gamma(2.0, 3.0) + x @ rng.poisson(2.0, size=3) + x[0] * rng.beta(1.0, 2.0)
    several = rng.multivariate_normal(np.zeros(3), np.eye(3)) + rng.dirichlet([1.0, 2.0, 3.0])
    return some + np.sum(x * several) + rng.integers(0, 10, size=(2, 2), endpoint=True).sum() * x[0]


def made(x):
    rng = np.random.default_rng(0)
    return np.sum(x * rng.normal(size=3)) + rng.random() * x[0]


def made_from_a_number(x, seed):
    rng = np.random.default_rng(seed)
    s = 0.0
    for _ in range(4):
        if rng.random() < 0.5:
            s += x[0] * rng.normal()
        else:
            s += x[1] ** 2 * rng.exponential(2.0)
    return s


def passed_on(x, rng):
    rng = np.random.default_rng(rng)
    assert isinstance(rng, np.random.Generator)

    def noisy(v):
        return v * rng.normal()

    return noisy(x[0]) + noisy(x[1]) ** 2


def made_legacy(x):
    rng = np.random.RandomState(3)
    some = np.sum(rng.randn(3) * x) + rng.rand() * x[0] * rng.randint(1, 9)
    rng.seed(5)
    return some + np.sum(rng.normal(x, 1.0) ** 2) + np.sum(x * rng.choice(3, 3))


def from_outside(x):
    return np.sum(x * GENERATOR.normal(size=3)) + x[0] * GENERATOR.integers(5) + x @ NOISE.rng.normal(size=3)


def from_the_module(x):
    return np.sum(np.random.normal(size=3) * x) + np.random.rand() * x[0]


def from_the_module_with_a_seed(x):
    np.random.seed(4)
    return np.sum(np.random.uniform(size=3) * x)


def of_python(x):
    some = x[0] * random.random() + x[1] ** 2 * random.gauss(x[2], 1.0) + random.randint(1, 5) * x[2]
    return some + OF_PYTHON.uniform(x[0], 2.0) * OF_PYTHON.expovariate(x[1])


def in_a_branch(x):
    y = x * LEGACY.normal() if x[0] > 0 else x
    return np.sum(y * LEGACY.uniform(1, 2, 3))


PROGRAMS: dict[Any, Callable[[], tuple[Any, ...]]] = {
    **dict.fromkeys((one_array, in_a_loop, by_parameters), lambda: (np.random.default_rng(2),)),
    **dict.fromkeys((in_another_order, chosen, constants, passed_on), lambda: (np.random.default_rng(3),)),
    **dict.fromkeys((made_from_a_number,), lambda: (9,)),
    **dict.fromkeys((made, made_legacy, from_outside, from_the_module, of_python, in_a_branch), tuple),
    **dict.fromkeys((from_the_module_with_a_seed,), tuple),
}
ARRAY = np.ones(3)


def states(*others: Any) -> Any:
    found = [rng.bit_generator.state for rng in (GENERATOR, NOISE.rng, *others) if hasattr(rng, "bit_generator")]
    return copy.deepcopy([found, [r.get_state(False) for r in (LEGACY, np.random.mtrand._rand)], python_states()])


def python_states() -> Any:
    return [random.getstate(), OF_PYTHON.getstate()]


def back_to(saved: Any) -> None:
    (GENERATOR.bit_generator.state, NOISE.rng.bit_generator.state), legacy, (module, own) = saved
    LEGACY.set_state(legacy[0])
    np.random.set_state(legacy[1])
    random.setstate(module)
    OF_PYTHON.setstate(own)


def slopes(function: Any, others: Any, saved: Any) -> Any:
    """Differences of the plain call from the same states."""

    def at(x: Any) -> Any:
        back_to(saved)
        return function(x, *others())

    h = 1e-3
    steps = h * np.eye(3)
    return np.array([(8 * (at(X + e) - at(X - e)) - (at(X + 2 * e) - at(X - 2 * e))) / (12 * h) for e in steps])


def check(function: Any, jit: bool) -> None:
    others, saved = PROGRAMS[function], states()
    expected_slopes = slopes(function, others, saved)
    back_to(saved)
    given = others()
    value = function(X, *given)
    behind = states(*given)
    ours: Any = pb.differentiable(function, jit=jit)
    for derivative in (lambda *a: pb.value_and_grad(ours)(*a), lambda *a: _by_pullback(ours, *a)):
        back_to(saved)
        given = others()
        found, gradient = derivative(X, *given)
        assert found == value
        assert repr(states(*given)) == repr(behind)
        np.testing.assert_allclose(gradient, expected_slopes, rtol=1e-9, atol=1e-10)
    back_to(saved)
    if not given:
        tangent = pb.jvp(ours, (X,), (np.cos(X),))[1]
        np.testing.assert_allclose(tangent, expected_slopes @ np.cos(X), rtol=1e-9)
        assert repr(states()) == repr(behind)


def _by_pullback(function: Any, *arguments: Any) -> Any:
    value, pull = pb.vjp(function)(*arguments)
    return value, pull(1.0)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_and_states_are_those_of_the_plain_call(function: Any) -> None:
    check(function, jit=False)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled_code_draws_the_same_numbers(function: Any) -> None:
    check(function, jit=True)


METHODS = {
    "beta": "1.5, 2.0",
    "binomial": "7, 0.3",
    "chisquare": "2.5",
    "f": "3.0, 4.0",
    "gamma": "0.5, 2.0",
    "geometric": "0.3",
    "gumbel": "0.5, 2.0",
    "hypergeometric": "5, 6, 7",
    "laplace": "0.5, 2.0",
    "logistic": "0.5, 2.0",
    "lognormal": "0.5, 2.0",
    "logseries": "0.4",
    "negative_binomial": "4, 0.3",
    "noncentral_chisquare": "2.0, 0.5",
    "noncentral_f": "3.0, 4.0, 0.5",
    "normal": "0.5, 2.0",
    "uniform": "0.5, 2.0",
    "exponential": "0.5",
    "pareto": "2.5",
    "poisson": "2.5",
    "power": "2.5",
    "rayleigh": "2.5",
    "random": "",
    "standard_cauchy": "",
    "standard_exponential": "",
    "standard_gamma": "1.5",
    "standard_normal": "",
    "standard_t": "2.5",
    "triangular": "0.5, 1.0, 2.0",
    "vonmises": "0.5, 2.0",
    "wald": "0.5, 2.0",
    "weibull": "2.5",
    "zipf": "2.5",
    "choice": "5",
    "permutation": "5",
    "multinomial": "4, [0.25, 0.75]",
    "multivariate_normal": "[0.5, 0.75], [[2.0, 0.5], [0.5, 1.0]]",
    "dirichlet": "[0.5, 0.75]",
    "integers": "7",
    "randint": "7",
    "seed": "7",
}
NAMES = {"np": np, "ARRAY": ARRAY, "__name__": __name__}


def method_texts() -> list[str]:
    texts = []
    for name, parameters in METHODS.items():
        own = parameters.split(", ") if parameters and "[" not in parameters else []
        arrays = ", ".join([f"{own[0]} * ARRAY", *own[1:]]) if own and name not in ("permutation", "seed") else ""
        forms = [parameters, *(f"{parameters}, size={size}" for size in ("4", "(2, 3)", "[2]", "()"))]
        forms = [parameters] if name in ("permutation", "seed") else forms
        forms += [arrays] * ("integers" not in name and "choice" not in name and "1.0" in arrays)
        texts += [f"{name}({form.removeprefix(', ')})" for form in forms]
    texts += [f"{name}(size=3, dtype=np.float32)" for name in ("random", "standard_normal", "standard_exponential")]
    texts += ["integers(2, 9, 5, np.int32)", "integers(3, dtype=np.uint8)", "standard_exponential(method='inv')"]
    texts += ["choice([1.0, 4.0, 2.0], 2, False)", "choice(4, 3, p=[0.1, 0.2, 0.3, 0.4])", "integers(2**40, size=3)"]
    return [*texts, "rand()", "rand(2, 3)", "randn(2)", "random_sample(3)", "permutation(np.eye(3))"]


@pytest.mark.drawn(20)
@pytest.mark.parametrize("text", method_texts())
def test_each_method_draws_as_in_the_plain_call(text: str) -> None:
    for make in ("np.random.default_rng(3)", "np.random.RandomState(3)"):
        if not hasattr(eval(make), text.partition("(")[0]):
            continue
        source = f"def f(rng):\n    y = rng.{text}\n    return y, rng.uniform()\n"
        source += f"def g():\n    rng = {make}\n    y = rng.{text}\n    return y, rng.uniform()\n"
        names = dict(NAMES)
        exec(source, names)
        for function, given in ((names["f"], lambda make=make: (eval(make),)), (names["g"], tuple)):
            try:
                expected = function(*given())
            except TypeError:  # this kind of generator does not have it
                continue
            if expected[0] is None:
                source = source.replace("return y, ", "return ")
                exec(source, names)
                function, expected = names[function.__name__], expected[1:]
            found = pb.differentiable(function, jit=False, source=source)(*given())
            for one, other in zip(expected, found if isinstance(found, tuple) else (found,), strict=True):
                assert np.shape(one) == np.shape(other)
                assert np.asarray(one).dtype == np.asarray(other).dtype
                np.testing.assert_array_equal(one, other)


def test_second_derivatives_draw_the_same_numbers() -> None:
    def f(x):
        rng, s = np.random.default_rng(1), 0.0
        for v in x:
            s += rng.normal(v, v) * v**2
        return s

    def g(x, rng):
        return np.sum(x**3 * rng.normal(size=x.shape))

    once = np.random.default_rng(1).normal(size=3)
    for jit in (False, True):
        np.testing.assert_allclose(pb.hessian(pb.differentiable(f, jit=jit))(X), np.diag(6 * X * (1 + once)))
    found = pb.hessian(pb.differentiable(g, jit=False))(X, np.random.default_rng(1))
    np.testing.assert_allclose(found, np.diag(6 * X * once))


def test_tapes_draw_the_same_numbers() -> None:
    v, expected = pb.Variable(X), np.random.default_rng(2).normal(size=3)
    with pb.GradientTape() as tape:
        y = pb.differentiable(one_array, jit=False)(v, np.random.default_rng(2))
    np.testing.assert_array_equal(tape.gradient(y, v), expected)
    with pb.GradientTape() as tape:
        y = np.sum(v * np.random.default_rng(2).normal(size=3))
    np.testing.assert_array_equal(tape.gradient(y, v), expected)


def test_other_generators_need_no_other_code() -> None:
    gradient: Any = pb.grad(pb.differentiable(one_array, jit=False))
    for seed in range(3):
        np.testing.assert_array_equal(
            gradient(X, np.random.default_rng(seed)), np.random.default_rng(seed).normal(size=3)
        )
    assert "call_external(rng_number, 'standard_normal(size[]=int64*) -> float64[:]', 3)" in pb.source(
        gradient, X, np.random.default_rng(0)
    )


@pytest.mark.parametrize(
    ("function", "kind", "reason"),
    [
        (lambda x: np.sum(np.random.default_rng(0).gamma(x)), pb.MissingRuleError, "'gamma' of a random generator has"),
        (lambda x: np.random.default_rng(0), pb.TypingError, "an object of class 'Generator' cannot"),
        (lambda x: np.random.PCG64(0), pb.LanguageError, "np.random.PCG64 makes a random generator"),
        (lambda x: x * GENERATOR.bytes(3), pb.LanguageError, "'bytes' cannot be followed"),
        (lambda x: x * GENERATOR.random(3, out=x), pb.LanguageError, "'out' of random is not supported"),
        (lambda x: x * GENERATOR.gamma(1j), pb.LanguageError, "real numbers"),
        (lambda x: x * np.random.default_rng(2**70).normal(), pb.TypingError, "more than 64 bits is given to 'seed'"),
        (lambda x: x * GENERATOR.normal(x, -x), ValueError, "scale < 0"),
        (lambda x: x * GENERATOR.gamma(-1.0), ValueError, "shape < 0"),
        (lambda x: x * GENERATOR.normal(x, np.ones(2)), ValueError, "shape mismatch"),
    ],
)
def test_what_cannot_be_followed_is_refused(function: Any, kind: Any, reason: str) -> None:
    with pytest.raises(kind, match=reason):
        pb.grad(pb.differentiable(lambda x: np.sum(function(x)), jit=False))(X)


def test_a_generator_is_not_differentiated_and_stands_in_no_module() -> None:
    with pytest.raises(pb.TypingError, match="cannot be differentiated with respect to 'rng'"):
        pb.grad(one_array, argnums=1)(X, np.random.default_rng(0))
    with pytest.raises(pb.TypingError, match="'standard_normal' of a random generator is called"):
        pb.emit(one_array, X, np.random.default_rng(0))
    with pytest.raises(pb.LanguageError, match="of a random generator is called in a loop or branch"):
        pb.hessian(pb.differentiable(in_a_loop, jit=False))(X, np.random.default_rng(0))
