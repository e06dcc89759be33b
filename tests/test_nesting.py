"""Loops and expressions that stand deep in one another: read in few readings, or refused with their place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.syntax.loops import Loop


def function_of(text: str) -> Callable[..., Any]:
    """`f` of a text, differentiated by Python."""
    names: dict[str, Any] = {"np": np}
    exec(text, names)
    return pb.differentiable(names["f"], jit=False, source=text)


def nest(start: str, body: str, result: str, depth: int) -> str:
    """A function of x with loops in one another, each of one iteration."""
    lines = ["def f(x):", *(f"    {line}" for line in start.split("; "))]
    lines += [f"{'    ' * (k + 1)}for i{k} in range(1):" for k in range(depth)]
    lines += ["    " * (depth + 1) + line for line in body.split("; ")]
    return "\n".join([*lines, f"    return {result}", ""])


NESTS = {
    "written arrays": ("y = np.zeros(3)", "y[0] = y[0] + x", "np.sum(y)"),
    "arrays bound anew": ("y = np.zeros(3)", "y = y + x", "np.sum(y)"),
    "wider numbers": ("s = 0", "s = s + x", "s"),
    "lists": ("l = [1]; s = 0.0", "l.append(x); s += l.pop()", "s"),
    "arrays in turn": ("a = np.zeros(2); b = np.ones(2)", "a[0] = b[1] * x; b[1] = a[0]", "np.sum(a + b)"),
    "views": ("a = np.ones((2, 2)); r = a[0]", "r[1] = r[0] * x; a[1, 0] = r[1]", "np.sum(a)"),
}


@pytest.mark.drawn(4)
@pytest.mark.parametrize("kind", NESTS)
def test_readings_of_a_nest_do_not_double_with_each_loop(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = 0
    attempt = Loop.attempt

    def counted(loop: Loop) -> Any:
        nonlocal readings
        readings += 1
        return attempt(loop)

    monkeypatch.setattr(Loop, "attempt", counted)
    gradient = pb.grad(function_of(nest(*NESTS[kind], depth=12)))(2.0)
    assert readings <= 12 * 12
    assert gradient == pb.grad(function_of(nest(*NESTS[kind], depth=1)))(2.0)


def sums(count: int) -> str:
    return "def f(x):\n    y = x\n    return " + " + ".join(["x * y"] * count) + "\n"


def calls(count: int) -> str:
    return "def f(x):\n    y = x\n    return " + "np.cos(" * count + "y" + ")" * count + "\n"


def test_long_expression_is_differentiated() -> None:
    assert pb.grad(function_of(sums(200)))(1.5) == 600.0


@pytest.mark.parametrize("text", [sums(900), calls(190)], ids=["summands", "calls"])
def test_expression_beyond_the_stack_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(pb.LanguageError, match="too many operations") as caught:
        pb.grad(function_of(text))(1.5)
    assert caught.value.problems[0].location.line == 3


def test_chain_of_too_many_functions_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = "".join(f"def g{k}(x):\n    return g{k - 1}(x) + x\n" for k in range(1, 80))
    (tmp_path / "chain_of_functions.py").write_text(f"def g0(x):\n    return x * x\n{chain}")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("chain_of_functions")
    with pytest.raises(pb.LanguageError, match="the last of more than 60 functions"):
        pb.grad(pb.differentiable(module.g79, jit=False))(1.5)
