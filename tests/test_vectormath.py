"""The vector math library: accuracy against mpmath, limits as NumPy's, and proof that loops over it vectorise.

By default one random mantissa stands for each binary exponent and sign, and a thousand points for the busy interval of
each function. The full campaign: PULLBACK_ULP_MANTISSAS=50 python -m pytest tests/test_vectormath.py (about an hour).
"""

import functools
import math
import os
import platform
import random
import re
from collections.abc import Callable
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features
from mpmath import mp, mpf
from numba import njit
from scipy import special

from pullback.runtime import vectormath
from pullback.runtime.codegen.compiler import Compiler

MANTISSAS = int(os.environ.get("PULLBACK_ULP_MANTISSAS", "1"))
FLAGS = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "afn"}, "pipeline_class": Compiler}
"""Those of generated code."""
INF, NAN = math.inf, math.nan


class Case(NamedTuple):
    """A function of one argument: its exact value, where it is defined, its busy interval, where formulas change."""

    exact: Callable[[mpf], mpf]
    busy: tuple[float, float]
    breakpoints: tuple[float, ...] = ()
    domain: tuple[float, float] = (-INF, INF)
    bits: int = 160


def multiples(unit: float, count: int, start: float = 0.0) -> tuple[float, ...]:
    return tuple(start + unit * k for k in range(count))


# Half-way between multiples of ln(2), where exp's reduction changes, and where results leave the normal range.
LN2 = math.log(2)
EXP_EDGES = (*multiples(LN2, 20, LN2 / 2), 708.3964185322641, 709.782712893384, 744.4400719213812, 745.1332191019412)
# Next to multiples of pi/2, small and huge; the hardest float64 (Muller, Elementary Functions, 11.3.2); the switch.
QUARTERS = (*multiples(math.pi / 4, 40), *(float(mp.pi / 2 * 3**k) for k in range(4, 600, 9)))
TRIG_EDGES = (*QUARTERS, 6381956970095103.0 * 2.0**797, 2.0**50, 1e22, 1e308)
LOG_EDGES = (1.0, *(2.0**k for k in range(-1074, 1024, 41)), *(math.sqrt(2) * 2.0**k for k in range(-1022, 1023, 41)))

CASES = {
    "exp": Case(mp.exp, (-746, 711), EXP_EDGES, (-2000, 2000)),
    "exp2": Case(lambda x: mpf(2) ** x, (-1076, 1025), (*multiples(1.0, 20, 0.5), 1022, 1024, 1074, 1075), (-4e3, 4e3)),
    "expm1": Case(mpmath.expm1, (-3, 3), (*EXP_EDGES, 1e-17, 60.0), (-2000, 2000)),
    "log": Case(mp.log, (0.1, 10), LOG_EDGES, (0, INF)),
    "log2": Case(lambda x: mp.log(x, 2), (0.1, 10), LOG_EDGES, (0, INF)),
    "log10": Case(mp.log10, (0.1, 10), LOG_EDGES, (0, INF)),
    "log1p": Case(mpmath.log1p, (-1, 3), (*LOG_EDGES, 0.41421356237309503, 0.2928932188134525, 1e300), (-1, INF)),
    "sqrt": Case(mp.sqrt, (0, 4), (), (0, INF)),
    "cbrt": Case(lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-30, 30), (*LOG_EDGES, 8.0, 27.0, 0.5, 2.0)),
    "sin": Case(mp.sin, (-20, 20), TRIG_EDGES, bits=1300),
    "cos": Case(mp.cos, (-20, 20), TRIG_EDGES, bits=1300),
    "tan": Case(mp.tan, (-20, 20), TRIG_EDGES, bits=1300),
    "sinh": Case(mp.sinh, (-5, 5), (1.0, *EXP_EDGES, 710.4758600739439), (-2000, 2000)),
    "cosh": Case(mp.cosh, (-5, 5), (1.0, *EXP_EDGES, 710.4758600739439), (-2000, 2000)),
    "tanh": Case(mp.tanh, (-3, 3), (0.625, 20.0, *EXP_EDGES[:12])),
    "arcsin": Case(mp.asin, (-1, 1), (0.5, 1.0), (-1, 1)),
    "arccos": Case(mp.acos, (-1, 1), (0.5, 1.0), (-1, 1)),
    "arctan": Case(mp.atan, (-3, 3), (1.0,)),
    "arcsinh": Case(mp.asinh, (-3, 3), (0.5, 1.0, 2.0**60), bits=1200),
    "arccosh": Case(mp.acosh, (1, 3), (1.0, 2.0, 2.0**60, *(1 + 2.0**-k for k in range(1, 53))), (1, INF)),
    "arctanh": Case(mp.atanh, (-1, 1), (0.5, 1.0), (-1 + 2**-53, 1 - 2**-53), bits=1200),
    "erf": Case(mpmath.erf, (-6, 6), (1.0, 6.0), (-100, 100)),
    "erfc": Case(mpmath.erfc, (-6, 28), (0.75, 28.0, 26.543258, 27.226017), (-100, 100)),
    "sigmoid": Case(lambda x: 1 / (1 + mp.exp(-x)), (-40, 40), EXP_EDGES, (-2000, 2000)),
    "softplus": Case(lambda x: mpmath.log1p(mp.exp(x)), (-40, 40), EXP_EDGES, (-2000, 2000)),
}
UNARY = tuple(CASES)
BINARY = ("power", "arctan2", "logaddexp")
SINGLE = ("exp", "log", "tanh", "sigmoid")
TRIGONOMETRIC = ("sin", "cos", "tan")
ALL = (*UNARY, "sincos", *BINARY)
LIMITS = (0.0, -0.0, INF, -INF, NAN, 5e-324, -5e-324, 1.0, -1.0, 1.5, -1.5, 1e308, -1e308, 2e-308, 0.5, -0.5)
NUMPY = {name: getattr(np, name) for name in ALL if hasattr(np, name)} | {
    "erf": special.erf,
    "erfc": special.erfc,
    "sigmoid": special.expit,
    "softplus": lambda x: np.logaddexp(x, np.zeros_like(x)),
    "sincos": lambda x: np.sin(x) * 2 + np.cos(x),
}


def stated_bound(name: str) -> float:
    """The largest error in ulp that the docstring promises."""
    text = getattr(vectormath, name).__doc__
    if "correctly rounded" in text:
        return 0.5
    return float(re.search(r"Error <= ([\d.]+) ulp", text)[1])


@functools.cache
def loop_of(name: str) -> Callable[..., None]:
    """The loop that is to vectorise: out[i] = f(x[i]), or f(x[i], y[i])."""
    f = getattr(vectormath, name)
    if name in BINARY:

        @njit(**FLAGS)
        def loop(x, y, out):
            for i in range(out.size):
                out[i] = f(x[i], y[i])

    elif name == "sincos":

        @njit(**FLAGS)
        def loop(x, out):
            for i in range(out.size):
                s, c = f(x[i])
                out[i] = s * 2 + c

    else:

        @njit(**FLAGS)
        def loop(x, out):
            for i in range(out.size):
                out[i] = f(x[i])

    return loop


def values_of(name: str, *arguments: np.ndarray) -> np.ndarray:
    out = np.empty_like(arguments[0])
    loop_of(name)(*arguments, out)
    return out


def unit_of(value: float, dtype: type) -> float:
    """One unit in the last place of `value`; below the normal numbers, the smallest subnormal."""
    if dtype is np.float64:
        return math.ulp(value)
    return max(2.0**-149, 2.0 ** (math.frexp(value)[1] - 24))


def error_in_ulp(computed: float, exact: mpf, dtype: type) -> float:
    """|computed - exact| in units in the last place of the rounded exact value; inf for a wrong infinity or NaN."""
    with np.errstate(over="ignore"):
        rounded = float(dtype(exact))
    if math.isinf(rounded) or math.isinf(computed) or math.isnan(computed):
        return 0.0 if computed == rounded else INF
    return float(abs(mpf(computed) - exact) / mpf(unit_of(rounded, dtype)))


def neighbours(points: tuple[float, ...], dtype: type) -> list[float]:
    """Each point and its three neighbours on either side, with both signs."""
    found = []
    for point in points:
        with np.errstate(over="ignore"):
            below = above = dtype(point)
        found.append(below)
        for _ in range(3):
            below, above = np.nextafter(below, dtype(-INF)), np.nextafter(above, dtype(INF))
            found += [below, above]
    return [float(sign * x) for x in found for sign in (1, -1)]


def sample(case: Case, dtype: type) -> np.ndarray:
    """Every binary exponent, the neighbours of the breakpoints, and the busy interval, within the domain."""
    chance = random.Random(20)
    smallest, largest = (-1074, 1023) if dtype is np.float64 else (-149, 127)
    points = [
        sign * math.ldexp(1 + chance.random(), exponent)
        for exponent in range(smallest, largest + 1)
        for sign in (1, -1)
        for _ in range(MANTISSAS)
    ]
    points += [chance.uniform(*case.busy) for _ in range(1000 * MANTISSAS)]
    points += neighbours(case.breakpoints, dtype)
    with np.errstate(over="ignore", under="ignore"):
        x = np.array(points).astype(dtype)
    return x[np.isfinite(x) & (x > case.domain[0]) & (x < case.domain[1])]


def worst(name: str, computed: np.ndarray, exact: list[mpf]) -> tuple[float, int]:
    errors = [error_in_ulp(float(y), e, computed.dtype.type) for y, e in zip(computed, exact, strict=True)]
    return max((error, index) for index, error in enumerate(errors))


def test_every_public_function_is_tested():
    assert set(ALL) == set(vectormath.__all__)


@pytest.mark.drawn(8)
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_error_is_within_the_stated_bound(name, dtype):
    case = CASES[name]
    x = sample(case, dtype)
    assert x.size > 400
    if name in TRIGONOMETRIC:
        x = x[np.abs(x) <= 2.0**50]
    with mp.workprec(case.bits):
        exact = [case.exact(mpf(float(value))) for value in x]
        error, index = worst(name, values_of(name, x), exact)
    assert stated_bound(name) <= 2
    # Other functions of float32 are computed in float64 and rounded once more.
    own = dtype is np.float64 or name in SINGLE
    assert error <= (stated_bound(name) if own else 0.5001), (name, error, x[index])


def power_pairs(count: int) -> list[tuple[float, float]]:
    """Bases and exponents whose powers fill the range of float64 and pass its ends."""
    chance = random.Random(21)
    pairs = []
    for _ in range(count):
        near_one = 1 + chance.uniform(-1, 1) * 2.0 ** -chance.randint(1, 52)
        anywhere = math.ldexp(chance.uniform(1, 2), chance.randint(-1074, 1023))
        for base in (near_one, anywhere):
            logarithm = math.log(base)
            pairs.append((base, chance.uniform(-746, 711) / logarithm if logarithm else 1.0))
        pairs.append((chance.uniform(0.1, 10), chance.uniform(-30, 30)))
        pairs.append((chance.uniform(-9, 9), float(chance.randint(-300, 300))))
    return pairs


def test_power_is_within_the_stated_bound():
    pairs = power_pairs(2000 * MANTISSAS)
    x, y = (np.array(column) for column in zip(*pairs, strict=True))
    with mp.workprec(160):
        exact = [mpf(base) ** (int(n) if n == int(n) else mpf(n)) for base, n in pairs]
        error, index = worst("power", values_of("power", x, y), exact)
    assert error <= stated_bound("power") <= 4, (error, pairs[index])


def test_power_of_float32_is_within_half_an_ulp():
    chance = random.Random(22)
    x = np.array([2.0 ** chance.uniform(-126, 127) for _ in range(3000)], np.float32)
    y = np.array([chance.uniform(-150, 129) / math.log2(base) for base in x], np.float32)
    with mp.workprec(160):
        exact = [mpf(float(base)) ** mpf(float(n)) for base, n in zip(x, y, strict=True)]
        error, index = worst("power", values_of("power", x, y), exact)
    assert error <= 0.5001, (error, x[index], y[index])


def test_arctan2_is_within_the_stated_bound():
    chance = random.Random(23)
    points = [
        [math.ldexp(chance.uniform(-1, 1), chance.randint(-size, size)) for _ in "xy"]
        for size in (1, 5, 60, 1023)
        for _ in range(1500 * MANTISSAS)
    ]
    y, x = np.array(points).T.copy()
    with mp.workprec(160):
        exact = [mp.atan2(mpf(a), mpf(b)) for a, b in points]
        error, index = worst("arctan2", values_of("arctan2", y, x), exact)
    assert error <= stated_bound("arctan2") <= 2, (error, points[index])


def test_logaddexp_is_within_the_stated_bound_of_its_larger_terms():
    chance = random.Random(24)
    pairs = [[chance.uniform(-size, size) for _ in "xy"] for size in (1, 40, 1e3, 1e300) for _ in range(1000)]
    x, y = np.array(pairs).T.copy()
    computed = values_of("logaddexp", x, y)
    with mp.workprec(160):
        for (a, b), value in zip(pairs, computed, strict=True):
            high, low = max(a, b), min(a, b)
            exact = mpf(high) + mpmath.log1p(mp.exp(mpf(low) - mpf(high)) if low - high > -1e4 else mpf(0))
            unit = math.ulp(max(abs(a), abs(b), abs(float(exact))))
            assert abs(mpf(float(value)) - exact) <= stated_bound("logaddexp") * unit, (a, b)


def assert_like_numpy(name: str, computed: np.ndarray, expected: np.ndarray, *arguments: np.ndarray) -> None:
    """Equal NaNs, infinities and signs of zero, and equal to a few ulp elsewhere."""
    close = np.isclose(computed, expected, rtol=4 * np.finfo(computed.dtype).eps, atol=0, equal_nan=True)
    subnormal = np.abs(computed - expected) <= 2 * np.finfo(computed.dtype).smallest_subnormal
    same_sign = np.isnan(expected) | (np.signbit(computed) == np.signbit(expected))
    wrong = ~((close | subnormal) & same_sign)
    assert not wrong.any(), (name, [a[wrong] for a in arguments], computed[wrong], expected[wrong])


@pytest.mark.drawn(20)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*UNARY, "sincos"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_limits_are_those_of_numpy(name, dtype):
    x = np.array(LIMITS).astype(dtype)
    assert_like_numpy(name, values_of(name, x), NUMPY[name](x), x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_limits_of_two_arguments_are_those_of_numpy(name, dtype):
    integers = (2.0, -2.0, 3.0, -3.0, 1023.0, -1074.0, 2.0**52 + 1, 2.0**53 + 2, -(2.0**52) - 1)
    values = np.array((*LIMITS, *integers)).astype(dtype)
    x, y = (column.ravel() for column in np.meshgrid(values, values))
    assert_like_numpy(name, values_of(name, x, y), NUMPY[name](x, y), x, y)


@pytest.mark.parametrize("base", [2.0, 3.0, 10.0, 1.5])
def test_powers_that_are_numbers_are_exact(base):
    n = np.array([n for n in range(-400, 400) if n >= 0 or base == 2.0], float)
    with mp.workprec(1400):
        exact = [mpf(base) ** int(k) for k in n]
        representable = [mpf(float(e)) == e for e in exact]
    assert sum(representable) > 15
    computed = values_of("power", np.full(n.size, base), n)
    assert all(float(y) == float(e) for y, e, fits in zip(computed, exact, representable, strict=True) if fits)


VECTOR_ARITHMETIC = re.compile(r"(?:fmul|fadd|fsub|llvm\.fma|llvm\.sqrt).*?<(\d+) x (?:double|float)>")


def has_fma() -> bool:
    """Not so for x86 before 2013: there LLVM calls a function for fma."""
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    return not x86 or bool(get_host_cpu_features().get("fma"))


def vector_body(ir: str) -> str:
    """The block of the vectorised loop in LLVM's text."""
    (found,) = re.findall(r"^vector\.body:.*?\n\n", ir, re.MULTILINE | re.DOTALL) or [""]
    return found


@pytest.mark.drawn(20)
@pytest.mark.skipif(not has_fma(), reason="needs a processor with fma")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_loop_over_it_vectorises(name, dtype):
    x = np.ones(16, dtype)
    values_of(name, *(x,) * (2 if name in BINARY else 1))
    loop = loop_of(name)
    (signature,) = (s for s in loop.signatures if s[0].dtype.name == x.dtype.name)
    body = vector_body(loop.inspect_llvm(signature))
    widths = [int(width) for width in VECTOR_ARITHMETIC.findall(body)]
    assert widths
    assert min(widths) >= 2
    # What is called for huge arguments takes a whole vector and looks at its mask first.
    calls = {called for called in re.findall(r"call [^@]*@([\w.]+)", body) if not called.startswith("llvm.")}
    assert all(re.fullmatch(r"pullback_(sin|cos|tan)_of_huge_of_\d+", called) for called in calls), calls


def test_numba_s_own_function_does_not_pass_as_vectorised():
    @njit(**FLAGS)
    def loop(x, out):
        for i in range(out.size):
            out[i] = math.exp(x[i])

    x = np.ones(16)
    loop(x, x)
    assert not VECTOR_ARITHMETIC.findall(vector_body(loop.inspect_llvm(loop.signatures[0])))


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "tanh", "sin", "erf", "sigmoid", "arcsinh", "sqrt"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_sum_under_fastmath_keeps_the_limits(name):
    f = getattr(vectormath, name)

    @njit(error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp", "afn"})
    def total(x):
        s = 0.0
        for i in range(x.size):
            s += f(x[i])
        return s

    for value in LIMITS:
        computed, expected = total(np.full(64, value)), 64 * NUMPY[name](value)
        assert computed == pytest.approx(expected, rel=1e-14, abs=0, nan_ok=True), value


@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_huge_elements_among_small_ones_are_those_of_the_c_library(name):
    x = np.linspace(-3, 3, 1003)
    x[::7] *= 1e300
    x[500], x[501] = 1e22, np.nextafter(2.0**50, np.inf)
    huge = np.abs(x) > 2.0**50
    computed = values_of(name, x)
    np.testing.assert_array_equal(computed[huge], [getattr(math, name)(v) for v in x[huge]])
    with mp.workprec(1300):
        error, _ = worst(name, computed[~huge], [CASES[name].exact(mpf(v)) for v in x[~huge].tolist()])
    assert error <= stated_bound(name)


@pytest.mark.parametrize("name", ["exp", "sin", "tanh", "power"])
def test_a_scalar_call_gives_the_bits_of_the_loop(name):
    f = getattr(vectormath, name)
    x = np.linspace(0.1, 40.0, 101)
    if name == "power":
        single = njit(lambda a: f(a, 1.7))
        looped = values_of(name, x, np.full(x.size, 1.7))
    else:
        single = njit(lambda a: f(a))
        looped = values_of(name, x)
    assert [single(value) for value in x] == looped.tolist()


@pytest.mark.parametrize("name", ["exp", "sqrt"])
@pytest.mark.parametrize("value", [2, np.int32(2), np.uint8(2), True, 2.0, np.float32(2)])
def test_scalars_of_every_type_are_accepted(name, value):
    f = getattr(vectormath, name)
    result = njit(lambda a: f(a))(value)
    assert result == pytest.approx(NUMPY[name](float(value)), rel=1e-7 if isinstance(value, np.float32) else 1e-15)


ARRAYS = {
    "contiguous": np.linspace(0.2, 3, 24).reshape(2, 3, 4),
    "of Fortran's order": np.asfortranarray(np.linspace(0.2, 3, 24).reshape(4, 6)),
    "with steps": np.linspace(0.2, 3, 48).reshape(6, 8)[::2, ::-3],
    "without axes": np.array(0.7),
    "empty": np.zeros((0, 3)),
    "float32": np.linspace(0.2, 3, 24, dtype=np.float32).reshape(6, 4),
    "integer": np.arange(1, 7).reshape(2, 3),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_of_any_layout_are_accepted(kind):
    x = ARRAYS[kind]
    computed = njit(lambda a: vectormath.exp(a))(x)
    expected = np.exp(x)
    assert computed.shape == expected.shape
    assert computed.dtype == expected.dtype
    np.testing.assert_allclose(computed, expected, rtol=4 * np.finfo(expected.dtype).eps)


def test_arrays_are_broadcast_together():
    power = njit(lambda a, b: vectormath.power(a, b))
    column, row = np.linspace(0.5, 2, 3)[:, None], np.linspace(0.1, 2, 4, dtype=np.float32)
    for a, b in [(column, row), (column, 2.0), (2, row), (row, np.float32(2)), (row, row)]:
        computed = power(a, b)
        expected = np.power(a, b)
        assert computed.shape == expected.shape
        np.testing.assert_allclose(computed, expected, rtol=1e-6)
    assert power(row, row).dtype == np.float32
    assert power(column, row).dtype == np.float64


def test_sincos_gives_two_arrays_or_two_numbers():
    sincos = njit(lambda a: vectormath.sincos(a))
    x = np.linspace(-4, 4, 12).reshape(3, 4)
    sines, cosines = sincos(x)
    np.testing.assert_allclose(sines, np.sin(x), rtol=1e-15)
    np.testing.assert_allclose(cosines, np.cos(x), rtol=1e-15)
    assert sincos(0.0) == (0.0, 1.0)
    assert sincos.py_func(0.0) == (0.0, 1.0)


@pytest.mark.parametrize("name", UNARY)
def test_from_python_it_is_the_function_of_numpy(name):
    f = getattr(vectormath, name)
    for x in (0.75, np.float32(0.75), np.linspace(0.1, 0.9, 6).reshape(2, 3)):
        x = x + 1 if name == "arccosh" else x
        expected = NUMPY[name](x)
        np.testing.assert_array_equal(f(x), expected)
        assert np.asarray(f(x)).dtype == np.asarray(expected).dtype
