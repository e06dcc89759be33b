"""Every rule, called as plain Python, against numeric derivatives and against the golden values at kinks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from pullback import runtime
from pullback.functions import RECORDS, is_constant, rule_of
from rule_samples import FACTORISED, OF_COMPLEX, POINTS, SMOOTH, Sample, is_of_scipy, of

EXTENDED = np.longdouble
WEIGHTS = tuple(EXTENDED(n) / EXTENDED(d) for n, d in ((4, 5), (-1, 5), (4, 105), (-1, 280)))
"""The central difference of order 8, for the points 1 to 4 steps away on either side."""
STEP = EXTENDED(0.3 * float(np.finfo(EXTENDED).eps) ** (1 / 9))


def name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__name__}" if hasattr(function, "__module__") else function.__name__


def cotangents_of(function: Callable[..., Any], sample: Sample, y: Any, y_bar: Any) -> list[Any]:
    """The cotangent of each leading argument, as the rule gives it and broadcasting summed out."""
    rule = rule_of(function)
    assert rule is not None
    supplied = {name: value for name, value in {"y": y, "y_bar": y_bar}.items() if name in keyword_only(rule.body)}
    with np.errstate(all="ignore"):  # of a partial that nobody asks for, as by the exponent of a negative base
        given = rule.body(*sample.arguments, **sample.options, **supplied)
    given = given if isinstance(given, tuple) else (given,)
    if rule.kind == "partials":
        given = tuple(None if p is None else y_bar * p for p in given)
    return [fitted(a_bar, a) for a_bar, a in zip(given, sample.arguments, strict=False)]


def keyword_only(body: Callable[..., Any]) -> set[str]:
    return {p.name for p in inspect.signature(body).parameters.values() if p.kind is p.KEYWORD_ONLY}


def fitted(a_bar: Any, a: Any) -> Any:
    if a_bar is None or a is None:
        return None
    if isinstance(a, tuple):
        return tuple(fitted(part_bar, part) for part_bar, part in zip(a_bar, a, strict=True))
    return runtime.sum_to(np.asarray(a_bar), np.shape(a))


def is_differentiated(argument: Any) -> bool:
    if isinstance(argument, tuple):
        return all(is_differentiated(item) for item in argument) and len(argument) > 0
    return argument is not None and np.asarray(argument).dtype.kind == "f"


def numeric_cotangent(function: Callable[..., Any], sample: Sample, k: int, y_bar: Any) -> Any:
    """The cotangent of argument `k`, element by element: complex steps for LAPACK, else differences of order 8."""
    argument = sample.arguments[k]
    if isinstance(argument, tuple):
        return tuple(numeric_part(function, sample, y_bar, part, (k, i)) for i, part in enumerate(argument))
    return numeric_part(function, sample, y_bar, argument, (k, None))


def numeric_part(
    function: Callable[..., Any], sample: Sample, y_bar: Any, part: Any, place: tuple[int, int | None]
) -> Any:
    is_lapack = function in (np.linalg.det, np.linalg.inv, np.linalg.solve)
    precise: Any = complex if is_lapack else np.float64 if function is np.bincount else EXTENDED

    def value_at(moved: Any) -> Any:
        y = function(*replaced(sample.arguments, place, moved[()], precise), **sample.options)
        return np.sum(np.where(np.equal(y_bar, 0), 0, y * y_bar))

    def along(index: tuple[int, ...], step: Any) -> Any:
        moved = np.array(part, dtype=precise)
        moved[index] += step
        return value_at(moved)

    out = np.zeros(np.shape(part))
    for index in np.ndindex(out.shape):
        if np.isfinite(np.asarray(part)[index]):
            step = partial(along, index)
            out[index] = step(1e-150j).imag / 1e-150 if is_lapack else difference_quotient(step)
    return out


def difference_quotient(value_at: Callable[[Any], Any]) -> float:
    pairs = (weight * (value_at(n * STEP) - value_at(-n * STEP)) for n, weight in enumerate(WEIGHTS, 1))
    return float(sum(pairs) / STEP)


def replaced(arguments: tuple[Any, ...], place: tuple[int, int | None], moved: Any, precise: Any) -> tuple[Any, ...]:
    """The arguments in the precise type, one of them replaced."""
    k, i = place

    def exact(argument: Any) -> Any:
        if isinstance(argument, tuple):
            return tuple(exact(item) for item in argument) if is_differentiated(argument) else argument
        return np.array(argument, dtype=precise)[()] if is_differentiated(argument) else argument

    given = [exact(argument) for argument in arguments]
    given[k] = moved if i is None else (*given[k][:i], moved, *given[k][i + 1 :])
    return tuple(given)


SPECIAL = {
    runtime.erf: mpmath.erf,
    runtime.erfc: mpmath.erfc,
    runtime.gamma: mpmath.gamma,
    runtime.lgamma: lambda x: mpmath.log(abs(mpmath.gamma(x))),
    runtime.digamma: mpmath.digamma,
    runtime.sigmoid: lambda x: 1 / (1 + mpmath.exp(-x)),
    runtime.logit: lambda x: mpmath.log(x / (1 - x)),
}
"""Functions that `runtime` has in double precision only."""

CASES = [
    pytest.param(function, sample, id=f"{name_of(function)}-{i}")
    for function, samples in SMOOTH.items()
    for i, sample in enumerate(samples)
]


OURS = {
    function: record
    for function, record in RECORDS.items()
    if not is_of_scipy(function) and ".scipy." not in getattr(getattr(record.rule, "body", None), "__module__", "")
}


@pytest.mark.parametrize("function", [f for f, record in OURS.items() if record.rule], ids=name_of)
def test_every_rule_has_samples(function: Callable[..., Any]) -> None:
    assert function in SMOOTH or function in FACTORISED or function in OF_COMPLEX


@pytest.mark.parametrize(("function", "sample"), CASES)
def test_a_rule_agrees_with_the_numeric_derivative(function: Callable[..., Any], sample: Sample) -> None:
    y = function(*sample.arguments, **sample.options)
    y_bar = np.random.default_rng(7).uniform(0.5, 1.5, np.shape(y))[()]
    if np.ndim(y):
        y_bar[~np.isfinite(y)] = 0
    given = cotangents_of(function, sample, y, y_bar)
    checked = 0
    for k, a_bar in enumerate(given):
        if a_bar is None or not is_differentiated(sample.arguments[k]):
            continue
        if function in SPECIAL:
            exact = np.vectorize(lambda x: float(mpmath.diff(SPECIAL[function], x)), otypes=[float])
            expected = y_bar * exact(sample.arguments[k])
        else:
            expected = numeric_cotangent(function, sample, k, y_bar)
        compare(a_bar, expected)
        checked += 1
    assert checked > 0


def compare(given: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for a, b in zip(given, expected, strict=True):
            compare(a, b)
        return
    assert np.shape(given) == np.shape(expected)
    np.testing.assert_allclose(given, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("function", "sample", "expected"), [pytest.param(f, s, e, id=n) for n, f, s, e in POINTS])
def test_a_kink_has_its_golden_value(function: Callable[..., Any], sample: Sample, expected: tuple[Any, ...]) -> None:
    as_numpy = of(*(np.float64(a) if isinstance(a, float) else a for a in sample.arguments), **sample.options)
    with np.errstate(all="ignore"):
        y = function(*as_numpy.arguments, **as_numpy.options)
        given = cotangents_of(function, as_numpy, y, np.ones(np.shape(y))[()])
        given = [a_bar for a_bar in given if a_bar is not None]
    assert len(given) == len(expected)
    for a_bar, value in zip(given, expected, strict=True):
        np.testing.assert_array_equal(a_bar, value)


def test_cumprod_passes_a_zero() -> None:
    sample = of(np.array([2.0, 0.0, 3.0]))
    (a_bar,) = cotangents_of(np.cumprod, sample, np.cumprod(sample.arguments[0]), np.array([0.0, 0.0, 1.0]))
    np.testing.assert_array_equal(a_bar, [0, 6, 0])


@pytest.mark.parametrize("function", sorted((f for f, r in OURS.items() if r.is_constant), key=name_of), ids=name_of)
def test_a_constant_function_has_no_rule(function: Callable[..., Any]) -> None:
    assert is_constant(function)
    assert rule_of(function) is None


def test_an_unknown_function_has_no_rule() -> None:
    assert rule_of(np.linalg.eig) is None
    assert not is_constant(np.linalg.eig)


@pytest.mark.parametrize(("function", "sample"), CASES)
def test_float32_stays_float32(function: Callable[..., Any], sample: Sample) -> None:
    """What a body computes is no wider than its arguments, apart from choices between Python's own numbers."""
    narrow = of(*(narrowed(argument) for argument in sample.arguments), **sample.options)
    y = function(*narrow.arguments, **narrow.options)
    if np.asarray(y).dtype != np.float32:
        pytest.skip("the function itself widens its argument")
    y_bar = np.ones(np.shape(y), np.float32)[()]
    for a_bar, argument in zip(cotangents_of(function, narrow, y, y_bar), narrow.arguments, strict=False):
        if a_bar is None or not is_differentiated(argument) or function in CHOICES:
            continue
        for part in a_bar if isinstance(a_bar, tuple) else (a_bar,):
            assert np.asarray(part).dtype == np.float32


CHOICES = {np.maximum, np.minimum, np.fmax, np.fmin, np.heaviside}


def narrowed(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return tuple(narrowed(item) for item in argument)
    return (
        np.float32(argument)
        if isinstance(argument, np.ndarray | np.floating) and is_differentiated(argument)
        else argument
    )


@pytest.mark.parametrize(
    ("function", "sample"),
    [
        (np.dot, of(np.ones(2), np.ones((2, 2, 2)))),
        (np.inner, of(np.ones(2), np.ones((2, 2, 2)))),
        (np.trace, of(np.ones((2, 2, 2)))),
        (np.diagonal, of(np.ones((2, 2, 2)))),
    ],
)
def test_what_a_rule_does_not_cover_is_refused(function: Callable[..., Any], sample: Sample) -> None:
    y = function(*sample.arguments, **sample.options)
    with pytest.raises(NotImplementedError, match=r"is not known|is known for"):
        cotangents_of(function, sample, y, np.ones(np.shape(y)))
