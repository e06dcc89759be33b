"""Array statements of compiled code compute what NumPy computes: expressions, slices that are assigned, new arrays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit
from numba.core.compiler import CompilerBase

import pullback as pb
from pullback.runtime import helpers as rt
from pullback.runtime.codegen.compiler import Compiler

compiled = njit(pipeline_class=Compiler, error_model="numpy")
STRIDED, SINGLE = np.arange(48.0).reshape(6, 8)[::2, ::2], np.linspace(0.5, 2.0, 12, dtype=np.float32)
PAIRS = {
    "alike": (np.ones((3, 4)), np.arange(12.0).reshape(3, 4)),
    "fortran": (np.asfortranarray(STRIDED), np.arange(12.0).reshape(3, 4)),
    "strided": (STRIDED, STRIDED[::-1]),
    "row": (np.arange(12.0).reshape(3, 4), np.arange(4.0)),
    "row first": (np.arange(4.0), np.arange(12.0).reshape(3, 4)),
    "column": (np.arange(12.0).reshape(3, 4), np.arange(3.0).reshape(3, 1)),
    "column first": (np.arange(3.0).reshape(3, 1), np.arange(12.0).reshape(3, 4)),
    "both": (np.arange(3.0).reshape(3, 1), np.arange(4.0)),
    "one": (np.arange(5.0), np.ones(1)),
    "empty": (np.empty((0, 4)), np.ones(4)),
    "empty by one": (np.empty(0), np.ones(1)),
    "three axes": (np.arange(24.0).reshape(2, 3, 4), np.arange(3.0).reshape(3, 1)),
    "number": (np.arange(12.0).reshape(3, 4), 2.5),
    "integer": (np.arange(12.0).reshape(3, 4), 3),
    "integers": (np.arange(5), np.arange(5) - 2),
    "mixed": (np.arange(5), np.linspace(0.0, 1.0, 5)),
    "single": (SINGLE, SINGLE[::-1]),
    "single and double": (SINGLE, np.arange(12.0)),
}


def sums(a, b):
    return a * b - b + a


def functions(a, b):
    return np.sin(a) + np.maximum(a, b)


def comparison(a, b):
    return a * 2 > b


def powers(a, b):
    return a**2 + b**3


@pytest.mark.drawn(6)
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("function", [sums, functions, comparison, powers])
def test_expressions(function, pair):
    expected, made = function(*pair), compiled(function)(*pair)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    single = any(getattr(part, "dtype", None) == np.float32 for part in pair)
    np.testing.assert_allclose(made, expected, rtol=1e-6 if single else 1e-13)


def three(a, b, c):
    return a * b - c


@pytest.mark.drawn(11)
@pytest.mark.parametrize("shapes", list(itertools.product([(3, 4), (4,), (3, 1), (1, 1)], repeat=3)))
def test_expressions_of_three(shapes):
    arrays = [np.arange(1.0, 1 + np.prod(shape)).reshape(shape) for shape in shapes]
    np.testing.assert_array_equal(THREE(*arrays), three(*arrays))


THREE = compiled(three)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        compiled(sums)(np.ones(3), np.ones(4))


def added(x, y):
    x += y
    return x


def scaled(x, y):
    x *= y
    return x


@pytest.mark.drawn(6)
@pytest.mark.parametrize("function", [added, scaled])
@pytest.mark.parametrize("name", ["alike", "fortran", "strided", "row", "column", "three axes", "number", "integers"])
def test_changes_in_place(function, name):
    x, y = PAIRS[name]
    given = x.copy(order="K")
    result = compiled(function)(given, y)
    np.testing.assert_array_equal(given, function(x.copy(), y))
    np.testing.assert_array_equal(result, given)


def test_an_operand_in_place_keeps_its_shape():
    with pytest.raises(ValueError, match="broadcast"):
        compiled(added)(np.ones((3, 1)), np.ones((3, 4)))


ASSIGNMENTS = {
    "x[1:] = y": [(4, 3), (4, 2), (4, 1), (1, 0), (4, 0)],
    "x[1:1] = y": [(4, 0), (4, 1), (4, 2)],
    "x[::-2] = y": [(5, 3)],
    "x[:, None, :] = y": [((3, 4), (3, 1, 4)), ((3, 4), 4)],
    "x[:, None, :] += y": [((3, 4), (3, 1, 4))],
    "x[1:, 0] = y": [((4, 3), 3), ((4, 3), 1), ((4, 3), 2)],
    "x[..., -1] = y": [((4, 3), 4), ((2, 3, 4), (2, 3))],
    "x[:, 1, :] = y": [((2, 3, 4), (2, 4)), ((2, 3, 4), 4)],
    "x[:, 1:, :] = y": [((2, 3, 4), (2, 1, 4))],
    "x[0, :] = y": [((4, 3), (1, 3))],
    "x[0, :, 1] = y": [((2, 3, 4), (1, 3)), ((2, 3, 4), 3)],
    "x[1] = y": [((4, 3), 3), ((4, 3), 1), ((4, 3), 2), ((2, 3, 4), (3, 4)), ((2, 3, 4), 4)],
    "x[-1] += y": [((4, 3), 3), ((4, 3), 1), ((2, 3, 4), (3, 1))],
    "x[1, 0] = y": [((2, 3, 4), 4), ((2, 3, 4), 3)],
    "x[0] = x[1]": [((4, 3), 1)],
    "x[0] = x[:, 0]": [((4, 4), 1)],
    "x[1:] = y.T": [((4, 3), (3, 3))],
    "x[1:] = x[:-1]": [(5, 1), ((4, 3), 1)],
    "x[:-1] = x[1:]": [(5, 1)],
    "x[::-1] = x": [(5, 1)],
    "x[:] = x.T": [((4, 4), 1)],
}
CASES = [(text, *shapes) for text, several in ASSIGNMENTS.items() for shapes in several]


@pytest.mark.drawn(6)
@pytest.mark.parametrize(("text", "shape", "given"), CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_slices_are_assigned(text, shape, given, dtype):
    scope: dict = {}
    exec(f"def function(x, y):\n    {text}\n    return x\n", scope)
    function = scope["function"]
    x = np.arange(np.prod(shape), dtype=float).reshape(shape)
    y = np.arange(100, 100 + np.prod(given)).reshape(given).astype(dtype)
    try:
        expected = function(x.copy(), y)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            compiled(function)(x.copy(), y)
    else:
        np.testing.assert_array_equal(compiled(function)(x.copy(), y), expected)


def test_rows_that_do_not_fit_into_one_are_refused():
    def function(x, y):
        x[0, :] = y

    with pytest.raises(ValueError, match="cannot assign slice"):
        compiled(function)(np.zeros((4, 3)), np.ones((2, 3)))


NEW = [
    "np.empty((2, n)).shape",
    "np.zeros(n)",
    "np.zeros((n, 2), np.float32)",
    "np.zeros((0, n))",
    "np.zeros(())",
    "np.zeros((n, n), dtype=np.int64)",
    "np.ones(n)",
    "np.ones((2, n), np.bool_)",
    "np.full((n, 2), 7)",
    "np.full(n, 1.5)",
    "np.full((n,), 2, np.float32)",
    "np.eye(n)",
    "np.eye(n, 2)",
    "np.eye(n, dtype=np.float32)",
    "np.eye(n - n, dtype=np.bool_)",
    "np.array(((1.0, 2.0), (3.0, n * 1.5)))",
    "np.array((n, 2))",
    "np.array((True, n > 2))",
    "np.array(((np.float32(n),),))",
    "np.array((1, 2.5))",
    "np.array([n, 2])",
    "np.arange(n)",
    "np.arange(-n)",
    "np.arange(1, n, 2)",
    "np.arange(0.5, 2.0)",
    "np.zeros_like(np.ones((n, 2)).T)",
    "np.array([max(n, 0), max(0, n), min(n, 2), min(2, n), max(n, 1, 5)])",
    "np.array([max(2.5, n), min(2.5, n)])",
]


@pytest.mark.drawn(12)
@pytest.mark.parametrize("text", NEW)
def test_new_arrays(text):
    scope = {"np": np}
    exec(f"def function(n):\n    return {text}\n", scope)
    function = scope["function"]
    expected, made = function(3), compiled(function)(3)
    assert np.asarray(made).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(made, expected)


SHAPES = [(6,), (-1,), (3, -1), (-1, 1, 2), 6, -1, (2, 3, 1), (4, -1), (-1, -1), (7,), (-2, 3)]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reshaped_arrays(shape):
    function = compiled(lambda a: rt.reshape(a, shape))
    for a in (np.arange(6.0), np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.arange(12)[::2]):
        try:
            expected = a.reshape(shape)
        except ValueError:
            with pytest.raises(ValueError, match=r"reshape|unknown"):
                function(a)
        else:
            made = function(a)
            assert made.shape == expected.shape
            np.testing.assert_array_equal(made, expected)


def filtered(q, r, measured):
    """Lists of numbers, rows that are stored and added, reshaped vectors, products of small matrices."""
    transition = np.array([[1.0, 1.0], [0.0, 1.0]])
    state, covariance, total = np.zeros(2), np.eye(2), 0.0
    rows = np.zeros((measured.shape[0], 2))
    for k in range(measured.shape[0]):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + q * np.array([[0.25, 0.5], [0.5, 1.0]])
        gain = covariance[:, 0] / (covariance[0, 0] + r)
        state = state + gain * (measured[k] - state[0])
        covariance = covariance - np.outer(gain, covariance[0])
        rows[k] = state
        rows[0] += covariance[1]
        total += np.sum(rows[k] * np.reshape(covariance, (4,))[:2])
    return total + np.sum(rows)


def test_gradients_compile_no_texts(monkeypatch):
    """Numba writes messages of errors by string functions, which take seconds to compile."""
    names = []
    compile_extra = CompilerBase.compile_extra

    def counted(self, function):
        names.append(f"{function.__module__}.{function.__qualname__}")
        return compile_extra(self, function)

    monkeypatch.setattr(CompilerBase, "compile_extra", counted)
    given = 0.1, 0.5, np.cumsum(np.linspace(-1.0, 1.0, 5))
    made = pb.grad(filtered, (0, 1, 2))(*given)
    expected = pb.grad(pb.differentiable(jit=False)(filtered), (0, 1, 2))(*given)
    for a, b in zip(made, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    assert any("filtered" in name for name in names)
    assert not [name for name in names if "unicode" in name or "shape_context" in name]


def test_negative_sizes_are_refused():
    for text in ("np.empty", "np.zeros", "np.ones"):
        scope = {"np": np}
        exec(f"def function(n):\n    return {text}((2, n))\n", scope)
        with pytest.raises(ValueError, match="negative dimensions"):
            compiled(scope["function"])(-1)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 64, -1, -2, -5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_constant_powers_are_products(exponent, dtype):
    scope: dict = {}
    exec(f"def function(x):\n    return x ** {exponent}\n", scope)
    made = compiled(scope["function"])
    for x in map(dtype, (1.1, -0.7, 0.0, -0.0, np.inf, np.nan)):
        with np.errstate(all="ignore"):
            expected = scope["function"](x)
        np.testing.assert_allclose(made(x), expected, rtol=1e-13 if dtype is np.float64 else 1e-5)


@pytest.mark.parametrize("exponent", [0.5, -0.5, 1.5, -1.5, 2.5, -3.5, 2.0, -3.0, 0.3, -2.2, 64.5])
def test_powers_of_constant_floats_are_those_of_numpy(exponent):
    """Halves of odd numbers are written out as products and a square root."""
    scope: dict = {}
    exec(f"def function(x):\n    return x ** {exponent}\n", scope)
    made = compiled(scope["function"])
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -2.5]
    for x in map(np.float64, [*edges, *np.linspace(0.01, 9.0, 50)]):
        with np.errstate(all="ignore"):
            expected = scope["function"](x)
        np.testing.assert_allclose(made(x), expected, rtol=1e-14)
        assert np.signbit(made(x)) == np.signbit(expected) or np.isnan(expected)


def test_a_negative_power_of_zero_is_that_of_numpy():
    def inverse(x):
        return np.sum(x**-1)

    x = np.array([0.0, 2.0])
    with np.errstate(divide="ignore"):
        assert pb.differentiable(inverse)(x) == inverse(x) == np.inf
    assert pb.grad(inverse)(x).tolist() == [-np.inf, -0.25]
