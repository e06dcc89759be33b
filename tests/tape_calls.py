"""Calls of NumPy's functions with tensors in every place, as texts, and a verdict on each: right, refused or wrong."""

from __future__ import annotations

import array
import cmath
import ctypes
import functools
import inspect
import io
import linecache
import math
import operator
import statistics
import struct
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy
import scipy.special

import pullback as pb

SPACES: dict[str, Any] = {
    "np": np,
    "np.linalg": np.linalg,
    "np.fft": np.fft,
    "np.emath": np.emath,
    "np.polynomial.polynomial": np.polynomial.polynomial,
    "np.strings": np.strings,
    "scipy.special": scipy.special,
}
LEFT_OUT = {"empty", "empty_like", "info", "test", "source", "memmap", "loadtxt", "genfromtxt"}
LEFT_OUT |= {"array_equal", "array_equiv", "bmat", "isfortran", "mintypecode", "require"}
LEFT_OUT |= {"polyval", "polyvalfromroots"}
"""Without a value, or about files; or NumPy's own text asks for a class or catches all errors, which no tape sees."""

POSITIONAL = """
x | m | s | x, x | m, m | m, x | x, c | c, x | s, x | x, s | x, 0 | x, 2 | 2, x | x, 2, 0 | m, 0, 1 | 3, s | x, c, c
c, x, c | c, c, x | x, x, x | c, s, x | x, s, s | b, x | b, c, x | b, x, x | x, b | i, x | x, i | m, i | m, k, 0
x, i, s | x, (2, 2) | x, [2, 2] | (2, 2), s | s, 2.0, 5 | 0.0, x, 3 | x, i, 'clip' | [x, x] | (x, x) | [x, c]
[s, 1.0, s] | [[s, s], [s, s]] | [(s, 1.0), (s, s)] | [[m, m], [m, m]] | [[m, [m]]] | [m, x] | [m, m, m] | (m, m, x)
[x, [1.0, s, s, s]] | [c, [c, x]] | ([x, x],) | [[x, x], [x, c]] | i, [x, x] | i, (c, x) | k, [m, m] | b, [x, x]
[b, b], [x, x] | [b, ~b], [c, x] | [b, b], [c, c], x | [b], [c], x | c, [b, ~b], [s, 0.0] | x, [b, ~b], [1.0, 0.0]
c, [b, ~b], [f, 0.0] | x, [s, 0.5] | c, [s, 0.5] | c, [x, x] | f, 0, c | f, 0, m | f, (2, 2) | f, 1, c | f, c, [0]
f, m, [0] | np.sum, m, [0] | np.sum, 0, m | 'ij,j', m, x | 'ij,j->i', [m, m][0], x | 'i,i', [s, s], x | 'i,i', c, x
m, [0, 1], x, [1] | 'ij,jk', m, [x[:2], x[2:]] | [m, m], [x[:2], x[2:]] | [x, c], [c, x] | x, [c, x] | (s, s), c
c, (s, s) | [x], [x] | c, x, 2 | x, c, 2 | s, [x, c] | m, x[:2] | m, 2 | m, -1 | m, 'fro' | x, 1.5 | x, 0.5
x, [0.2, 0.4] | i, x, c | x, -1, 0 | c, c, x, 0.1 | *[x, x] | x, x, *[c, c] | x, None, None, o | x, 0, None, o[0]
x, 0, o[:1] | x, c, o | m, m, o2 | x, o | c, x, o | i, [c, c, x], o | x, i, 0, o | o, x | o, b, x | o, i, x | o, x, b
o, k, x | o2, s | o2, x
"""
KEYWORDS: dict[str, list[str]] = {
    "initial": ["s", "2.0"],
    "where": ["b", "x > 0.5"],
    "weights": ["x", "c", "[s, s, s, s]"],
    "out": ["o", "o2", "o[0]", "x", "(o,)"],
    "fill_value": ["s", "x"],
    "default": ["s", "x"],
    "constant_values": ["s", "(s, 1.0)", "[(s, s)]"],
    "end_values": ["s"],
    "prepend": ["s", "x"],
    "append": ["s", "[s, s]"],
    "to_begin": ["s"],
    "to_end": ["x"],
    "left": ["s"],
    "right": ["s"],
    "period": ["s"],
    "dx": ["s"],
    "x": ["x", "c"],
    "y": ["x"],
    "nan": ["s"],
    "posinf": ["s"],
    "a_min": ["s"],
    "a_max": ["x"],
    "min": ["s"],
    "max": ["x", "None"],
    "axis": ["0", "-1", "None", "(0, 1)"],
    "keepdims": ["True"],
    "mean": ["s"],
    "ddof": ["1", "s"],
    "correction": ["1"],
    "aweights": ["x", "c"],
    "dtype": ["np.float32", "int", "complex"],
    "bins": ["c", "x", "3"],
    "range": ["(0.0, s)"],
    "density": ["True"],
    "returned": ["True"],
    "retstep": ["True"],
    "full": ["True"],
    "cov": ["True"],
    "return_index": ["True"],
    "equal_nan": ["True"],
    "copy": ["False"],
    "w": ["x"],
    "tol": ["s"],
    "ord": ["1", "s"],
    "optimize": ["True"],
    "k": ["1"],
    "mode": ["'edge'", "'same'", "'clip'", "'complete'"],
    "method": ["'lower'"],
    "full_matrices": ["False"],
    "compute_uv": ["False"],
    "norm": ["'ortho'"],
    "overwrite_input": ["True"],
    "edge_order": ["2"],
    "indexing": ["'ij'"],
    "condlist": ["[b]"],
    "choices": ["[c, x, x]"],
    "like": ["x"],
}
UFUNCS = {
    1: ["x", "s", "[s, 1.0]", "[c, x]", "x, o", "c, x"],
    2: ["x, c", "c, x", "s, x", "x, [s, s, s, s]", "2, x", "i, x", "x, i", "c, x, o"],
    3: ["x, c, s", "c, c, x", "[s], c, c", "2, x, c"],
    4: ["x, c, s, c", "c, c, c, x", "1, 2, c, x"],
}
"""For ufuncs of so many arguments."""
METHODS = """
c.dot(x) | c.choose([x, x]) | i.choose([c, x, x]) | c.take(i) | c @ x | m @ o2 | c + x | c.clip(s, 1.0)
c.clip(max=x) | np.asarray(x) | np.array([x, x]) | np.array([s, 1.0]) | np.array(s) | np.array([[s, s], [1.0, s]])
np.asanyarray([x]) | np.array(x, dtype=object) | np.float64(s) | np.float32(s) | np.full(3, s) | np.full((2, 4), x)
np.fromiter([s, s], float) | c.sum(initial=s) | c.mean(where=x > 0.5) | c.searchsorted(x) | c.repeat(i)
c.compress(b) | c.max(initial=s) | c.prod(0, initial=s) | np.r_[x, c] | np.r_[s, 1.0] | np.c_[x, c] | np.s_[x]
np.ix_(i, k) | np.meshgrid(x, c) | np.broadcast(x, c).shape | np.add.reduce([x, x]) | np.add.reduce(x)
np.add.reduce(c, initial=s) | np.add.accumulate(x) | np.multiply.outer(c, x) | np.add.reduceat(x, [0, 2])
np.multiply.reduce(x, initial=s) | np.subtract.outer([s, s], c) | np.logaddexp.reduce(x) | np.maximum.accumulate(x)
np.add.reduce(x, 0, None, o[0]) | np.add.at(o, i, x) | np.add(c, 1.0, out=x) | np.add(c, 1.0, x)
np.add(c, x, where=b, out=o) | np.modf(x) | np.frexp(x) | np.divmod(x, s) | np.add(x, [s, s, s, s])
np.add([s, s, s, s], c) | np.vectorize(f)(x) | np.vectorize(f)(c) | np.frompyfunc(f, 1, 1)(x)
np.frompyfunc(f, 1, 1)(c) | np.poly1d(x)(s) | np.poly1d(c)(x) | np.poly1d([1.0, s])(2.0) | np.polyval(c, x)
np.polynomial.Polynomial(c)(x) | np.polynomial.Polynomial(x)(s) | np.apply_along_axis(f, 0, c)
np.fromfunction(lambda j: j * s, (3,)) | np.ma.masked_array(x, b) | np.ma.masked_array(c, b) * x | np.ma.sum(x)
np.ma.masked_array(c, b) + s | np.asarray(c) * s | c ** x | 2.0 ** x | c / s | c // s | c % x | divmod(c, x) | 1j * x
x * 1j | x * (c + 1j) | (c + 1j) * x | np.abs((c + 1j) * x) | np.real(np.fft.fft(x)) | np.fft.ifft(np.fft.fft(x)).real
np.fft.irfft(np.fft.rfft(x)) | np.imag(x * np.complex128(1j)) | np.abs(x * np.complex128(2j))
np.angle(x + np.complex128(1j)) | np.real_if_close(np.fft.fft(x)) | np.sum(np.abs(np.fft.fft(x)) ** 2)
np.emath.sqrt(-x) | np.real(np.emath.sqrt(-x)) | np.linalg.eigvals(m).real | x.astype(complex)
np.abs(x.astype(complex)) | np.real(x.astype(complex) * 1j) | np.exp(x * np.complex128(1j)) | np.conj(x) | np.real(x)
np.imag(x) | np.sign(x.astype(complex)) | np.zeros_like(x.astype(complex)) | np.where(b, x, np.complex128(1j))
np.where(b, x.astype(complex), c) | np.stack([x, c + 1j]) | np.concatenate([x, c + 1j]) | np.linalg.eig(m)
np.linalg.norm(np.fft.fft(x)) | np.vdot(x, c + 1j) | np.einsum('i,i', x, c + 1j) | x @ (c + 1j) | np.unwrap(x)
np.round(x + c * 1j) | np.floor(np.real(np.fft.fft(x))) | np.isreal(np.fft.fft(x)) | np.array_equal(x, c)
np.nan_to_num(np.fft.fft(x)) | np.fft.fft(x)[0] | np.fft.fft(x).sum() | math.sin(s) | sum(map(math.sin, x)) | fs[0](s)
fs['a'](s) | [v for v in map(math.sin, x)] | getattr(math, 'cos')(s) | [*map(math.sin, x)] | math.hypot(s, 1.0)
math.fsum(x) | statistics.fmean(x) | pow(s, 2) | divmod(s, 2.0) | abs(x) | sum(x) | max(x) | sorted(x) | round(s)
array.array('d', x) | array.array('d', [s]) | struct.pack('d', s) | ctypes.c_double(s).value | operator.mul(s, 2.0)
functools.reduce(operator.add, x) | cmath.sin(s) | np.random.default_rng(0).normal(s)
np.random.default_rng(0).normal(x) | np.random.default_rng(0).permutation(x) | np.nditer(x) | list(np.ndenumerate(x))
np.lib.stride_tricks.sliding_window_view(x, 2) | np.histogram(x, 3) | np.histogramdd([x, c], 2)
np.histogram2d(x, c, 2) | np.lib.stride_tricks.as_strided(x, (2,), (8,)) | np.block([[m, o2], [o2, m]])
np.save(buffer, x)
"""
"""More than calls of functions by name: methods of arrays, ufuncs' methods, complex numbers, Python's own functions."""

KEPT = {"x": slice(0, 4), "m": slice(4, 8), "s": 8}
POINT = np.array([0.37, 0.74, 0.21, 0.58, 1.9, 0.3, 0.3, 1.3, 0.62])
DIRECTION = np.array([0.51, 0.93, 0.77, 0.34, 0.88, 0.42, 0.42, 0.65, 0.69])
"""Of a symmetric matrix: the derivatives of np.linalg.eigh and its like are along those."""
STEP = 1e-5


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """(text, function) of all functions of the namespaces, each once."""
    seen: set[int] = set()
    for prefix, space in SPACES.items():
        for name in sorted(dir(space)):
            function = getattr(space, name)
            private = name.startswith(("_", "set", "show", "load", "save", "from", "print", "get"))
            if private or name in LEFT_OUT or isinstance(function, type | types.ModuleType) or not callable(function):
                continue
            if prefix == "scipy.special" and not isinstance(function, np.ufunc):
                continue
            if id(function) not in seen:
                seen.add(id(function))
                yield f"{prefix}.{name}", function


def keywords_of(function: Any) -> list[str]:
    """The names of the keywords of a function that `KEYWORDS` has values for."""
    if isinstance(function, np.ufunc):
        return ["out", "dtype"] if function.__name__ in vars(np) else []
    try:
        return [name for name in inspect.signature(function).parameters if name in KEYWORDS]
    except (TypeError, ValueError):
        return ["out", "dtype", "axis"]


def positional() -> list[str]:
    return [text.strip() for line in POSITIONAL.strip().splitlines() for text in line.split("|")]


def methods() -> list[str]:
    return [text.strip() for line in METHODS.strip().splitlines() for text in line.split("|")]


def every_call() -> Iterator[str]:
    """All calls that are tried: those by name that NumPy has, and with each keyword."""
    yield from methods()
    for name, function in functions():
        yield from calls_of(name, function)


def calls_of(name: str, function: Callable[..., Any]) -> Iterator[str]:
    """The calls of one function."""
    known = keywords_of(function)
    for arguments in UFUNCS.get(getattr(function, "nin", 0), positional()):
        if plain_leaves(f"{name}({arguments})") is not None:
            yield f"{name}({arguments})"
            yield from (f"{name}({arguments}, {keyword}={value})" for keyword in known for value in KEYWORDS[keyword])


def plain_leaves(call: str) -> list[Any] | None:
    """What a call with arrays leaves behind; None where NumPy has no such call."""
    try:
        code = compile(call, f"<{call}>", "eval")
        linecache.cache[code.co_filename] = (len(call), None, [call + "\n"], code.co_filename)
        return run(code, names_for(POINT, np.asarray))
    except Exception:
        return None


def names_for(point: np.ndarray, wrap: Callable[[Any], Any]) -> dict[str, Any]:
    """What a call may mention; the first three are made of a point."""
    x, m, s = wrap(point[0:4].copy()), wrap(point[4:8].reshape(2, 2).copy()), wrap(point[8])
    plain = {
        "c": np.array([0.31, 0.55, 0.83, 0.92]),
        "i": np.array([0, 2, 1, 1]),
        "k": np.array([1, 0]),
        "b": np.array([True, False, True, True]),
        "o": np.zeros(4),
        "o2": np.zeros((2, 2)),
    }
    modules = (array, cmath, ctypes, functools, math, operator, statistics, struct)
    return {
        **{module.__name__: module for module in modules},
        **{"np": np, "scipy": scipy, "x": x, "m": m, "s": s, "buffer": io.BytesIO()},
        **{"f": lambda v: v * s, "fs": {0: math.sin, "a": math.cos}},
        **plain,
    }


def run(code: types.CodeType, names: dict[str, Any]) -> list[Any]:
    """The leaves of what a call returns, and the arrays that it may have written."""
    result = eval(code, names)
    return [*leaves_of(result), names["o"], names["o2"], names["c"]]


def leaves_of(value: Any) -> list[Any]:
    """Numbers, arrays and tensors in a nested structure."""
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves_of(item)]
    if isinstance(value, dict):
        return leaves_of(list(value.values()))
    if isinstance(value, np.ma.MaskedArray):
        return [value.filled(0.0)]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return leaves_of(value.ravel().tolist())
    if isinstance(value, array.array):
        return [np.array(value)]
    return [value] if isinstance(value, np.ndarray | np.generic | float | complex | int | pb.Tensor) else []


def slopes(code: types.CodeType, direction: np.ndarray) -> list[Any] | None:
    """How each leaf changes along a direction, by differences; None where it jumps or is not defined beside it."""
    found = []
    for step in (STEP, STEP / 2):
        up, down = (run(code, names_for(POINT + h * direction, np.asarray)) for h in (step, -step))
        pairs = zip(up, down, strict=True)
        found.append([(np.asarray(a) - np.asarray(b)) / (2 * step) if is_float(a) else 0.0 for a, b in pairs])
    for a, b in zip(*found, strict=True):
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True):
            return None
    return found[1]


def is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind in "fc"


def verdict(call: str) -> str | None:
    """'right', 'refused', or what is wrong; None where NumPy has no such call."""
    plain = plain_leaves(call)
    if plain is None:
        return None
    code = compile(call, f"<{call}>", "eval")
    if not plain[:-3] and not any(np.any(one) for one in plain[-3:-1]):
        return None
    names = names_for(POINT, pb.constant)
    sources = [names[name] for name in ("x", "m", "s")]
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        try:
            given = run(code, names)
        except pb.PullbackError:
            return "refused"
        except Exception as error:
            if isinstance(error.__cause__, pb.PullbackError):
                return "refused"
            return f"{type(error).__name__}: {error}"
    return compared(code, tape, sources, plain, given)


def compared(code: types.CodeType, tape: Any, sources: list[Any], plain: list[Any], given: list[Any]) -> str | None:
    """The verdict on the leaves of a call with tensors, beside those of the plain call."""
    objects = [leaf for leaf in given if isinstance(leaf, pb.Tensor) and leaf.dtype == object]
    if objects:
        return "refused" if all(slope_by_tape(tape, y, sources, DIRECTION) is None for y in objects) else "objects"
    if len(plain) != len(given):
        return f"{len(given)} results in place of {len(plain)}"
    direction = DIRECTION
    try:
        expected = slopes(code, direction)
    except Exception:
        expected = None
    refused = False
    for k, (leaf, value) in enumerate(zip(given, plain, strict=True)):
        elements = leaf._value if isinstance(leaf, pb.Tensor) else leaf
        if np.shape(elements) != np.shape(value) or np.asarray(elements).dtype != np.asarray(value).dtype:
            return f"{np.asarray(elements)!r} in place of {np.asarray(value)!r}"
        if np.asarray(value).dtype.kind not in "fiubc":
            continue
        if not np.allclose(elements, value, equal_nan=True):
            return f"{elements} in place of {value}"
        if expected is None or not is_float(leaf if not isinstance(leaf, pb.Tensor) else elements):
            continue
        try:
            slope, wanted = slope_by_tape(tape, leaf, sources, direction), expected[k]
        except Exception as error:
            return f"{type(error).__name__} in the gradient: {error}"
        if slope is None:
            refused = True
            continue
        weights = weights_for(value)
        loose = {"rtol": 0.1, "atol": 0.02} if np.asarray(value).dtype == np.float32 else {"rtol": 1e-4, "atol": 1e-5}
        if np.all(np.isfinite(wanted)) and not np.allclose(slope, np.sum(wanted * weights), **loose):
            return f"slope {slope} in place of {np.sum(wanted * weights)}"
    return "refused" if refused else "right"


def weights_for(value: Any) -> np.ndarray:
    return np.asarray(np.random.default_rng(1).uniform(0.5, 1.5, np.shape(value)), np.asarray(value).real.dtype)


def slope_by_tape(tape: Any, leaf: Any, sources: list[Any], direction: np.ndarray) -> Any:
    """What the tape says of a leaf's change along a direction; None where it refuses."""
    if not isinstance(leaf, pb.Tensor):
        return 0.0
    try:
        found = tape.gradient(leaf, sources, output_gradients=weights_for(leaf._value))
    except (pb.PullbackError, NotImplementedError):
        return None
    parts = [
        np.zeros(np.size(x._value)) if g is None else g.numpy().ravel() for g, x in zip(found, sources, strict=True)
    ]
    return float(np.concatenate(parts) @ direction)


if __name__ == "__main__":
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for each in every_call():
            found = verdict(each)
            if found not in (None, "right", "refused"):
                print(f"{each}    {found}")
