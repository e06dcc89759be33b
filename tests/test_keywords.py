"""Every keyword of NumPy's functions means what it means in NumPy, or is refused: none is passed over."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb

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


def loaded(call: str) -> Callable[..., Any]:
    text = f"def f(x):\n    y = x * 1.0\n    return {call}\n"
    file = f"<keyword {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("block", range(4))
@pytest.mark.filterwarnings("ignore")  # NumPy's, about values and about ways to call it
def test_no_keyword_is_passed_over(block: int) -> None:
    followed = 0
    for call in list(calls())[block::4]:
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
    assert followed > 50
