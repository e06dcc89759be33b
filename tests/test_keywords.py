"""Every keyword of NumPy's functions means what it means in NumPy, or is refused: none is passed over."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import cells
import pullback as pb
from pullback.compilation.explained import CompileError

VALUES: dict[str, list[str]] = {
    "order": ["'C'", "'F'"],
    "axis": ["0", "-1", "None", "(0, 1)"],
    "keepdims": ["True"],
    "where": ["y > 0.5"],
    "initial": ["2.0"],
    "dtype": ["np.float32"],
    "shape": ["(2, 2)"],
    "ndmin": ["3"],
    "copy": ["True"],
    "ddof": ["1"],
    "correction": ["1"],
    "n": ["2"],
    "k": ["1"],
    "offset": ["1"],
    "ord": ["1", "'fro'"],
    "mode": ["'edge'", "'same'", "'clip'"],
    "side": ["'right'"],
    "endpoint": ["False"],
    "weights": ["y"],
    "prepend": ["0.0"],
    "decimals": ["1"],
    "nan": ["2.0"],
    "fill_value": ["3.0"],
    "axes": ["(1, 0)", "([0], [0])"],
    "include_initial": ["True"],
    "edge_order": ["2"],
    "dx": ["0.5"],
    "left": ["0.5"],
    "period": ["3.0"],
    "base": ["2.0"],
    "indexing": ["'ij'"],
    "increasing": ["True"],
}
POSITIONAL = ["y", "y, y", "y, 1", "(y, y)", "y, (2, 2)", "y, 0.4, 0.8", "3", "0.0, 1.0, 4", "y, 'F'", "y, 1, 0"]
LEFT_OUT = {
    "angle",
    "empty",
    "empty_like",
    "bmat",
    "corrcoef",
    "cov",
    "info",
    "test",
    "save",
    "savetxt",
    "savez",
    "load",
    "set",
}
"""Without a value, of a rank that depends on sizes, or (angle) of a truth value that does."""


def calls() -> Iterator[str]:
    for name in sorted(set(dir(np)) - LEFT_OUT):
        function = getattr(np, name)
        if name.startswith(("_", "set", "show", "load", "save", "from", "print", "get")) or isinstance(function, type):
            continue
        for keyword in keywords_of(function):
            for value in VALUES.get(keyword, []):
                yield from (f"np.{name}({given}, {keyword}={value})" for given in POSITIONAL)
        if callable(function):
            yield from (f"np.{name}({given})" for given in POSITIONAL)
    for name in ("ravel", "flatten", "reshape", "transpose", "sum", "mean", "std", "cumsum", "max", "round", "clip"):
        for given in ("", "'F'", "4", "1, 4", "0"):
            yield f"y.{name}({given})"
            for keyword in ("order", "axis", "keepdims", "ddof", "dtype", "where", "initial", "decimals"):
                yield from (f"y.{name}({given}{', ' if given else ''}{keyword}={v})" for v in VALUES[keyword])


def keywords_of(function: Any) -> list[str]:
    if isinstance(function, np.ufunc):
        return ["where", "dtype"]
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ["dtype", "order", "axis", "ndmin"]


def loaded(call: str, first: str = "x * 1.0") -> Callable[..., Any]:
    return cells.run(f"def f(x):\n    y = {first}\n    return {call}\n", np=np)["f"]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("block", range(16))
@pytest.mark.filterwarnings("ignore")  # NumPy's, about values and about ways to call it
def test_no_keyword_is_passed_over(block: int) -> None:
    followed = 0
    for call in list(calls())[block::16]:
        function = loaded(call)
        for shape in ((4,), (2, 2)):
            x = np.array([0.37, 0.74, 0.01, 0.38]).reshape(shape)
            try:
                plain = np.asarray(function(x.copy()))
            except Exception:  # NumPy has no such call
                continue
            if plain.dtype.kind not in "fib":
                continue
            try:
                value = np.asarray(pb.differentiable(jit=False)(function)(x.copy()))
            except pb.PullbackError:
                continue
            followed += 1
            np.testing.assert_allclose(value, plain, rtol=1e-6, err_msg=call)
    assert followed > 12


BLOCKS, COMPILED_IN_A_BLOCK = 200, 4
DTYPES = ("float64", "float64", "float32", "int64", "bool", "uint8")
SHAPES = ((4,), (2, 2), (2, 1, 2), (), (0,), (1, 4))


@pytest.mark.drawn(1)
@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.filterwarnings("ignore")
def test_what_is_accepted_compiles(block: int) -> None:
    """Calls with their keywords, for arguments of drawn dtypes and shapes, through Numba."""
    draw = random.Random(block)
    of_block = list(calls())[block::BLOCKS]
    draw.shuffle(of_block)
    compiled = 0
    for call in of_block:
        function = loaded(call, "x.copy()")
        dtype, shape = draw.choice(DTYPES), draw.choice(SHAPES)
        x = np.array(np.resize([0.37, 0.74, 0.01, 0.38], shape) * (4 if dtype != "float64" else 1)).astype(dtype)
        plain = value_of(function, x)
        if isinstance(plain, Exception) or plain.dtype.kind not in "fib":
            continue
        if isinstance(value_of(pb.differentiable(jit=False)(function), x), Exception):
            continue  # refused
        value = value_of(pb.differentiable(function), x)
        if isinstance(value, pb.PullbackError) and not isinstance(value, CompileError):
            continue
        assert not isinstance(value, Exception), f"{call} of {dtype}{list(shape)}: {value!r}"
        np.testing.assert_allclose(value, plain, rtol=2e-6, err_msg=f"{call} of {dtype}{list(shape)}")
        assert value.dtype == plain.dtype, f"{call} of {dtype}{list(shape)}"
        compiled += 1
        if compiled == COMPILED_IN_A_BLOCK:
            break


PASSED_OVER = [
    "np.prod(y, 1, initial=2.0)",
    "np.sum(y, initial=2.0)",
    "np.mean(y, where=y > 0.5)",
    "np.max(y, axis=0, initial=5.0)",
    "np.var(y, 1, correction=1)",
    "np.std(y, correction=1)",
    "y.std(where=y > 0.5)",
    "np.argmin(y, keepdims=True)",
    "np.cumsum(y, dtype=np.float32)",
    "np.prod(y, 1, dtype=np.float32)",
    "np.sum(y, 0, np.float32)",
    "np.add(y, 1, dtype=np.float32)",
    "np.sin(y, dtype=np.float32)",
    "np.less(y, 1, dtype=bool)",
    "np.repeat(y, axis=1, repeats=2)",
    "np.swapaxes(y, axis2=0, axis1=1)",
    "np.clip(a_max=0.5, a_min=0.1, a=y)",
    "np.logical_or(y, 'F')",
]


@pytest.mark.drawn(12)
@pytest.mark.parametrize("call", PASSED_OVER)
@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.filterwarnings("ignore")
def test_keyword_has_its_effect_or_is_refused(call: str, jit: bool) -> None:
    function, x = loaded(call), np.array([[0.37, 0.74], [0.01, 0.38]])
    plain, value = value_of(function, x), value_of(pb.differentiable(jit=jit)(function), x)
    if isinstance(value, Exception):
        assert isinstance(value, pb.PullbackError), value
        assert not isinstance(value, CompileError)
    else:
        np.testing.assert_allclose(value, plain, rtol=1e-6)
        assert (value.dtype, value.shape) == (plain.dtype, plain.shape)


@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("call", ["np.where(y, 1, 0)", "np.where(y, 1, 2.5)", "np.where(y > 1, 1, y)"])
def test_condition_does_not_decide_the_dtype_of_a_choice(call: str, jit: bool) -> None:
    function, x = loaded(call, "x.copy()"), np.array([0.0, 1.5], np.float32)
    value = pb.differentiable(jit=jit)(function)(x)
    assert value.dtype == function(x).dtype
    np.testing.assert_array_equal(value, function(x))


def test_what_numba_cannot_compile_is_refused_by_name() -> None:
    with pytest.raises(pb.LanguageError, match=r"Numba cannot compile this call of np\.packbits"):
        pb.differentiable(loaded("np.packbits(y > 0.0)"))(np.ones((2, 2)))


def value_of(function: Callable[..., Any], x: Any) -> Any:
    """What a call returns as an array, or its exception."""
    try:
        return np.asarray(function(x.copy()))
    except Exception as error:
        return error


def joined(x):
    t = 0.0
    for a, b in zip(x, x[1:] * 2.0, strict=True):
        t += a * b
    return t


def joined_items(x):
    t = 0.0
    for a, b in zip((1.0, 2.0), [x[0], x[1], x[2]], strict=True):
        t += a * b
    return t


@pytest.mark.parametrize("function", [joined, joined_items])
def test_strict_zip_needs_one_length(function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is (shorter|longer)"):
        function(np.ones(3))
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 has another length than argument 1"):
        pb.grad(pb.differentiable(jit=False)(function))(np.ones(3))


def test_a_dtype_of_none_is_no_dtype() -> None:
    def f(x):
        y = np.zeros_like(x, dtype=None)
        y += x * x
        return np.sum(y), y

    def g(x):
        return np.sum(np.array(x, dtype=None) * np.ones(3, dtype=None))

    x = np.arange(3.0, dtype=np.float32)
    _, y = pb.differentiable(jit=False)(f)(x)
    assert y.dtype == f(x)[1].dtype == np.float32
    np.testing.assert_array_equal(pb.grad(pb.differentiable(jit=False)(g))(x), np.ones(3))


@pytest.mark.parametrize(
    ("call", "error", "reason"),
    [
        ("max(x, key=lambda v: (v, v))", pb.LanguageError, "compared for order"),
        ("print(x, file=x)", pb.LanguageError, "writes to a file"),
        ("[a for a in zip(x, x, strict=x[0] > 0)]", pb.LanguageError, "'strict' of zip must be known"),
        ("np.size(x, 0)", pb.LanguageError, "np.size is followed with 'a' only"),
        ("np.zeros_like()", pb.TypingError, "np.zeros_like is missing the argument 'a'"),
        ("np.full(3)", pb.TypingError, "np.full is missing the argument 'fill_value'"),
        ("np.ones(3, shape=3)", pb.LanguageError, "'shape' of np.ones is not supported"),
        ("np.zeros(3, like=x)", pb.LanguageError, "'like' of np.zeros is not supported"),
        ("float(x=x[0])", pb.LanguageError, "'x' of float is not supported"),
        ("sorted([x[0], np.float32(0.5)])", pb.LanguageError, "which dtype an item has"),
        ("np.take(np.float32(x), [0], out=np.zeros(1))", pb.TypingError, "cannot cast from float32 to float64"),
        ("np.compress([1], np.float32(x), out=np.zeros(1))", pb.TypingError, "cannot cast from float32 to float64"),
        ("np.dot(np.eye(3), x, out=np.zeros(3, np.float32))", pb.TypingError, "cannot cast from float64 to float32"),
    ],
)
def test_what_does_not_fit_is_named(call: str, error: type[Exception], reason: str) -> None:
    function = cells.run(f"def f(x):\n    v = {call}\n    return np.sum(x)\n", np=np)["f"]
    with pytest.raises(error, match=reason):
        pb.grad(pb.differentiable(jit=False)(function))(np.ones(3))


def test_as_many_operands_as_one_likes() -> None:
    """Parameters behind `*operands` are not given by position."""

    def f(x):
        return np.sum(np.einsum("ij,jk,k->i", x, x, x[0]))

    x = np.arange(4.0).reshape(2, 2)
    assert pb.differentiable(jit=False)(f)(x) == f(x)
    pb.check_grads(f, (x,))
